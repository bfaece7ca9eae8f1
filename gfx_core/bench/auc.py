"""AUC of edge scores against the motif: by explainer, by scoring rule, by training of the GNN, and how it spreads."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean, stdev
from typing import Any

from gfx_core.bench.comparison import entry, of
from gfx_core.bench.standing import MotifComparison
from gfx_core.bench.study import AS_IS, STUDENT, Claim
from gfx_core.bench.tables import OWN, SHIPPED, Record, ResultEntry, ResultRow, ResultTable, grouped, is_control
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import DATASETS
from gfx_core.drawing.charts import dots_by_method

_FIGURES = tomllib.loads((ASSETS / "content" / "paper.toml").read_text(encoding="utf-8"))
PAPER: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    quantity: {method: dict(zip(DATASETS, figures, strict=False)) for method, figures in by_method.items()}
    for quantity, by_method in _FIGURES.items()
}
"""Figures of the paper by quantity, method and data set; they stand beside ours in tables, marked as the paper's."""

AUC = "AUC of the edges of the own motif"
RULES = "AUC by scoring rule"
TWO_BY_TWO = "AUC by training of the GNN, as is and through a student"
SPREAD = "Spread of the AUC: standard deviation over GNNs, over seeds, and range"
_RULES = {
    "": "edge marginals of 64 samples (the table above)",
    "own": "its own rule (ours: exact or expected marginals; others: order weights of a greedy one)",
    "order": "order weights of one sample (the paper's rule)",
    "best": "the best of 64 by reward",
}
_FOUR = tuple(product(("sum-plain", "sum"), (AS_IS, STUDENT)))
_FOUR_TITLES = ("plain, as is", "plain, student", "fragments, as is", "fragments, student")


class Auc(MotifComparison):
    name = "auc"
    title = "AUC"
    short = "AUC"
    question = "Do an explainer's highest-scored edges lie in the motif?"

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """AUC with the paper's figures, by rule, the 2 × 2 and the spread."""
        known = of(records, "sum")
        table = self.compared(known, "auc", AUC)
        paper = self.paper_rows(PAPER["auc"], self.methods, table.columns) if table.rows else []
        found = [
            replace(table, rows=[*table.rows, *paper]),
            self._rules(known),
            self._two_by_two(records, table),
            self._spread(known),
        ]
        return [self.reasons_marked(table, "sum") for table in found if table.rows]

    def _rules(self, records: Sequence[Record]) -> ResultTable:
        """The methods that sample subgraphs, by every rule."""
        rows, columns = [], self.columns(records)
        for method, rule in product(self.methods, _RULES):
            own = [_ruled(record, rule) for record in records if record["method"] == method]
            entries = {
                name: ResultEntry(tuple(number for number, _ in some))
                for name in columns
                if (some := [(n, r) for n, r in own if r["dataset"] == name and n is not None])
            }
            if entries and any(r["values"]["auc_rules"] for _, r in own):
                label = f"{self.methods[method]}: {_RULES[rule]}"
                rows.append(ResultRow(label, entries, compared=method != SHIPPED))
        return ResultTable(RULES, columns, rows, best="high", half=self.half_words(records))

    def _two_by_two(self, records: Sequence[Record], first: ResultTable) -> ResultTable:
        """The mean over the data sets that can separate explainers; of these only what has all four."""
        separable = [name for name in first.columns if not first.silenced_by(name)]
        columns = {f"{kind}/{variant}": title for (kind, variant), title in zip(_FOUR, _FOUR_TITLES, strict=True)}
        rows = []
        for method, title in self.methods.items():
            own = [record for record in records if record["method"] == method and record["dataset"] in separable]
            entries = {}
            for kind, variant in _FOUR:
                by_dataset = grouped(of(own, kind, variant), "dataset")
                each = [entry(by_dataset.get((name,), ()), "auc") for name in separable]
                means = [one.mean for one in each if one.mean is not None]
                if separable and len(means) == len(separable):
                    entries[f"{kind}/{variant}"] = ResultEntry((fmean(means),))
            if len(entries) == len(_FOUR):
                rows.append(ResultRow(title, entries, control=is_control(method)))
        note = f"Means over {self.listed(separable)}."
        half = self.half_words(records)
        return ResultTable(TWO_BY_TWO, columns, rows, best="high", counts=False, half=half, notes=[note])

    def _spread(self, records: Sequence[Record]) -> ResultTable:
        rows = []
        for method in (OWN, "gnnexplainer", "pgexplainer"):
            own = [record for record in records if record["method"] == method]
            entries = {
                name: ResultEntry(instead=_spread_words([(r["gnn"], r["values"]["auc"]) for r in here]))
                for (name,), here in grouped(own, "dataset").items()
            }
            rows += [ResultRow(self.methods[method], entries)] if entries else []
        return ResultTable(SPREAD, self.columns(records), rows, half=self.half_words(records))

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """Where GFlowExplainer stands by AUC, on GNNs that know fragments and on those that do not."""
        found: list[Claim] = []
        plain = "trained on whole graphs, all explained through a student"
        for kind, variant, gnns in (("sum", AS_IS, "trained on fragments"), ("sum-plain", STUDENT, plain)):
            table = self.compared(of(records, kind, variant), "auc", AUC)
            sentence = f"On GNNs {gnns}, GFlowExplainer's AUC is the best or level with the best."
            standing, first = self.standing(table), kind == "sum"
            words = standing.words(self.fair_standing(table, kind))
            conclusion = f"By AUC, it is among the best on {standing.level} of {standing.separable}." * first
            found += standing.claims(sentence, words, AUC if first else TWO_BY_TWO, conclusion=conclusion)
        return found

    def figure(self, records: Sequence[Record]) -> Any:
        """AUC on one data set, every GNN and seed of every explainer, and the paper's figure."""
        known, dataset = grouped(of(records, "sum"), "method"), records[0]["dataset"]
        values = {name: entry(known.get((name,), ()), "auc").values for name in self.methods}
        paper = {method: figures[dataset] for method, figures in PAPER["auc"].items() if dataset in figures}
        return dots_by_method(values, paper, self.methods, "AUC, own motif", self.titles[dataset])


def _ruled(record: Record, rule: str) -> tuple[float | None, Record]:
    values = record["values"]
    return (values["auc_rules"].get(rule) if rule else values["auc"]), record


def _spread_words(known: Sequence[tuple[str, float]]) -> str:
    """``.012 over GNNs, .003 over seeds, .95 to .99``."""
    by_gnn: dict[str, list[float]] = {}
    for gnn, value in known:
        by_gnn.setdefault(gnn, []).append(value)
    over_gnns = stdev([fmean(each) for each in by_gnn.values()]) if len(by_gnn) > 1 else 0.0
    over_seeds = fmean([stdev(each) for each in by_gnn.values() if len(each) > 1] or [0.0])
    values = [value for _, value in known]
    return f"{over_gnns:.3f}, {over_seeds:.3f}, {min(values):.2f} to {max(values):.2f}"
