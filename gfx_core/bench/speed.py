"""What batching and incremental parents buy, how long an epoch and an explanation take, and what large graphs cost.

Every timing is the median of several after a warm-up, and every ratio compares two ways of computing the same thing
within one run, on the same states. Times are in seconds.
"""

import multiprocessing
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gfx_core.bench import cut_vertices
from gfx_core.bench.instances import random_graph
from gfx_core.bench.record import made_with
from gfx_core.config import GNNKind, Task
from gfx_core.datasets.graph import MAX_INSTANCE_NODES, GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.drawing.layout import instance_layout
from gfx_core.explainers import record as recording
from gfx_core.explainers.generate import Generator
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.config import GFNConfig, Parents, Stop
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.paths import policy_path
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.sampler import parent_nodes, sample
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.seeding import seeded

RATIO_GOALS = {"parents": 10.0, "sampling": 20.0, "cut_vertices": 10.0}  # at least
EPOCH_GOALS = {"cpu": 2.0, "cuda": 0.025}  # seconds at most, on two CPU cores or one H200
EXPLANATION_GOAL = 0.3  # seconds at most
FLAT_GOAL = 1.5  # times what the smallest graph costs, at most
INFERENCE_NODES = 10  # K_M of the explanations
EXPLAINED = {"ba_shapes": (0.0, 0.5, 1.0), "tree_cycles": (0.5, 1.0), "ba_2motifs": (0.5,)}
"""Which instances of a data set are explained, all being ordered by size: 0 is the smallest, 1 the largest."""
_ONE_BY_ONE = 256  # about so many parents are timed one call at a time, evenly spread over all of them
_FULL_POLICY = {
    "ratio_batched": "the full policy on every parent, batched",
    "ratio_one_by_one": "one call of the full policy for each parent",
}
_PART = 1024  # parent states evaluated in one call: their tables would fill the memory if it were all of them


def run(
    device: str = "cpu", quick: bool = False, progress: Callable[[float, str], None] | None = None
) -> dict[str, Any]:
    """Measure everything.

    Args:
        device: ``cpu`` or ``cuda``.
        quick: Small sizes and few repeats, for tests: a whole record, but no meaningful times.
        progress: Called with the share that is done (0 to 1) and what is measured next.
    """
    repeats, nodes = (1, 5) if quick else (5, 20)
    batch, instances = (16, 16) if quick else (256, 300)
    sizes = (50, 100) if quick else (10_000, 100_000, 1_000_000)
    hub = (90, 30) if quick else (100_000, MAX_INSTANCE_NODES)
    aside = _in_this_process if quick else in_fresh_process
    parts: dict[str, Callable[[], Any]] = {
        "parents": lambda: parents_ratio(instances, nodes, repeats, device),
        "sampling": lambda: sampling_ratio(batch, nodes, repeats, device),
        "cut_vertices": lambda: tracker_ratio(batch, nodes, repeats, device),
        "epochs": lambda: epoch_times(instances, nodes, repeats, device),
        "explanations": lambda: explanation_times({"ba_shapes": (0.5,)} if quick else EXPLAINED, repeats, device),
        "scale": lambda: [aside(random_graph_cost, num_nodes, repeats, device) for num_nodes in sizes],
        "hub": lambda: aside(hub_cost, *hub, repeats, device),
    }
    record: dict[str, Any] = {"quick": quick, "repeats": repeats, "max_nodes": nodes, "device_type": device}
    record |= {"torch_threads": torch.get_num_threads()} | made_with(device)
    for number, (name, measure) in enumerate(parts.items()):
        if progress is not None:
            progress(number / len(parts), name)
        record[name] = measure()
    if progress is not None:
        progress(1.0, "done")
    return record


def table(record: dict[str, Any]) -> str:
    """The record for people: every goal with what was measured, then where the time of explanations goes."""
    made, device, scale, hub = record["made"], record["device_type"], record["scale"], record["hub"]
    parents, sampling, cuts = record["parents"], record["sampling"], record["cut_vertices"]
    rows: list[tuple[str, float, float, str]] = []  # what, measured, goal, unit
    for key, against in _FULL_POLICY.items():
        rows.append((f"incremental parents against {against}", parents[key], RATIO_GOALS["parents"], "×"))
    what = f"{sampling['trajectories']} trajectories in lockstep against one by one"
    rows.append((what, sampling["ratio"], RATIO_GOALS["sampling"], "×"))
    what = f"cut vertices of {cuts['subgraphs']} subgraphs: tracker against networkx"
    rows.append((what, cuts["ratio_networkx"], RATIO_GOALS["cut_vertices"], "×"))
    for row in record["epochs"]:
        what = f"epoch of {row['instances']} instances, STOP {row['stop']}, {row['mean_nodes']:.1f} nodes on average"
        rows.append((what, row["seconds"], EPOCH_GOALS[device], "s"))
    for row in record["explanations"]:
        what = f"explanation: {row['dataset']} {row['index']}, {row['instance_nodes']} nodes ({row['policy']} policy)"
        rows.append((what, row["seconds"], EXPLANATION_GOAL, "s"))
    for row, (key, noun) in product(scale[1:], (("seconds", "time"), ("peak_bytes", "peak memory"))):
        if row[key] and scale[0][key]:
            what = f"explanation in a graph of {row['nodes']:,} nodes against {scale[0]['nodes']:,}: {noun}"
            rows.append((what, row[key] / scale[0][key], FLAT_GOAL, "× at most"))
    lines = [f"on {made['device']}, {record['torch_threads']} threads, K_M = {record['max_nodes']}"]
    lines += [f"{'':<74} {'measured':>10} {'goal':>9} reached"]
    for what, measured, goal, unit in rows:
        sign, reached = ("≥", measured >= goal) if unit == "×" else ("≤", measured <= goal)
        value, bound = (f"{measured:.4f} s", f"{goal:g} s") if unit == "s" else (f"{measured:.1f}×", f"{goal:g}×")
        lines.append(f"{what:<74} {value:>10} {sign} {bound:>7} {'yes' if reached else 'no'}")
    alone, difference = parents["ratio_batched_policy_alone"], parents["max_difference"]
    lines += [
        f"{parents['parents']:,} parents of {parents['states']:,} states; log in-flows differ by {difference:.1e}"
    ]
    lines += [f"batched, with the building of the parent states not counted: {alone:.1f}×"]
    lines += ["", "milliseconds of one explanation" + " " * 21 + "nodes   all   " + "peak MiB   its parts"]
    named = [(f"{row['dataset']} {row['index']}", row) for row in record["explanations"]]
    named += [(f"random graph of {r['nodes']:,} nodes (built in {r['build_s']:.1f} s)", r) for r in scale]
    named += [(f"hub of {hub['neighbours']:,}, {hub['left_out']:,} left out", hub)]
    for what, row in named:
        peak = row.get("peak_bytes")
        parts = "  ".join(f"{name} {1e3 * part:.1f}" for name, part in row["parts"].items())
        memory = "-" if peak is None else f"{peak / 2**20:.0f}"
        lines.append(f"{what:<50} {row['instance_nodes']:>6} {1e3 * row['seconds']:>6.0f} {memory:>8}   {parts}")
    return "\n".join(lines)


@torch.no_grad()
def parents_ratio(instances: int, max_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """In-flows of all states that a batch visits: incrementally, and by the whole policy on every parent state."""
    trainer = _trainer(instances, device, max_nodes, long=True)
    trajectories, into = trainer.sample(trainer._all[0], torch.Generator(device).manual_seed(0))
    policy, episodes = trainer.policy, trajectories.episodes
    at = trajectories.visited.flatten().nonzero()[:, 0]
    states = States.along(episodes, trajectories.episode, trajectories.order, max_nodes)[at]
    into = into.flatten(0, 1)[at]  # bool [N, m]
    encoded = policy.encode(episodes)
    state, node = into.nonzero(as_tuple=True)  # one row for each parent

    def incremental() -> torch.Tensor:
        flows = policy(encoded, states, into)
        assert flows.log_in is not None
        return flows.log_in[state, node]

    def parent_states(rows: torch.Tensor) -> States:
        members = states.members[state[rows]]
        members[torch.arange(len(rows), device=rows.device), node[rows]] = False
        return States.of_sets(episodes, states.episode[state[rows]], members, max_nodes)

    def full(rows: torch.Tensor, part: int) -> torch.Tensor:
        flows = [policy(encoded, parent_states(some)).log_out for some in rows.split(part)]
        return torch.cat(flows).gather(1, node[rows][:, None])[:, 0]

    every = torch.arange(len(state), device=state.device)
    some = every[:: max(1, len(every) // _ONE_BY_ONE)]
    apart, batched, single = incremental(), full(every, _PART), full(some, 1)
    built = _median(lambda: [parent_states(rows) for rows in every.split(_PART)], repeats, device)
    seconds = {
        "incremental": _median(incremental, repeats, device),
        "full_batched": _median(lambda: full(every, _PART), repeats, device),
        "full_one_by_one": _median(lambda: full(some, 1), repeats, device) * len(every) / len(some),
    }
    return {
        "instances": instances,
        "states": len(states),
        "parents": len(every),
        "part": _PART,
        "seconds": seconds | {"building_parent_states": built},
        "one_by_one_measured": len(some),
        "ratio_batched": seconds["full_batched"] / seconds["incremental"],
        "ratio_batched_policy_alone": (seconds["full_batched"] - built) / seconds["incremental"],
        "ratio_one_by_one": seconds["full_one_by_one"] / seconds["incremental"],
        "max_difference": max(float((apart - batched).abs().max()), float((apart[some] - single).abs().max())),
    }


def sampling_ratio(count: int, max_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """Trajectories (and their valid parents) in lockstep against one after the other, each on its own instance."""
    trainer = _trainer(count, device, max_nodes, long=True)
    generator = torch.Generator(device).manual_seed(0)
    alone = [Episodes.of(trainer.graphs, np.array([number])) for number in range(count)]

    def draw(episodes: Episodes) -> float:
        each = torch.arange(len(episodes), device=device)
        drawn = sample(trainer.policy, episodes, each, trainer.reward, generator=generator)
        parent_nodes(drawn, Parents.VALID)
        return float(drawn.length.float().mean())

    together = Episodes.of(trainer.graphs, np.arange(count))
    seconds = {
        "lockstep": _median(lambda: draw(together), repeats, device),
        "one_by_one": _median(lambda: [draw(episodes) for episodes in alone], 1, device, warm_up=0),
    }
    if device != "cpu":
        seconds["captured"] = _median(lambda: trainer.sample(trainer._all[0], generator), repeats, device)
    ratio = seconds["one_by_one"] / seconds["lockstep"]
    return {"trajectories": count, "mean_nodes": draw(together), "seconds": seconds, "ratio": ratio}


def tracker_ratio(count: int, max_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """Cut vertices after every added node: the tracker on all subgraphs at once against networkx on each."""
    found = cut_vertices.run([max_nodes], [count], device=device, repeats=repeats)  # raises if they disagree
    seconds = {row["method"]: row["seconds"] for row in found["results"]}
    ratios = {f"ratio_{method}": seconds[method] / seconds["tracker"] for method in ("networkx", "tarjan")}
    return {"subgraphs": count, "states": found["states_compared"], "seconds": seconds} | ratios


def epoch_times(instances: int, max_nodes: int, repeats: int, device: str) -> list[dict[str, Any]]:
    """One epoch on BA-Shapes under the paper's preset, for both kinds of STOP: at the start, and at its longest."""
    rows = []
    for stop, long in product(Stop, (False, True)):
        started = time.perf_counter()
        trainer = _trainer(instances, device, max_nodes, stop, long)
        setup = time.perf_counter() - started
        seconds = _median(trainer.run_epoch, repeats, device, warm_up=2)
        rows.append({"stop": str(stop), "instances": instances, "setup_s": setup, "seconds": seconds})
        rows[-1] |= {"batch_size": trainer.config.batch_size, "mean_nodes": trainer.curve[-1].size}
    return rows


def explanation_times(cases: dict[str, tuple[float, ...]], repeats: int, device: str) -> list[dict[str, Any]]:
    """One explanation, from cutting the instance out to the finished trace, and where its time goes."""
    rows = []
    for name, places in cases.items():
        dataset, model = load_dataset(name), load_model(name).to(device)
        explainer, source = _explainer(name, device)
        size = np.array([dataset.instance(int(index)).num_nodes for index in dataset.explainable])
        by_size = dataset.explainable[np.argsort(size, kind="stable")]
        for place in places:
            index = int(by_size[round(place * (len(by_size) - 1))])
            rows.append({"dataset": name, "index": index, "policy": source})
            rows[-1] |= _explanation(explainer, model, partial(dataset.instance, index), repeats, device)
    return rows


def random_graph_cost(num_nodes: int, repeats: int, device: str) -> dict[str, Any]:
    """Time and memory of explaining nodes of a large random graph, its building apart."""
    started = time.perf_counter()
    dataset = random_graph(num_nodes)
    dataset.indptr  # noqa: B018  (built once, outside the timing)
    build = time.perf_counter() - started
    chosen = np.random.RandomState(1).randint(0, num_nodes, size=99)
    size = [dataset.instance(int(index)).num_nodes for index in chosen]
    index = int(chosen[np.argsort(size)[len(size) // 2]])  # the median one: what is compared is the graph around it
    cost = _untrained(partial(dataset.instance, index), repeats, device)
    return {"nodes": num_nodes, "edges": dataset.num_edges, "build_s": build} | cost


def hub_cost(neighbours: int, bound: int, repeats: int, device: str) -> dict[str, Any]:
    """Time and memory of explaining a node with very many neighbours, some of them joined to each other."""
    spokes = np.stack([np.zeros(neighbours, np.int64), np.arange(1, neighbours + 1)])
    others = np.random.RandomState(0).randint(1, neighbours + 1, size=(2, neighbours))
    x, y = np.ones((neighbours + 1, 1), dtype=np.float32), np.zeros(neighbours + 1, dtype=np.int64)
    dataset = GraphDataset.from_edges("hub", Task.NODE, x, np.concatenate([spokes, others], axis=1), y)
    cost = _untrained(partial(dataset.instance, 0, max_nodes=bound), repeats, device)
    return {"neighbours": neighbours, "bound": bound} | cost


def _untrained(cut_out: Callable[[], Instance], repeats: int, device: str) -> dict[str, Any]:
    """Explain one node by an untrained policy for an untrained GNN: they cost what trained ones do."""
    with seeded(0):
        model = GNN(Task.NODE, GNNKind.SUM, 1, 2).eval().to(device)
    explainer = GFlowExplainer(replace(policy_config("ba_shapes"), max_nodes=INFERENCE_NODES), device=device)
    some = SubgraphPredictor(model, [random_graph(20).instance(0)], device)
    explainer.trained = TrainedPolicy.of(Trainer(some, explainer.config))
    peak = _peak_memory(lambda: explainer.explain(model, cut_out()), device)
    return {"peak_bytes": peak} | _explanation(explainer, model, cut_out, repeats, device)


def _explanation(
    explainer: GFlowExplainer, model: GNN, cut_out: Callable[[], Instance], repeats: int, device: str
) -> dict[str, Any]:
    """How long an explanation takes as a whole, and each of its parts by itself."""
    instance = cut_out()
    predictor = SubgraphPredictor(model, [instance], device)
    assert explainer.trained is not None
    config = explainer.trained.config
    generator = Generator(explainer.trained, predictor, instance)
    drawn = generator.draw(explainer.samples, explainer.seed)
    parts: dict[str, Callable[[], object]] = {
        "cut_out": cut_out,
        "gnn_on_instance": lambda: SubgraphPredictor(model, [instance], device).whole,
        "flow_graphs": lambda: FlowGraphs(predictor, config.policy),
        "sampling": lambda: generator.draw(explainer.samples, explainer.seed),
        "full_detail": lambda: recording._steps(generator, drawn.start, drawn.orders[0]),
        "enumeration": lambda: recording._enumerate(generator, drawn.start),
        "layout": lambda: instance_layout(instance),
    }
    if instance.target is None:
        parts["sampling_all_starts"] = lambda: generator.draw_anywhere(explainer.samples, explainer.seed)
    seconds = _median(lambda: explainer.explain(model, cut_out()), repeats, device)
    trace = explainer.explain(model, instance)
    spent = {name: _median(work, repeats, device) for name, work in parts.items()}
    return {
        "instance_nodes": len(trace.nodes),
        "instance_edges": len(trace.edges),
        "left_out": trace.left_out,
        "steps": len(trace.steps),
        "states_enumerated": trace.num_states_exact,
        "samples": explainer.samples,
        "max_nodes": config.max_nodes,
        "seconds": seconds,
        "parts": spent | {"rest": max(0.0, seconds - sum(spent.values()))},
    }


def _trainer(instances: int, device: str, max_nodes: int, stop: Stop = Stop.REWARD, long: bool = False) -> Trainer:
    """An untrained policy on the first instances of BA-Shapes, under the paper's preset.

    Its trajectories are short at first. If they are to be ``long``, all scores are raised so far that hardly one stops
    before it has K_M nodes or all there are: the most that any policy can cost.
    """
    dataset = load_dataset("ba_shapes")
    cut = [dataset.instance(int(index)) for index in dataset.explainable[:instances]]
    config = replace(policy_config("ba_shapes", "paper"), max_nodes=max_nodes, stop=stop)
    if long:
        config = replace(config, lr=1e-9)  # a few steps of training would bring the scores down again
    trainer = Trainer(SubgraphPredictor(load_model("ba_shapes"), cut, device), config)
    if long:
        torch.nn.init.constant_(trainer.policy.score.bias, 5.0)
    return trainer


def _explainer(name: str, device: str) -> tuple[GFlowExplainer, str]:
    """The shipped policy of a data set, or an untrained one where none is shipped."""
    path = policy_path(name)
    if path.is_file():
        return GFlowExplainer.load(path, device=device), "shipped"
    config: GFNConfig = replace(policy_config(name), max_nodes=INFERENCE_NODES)
    dataset, model = load_dataset(name), load_model(name)
    cut = [dataset.instance(int(index)) for index in dataset.explainable[:8]]
    explainer = GFlowExplainer(config, device=device)
    explainer.trained = TrainedPolicy.of(Trainer(SubgraphPredictor(model, cut, device), config), name, model.kind)
    return explainer, "untrained"


def _median(work: Callable[[], object], repeats: int, device: str, warm_up: int = 1) -> float:
    """Seconds that some work takes, the device's share included."""
    times = []
    for _ in range(warm_up + repeats):
        started = _now(device)
        work()
        times.append(_now(device) - started)
    return float(np.median(times[warm_up:]))


def _now(device: str) -> float:
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter()


def _in_this_process(measure: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    return measure(*arguments)


def in_fresh_process(measure: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Run a measurement where nothing else has used any memory yet."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def _peak_memory(work: Callable[[], object], device: str) -> int | None:
    """The most bytes that some work needs beyond what is held already; None where that cannot be told.

    On the CPU it is the resident memory, whoever allocates it, as Linux counts it. The high-water mark is set back
    before the work, because building a large graph leaves a higher one.
    """
    if device != "cpu":
        held = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        work()
        return torch.cuda.max_memory_allocated() - held
    try:
        Path("/proc/self/clear_refs").write_text("5")
        before = _high_water()
        work()
        return _high_water() - before
    except OSError:
        work()
        return None


def _high_water() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    if found is None:
        raise OSError("this system does not tell a process its peak memory")
    return int(found[1]) * 1024
