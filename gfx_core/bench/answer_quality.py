"""What people see: is the answer the motif, is it enough, is it needed, and was it ever sampled?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gfx_core.bench.quality import marked
from gfx_core.bench.study import Cell, Study
from gfx_core.bench.tables import (
    ALL,
    FIRST,
    OWN,
    Quantity,
    Record,
    ResultEntry,
    ResultRow,
    ResultTable,
    is_control,
)
from gfx_core.datasets.graph import Half
from gfx_core.drawing.charts import dots_by_method
from gfx_core.text.numbers import counted

OURS = {
    "learned": "GFlowExplainer, as Explain shows it",
    "exact": "GFlowExplainer, exact flows",
    "marginals": "GFlowExplainer, edges of at least half of the samples",
}
OTHERS = (
    "gnnexplainer",
    "pgexplainer",
    "rgexplainer",
    "degree",
    "subgraphx",
    "saliency",
    "integrated_gradients",
    "occlusion",
    "most_links",
    "bfs",
    "random",
)


class AnswerQuality(Study):
    """One cell has all explainers explain the same predictions of a shipped GNN."""

    name = "answers"
    title = "The answers that people see"
    short = "Answers"
    question = "Is the part that is outlined the motif, is it enough for the prediction, and is it needed?"
    methods: ClassVar = {"sum": "Sum"}
    options: ClassVar = {"half": str(Half.REPORTING), "limit": 60, "sampling_seeds": 3}
    quick_options: ClassVar = {"limit": 3, "sampling_seeds": 2, "explainers": ["saliency", "most_links"]}
    shown: ClassVar[Sequence[Quantity]] = (
        Quantity("f1", "F1 against the motif", "high"),
        Quantity("equal", "Share of answers that are the motif", "high"),
        Quantity("precision", "Precision", "high"),
        Quantity("recall", "Recall", "high"),
        Quantity("alone", "Sufficiency: P(class │ the answer alone)", "high"),
        Quantity("needed", "Necessity: P(class) minus P(class │ all but the answer)", "high"),
        Quantity("stable", "Stability: F1 between two seeds", "high"),
        Quantity("unsampled", "Share of answers that no sample contains", "low"),
    )

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.answer_scores import score_answers

        return score_answers(cell, cell.options.get("explainers", OTHERS))

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """Each number by explainer and data set, for all told reasons and for the first; F1 by group of molecules."""
        words = {ALL: "all told reasons", FIRST: "the first reason"}
        found = [
            self._table(records, quantity, which, f"{quantity.title}, {words[which]}")
            for quantity in self.shown
            for which in words
            if (quantity.value, which) not in _ONCE
        ]
        return [table for table in (*found, *self._groups(records)) if table.rows]

    def _table(self, records: Sequence[Record], quantity: Quantity, which: str, title: str) -> ResultTable:
        value = str(quantity.value)
        rows = [
            ResultRow(OURS.get(name) or self.titles[name], entries, control=is_control(name))
            for name in (*OURS, *OTHERS)
            if (entries := self.entries_at(records, ("explainers", name, which, value)))
        ]
        if value == "f1":
            for words, key in (("reasons told", "reasons"), ("edges of them", "edges")):
                entries = self.entries_at(records, ("explainers", "learned", ALL, key))
                rows.append(ResultRow(f"GFlowExplainer: {words}", entries, 2, compared=False))
        half = self.half_words(records)
        table = ResultTable(
            title, self.columns(records), rows, quantity.digits, quantity.best, half=half, close=quantity.close
        )
        table = marked(self, table, records)
        return replace(table, notes=[*table.notes, _SAME_SIZE]) if value == "f1" else table

    def _groups(self, records: Sequence[Record]) -> list[ResultTable]:
        """F1 of the molecules with one group or the other."""
        known = [record for record in records if record["values"].get("groups")]
        if not known:
            return []
        groups = list(known[0]["values"]["groups"])
        rows = []
        for name in (*OURS, *OTHERS):
            entries = {
                group: ResultEntry(tuple(r["values"]["explainers"][name][ALL][f"f1 {group}"] for r in known))
                for group in groups
                if all(name in r["values"]["explainers"] for r in known)
            }
            if entries:
                rows.append(ResultRow(OURS.get(name) or self.titles[name], entries, control=is_control(name)))
        columns = {group: f"{self.titles[known[0]['dataset']]}, {group}" for group in groups}
        return [ResultTable("F1 by group, all told reasons", columns, rows, best="high", half=self.half_words(records))]

    def figure(self, records: Sequence[Record]) -> Any:
        """F1 of all reasons on one data set, by explainer."""
        dataset = records[0]["dataset"]
        rows = {OWN: "learned", **{name: name for name in OTHERS}}
        found = {name: self.entries_at(records, ("explainers", row, ALL, "f1")) for name, row in rows.items()}
        values = {name: entries[dataset].values for name, entries in found.items() if entries}
        return dots_by_method(values, {}, Study.methods, self.shown[0].title, self.titles[dataset])

    def finding(self, records: Sequence[Record]) -> str:
        """Where GFlowExplainer's answers stand among the columns that can separate explainers."""
        ours = OURS["learned"]
        table = self._table(records, self.shown[0], ALL, "").without(set(OURS.values()) - {ours})
        best = [found for name in table.columns if (found := table.best_of(name))]
        if not best:
            return ""
        first = sum(ours in found for found in best)
        return (
            f"With equally many edges for all, GFlowExplainer's answers are first or level by F1 on {first} of "
            f"{counted(len(best), 'data set')} that can separate explainers."
        )


_ONCE = {("stable", ALL), ("unsampled", ALL)}
"""What is told of the first reason only."""

_SAME_SIZE = (
    "Every explainer keeps as many edges as GFlowExplainer's answer to the same prediction has. Nobody is told the "
    "size of the motif. We score only correctly predicted instances."
)
