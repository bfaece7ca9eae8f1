"""Every explainer on several GNNs of each data set: the cells behind the tables of answers, of AUC and of any GNN.

Three seeds of four kinds of GNN are explained: our sum GNN trained on fragments and on whole graphs only, and PyG's GCN
and GIN. Sizes were fixed before any number was seen: at most 30 instances a cell, one of each motif first; three seeds
of each explainer on the kind that is shipped and one on the others; SubgraphX on 15 instances.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from gfx_core.baselines.registry import METHODS, STUDY_METHODS, chosen_settings
from gfx_core.bench.digest import code_digest
from gfx_core.bench.study import AS_IS, GNN_SEEDS, KINDS, STUDENT, TRAINED_ON, Cell, Study, Sweep, gnn_file, kind_of
from gfx_core.bench.tables import CONSTANT, CONTROLS, OWN, SHIPPED
from gfx_core.config import ASSETS
from gfx_core.datasets.graph import Half

_LOOK_INSIDE = ("degree", "rgexplainer", "rgexplainer_plain", "subgraphx", "gflow_paper")
"""Methods for our own GNNs only."""
_ONCE = ("subgraphx", "rgexplainer", "rgexplainer_plain", "gflow_paper", CONSTANT)
"""Methods that are measured on the shipped kind of GNN alone, with one seed: a cell takes a minute."""
_FEWER_INSTANCES = {"subgraphx": 15}


class Explainers(Study):
    """What each explainer is measured on. Studies that subclass it share the cells and show different numbers."""

    methods: ClassVar[Mapping[str, str]] = {
        **Study.methods,
        "gflow_paper": STUDY_METHODS["gflow_paper"].title,
        SHIPPED: "GFlowExplainer, shipped policy, has seen both halves",
        CONSTANT: CONTROLS[CONSTANT],
    }
    gnns: ClassVar = tuple(f"{kind}-{seed}" for kind in KINDS for seed in range(GNN_SEEDS))
    seeds = 3
    options: ClassVar = {"half": str(Half.REPORTING), "limit": 30, "trained_on": TRAINED_ON}
    quick_options: ClassVar = {"limit": 3, "trained_on": 4, "epochs": 2}
    costs: ClassVar = {OWN: 1000.0, "subgraphx": 100.0, "gnnexplainer": 50.0, "rgexplainer": 50.0}
    code: ClassVar[Sequence[str]] = (
        "gfx_core.bench.scoring",
        "gfx_core.explanation.answer",
        "gfx_core.explanation.flows",
        "gfx_core.exact.modes",
        "gfx_core.gfn.rewards",
        "gfx_core.gfn.reward_terms",
        "gfx_core.metrics.edges",
    )

    @property
    def benchmark(self) -> str:
        return "explainers"

    def cells(self, sweep: Sweep) -> list[Cell]:
        """Which methods explain which GNNs, as they are and through a student."""
        options, found = self.options_for(sweep), []
        gnns = sweep.gnns or (self.gnns[:1] if sweep.quick else self.gnns)
        for dataset in sweep.datasets:
            for gnn in gnns:
                for method in sweep.methods:
                    fewer = min(_FEWER_INSTANCES.get(method, options["limit"]), options["limit"])
                    for variant in _variants(dataset, gnn, method):
                        repeated = self.seeds if (kind_of(gnn), variant) == ("sum", AS_IS) else 1
                        seeds = repeated if _is_random(method) and not sweep.quick else 1
                        for seed in range(min(seeds, sweep.seeds or seeds)):
                            noise = {"noise": True} if (gnn, variant, seed) == ("sum-0", AS_IS, 0) else {}
                            how = {**options, "limit": fewer, **noise}
                            found.append(Cell(self.benchmark, dataset, method, seed, variant, how, gnn))
        return found

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.scoring import score

        return score(cell)

    def weights(self, cell: Cell) -> list[Path]:
        return [gnn_file(cell.dataset, cell.gnn)]

    @property
    def measured_in(self) -> str:
        return __name__

    def made_from(self, cell: Cell, *, data: bool = True) -> dict[str, str]:
        """The module and the settings of the method count, too."""
        loader = METHODS[cell.method].loader if cell.method in METHODS else ""
        own = [f"gfx_core.baselines.{loader.split(':')[0]}"] if isinstance(loader, str) and loader else []
        chosen = chosen_settings(cell.method, cell.dataset, "sum") if cell.method in METHODS else {}
        settings = json.dumps(chosen, sort_keys=True)
        return super().made_from(cell, data=data) | {"method": code_digest(own), "settings": settings}


def _variants(dataset: str, gnn: str, method: str) -> list[str]:
    """How a method explains a GNN: as it is, through a student, or not at all."""
    kind, blind = kind_of(gnn), method in METHODS and not METHODS[method].uses_gnn
    if method == SHIPPED:
        return [AS_IS] if gnn == "sum-0" and _is_shipped(dataset) else []
    if method in _ONCE:
        return [AS_IS] if kind == "sum" else []
    if method in _LOOK_INSIDE or blind:
        return [AS_IS] if blind or kind.startswith("sum") else []
    return [AS_IS, STUDENT] if kind.startswith("sum") or method == OWN else [AS_IS]


def _is_random(method: str) -> bool:
    return method not in _ONCE and (method not in METHODS or METHODS[method].seeded)


@cache
def _is_shipped(dataset: str) -> bool:
    return (ASSETS / "policies" / f"{dataset}-sum.safetensors").is_file()
