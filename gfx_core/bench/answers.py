"""The answers that people see: are they the motif, are they enough, are they needed, and do they come back?"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean
from typing import Any

from gfx_core.baselines.registry import STUDY_METHODS
from gfx_core.bench.comparison import entry, of
from gfx_core.bench.standing import MotifComparison
from gfx_core.bench.study import Claim, Verdict, share_verdict
from gfx_core.bench.tables import CONSTANT, OWN, Record, ResultEntry, ResultRow, ResultTable, grouped
from gfx_core.datasets.registry import dataset_info
from gfx_core.drawing.charts import dots_by_method
from gfx_core.text.numbers import listed

F1 = "F1 of the answer against the motif"
ALONE = "Sufficiency: P(class │ the answer alone)"
NEEDED = "Necessity: P(class) minus P(class │ all but the answer)"
STABLE = "Stability: F1 between two answers to the same prediction"
_AGAINST_THE_BEST: Mapping[Verdict, str] = {
    "holds": "level with the best",
    "partly holds": "near the best",
    "does not hold here": "worse than the best",
}
_SIZES = (
    "Every explainer keeps as many edges as GFlowExplainer's answer to the same prediction has. No method knows the "
    "size of the motif. We score only correctly predicted instances."
)


class Answers(MotifComparison):
    name = "answers"
    title = "The answers that people see"
    short = "Answers"
    question = "Is the outlined part the motif, is it enough for the prediction, and is it needed?"

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """F1, sufficiency and necessity on the shipped kind of GNN, and how stable answers are."""
        known = of(records, "sum")
        shown = (("f1", F1), ("alone", ALONE), ("needed", NEEDED))
        first, *others = [self.compared(known, value, title) for value, title in shown]
        first = self.reasons_marked(first, "sum")
        notes = [*first.notes, *self._fewer_instances(first, known), _SIZES, *self._without_edges(known)]
        first = replace(first, notes=notes)
        return [table for table in (first, *others, self._stability(known)) if table.rows]

    def _without_edges(self, records: Sequence[Record]) -> list[str]:
        """Why the control whose GNN never changes its answer has hardly any F1, in a sentence."""
        kept = [each for r in records if r["method"] == CONSTANT for each in r["values"]["kept"]]
        if not kept:
            return []
        share = sum(not each for each in kept) / len(kept)
        return [f"{100 * share:.0f} % of the answers of “{self.methods[CONSTANT]}” have no edge, so their F1 is 0."]

    def _fewer_instances(self, table: ResultTable, records: Sequence[Record]) -> list[str]:
        """Who has fewer predictions than GFlowExplainer where the most explainers are level, in a sentence."""
        most = max(table.columns, key=lambda name: len(table.best_of(name)), default="")
        level = table.best_of(most) if most else set()
        counts = Counter[str]()
        for record in records:
            if record["dataset"] == most and record["seed"] == 0:
                counts[record["method"]] += sum(record["values"]["right"])
        fewer = [
            f"{self.methods[name]} has {count}"
            for name, count in counts.items()
            if count < counts[OWN] and self.methods[name] in level
        ]
        if not fewer:
            return []
        where = f"On {self.titles[most]}, {len(level)} explainers are level"
        return [f"{where}; most have {counts[OWN]} scored predictions there, but {listed(fewer)}."]

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
        table = self.compared(of(records, "sum"), "f1", F1)
        sentence = "With equally many edges for all, GFlowExplainer's answers match the motif best or are level."
        standing = self.standing(table)
        number = standing.words(self.fair_standing(table, "sum"))
        return standing.claims(sentence, number, F1, *self._for_everybody(table))

    def _for_everybody(self, table: ResultTable) -> tuple[list[str], str]:
        """How it stands where motifs were planted, and where they are parts of molecules: in words, and in numbers."""
        molecules = {name for name in table.columns if dataset_info(name).vocabulary.instance == "molecule"}
        every, planted = self.standing(table), self.standing(table, without=molecules)
        summary = [f"{_AGAINST_THE_BEST[share_verdict(planted.level, planted.separable)]} on artificial graphs"]
        for name in [each for each in table.columns if each in molecules]:
            best = table.best_of(name)
            if best and self.methods[OWN] not in best:
                first = max(best, key=table.means(name).__getitem__)
                summary.append(f"worse than {first} on {self.titles[name]}")
        where = f"On {every.level} of the {every.separable} data sets that can separate explainers"
        numbers = f"{where}, its answers are among the best by F1; alone they are best on {every.alone or 'none'}."
        return summary[not planted.separable :], " ".join(filter(None, [numbers, self._as_printed(table)]))

    def _as_printed(self, table: ResultTable) -> str:
        """That the method is not quite the paper's, and how the paper's does."""
        printed = STUDY_METHODS["gflow_paper"].title
        both = [means for name in table.columns if {self.methods[OWN], printed} <= (means := table.means(name)).keys()]
        lower = sum(means[printed] < means[self.methods[OWN]] for means in both)
        return f"With the paper's own settings they score lower on {lower} of {len(both)} data sets." if both else ""

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
