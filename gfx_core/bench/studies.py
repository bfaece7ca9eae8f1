"""The studies: what each asks, and the grid of its cells. Declaring one is light; what measures a cell is imported late.

A study is one entry of `STUDIES` and one function ``measure(cell) -> values``. What its records are shown as is in
`gfx_core.bench.tables`, and what they decide in ``assets/content/claims.toml``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from gfx_core.baselines.registry import METHODS, STUDY_METHODS
from gfx_core.bench.cells import (
    AS_IS,
    CONSTANT,
    CONTROLS,
    GNN_SEEDS,
    KINDS,
    OWN,
    PRINTED,
    RG,
    RG_PLAIN,
    SHIPPED,
    STUDENT,
    TRAINED_ON,
    UNTRAINED,
    Cell,
)
from gfx_core.config import ASSETS
from gfx_core.datasets.graph import Half
from gfx_core.datasets.registry import DATASETS, listed

TITLES = {name: info.title for name, info in DATASETS.items() if info.knows_reasons}
"""Of the data sets whose motifs are known."""
METHOD_TITLES = {name: info.title for name, info in METHODS.items()}
REPORTING = str(Half.REPORTING)

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """A question, and the cells that answer it.

    Attributes:
        name: Of its command and of its file of records.
        title: Its chapter among the results.
        question: What it answers.
        measure: The function that computes a cell's values, as ``module:name``.
        methods: Titles of its methods.
        grid: All its cells, from their options; a quick grid is one whose options are small.
        options: How its cells are computed by default.
        quick: Options for a run that only shows that it works.
        datasets: Titles of its data sets.
        alone: Whether its cells must not run side by side.
    """

    name: str
    title: str
    question: str
    measure: str
    methods: Mapping[str, str]
    grid: "Callable[[Study, Options], Iterator[Cell]]"
    options: Options
    quick: Options
    datasets: Mapping[str, str] = field(default_factory=lambda: TITLES)
    alone: bool = False

    def cells(self, options: Options | None = None) -> list[Cell]:
        """Its grid, with some options instead of its own."""
        return list(self.grid(self, {**self.options, **(options or {})}))

    def compute(self, cell: Cell) -> dict[str, Any]:
        """The values of a cell, plain JSON without NaN."""
        module, _, name = self.measure.partition(":")
        return getattr(import_module(module), name)(cell)


# Explainers on several GNNs of each data set

_LOOK_INSIDE = ("degree", RG, RG_PLAIN, "subgraphx", PRINTED)
"""Methods for our own GNNs only."""
_ONCE = ("subgraphx", RG, RG_PLAIN, PRINTED, CONSTANT)
"""Methods that are measured on the shipped kind of GNN alone, with one seed: a cell takes a minute."""
_FEWER = {"subgraphx": 15}
"""Instances of methods that are slow."""


def _explainers(study: Study, options: Options) -> Iterator[Cell]:
    """Three seeds of each explainer on the kind of GNN that is shipped, as it is; one elsewhere."""
    for dataset in study.datasets:
        for kind in KINDS:
            for method in study.methods:
                limit = min(_FEWER.get(method, options["limit"]), options["limit"])
                for variant in _variants(dataset, kind, method):
                    main = (kind, variant) == ("sum", AS_IS)
                    seeds = 3 if main and _is_random(method) else 1
                    for gnn in range(1 if method == SHIPPED else GNN_SEEDS):
                        for seed in range(seeds):
                            how = {**options, "limit": limit}
                            yield Cell(study.name, dataset, method, seed, variant, f"{kind}-{gnn}", how)


def _variants(dataset: str, kind: str, method: str) -> list[str]:
    """How a method explains a kind of GNN: as it is, through a student, or not at all."""
    ours, blind = kind.startswith("sum"), method in METHODS and not METHODS[method].uses_gnn
    if method == SHIPPED:
        return [AS_IS] if kind == "sum" and _has_policy(dataset) else []
    if method in _ONCE:
        return [AS_IS] if kind == "sum" else []
    if method in _LOOK_INSIDE or blind:
        return [AS_IS] if blind or ours else []
    return [AS_IS, STUDENT] if ours or method == OWN else [AS_IS]


def _is_random(method: str) -> bool:
    return method not in _ONCE and (method not in METHODS or METHODS[method].seeded)


@cache
def _has_policy(dataset: str) -> bool:
    return (ASSETS / "policies" / f"{dataset}-sum.safetensors").is_file()


# GNNs, and learning on some motifs for others


def _reasons(study: Study, options: Options) -> Iterator[Cell]:
    for dataset in study.datasets:
        for kind in KINDS:
            for seed in range(GNN_SEEDS):
                yield Cell(study.name, dataset, kind, seed, "", f"{kind}-{seed}", options)


SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5, "70 %": 0.7, "90 %": 0.9}
"""Of the motifs that are trained on, by variant."""
SEQUENCE, GRAPH, TB, TB_CONDITIONAL = "gflow_sequence", "gflow_graph", "tb", "tb_conditional"


def _inductive(study: Study, options: Options) -> Iterator[Cell]:
    """Some methods are trained on every share, the others on half of the motifs."""
    for dataset in study.datasets:
        for method in study.methods:
            for share in SHARES if method in (OWN, SEQUENCE, RG) else ("50 %",):
                for seed in range(5):
                    yield Cell(study.name, dataset, method, seed, share, "", options)


# Policies, losses and their distance from P ∝ R

POLICY, TABLE, NETWORK = "policy", "table", "network"
"""Variants: policies as they are shipped; tables of flows; one network, from samples. The last two compare losses."""
POLICIES = {
    "exact": "Tuning half only, exact targets",
    "samples": "Tuning half only, samples alone",
    "shipped": "Shipped policy, has seen both halves",
    UNTRAINED: "Control: untrained policy",
}
LOSSES = {
    "fm": "flow matching",
    "fm-linear": "flow matching, linear",
    "db": "detailed balance",
    "mdb": "modified detailed balance, STOP learned",
    "tb": "trajectory balance, one log Z",
    "tb-conditional": "trajectory balance, conditional log Z",
    "subtb": "sub-trajectory balance",
    "db-learned": "detailed balance, P_B learned",
    "db-forward": "detailed balance, forward-looking",
    "fm-replay": "flow matching, half of it replay",
    "first-child": "control: first child only",
    "exact-flows": "exact flows as targets, no trajectories",
}
_UNUSED = {TABLE: ("tb-conditional", "exact-flows"), NETWORK: ("tb", "first-child")}
"""A table has one start node, so that both kinds of log Z are one; the control needs listed states."""


def _policies(study: Study, options: Options) -> Iterator[Cell]:
    """A cell of a loss chooses the learning rate once and trains with all its seeds."""
    for dataset in study.datasets:
        for method in POLICIES:
            how = {"device": options["device"], **options[POLICY]}
            for seed in range(1 if method in ("shipped", UNTRAINED) else 3):
                yield Cell(study.name, dataset, method, seed, POLICY, "", how)
        for variant in (TABLE, NETWORK):
            how = {"device": options["device"] if variant == NETWORK else "cpu", **options[variant]}
            for loss in (name for name in LOSSES if name not in _UNUSED[variant]):
                yield Cell(study.name, dataset, loss, 0, variant, "", how)


# Times

PAGE, ZETA, TARJAN = "page", "tracker", "tarjan"
RACERS = {ZETA: "𝒵 (Theorem 1)", TARJAN: "A new search (Tarjan)", "networkx": "A new search (networkx)"}
"""Ways to find cut vertices; they run on a CPU."""


def _timing(study: Study, options: Options) -> Iterator[Cell]:
    """The variant of a cell is its device, so that each device has its own."""
    device = options["device"]
    for dataset in study.datasets:
        for method in study.methods:
            if method not in RACERS or device == "cpu":
                for seed in range(5 if method in RACERS else 1):
                    yield Cell(study.name, dataset, method, seed, device, "", options)


def _some(titles: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    return {name: titles[name] for name in names if name in titles}


STUDIES = {
    study.name: study
    for study in (
        Study(
            "explainers",
            "Explainers",
            "Is the part that an explainer outlines the motif, is it enough for the prediction, and is it needed?",
            "gfx_core.bench.scores:measure",
            {
                **METHOD_TITLES,
                OWN: "GFlowExplainer, exact flows",
                PRINTED: STUDY_METHODS[PRINTED].title,
                SHIPPED: "GFlowExplainer, shipped policy, has seen both halves",
                CONSTANT: CONTROLS[CONSTANT],
            },
            _explainers,
            {"device": "cpu", "half": REPORTING, "limit": 30, "trained_on": TRAINED_ON},
            {"limit": 3, "trained_on": 4, "epochs": 2},
        ),
        Study(
            "reasons",
            "Is the motif the GNN's reason?",
            "Does the motif alone make a GNN predict what it predicts for the whole?",
            "gfx_core.bench.gnns:measure",
            KINDS,
            _reasons,
            {"device": "cpu", "half": REPORTING, "limit": 60, "fragments": 30},
            {"limit": 6, "fragments": 3},
        ),
        Study(
            "policies",
            "Distance from P ∝ R",
            "How far are policies from P ∝ R on instances that they never saw, and which loss comes nearest?",
            "gfx_core.bench.policies:measure",
            POLICIES | LOSSES,
            _policies,
            {
                "device": "cpu",
                POLICY: {"cap": 20_000, "held_out": 120, "seen": 60, "epochs": 200},
                TABLE: {"seeds": 5, "cap": 3000, "instances": 4, "tuning": 2, "steps": 500, "batch": 64},
                NETWORK: {"seeds": 3, "cap": 5000, "train": 100, "held_out": 30, "tuning": 12, "epochs": 100},
            },
            {
                POLICY: {"cap": 3000, "held_out": 3, "seen": 2, "epochs": 1, "train": 4},
                TABLE: {"seeds": 1, "cap": 3000, "instances": 1, "tuning": 1, "steps": 4, "batch": 8},
                NETWORK: {"seeds": 1, "cap": 5000, "train": 4, "held_out": 2, "tuning": 1, "epochs": 2},
            },
            _some(TITLES, list(listed())),
        ),
        Study(
            "timing",
            "Time",
            "How long do explainers learn, and how long do they take to explain?",
            "gfx_core.bench.timing:measure",
            {**METHOD_TITLES, PAGE: "GFlowExplainer, all that a page shows", **RACERS},
            _timing,
            {"device": "cpu", "alone": 10, "instances": 30},
            {"alone": 1, "instances": 4, "epochs": 2},
            _some(TITLES, ("tree_grid", "ba_2motifs")),
            alone=True,
        ),
        Study(
            "inductive",
            "Training on some motifs, explaining others",
            "How well do trained explainers handle motifs that they were not trained on?",
            "gfx_core.bench.unseen:measure",
            {
                OWN: "GFlowExplainer, learned policy",
                SEQUENCE: "GFlow-Sequence, one parent",
                GRAPH: "GFlow-Graph, all parents",
                TB: "Trajectory balance, one log Z",
                TB_CONDITIONAL: "Trajectory balance, log Z(v₀)",
                **_some(METHOD_TITLES, (RG, RG_PLAIN)),
            },
            _inductive,
            {"device": "cpu", "instances": 60, "trajectories": 300},
            {"instances": 6, "trajectories": 8},
            _some(TITLES, ("tree_cycles", "tree_grid", "ba_2motifs", "mutagenicity")),
        ),
    )
}
"""By name, in the order in which they are shown."""
