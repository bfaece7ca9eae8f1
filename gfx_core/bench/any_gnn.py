"""GNNs of PyG, trained in the ordinary way on whole graphs: how well does each explainer explain them?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from gfx_core.bench.comparison import of
from gfx_core.bench.standing import MotifComparison, Standing
from gfx_core.bench.study import AS_IS, KINDS, STUDENT, Claim
from gfx_core.bench.tables import OWN, Quantity, Record, ResultRow, ResultTable, Value, entries_of

_AUTO = "GFlowExplainer"
_TITLE = "{kind}: AUC of the edges of the own motif"
_ABOUT: Mapping[str, Value] = {
    "accuracy on the test part": "accuracy",
    "its student agrees on the whole": lambda record: record["values"].get("student", {}).get("agreement"),
    "explained through the student": lambda record: float("student" in record["values"]),
}


class AnyGnn(MotifComparison):
    """GFlowExplainer's row has the student wherever `explain` chooses it, which no motif decides."""

    name = "any_gnn"
    title = "GNNs of PyG, trained in the ordinary way"
    short = "Any GNN"
    question = "How well are GNNs explained that were trained on whole graphs, as they come from torch_geometric.nn?"
    kinds: ClassVar = ("gcn", "gin")

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """A table for each kind."""
        return [table for kind in self.kinds if (table := self._table(records, kind)).rows]

    def _table(self, records: Sequence[Record], kind: str) -> ResultTable:
        chosen = of(records, kind, AS_IS)
        taught = {_place(record): record for record in of(records, kind, STUDENT) if record["method"] == OWN}
        auto = [_chosen(record, taught) for record in chosen]
        table = self.compared(auto, "auc", _TITLE.format(kind=KINDS[kind]))
        as_is = self.compared(chosen, "auc", "").rows
        own = [ResultRow(f"{_AUTO}, always as is", row.entries, compared=False) for row in as_is if row.label == _AUTO]
        known = [record for record in auto if record["method"] == OWN]
        rows = [
            ResultRow(f"The GNN: {words}", entries_of(known, Quantity(value)), 2, compared=False)
            for words, value in _ABOUT.items()
        ]
        table = replace(table, rows=[*table.rows, *own, *rows] if table.rows else [], counts=False)
        return self.reasons_marked(table, kind)

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """In how many columns that can separate explainers GFlowExplainer is first or level."""
        parts, known = [], []
        for kind in self.kinds:
            table = self._table(records, kind)
            parts.append(self.standing(table, f" ({KINDS[kind]})"))
            known.append(self.fair_standing(table, kind))
        every, fair = sum(parts, Standing()), sum(known, Standing())
        sentence = "On PyG's GCN and GIN, ordinarily trained, GFlowExplainer's AUC is the best or level with the best."
        title = _TITLE.format(kind=KINDS[self.kinds[0]])
        words = f"{every.words(fair, 'columns')}. It queries a student where `explain` would; others query the GNN"
        return every.claims(sentence, words, title)


def _place(record: Record) -> tuple[str, str, int]:
    return record["dataset"], record["gnn"], record["seed"]


def _chosen(record: Record, taught: dict[tuple[str, str, int], Record]) -> Record:
    """The record through the student, where `explain` would choose it."""
    other = taught.get(_place(record)) if record["method"] == OWN else None
    return other if other is not None and other["values"]["student"]["chosen"] else record
