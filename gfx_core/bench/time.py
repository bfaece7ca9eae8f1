"""How long explainers learn and explain, and how long it takes to know the cut vertices; one device a table.

What is timed is what users call: ``fit`` on some instances, ``explain`` on one, ``explain_many`` on some, and the whole
explanation that a page shows. Cells are computed one at a time, with a thread for each core.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from gfx_core.arrays import spread
from gfx_core.bench.auc import PAPER
from gfx_core.bench.study import Cell, Claim, Study, Sweep
from gfx_core.bench.tables import OWN, RG, Quantity, Record, ResultTable, grouped, paired
from gfx_core.limits import cores
from gfx_core.metrics.intervals import interval, resampled_means, resampling, verdict
from gfx_core.text.numbers import counted, listed

PAGE, ZETA, TARJAN = "page", "tracker", "tarjan"
RACERS = {ZETA: "𝒵 (Theorem 1)", TARJAN: "A new search (Tarjan)", "networkx": "A new search (networkx)"}
"""Who finds cut vertices, by the name that `gfx_core.gfn.cut_vertex_race` has for them."""
SETS = {"one_ms": 1, "many_ms": 256}
"""How many subgraphs grow at a time."""
NODES = 20
"""How many nodes each has in the end: the paper's K_M."""
WAIT = 15.0
"""After so many seconds no further instance is explained alone."""

RACES = (
    ("GFlowExplainer explains one instance faster than RGExplainer", RG, OWN, "alone_ms"),
    ("GFlowExplainer trains faster than RGExplainer with its pretraining", RG, OWN, "fit_s"),
    ("𝒵 finds cut vertices faster than a new search, one subgraph at a time", TARJAN, ZETA, "one_ms"),
    ("𝒵 finds cut vertices faster than new searches, 256 subgraphs at a time", TARJAN, ZETA, "many_ms"),
)
"""A claim, who is slow by it, who is fast, and in what."""

T = TypeVar("T")


class Time(Study):
    """The variant of a cell is its device, so that each device has its own."""

    name = "time"
    title = "Time"
    short = "Time"
    question = "How long do explainers learn, and how long do they take to explain?"
    workers = 1  # cells that ran side by side would slow each other down
    datasets: ClassVar = {name: Study.datasets[name] for name in ("tree_grid", "ba_2motifs")}
    methods: ClassVar = {**Study.methods, PAGE: "GFlowExplainer, all that a page shows", **RACERS}
    variant_titles: ClassVar = {"cpu": "", "cuda": ""}  # the table's title has it
    seeds = 5
    options: ClassVar = {"alone": 10, "instances": 30}
    quick_options: ClassVar = {"alone": 1, "instances": 4, "epochs": 2}
    code = ("gfx_core.gfn.cut_vertex_race", "gfx_core.gfn.cut_vertices", "gfx_core.gfn.settings")
    shown = (
        Quantity("alone_ms", "Milliseconds to explain one instance alone", "low", 1, PAPER["explain_ms"], close=0),
        Quantity("batch_ms", "Milliseconds an instance, {instances} together", "low", 2, close=0),
        Quantity("fit_s", "Seconds of training on {instances} instances, pretraining included", "low", 1, close=0),
        Quantity("pretraining_s", "Seconds of pretraining", "low", 1, close=0),
        Quantity("one_ms", f"Cut vertices along the growth of one subgraph to {NODES} nodes, ms", "low", 2, close=0),
        Quantity("many_ms", f"Cut vertices along the growth of 256 subgraphs to {NODES} nodes, ms", "low", 2, close=0),
    )

    def cells(self, sweep: Sweep) -> list[Cell]:
        """Cut vertices are found on a CPU."""
        return [
            Cell(self.name, dataset, method, seed, sweep.device, self.options_for(sweep))
            for dataset in sweep.datasets
            for method in sweep.methods
            if method not in RACERS or sweep.device == "cpu"
            for seed in range(self.number_of_seeds(method, sweep))
        ]

    def number_of_seeds(self, method: str, sweep: Sweep) -> int:
        """Cut vertices are found in several graphs."""
        return super().number_of_seeds(method, sweep) if method in RACERS else 1

    def compute(self, cell: Cell) -> dict[str, Any]:
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(cores())
        try:
            if cell.method in RACERS:
                return cut_vertex_times(cell)
            return page_times(cell) if cell.method == PAGE else method_times(cell)
        finally:
            torch.set_num_threads(before)

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """For each device a table for each time; the paper's own, of its device, are the last rows."""
        found = []
        for (_,), here in grouped(records, "variant").items():
            found += [self.by_method(here, replace(each, title=_on_device(each, here))) for each in self.shown]
        return [table for table in found if table.rows]

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """Who is faster, on each device: quotients by data set and seed, resampled. The first one sums up."""
        found, shown = [], {each.value: each for each in self.shown}
        for (device,), here in grouped(records, "variant").items():
            for words, slow, fast, value in RACES:
                both = np.log(paired(here, slow, fast, value))
                if not len(both):
                    continue
                logs = both[:, 0] - both[:, 1]
                resampled = resampled_means(logs, resampling(np.arange(len(logs))))
                low, high = np.exp(interval(resampled) or (0.0, 0.0))
                number = f"{np.exp(logs.mean()):.2f} times as fast "
                few = len(logs) < 5  # too few for an interval: the least and the most instead
                raced = [r for r in here if r["method"] in (slow, fast) and value in r["values"]]
                once = len(self.columns(raced)) == len(logs)
                runs = f"on {counted(len(logs), 'data set')}, one run each" if once else f"in {len(logs)} runs"
                number += f"({low:.2f} to {high:.2f} {runs})" if few else f"[{low:.2f}, {high:.2f}]"
                sentence = f"{words} (on a {'CPU' if device == 'cpu' else 'GPU'})."
                found.append(Claim(sentence, verdict(resampled), number, _on_device(shown[value], here)))
        summary, rival = [], f"faster than {self.methods[RG]}"
        races = [claim for claim in found if rival in claim.sentence]
        for doing, what in (("explains", "to explain"), ("trains", "to train")):
            verdicts = {
                claim.sentence.partition(" (")[2][:-2]: claim.verdict for claim in races if doing in claim.sentence
            }
            slower = [device for device, found_so in verdicts.items() if found_so == "does not hold here"]
            if slower:
                summary.append(f"slower {what}" + f" {listed(slower)}" * (len(slower) < len(verdicts)))
            elif verdicts:
                summary.append(f"{'faster' if set(verdicts.values()) == {'holds'} else 'not clearly faster'} {what}")
        than = (*summary[:-1], f"{summary[-1]} than {self.methods[RG]}") if summary else ()
        return [replace(claim, summary=than) if claim in races[:1] else claim for claim in found]


def _on_device(quantity: Quantity, records: Sequence[Record]) -> str:
    """The title of a table of one device."""
    made = records[0]["made"]
    device = f"CPU, {made['cpu_cores']} cores" if made["device"] == "cpu" else made["device"]
    title = quantity.title.format(**records[0]["options"])
    return f"{title} ({device}{'; paper: Quadro RTX 6000' if quantity.paper else ''})"


def timed(work: Callable[[], T], device: Any = "cpu") -> tuple[float, T]:
    """Seconds that some work takes, the device's share included, and what comes of it."""
    import torch

    started = time.perf_counter()  # what was timed before is done
    result = work()
    if torch.device(device).type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - started, result


def alone(explain: Callable[[Any], object], some: Sequence[Any], device: str) -> dict[str, float]:
    """The median of the milliseconds of each, after a warm-up, until `WAIT` is over."""
    explain(some[0])
    each: list[float] = []
    while len(each) < len(some) and sum(each) < WAIT:
        each.append(timed(lambda: explain(some[len(each)]), device)[0])
    return {"alone_ms": 1e3 * float(np.median(each))}


def page_times(cell: Cell) -> dict[str, float]:
    """A whole explanation as a page requests it, by the shipped policy."""
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.explanation.question import Question
    from gfx_core.explanation.run import explain
    from gfx_core.job_context import JobContext

    some = spread(load_dataset(cell.dataset).explainable, cell.options["alone"]).tolist()
    return alone(lambda i: explain(Question(cell.dataset, str(i)), JobContext(cell.device)), some, cell.device)


def method_times(cell: Cell) -> dict[str, float]:
    """One explainer: training where it learns, some instances one by one, and all together where it can do that.

    Options: ``device``; ``instances``, how many are trained on and explained together, and how many of them ``alone``;
    ``epochs``, another length of training.
    """
    from gfx_core.baselines.method import Learner, Method
    from gfx_core.baselines.registry import chosen_settings, make_method
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.gnn.checkpoint import load_model

    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    chosen = spread(dataset.explainable, cell.options["instances"])
    instances = [dataset.instance(int(index), hops=model.hops) for index in chosen]
    settings, epochs = chosen_settings(cell.method, cell.dataset, model.name), cell.options.get("epochs")
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=epochs)
    values: dict[str, float] = {}
    if isinstance(method, Learner):
        started = time.perf_counter()

        def after(share: float, words: str) -> None:  # an epoch's numbers have come from the device by then
            if words.startswith("pretraining"):
                values["pretraining_s"] = time.perf_counter() - started

        values["fit_s"] = timed(lambda: method.fit(instances, progress=after), cell.device)[0]
    some = [instances[i] for i in spread(np.arange(len(instances)), cell.options["alone"])]
    values |= alone(method.explain, some, cell.device)
    if type(method).explain_many is not Method.explain_many:
        values["batch_ms"] = 1e3 * timed(lambda: method.explain_many(instances), cell.device)[0] / len(instances)
    return values


def cut_vertex_times(cell: Cell) -> dict[str, float]:
    """How long it takes to know the cut vertices after each node that is added to some subgraphs of an instance."""
    from gfx_core.datasets.registry import load_dataset
    from gfx_core.gfn.cut_vertex_race import race
    from gfx_core.teaching.lab_graphs import GraphKind, growths

    index = int(np.random.RandomState(cell.seed).choice(load_dataset(cell.dataset).explainable))
    found = {}
    for name, sets in SETS.items():
        some = growths(GraphKind.INSTANCE, cell.dataset, index, NODES, cell.seed, sets)
        found[name] = 1e3 * race(some, 5, 1.0, [cell.method])[cell.method]
    return found
