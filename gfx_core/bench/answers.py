"""The answers that people see: are they the motif, are they enough, are they needed, and do they come back?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

from gfx_core.bench.comparison import Comparison, entry, of, standing_words
from gfx_core.bench.study import Claim, share_verdict
from gfx_core.bench.tables import OWN, SHIPPED, Record, ResultEntry, ResultRow, ResultTable, grouped
from gfx_core.drawing.charts import dots_by_method

F1 = "F1 of the answer against the motif"
ALONE = "Sufficiency: P(class │ the answer alone)"
NEEDED = "Necessity: P(class) minus P(class │ all but the answer)"
STABLE = "Stability: F1 between two answers to the same prediction"
_SIZES = (
    "Every explainer keeps as many edges as GFlowExplainer's answer to the same prediction has. No method knows the "
    "size of the motif. We score only correctly predicted instances."
)


class Answers(Comparison):
    name = "answers"
    title = "The answers that people see"
    short = "Answers"
    question = "Is the outlined part the motif, is it enough for the prediction, and is it needed?"

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """F1, sufficiency and necessity on the shipped kind of GNN, and how stable answers are."""
        known, first = of(records, "sum"), self._first(records)
        others = [self.compared(known, value, title) for value, title in (("alone", ALONE), ("needed", NEEDED))]
        return [table for table in (first, *others, self._stability(known)) if table.rows]

    def _first(self, records: Sequence[Record]) -> ResultTable:
        table = self.compared(of(records, "sum"), "f1", F1)
        return replace(table, notes=[*table.notes, _SIZES])

    def _stability(self, records: Sequence[Record]) -> ResultTable:
        """With another seed of the explainer, with another seed of the GNN, and with noise edges."""
        rows = []
        for method in _FOLLOWED:
            by_dataset = grouped([record for record in records if record["method"] == method], "dataset")
            for words, find in _CHANGES.items():
                entries = {name: ResultEntry(tuple(find(here))) for (name,), here in by_dataset.items()}
                if any(each.values for each in entries.values()):
                    rows.append(ResultRow(f"{self.methods[method]}: {words}", entries, 2))
        return ResultTable(STABLE, self.columns(records), rows, 2, "high", half=self.half_words(records))

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """Where GFlowExplainer's answers stand."""
        table = self.compared(of(records, "sum"), "f1", F1, others=[SHIPPED])
        first, separable, behind = self.standing(table, self.methods[OWN])
        if not separable:
            return []
        sentence = "With equally many edges for all, GFlowExplainer's answers match the motif best or are level."
        number = standing_words(first, separable, len(table.columns), behind)
        return [Claim(sentence, share_verdict(first, separable), number, F1)]

    def figure(self, records: Sequence[Record]) -> Any:
        """F1 on one data set, by explainer."""
        known, dataset = grouped(of(records, "sum"), "method"), records[0]["dataset"]
        values = {name: entry(known.get((name,), ()), "f1").values for name in self.methods}
        return dots_by_method(values, {}, self.methods, F1, self.titles[dataset])


def _agreements(records: Sequence[Record], same: str, other: str) -> list[float]:
    """F1 between the answers of two records that differ in one field, a mean for each pair."""
    found = []
    for group in grouped(records, same).values():
        for one, two in combinations(group, 2):
            if one[other] != two[other] and (pairs := list(_both(one, two))):
                found.append(fmean(pairs))
    return found


def _both(one: Record, two: Record) -> Iterator[float]:
    """F1 of the answers to each prediction that both have explained."""
    kept = [dict(zip(_scored(record), record["values"]["kept"], strict=True)) for record in (one, two)]
    for number in kept[0].keys() & kept[1].keys():
        a, b = set(kept[0][number]), set(kept[1][number])
        yield 2 * len(a & b) / max(1, len(a) + len(b))


def _scored(record: Record) -> list[int]:
    return [number for number, right in enumerate(record["values"]["right"]) if right]


def _noise(records: Sequence[Record]) -> list[float]:
    return [fmean(record["values"]["noise"]) for record in records if record["values"].get("noise")]


_FOLLOWED = (OWN, "gnnexplainer", "pgexplainer", "eig_search")
_CHANGES: Mapping[str, Callable[[Sequence[Record]], list[float]]] = {
    "another seed": lambda records: _agreements(records, "gnn", "seed"),
    "another GNN": lambda records: _agreements(records, "seed", "gnn"),
    "5 % more edges": _noise,
}
