"""GNNs that nobody trained for us: how well are they explained, as they are and through a student?"""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.study import Cell, Study
from gfx_core.bench.tables import Quantity, Record, ResultRow, ResultTable, grouped, is_control, value_at
from gfx_core.datasets.graph import Half
from gfx_core.text.numbers import counted

_OURS = {
    "auto": "GFlowExplainer",
    "student": "GFlowExplainer, always through a student",
    "as_is": "GFlowExplainer, always as is",
}
_OTHERS = (
    "gnnexplainer",
    "pgexplainer",
    "saliency",
    "integrated_gradients",
    "occlusion",
    "most_links",
    "bfs",
    "random",
)
PRICES = (0.03, 0.05, 0.08, 0.12, 0.2)
"""Of a node, that are tried on the tuning half."""


class AnyGnn(Study):
    """One cell trains one GNN and has it explained by everybody."""

    name = "any_gnn"
    title = "GNNs of PyG, trained in the ordinary way"
    short = "Any GNN"
    question = "How well are GNNs explained that were trained on whole graphs, as they come from torch_geometric.nn?"
    methods: ClassVar = {"gcn": "GCN", "gin": "GIN", "gat": "GAT", "sage": "GraphSAGE"}
    seeds = 3
    options: ClassVar = {"half": str(Half.REPORTING), "limit": 24}
    quick_options: ClassVar = {"limit": 4, "epochs": 3}
    costs: ClassVar = {"mutagenicity": 3.0, "ba_community": 2.0}
    shown: ClassVar[Sequence[Quantity]] = (
        Quantity("auc", "AUC, own motif", "high"),
        Quantity("f1", "F1 of the answer", "high"),
    )

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.ordinary_gnns import score_ordinary

        return score_ordinary(cell, _OTHERS, PRICES if cell.options["half"] == Half.TUNING else ())

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """Each number by explainer and data set, a table for each architecture; then time and the students."""
        found = [self._table(some, each) for each in self.shown for some in self._by_architecture(records).values()]
        return [*found, self._table(records, Quantity("seconds", "Seconds for one explanation", digits=2))]

    def _by_architecture(self, records: Sequence[Record]) -> dict[str, list[Record]]:
        groups = grouped(records, "method")
        return {name: groups[(name,)] for name in self.methods if (name,) in groups}

    def _table(self, records: Sequence[Record], quantity: Quantity) -> ResultTable:
        names = {record["method"] for record in records}
        title = f"{self.methods[names.pop()]}: {quantity.title}" if len(names) == 1 else quantity.title
        rows = [
            ResultRow(_OURS.get(name) or self.titles[name], entries, control=is_control(name))
            for name in (*_OURS, *_OTHERS)
            if (entries := self.entries_at(records, ("explainers", name, str(quantity.value))))
        ]
        about = {
            "accuracy on the test part": ("accuracy", "test"),
            "P(class │ motif alone)": ("motif_alone",),
            "its student agrees on the whole": ("student", "agreement"),
            "explained through the student": ("student", "chosen"),
        }
        rows += [
            ResultRow(f"The GNN: {words}", self.entries_at(records, path), compared=False)
            for words, path in about.items()
        ]
        notes = [_INTERVALS.format(widest=_widest(records))] if quantity.value == "auc" else []
        if quantity.value == "f1":
            notes += [_SIZES, *([_FORMER] if not self.entries_at(records, ("explainers", "auto", "reasons")) else [])]
        return ResultTable(
            title,
            self.columns(records),
            rows,
            quantity.digits,
            quantity.best,
            half=self.half_words(records),
            notes=notes,
            close=quantity.close,
        )

    def finding(self, records: Sequence[Record]) -> str:
        """In how many columns that can separate explainers GFlowExplainer is first or level."""
        first, columns, ours = 0, 0, _OURS["auto"]
        for some in self._by_architecture(records).values():
            table = self._table(some, self.shown[0]).without(set(_OURS.values()) - {ours})
            best = [found for name in table.columns if (found := table.best_of(name))]
            columns, first = columns + len(best), first + sum(ours in found for found in best)
        if not columns:
            return ""
        return (
            f"GFlowExplainer is first or level by AUC in {first} of {counted(columns, 'column')} (architecture × data "
            "set) that can separate explainers."
        )


_INTERVALS = "95 % intervals over motifs, of a single GNN, are at most {widest:.3f} wide for GFlowExplainer."

_SIZES = (
    "GFlowExplainer chooses the size of its answer. Of all others the highest-scored edges count, as many as the motif "
    "has: they are told its size."
)


_FORMER = (
    "These records are older than the reasons that Explain shows: GFlowExplainer's answer was made of the edges that "
    "at least half of the samples contain."
)


def _widest(records: Sequence[Record]) -> float:
    """The widest interval of GFlowExplainer's AUC."""
    found = [value_at(record["values"], ("explainers", "auto")) for record in records]
    return max((one["auc_high"] - one["auc_low"] for one in found if one and one["auc_low"] is not None), default=0.0)
