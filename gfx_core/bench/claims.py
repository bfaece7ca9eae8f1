"""Claims of ``assets/content/claims.toml``, each decided from the records by one of a few rules.

A claim about a difference *holds* if the 95 % interval of the mean difference is above 0, it *does not hold here* if it
is below 0, else we *cannot tell*; it *partly holds* if one data set contradicts. A claim about several data sets holds
if it is true on all of them, partly if on at least half. A claim of the paper is judged twice where the paper's rule
for edge scores differs from ours: ours are the edge marginals of 64 samples, the paper's the order weights of one.
"""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gfx_core.baselines.registry import OWN
from gfx_core.bench.studies import STUDIES, TITLES
from gfx_core.bench.tables import OTHER_REASON, Table, other_reasons
from gfx_core.config import ASSETS
from gfx_core.metrics.intervals import RESAMPLES, interval, resampled_means, resampling, verdict
from gfx_core.text.numbers import listed

Verdict = Literal["holds", "partly holds", "does not hold here", "cannot tell"]
ICONS: Mapping[Verdict, str] = {"holds": "✓", "partly holds": "◐", "does not hold here": "✗", "cannot tell": "?"}
NEAR = 0.1
"""The mean total variation up to which a policy counts as near P ∝ R."""
CLAIMS: dict[str, Any] = tomllib.loads((ASSETS / "content" / "claims.toml").read_text(encoding="utf-8"))

Decision = tuple[Verdict, str, Mapping[str, object]]
"""A verdict, the number that decides, and numbers for documents by name."""


@dataclass(frozen=True)
class Claim:
    """A sentence that records have decided.

    Attributes:
        name: Of its entry; documents take its numbers by it.
        sentence: What is claimed.
        paper: Whether it is a claim of the paper.
        study: Whose records decide it.
        table: The name of the table that shows the numbers.
        verdict: What the records make of it.
        number: The number that decides, with its interval where it has one.
        values: Numbers for documents, by name.
        paper_verdict: What they make of it under the paper's own scoring rule.
        paper_number: The number that decides then; empty where the paper's rule is ours.
    """

    name: str
    sentence: str
    paper: bool
    study: str
    table: str
    verdict: Verdict
    number: str
    values: Mapping[str, object]
    paper_verdict: Verdict
    paper_number: str

    @property
    def verdicts(self) -> str:
        """``◐ partly holds``, with both verdicts where the paper's scoring rule gives another one."""
        ours, theirs = (f"{ICONS[verdict]} {verdict}" for verdict in (self.verdict, self.paper_verdict))
        return ours if ours == theirs else f"{ours}; by the paper's rule {theirs}"

    @property
    def numbers(self) -> str:
        """The number that decides, and the one by the paper's rule."""
        return self.number + (f". By the paper's rule: {self.paper_number}" if self.paper_number else "")


def claims(tables: Mapping[str, Table]) -> list[Claim]:
    """The claims whose tables, with all methods that they compare, are among some tables."""
    measured = {name: {row.method for row in table.rows} for name, table in tables.items()}
    decided = []
    for entry in CLAIMS["claim"]:
        names, paper_names = entry["tables"], entry.get("paper_tables", [])
        if all(measured.get(name, set()).issuperset(entry["methods"]) for name in names + paper_names):
            verdict, number, values = decide(entry, [tables[name] for name in names])
            by_paper = decide(entry, [tables[name] for name in paper_names])[:2] if paper_names else (verdict, "")
            about = entry["name"], entry["sentence"], entry.get("paper", False), tables[names[0]].study, names[0]
            decided.append(Claim(*about, verdict, number, values, *by_paper))
    return decided


def decide(entry: Mapping[str, Any], tables: Sequence[Table]) -> Decision:
    """What tables say of a claim, by the rule of its entry: of a difference, or of the columns of a table."""
    table, methods, rule = tables[0], entry["methods"], entry["rule"]
    if rule == "best":
        return _best(tables)
    if rule == "pairs":
        return _pairs(table, *methods)
    if rule == "difference":
        return _difference(table, entry["share"], *methods)
    if rule == "reason":
        other = other_reasons(table.records, methods[0])
        true = [name not in other for name in table.columns]
        words = f"; not on {listed([TITLES[name] for name in other])}" * bool(other)
    else:  # near
        (distances,) = [[entry.mean for entry in row.entries.values()] for row in table.rows if row.method in methods]
        true = [distance <= NEAR for distance in distances]
        words = f"; total variation {min(distances):.3f} to {max(distances):.3f}".replace(" 0.", " .")
    share = f"{sum(true)} of {len(true)} data sets"
    return _of_all(true), share + words, {"share": share}


def _of_all(true: Sequence[bool]) -> Verdict:
    if not true:
        return "cannot tell"
    return "holds" if all(true) else "does not hold here" if 2 * sum(true) < len(true) else "partly holds"


def _best(tables: Sequence[Table]) -> Decision:
    """In how many columns that can separate explainers GFlowExplainer is the best or level with the best."""
    ours = STUDIES["explainers"].titles[OWN]
    columns = [(table, name, table.leaders(name)[0]) for table in tables for name in table.columns]
    decided = [(table, name, best) for table, name, best in columns if best]
    level = [ours in best for _, _, best in decided]
    fair = [ours in best for table, name, best in decided if OTHER_REASON not in table.columns[name]]
    alone = sum(best == {ours} for _, _, best in decided) or "none"
    rivals = Counter(label for _, _, best in decided for label in sorted(best - {ours}))
    most = max(rivals.values(), default=0)
    kinds = {table.name: f" ({table.title.partition(':')[0]})" if tables[1:] else "" for table in tables}
    behind = [TITLES[name] + kinds[table.name] for table, name, best in decided if ours not in best]
    values = {
        "level": sum(level),
        "separable": len(level),
        "alone": alone,
        "share": f"{sum(level)} of {len(level)} {'columns' if tables[1:] else 'data sets'}, alone best on {alone}",
        "next": f"The next is {listed([label for label in rivals if rivals[label] == most])}, on {most}",
        "fair": f"{sum(fair)} of {len(fair)} where the motif is the GNN's reason",
    }
    words = [str(values[name]) for name in ("share", "next", "fair")] + [f"Behind on {listed(behind)}"] * bool(behind)
    words += [f"{len(columns) - len(decided)} more cannot separate explainers"] * (len(decided) < len(columns))
    return _of_all(level), ". ".join(words), values


def _pairs(table: Table, better: str, worse: str) -> Decision:
    """A number of two methods, for each data set, GNN and seed that both have: its difference, or quotient of times."""
    values = table.records.set_index(["method", "dataset", table.records["gnn"].str[-1:], "seed"])[table.value]
    times = table.study == "timing"
    less = (np.log(values[worse] / values[better]) if times else values[worse] - values[better]).dropna()
    resampled = resampled_means(less, resampling(np.arange(len(less))))
    numbers = np.array([less.mean(), *(interval(resampled) or (0.0, 0.0))])
    text = "{:.2f} times as fast [{:.2f}, {:.2f}]" if times else "lower by {:.3f} [{:.3f}, {:.3f}]"
    return verdict(resampled), text.format(*(np.exp(numbers) if times else numbers)), {}


def _difference(table: Table, share: str, better: str, worse: str) -> Decision:
    """The mean over data sets of a difference, above 0 if the claim is true; data sets that contradict are named.

    It is resampled over motifs and seeds that both sides have; a value whose resamples over motifs were not kept, over
    seeds alone.
    """
    records = table.records[table.records["variant"] == share].set_index(["method", "dataset", "seed"])
    kept, plus, unit = records.get(f"{table.value}_resampled", records[table.value]), "+", "AUC"
    if table.best == "low":
        better, worse, plus, unit = worse, better, "", "total variation lower by"
    means = (records[table.value][better] - records[table.value][worse]).dropna().groupby("dataset").mean()
    draws = {}
    for dataset, differences in (kept[better] - kept[worse]).dropna().groupby("dataset"):
        resampled = np.stack(differences.map(np.atleast_1d))  # [seeds, B or 1]
        chosen = np.random.RandomState(1).randint(len(resampled), size=(RESAMPLES, len(resampled)))
        column = np.arange(RESAMPLES)[:, None] % resampled.shape[1]
        draws[str(dataset)] = np.nanmean(resampled[chosen, column], axis=1)
    every = np.mean(list(draws.values()), axis=0)
    low, high = interval(every) or (0.0, 0.0)
    number = f"{unit} {means.mean():{plus}.3f} [{low:{plus}.3f}, {high:{plus}.3f}]".replace("-", "−")
    false = [title for name, title in TITLES.items() if verdict(draws.get(name, ())) == "does not hold here"]
    decided: Verdict = verdict(every)
    if false and decided != "does not hold here":
        number += f"; false on {listed(false)}"
        decided = "partly holds" if decided == "holds" else decided
    return decided, number, {}
