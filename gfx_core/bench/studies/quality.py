"""Table 1: AUC and top-k accuracy of every explainer on every data set."""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench import paper
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Quantity, Table, entry_of, grouped, present
from gfx_core.bench.verdicts import CLOSE, OWN, Means, Verdict, asked, means
from gfx_core.drawing.dot_plot import dots_by_method
from gfx_core.explainers.registry import METHODS

_FEWER_SEEDS = {"subgraphx": 1}  # a search of seconds for every instance is not repeated ten times
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
    shown: ClassVar[Sequence[Quantity]] = (
        Quantity("auc_own", "AUC, own motif", "high", paper=paper.AUC),
        Quantity("auc_own_benchmark", "AUC, own motif, one node of each motif", "high"),
        Quantity("auc_all", "AUC, every motif in view", "high"),
        Quantity("topk_own", "Top-k accuracy, own motif", "high", paper=paper.TOP_K),
    )
    costs: ClassVar = {"subgraphx": 1000.0, "rgexplainer": 300.0, "rgexplainer_plain": 200.0, "gflowexplainer": 100.0}

    def number_of_seeds(self, method: str, asked: Asked) -> int:
        if not METHODS[method].seeded or asked.quick:
            return 1
        return asked.seeds or _FEWER_SEEDS.get(method, self.seeds)

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.scoring import score

        return score(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """AUC and top-k accuracy, the paper's figures below ours; GFlowExplainer by scoring rule."""
        drawn = [record for record in records if record["method"] == OWN]
        rules = [self.by_value(drawn, _RULES, "GFlowExplainer by scoring rule, and its policies")] if drawn else []
        return super().tables(records) + rules

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Ranks by AUC, and the heuristics that never ask the GNN."""
        found = means(records, "auc_own")
        return [self.ranks(found), self.heuristics(found)]

    def ranks(self, found: Means) -> Verdict:
        """Where GFlowExplainer stands among the methods that ask the GNN."""
        said, firsts = [], 0
        for dataset, by_method in found.items():
            if OWN in by_method:
                rivals, own = asked(by_method), by_method[OWN]
                better = {m: rivals[m] for m in sorted(rivals, key=lambda m: -rivals[m]) if rivals[m] > own}
                firsts += not better
                behind = f"behind {self.numbered(better)}" if better else "first"
                said.append(f"{self.titles[dataset]} {own:.3f}, {behind}")
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
            best = [max(some, key=some.__getitem__) for some in (asked(by_method, False), asked(by_method)) if some]
            if len(best) == 2:
                said.append(f"{self.titles[dataset]}: {self.numbered({name: by_method[name] for name in best})}")
                if OWN in by_method and by_method[best[0]] >= by_method[OWN] - CLOSE:
                    close.append(dataset)
        where = f"does as well as GFlowExplainer, or better, on {self.named(close)}" if close else ""
        return Verdict(
            "Without asking the GNN",
            f"The best of the heuristics that never ask the GNN {where or 'is behind everywhere'} (within {CLOSE}).",
            f"Best heuristic against best explainer: {'; '.join(said)}. Where a heuristic is as good, the data set "
            "tells explainers apart only by their mistakes.",
        )

    def figure(self, records: Sequence[Record]) -> Any:
        """AUC of the own motif, every seed of every explainer and the paper's figure, a column for each data set."""
        values: dict[str, dict[str, Sequence[float]]] = {}
        for dataset in present(self.datasets, records, "dataset"):
            here = [record for record in records if record["dataset"] == dataset]
            values[dataset] = {m: entry_of(some, "auc_own").values for (m,), some in grouped(here, "method").items()}
        return dots_by_method(values, paper.AUC, "AUC, own motif", reference=0.5)
