"""Table 1: AUC and top-k accuracy of every explainer on every data set."""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench import paper
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Quantity, Table, entry_of, present
from gfx_core.bench.verdicts import CLOSE, OWN, Means, Verdict, asked, means
from gfx_core.drawing.dot_plot import dots_by_method
from gfx_core.explainers.registry import METHODS

_FEWER_SEEDS = {"subgraphx": 1}  # a search of seconds for every instance is not repeated ten times
_COST = {"subgraphx": 1000.0, "rgexplainer": 300.0, "rgexplainer_plain": 200.0, "gflowexplainer": 100.0}
_SHOWN = (
    Quantity("auc_own", "AUC, own motif", "high", paper=paper.AUC),
    Quantity("auc_own_benchmark", "AUC, own motif, one node of each motif", "high"),
    Quantity("auc_all", "AUC, every motif in view", "high"),
    Quantity("topk_own", "Top-k accuracy, own motif", "high", paper=paper.TOP_K),
)
_RULES = (
    Quantity("auc_own", "AUC, edge marginals of 64 samples"),
    Quantity("auc_own_best", "AUC, best of 64 by reward"),
    Quantity("auc_own_order", "AUC, order weight of one sample (the paper's)"),
    Quantity("log_reward", "mean log R of a sample"),
    Quantity("best_log_reward", "mean log R of the best of 64"),
    Quantity("residual", "mean residual of flow matching"),
)


class Auc(Study):
    name = "auc"
    purpose = "AUC and top-k accuracy of every explainer (Table 1)"
    title = "AUC and top-k accuracy"
    short = "Quality"
    question = "Do an explainer's highest-scored edges lie in the true motif?"
    value = "auc_own"
    headline = True
    legend = (
        "★ GFlowExplainer, ● another method that asks the GNN, ■ one that never does: the mean; | each seed; ◇ the "
        "paper’s figure for its own GNNs."
    )
    seeds = 10
    quick_options: ClassVar = {"limit": 12, "epochs": 3}

    def number_of_seeds(self, method: str, asked: Asked) -> int:
        if not METHODS[method].seeded or asked.quick:
            return 1
        return asked.seeds or _FEWER_SEEDS.get(method, self.seeds)

    def cost(self, cell: Cell) -> float:
        return _COST.get(cell.method, 1.0)

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.scoring import score

        return score(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """AUC under both ground truths and top-k accuracy, with the paper's figures below ours."""
        found = [self.by_method(records, quantity) for quantity in _SHOWN]
        drawn = [record for record in records if record["method"] == OWN]
        if drawn:
            title = "GFlowExplainer by scoring rule, and its policies"
            found.append(self.by_value(drawn, _RULES, title))
        return found

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Ranks by AUC, and the heuristics that never ask the GNN."""
        found = means(records, "auc_own")
        return [self.ranks(found), self.heuristics(found)]

    def ranks(self, found: Means) -> Verdict:
        """Where GFlowExplainer stands among the methods that ask the GNN."""
        said, firsts = [], 0
        for dataset, by_method in found.items():
            rivals = asked(by_method)
            if OWN not in rivals:
                continue
            own = rivals[OWN]
            better = sorted((m for m in rivals if rivals[m] > own), key=lambda m: -rivals[m])
            firsts += not better
            ahead = ", ".join(f"{self.titles[m]} {rivals[m]:.3f}" for m in better)
            said.append(f"{self.titles[dataset]} {own:.3f}, {f'behind {ahead}' if better else 'first'}")
        return Verdict(
            "Ranks",
            f"Among the methods that ask the GNN, GFlowExplainer (edge marginals, AUC of the own motif) is first on "
            f"{firsts} of {len(said)} data sets.",
            f"{'; '.join(said)}.",
        )

    def heuristics(self, found: Means) -> Verdict:
        """Where a method that never asks the GNN does as well."""
        said, close = [], []
        for dataset, by_method in found.items():
            blind, rivals = asked(by_method, False), asked(by_method)
            if not blind or not rivals:
                continue
            best, first = max(blind, key=blind.__getitem__), max(rivals, key=rivals.__getitem__)
            both = f"{self.titles[best]} {blind[best]:.3f}, {self.titles[first]} {rivals[first]:.3f}"
            said.append(f"{self.titles[dataset]}: {both}")
            if OWN in by_method and blind[best] >= by_method[OWN] - CLOSE:
                close.append(self.titles[dataset])
        verdict = (
            f"does as well as GFlowExplainer, or better, on {', '.join(close)}" if close else "is behind everywhere"
        )
        return Verdict(
            "Without asking the GNN",
            f"The best of the heuristics that never ask the GNN {verdict} (within {CLOSE}).",
            f"Best heuristic against best explainer: {'; '.join(said)}. Where a heuristic is as good, the data set "
            "tells explainers apart only by their mistakes.",
        )

    def figure(self, records: Sequence[Record]) -> Any:
        """AUC of the own motif, every seed of every explainer and the paper's figure, a column for each data set."""
        values = {
            name: {
                method: entry_of(
                    (r for r in records if (r["dataset"], r["method"]) == (name, method)), "auc_own"
                ).values
                for method in present(METHODS, records, "method")
            }
            for name in present(self.datasets, records, "dataset")
        }
        return dots_by_method(values, paper.AUC, "AUC, own motif", reference=0.5)
