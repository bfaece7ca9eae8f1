"""The documents in assets/docs: people wrote the sentences, the code and the records fill in the numbers.

A number stands between two marks that no reader sees, ``<!--=policy.teleport-->0.15<!--=-->``: `filled` writes it
again. So a document is whole wherever it is read, and a test fails when the code or the records have moved on.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from gfx_core.bench.distance import EXACT
from gfx_core.bench.report import STUDIES, Findings, claim_line, paper_claims, read_records, write_text
from gfx_core.bench.study import GNN_SEEDS, Sweep
from gfx_core.bench.tables import OWN, ResultEntry, ResultRow, ResultTable
from gfx_core.config import ASSETS, Task
from gfx_core.drawing.forest import Kind, Mark, forest_svg
from gfx_core.gfn.settings import ON_GPU, REWARD_PRESETS, PolicyConfig, policy_config, preset_config, preset_reward
from gfx_core.metrics.intervals import RESAMPLES
from gfx_core.text.numbers import listed
from gfx_core.text.theorem import EQUATIONS

DOCUMENTS = ASSETS / "docs"
"""Where they are; their pictures are beside them."""
README = ASSETS.parent / "README.md"
"""Its results take their numbers in the same way."""

TITLES = {
    "departures": "What we do differently from the paper",
    "reproduction": "[Re] DAG Matters! on two pages",
    "measuring": "How everything was measured",
}
"""What they are called, by the name of their file."""

UNKNOWN = "(not measured)"
"""What is written for a number that no record has."""

_NUMBER = re.compile(r"<!--=(.+?)-->.*?<!--=-->", re.DOTALL)
_MARKS = re.compile(r"<!--=.*?-->")
_PICTURE = re.compile(r"^!\[(.+?)\]\((\w+\.svg)\)$", re.MULTILINE)


def path_of(name: str) -> Path:
    """Where a document is."""
    return DOCUMENTS / f"{name}.md"


def text_of(name: str) -> str:
    """A document as people read it, without the marks of its numbers."""
    return _MARKS.sub("", path_of(name).read_text(encoding="utf-8"))


def parts(name: str) -> list[tuple[str, tuple[Path, str] | None]]:
    """A document in pieces: some text, then the file of a picture and what it shows, if one follows."""
    *pieces, rest = re.split(_PICTURE, text_of(name))
    words, alts, files = pieces[::3], pieces[1::3], pieces[2::3]
    found = [(text, (DOCUMENTS / file, alt)) for text, alt, file in zip(words, alts, files, strict=True)]
    return [*found, (rest, None)]


def filled(text: str, number: Callable[[str], str]) -> str:
    """A document with all its numbers written again.

    Args:
        text: The document.
        number: What to write for a name.
    """
    return _NUMBER.sub(lambda found: f"<!--={found[1]}-->{number(found[1])}<!--=-->", text)


def facts() -> dict[str, str]:
    """What documents say of the code's own choices, by the name in their marks. It loads torch and data sets."""
    from gfx_core.baselines.generators import Generator
    from gfx_core.baselines.registry import chosen_settings, learning
    from gfx_core.bench.choose_settings import RULE
    from gfx_core.datasets.registry import DATASETS, dataset_info, load_dataset
    from gfx_core.gnn.kinds import DEFAULT_KIND
    from gfx_core.gnn.training import default_config

    answers = STUDIES["answers"]
    (few, *_) = answers.cells(Sweep(["tree_grid"], ["subgraphx"]))
    node, graph = preset_config(Task.NODE), preset_config(Task.GRAPH)
    occam, policy = REWARD_PRESETS["occam"], PolicyConfig()
    names = ("ba_shapes", "ba_community", "tree_cycles", "tree_grid", "ba_2motifs")
    found: dict[str, float] = {
        "occam.beta": occam.beta,
        "occam.similarity": occam.price("similarity"),
        "price.node": preset_reward(Task.NODE).price("nodes"),
        "price.chosen": chosen_settings(OWN, "tree_grid", DEFAULT_KIND)["node_price"],
        "price.shipped": policy_config("tree_grid").reward.price("nodes"),
        "policy.teleport": policy.teleport,
        "policy.steps": policy.steps,
        "occam.hidden": node.policy.hidden,
        "occam.max_nodes": node.max_nodes,
        "node.delta": node.delta or 0,
        "node.lr": node.lr,
        "node.batch_size": node.batch_size,
        "graph.batch_size": graph.batch_size,
        "node.epochs": node.epochs,
        "gpu.exact_steps": ON_GPU.exact_steps,
        "gpu.exact_cap": ON_GPU.exact_cap,
        "samples": Generator.samples,
        "gnn.fragments": default_config("tree_grid").fragments,
        "gnn.fragments_graph": default_config("ba_2motifs").fragments,
        "study.seeds": answers.seeds or 1,
        "study.limit": answers.options["limit"],
        "study.subgraphx": few.options["limit"],
        "study.trained_on": answers.options["trained_on"],
        "study.gnn_seeds": GNN_SEEDS,
        "study.resamples": RESAMPLES,
        **{f"eq.{name}": number for name, number in EQUATIONS.items()},
    }
    words = {name: f"{value:,.6g}" for name, value in found.items()}
    return words | {
        "settings.rule": RULE,
        "policies.seconds": _span([seconds for name in DATASETS if (seconds := learning(OWN, name, "sum").seconds)]),
        "distance.seconds": _span(
            [r["values"]["fit_s"] for r in _findings("distance").records if r["method"] == EXACT]
        ),
        "edges": listed([f"{2 * load_dataset(name).num_edges:,}" for name in names]),
        "edges.paper": listed([f"{dataset_info(name).paper['edges']:,}" for name in names]),
        "edges.noise": listed([f"{2 * load_dataset(f'{name}_noise').num_edges:,}" for name in names[2:4]]),
    }


def _span(seconds: Sequence[float]) -> str:
    """``37 to 71``."""
    return f"{min(seconds):.0f} to {max(seconds):.0f}"


# Numbers and pictures from the records


@cache
def _findings(name: str) -> Findings:
    """What a study has come to."""
    return Findings(STUDIES[name], read_records(STUDIES[name]))


def cell_text(name: str) -> str:
    """What stands at a place of a table: ``study; title of the table; row; data set``, each by how it begins."""
    study, title, row, column = (part.strip() for part in re.split(r"[;|]", name))
    for table in _findings(study).tables:
        if table.title.startswith(title):
            for line in table.rows:
                if line.label.startswith(row) and column in line.entries:
                    return line.entries[column].text(table.digits if line.digits is None else line.digits, count=False)
    return UNKNOWN


def first_claim(name: str) -> str:
    """A part of the number of a study's first claim: ``answers`` is the first, ``answers | 1`` the next."""
    study, _, part = name.partition("|")
    claims = _findings(study.strip()).claims
    return re.split(r"[;.] ", claims[0].number)[int(part or 0)] if claims else UNKNOWN


def listed_share(dataset: str) -> str:
    """How many of the instances of a data set could be listed: ``31 %``."""
    found = {r["values"]["listed"] for r in _findings("distance").records if r["dataset"] == dataset}
    return f"{100 * max(found):.0f} %" if found else UNKNOWN


def table_text(name: str) -> str:
    """The table of the paper's claims, of the data sets and their GNNs, or of every method's settings."""
    from gfx_core.baselines.registry import SETTINGS
    from gfx_core.bench.choose_settings import settings_table
    from gfx_core.bench.subjects import dataset_table
    from gfx_core.gnn.kinds import DEFAULT_KIND

    if name == "claims":
        lines = map(claim_line, paper_claims(map(_findings, STUDIES)))
        return "\n".join(["", "| claim | verdict | number |", "|---|---|---|", *lines, ""])
    table = dataset_table() if name == "gnns" else settings_table(SETTINGS, DEFAULT_KIND)
    return f"\n{replace(table, title='', notes=()).markdown()}\n"


@dataclass(frozen=True)
class Forest:
    """A picture of one table, a line for each data set.

    Attributes:
        study: Whose table.
        table: How its title begins.
        title: What the numbers are.
        legend: What the marks are: the first row, the best of the others, and the best control; or the first rows.
        best: Whether the marks beside the first row are the best ones.
    """

    study: str
    table: str
    title: str
    legend: dict[Kind, str]
    best: bool = True

    def svg(self) -> str:
        """The picture, from the records; without lines where there are none."""
        tables = [table for table in _findings(self.study).tables if table.title.startswith(self.table)]
        return forest_svg([line for table in tables[:1] for line in self.lines(table)], self.title, self.legend)

    def lines(self, table: ResultTable) -> list[tuple[str, list[Mark]]]:
        """What each line shows; the marks of columns are left out, since the best control is a mark itself."""
        rows = [row for row in table.rows if row.ours and row.compared]
        found = []
        for name, title in table.columns.items():
            chosen = self._chosen(table, rows, name).items()
            marks = [self._mark(row, row.entries[name], kind) for kind, row in chosen]
            found.append((title.rstrip(" §‡"), marks))
        return found

    def _chosen(self, table: ResultTable, rows: Sequence[ResultRow], name: str) -> dict[Kind, ResultRow]:
        known = [row for row in rows if name in row.entries and row.entries[name].mean is not None]
        if not self.best:
            return dict(zip(self.legend, known, strict=False))
        own, family = [row for row in known if row is rows[0]], rows[0].label.split(",")[0]
        other = [row for row in known if not row.control and not row.label.startswith(family)]
        sign = -1 if table.best == "low" else 1
        chosen: dict[Kind, ResultRow] = dict(zip(self.legend, own, strict=False))
        for kind, some in (("other", other), ("control", [row for row in known if row.control])):
            if some and kind in self.legend:
                chosen[kind] = max(some, key=lambda row: sign * (row.entries[name].mean or 0.0))
        return chosen

    def _mark(self, row: ResultRow, entry: ResultEntry, kind: Kind) -> Mark:
        low, high = entry.interval or (min(entry.values), max(entry.values))
        name = row.label.split(",")[0] if self.best else self.legend[kind]
        return Mark(name, entry.mean or 0.0, low, high, kind)


FIGURES = {
    "answers": Forest(
        "answers",
        "F1",
        "F1 of the answer against the motif",
        {"own": "GFlowExplainer", "other": "the best other explainer", "control": "the best control"},
    ),
    "losses": Forest(
        "losses",
        "Total variation from R/Z, one network",
        "Distance from P ∝ R on held-out instances (low is good)",
        {"own": "flow matching", "other": "the best other way to learn"},
    ),
    "reasons": Forest(
        "reasons",
        "P(class │ motif alone)",
        "P(class │ motif alone), by training of the GNN",
        {"own": "on fragments", "other": "on whole graphs", "control": "GCN of PyG"},
        best=False,
    ),
}
"""The pictures of the documents, by the name of their file."""


def number_of(known: Mapping[str, str]) -> Callable[[str], str]:
    """What finds the numbers of documents: among the code's choices, else in the records."""
    tables = {"table": table_text, "claim": first_claim, "listed": listed_share}

    def find(name: str) -> str:
        kind, _, rest = name.partition(":")
        return known[name] if name in known else tables[kind](rest.strip()) if kind in tables else cell_text(name)

    return find


def write_documents() -> list[Path]:
    """Write the numbers and pictures of all documents again, from the code and the shipped records."""
    _findings.cache_clear()
    number, made = number_of(facts()), {}
    for path in (README, *map(path_of, TITLES)):
        if path.is_file():  # an installed package has no README
            made[path] = filled(path.read_text(encoding="utf-8"), number)
    made |= {DOCUMENTS / f"{name}.svg": figure.svg() + "\n" for name, figure in FIGURES.items()}
    for path, text in made.items():
        write_text(path, text)
    return list(made)
