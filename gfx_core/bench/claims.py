"""Claims of ``assets/content/claims.toml``, each decided from the records by one of a few rules.

A claim about a difference *holds* if the 95 % interval of the mean difference is above 0, it *does not hold here* if it
is below 0, else we *cannot tell*; it *partly holds* if one data set contradicts. A claim about several data sets holds
if it is true on all of them, partly if on at least half. A claim of the paper is judged twice where the paper's rule
for edge scores differs from ours: ours are the edge marginals of 64 samples, the paper's the order weights of one.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.bench.cells import OWN, RESULTS, read_records
from gfx_core.bench.studies import STUDIES, TITLES
from gfx_core.bench.tables import OTHER_REASON, Entry, Row, Table, other_reasons, tables
from gfx_core.config import ASSETS
from gfx_core.metrics.intervals import RESAMPLES, interval, resampled_means, resampling, verdict
from gfx_core.text.numbers import counted, listed

if TYPE_CHECKING:
    from pathlib import Path

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
        verdict: What the records say of it.
        number: The number that decides, with its interval where it has one.
        values: Numbers for documents, by name.
        paper_verdict: What they say under the paper's own scoring rule, where that is another rule.
        paper_number: The number that decides then.
    """

    name: str
    sentence: str
    paper: bool
    study: str
    table: str
    verdict: Verdict
    number: str
    values: Mapping[str, object]
    paper_verdict: Verdict | None = None
    paper_number: str = ""

    @property
    def verdicts(self) -> str:
        """``◐ partly holds``, with both verdicts where the paper's scoring rule gives another one."""
        ours = f"{ICONS[self.verdict]} {self.verdict}"
        if self.paper_verdict in (None, self.verdict):
            return ours
        return f"{ours}; by the paper's rule {ICONS[self.paper_verdict]} {self.paper_verdict}"

    @property
    def numbers(self) -> str:
        """The number that decides, and the one by the paper's rule."""
        return self.number + (f"; by the paper's rule {self.paper_number}" if self.paper_number else "")


def all_tables(folder: "Path" = RESULTS, studies: Iterable[str] = STUDIES) -> dict[str, dict[str, Table]]:
    """The tables of studies that have records, by study and name; first the differences that claims are about."""
    shown = {study: tables(study, folder) for study in studies}
    if inductive := shown.get("inductive"):
        rows = [
            Row(entry["sentence"], {name: Entry([mean], {1: draws}) for name, (mean, draws) in sides.items()})
            for entry in CLAIMS["claim"]
            if entry["rule"] == "difference" and (sides := differences(entry, entry["value"], folder))
        ]
        title = "Differences on unseen motifs, above 0 where the claim is true"
        columns = next(iter(inductive.values())).columns
        shown["inductive"] = {"differences": Table("differences", title, columns, rows), **inductive}
    return {study: made for study, made in shown.items() if made}


def claims(folder: "Path" = RESULTS, studies: Iterable[str] = STUDIES) -> list[Claim]:
    """The claims that the records in a folder decide."""
    by_study = all_tables(folder, studies)
    shown = {name: (study, table) for study, made in by_study.items() for name, table in made.items()}
    decided = []
    for entry in (entry for entry in CLAIMS["claim"] if entry["tables"][0] in shown):
        name, paper = entry["tables"][0], entry.get("paper", False)
        mine = decide(entry, [shown[each][1] for each in entry["tables"]], folder)
        printed: tuple[Any, ...] = ()
        if "paper_tables" in entry:
            printed = decide(entry, [shown[each][1] for each in entry["paper_tables"]], folder)[:2]
        elif paper and entry.get("value") == "auc":
            printed = decide({**entry, "value": "auc_order"}, [], folder)[:2]
        decided.append(Claim(entry["name"], entry["sentence"], paper, shown[name][0], name, *mine, *printed))
    return decided


def decide(entry: Mapping[str, Any], shown: Sequence[Table], folder: "Path" = RESULTS) -> Decision:
    """What the records say of a claim: a difference with its interval, or in how many columns it is true."""
    match entry["rule"]:
        case "best":
            return _best(shown)
        case "difference":
            return _difference(entry, folder)
        case "pairs":
            return _pairs(entry, folder)
    (table,) = shown
    rows = [row for row in table.rows if row.method in entry.get("methods", [row.method])]
    rows = [row for row in rows if row.method not in entry.get("except", ())]
    numbers = {name: [row.entries[name] for row in rows if name in row.entries] for name in table.columns}
    match entry["rule"]:
        case "reason":
            other = other_reasons(entry["method"], folder)
            true = [name not in other for name in table.columns]
            words = f"not on {listed([TITLES[name] for name in other])}" if other else ""
        case "near":
            best = [min(entry.mean for entry in entries) for entries in numbers.values()]
            true = [number <= NEAR for number in best]
            words = f"total variation {min(best):.3f} to {max(best):.3f}".replace(" 0.", " .")
        case "nearest":
            true = [not any(_is_below(entry, entries[0]) for entry in entries[1:]) for entries in numbers.values()]
            words = "" if all(true) else "elsewhere another is nearer, by more than both deviations together"
    share = f"{sum(true)} of {len(true)} data sets"
    return _of_all(true), "; ".join(filter(None, [share, words])), {"share": share}


def _of_all(true: Sequence[bool]) -> Verdict:
    return "holds" if all(true) else "does not hold here" if 2 * sum(true) < len(true) else "partly holds"


def _is_below(one: Entry, other: Entry) -> bool:
    """Whether one is lower by more than both deviations together."""
    return one.mean + one.deviation < other.mean - other.deviation


def _best(shown: Sequence[Table]) -> Decision:
    """In how many columns that can separate explainers GFlowExplainer is the best or level with the best."""
    ours = STUDIES["explainers"].titles[OWN]
    places = [(table, name) for table in shown for name in table.columns if ours in table.means(name)]
    decided = {(table.title.partition(":")[0], name): table.best_of(name) for table, name in places}
    decided = {place: best for place, best in decided.items() if best}
    columns = {(table.title.partition(":")[0], name): table.columns[name] for table, name in places}
    level = [ours in best for best in decided.values()]
    fair = [ours in best for place, best in decided.items() if OTHER_REASON not in columns[place]]
    alone = sum(best == {ours} for best in decided.values()) or "none"
    rivals = Counter(label for best in decided.values() for label in sorted(best - {ours})).most_common()
    rivals = [(label, count) for label, count in rivals if count == rivals[0][1]]
    behind = [TITLES[n] + f" ({t})" * (len(shown) > 1) for (t, n), best in decided.items() if ours not in best]
    values = {
        "level": sum(level),
        "separable": len(level),
        "alone": alone,
        "share": f"{sum(level)} of {len(level)} {'columns' if shown[1:] else 'data sets'}, alone best on {alone}",
        "next": f"the next, {listed([label for label, _ in rivals])}, on {rivals[0][1]}" if rivals else "",
        "fair": f"{sum(fair)} of {len(fair)} where the motif is the GNN's reason",
    }
    words = [str(values[name]) for name in ("share", "next", "fair")]
    words += [f"behind on {listed(behind)}"] * bool(behind)
    words += [f"{len(places) - len(decided)} more cannot separate explainers"] * (len(decided) < len(places))
    return _of_all(level), "; ".join(filter(None, words)), values


def _pairs(entry: Mapping[str, Any], folder: "Path") -> Decision:
    """A number of two methods, for each data set and seed that both have: its difference, or quotient, resampled."""
    frame, log = read_records(entry["study"], folder), "variant" in entry
    frame = frame[frame["variant"] == entry.get("variant", "")]
    frame = frame.set_index(["dataset", frame["gnn"].str[-1:], "seed"])
    worse, better = (frame[frame["method"] == entry[side]][entry["value"]] for side in ("worse", "better"))
    less = (np.log(worse / better) if log else worse - better).dropna()
    resampled = resampled_means(less, resampling(np.arange(len(less))))
    numbers = np.array([less.mean(), *(interval(resampled) or (0.0, 0.0))])
    mean, low, high = np.exp(numbers) if log else numbers
    if not log:
        return verdict(resampled), f"lower by {mean:.3f} [{low:.3f}, {high:.3f}]", {}
    bounds = f"[{low:.2f}, {high:.2f}]"
    if len(less) < 5:  # too few for an interval: the least and the most instead
        bounds = f"({low:.2f} to {high:.2f} on {counted(len(less), 'data set')}, one run each)"
    return verdict(resampled), f"{mean:.2f} times as fast {bounds}", {}


def _difference(entry: Mapping[str, Any], folder: "Path") -> Decision:
    """The mean over data sets of what decides a claim, above 0 if it is true; data sets that contradict are named."""
    sides = differences(entry, entry["value"], folder)
    mean = np.mean([difference for difference, _ in sides.values()])
    draws = np.mean([draws for _, draws in sides.values()], axis=0)
    low, high = interval(draws) or (0.0, 0.0)
    unit, sign = ("total variation lower by", "") if entry["value"] == "distance" else ("AUC", "+")
    number = f"{unit} {mean:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]".replace("-", "−")
    false = [TITLES[name] for name, (_, draws) in sides.items() if verdict(draws) == "does not hold here"]
    decided: Verdict = verdict(draws)
    if false and decided != "does not hold here":
        number += f"; false on {listed(false)}"
        decided = "partly holds" if decided == "holds" else decided
    return decided, number, {}


def differences(entry: Mapping[str, Any], value: str, folder: "Path" = RESULTS) -> dict[str, tuple[float, Doubles]]:
    """By data set the mean difference over the seeds that both sides have, and its resamples over motifs and seeds.

    A value whose resamples over motifs were not kept is resampled over seeds alone. [B]
    """
    frame = read_records("inductive", folder)
    frame = frame[(frame["variant"] == entry.get("share", "50 %")) & frame[value].notna()]
    sign, resampled = -1 if value == "distance" else 1, {}
    for dataset, here in frame.groupby("dataset", sort=False):
        better, worse = (here[here["method"] == entry[side]].set_index("seed") for side in ("better", "worse"))
        seeds = better.index.intersection(worse.index)
        if len(seeds):
            means = sign * (better.loc[seeds, value] - worse.loc[seeds, value]).to_numpy()
            draws = np.repeat(means[:, None], RESAMPLES, axis=1)  # [seeds, B]
            if f"{value}_resampled" in frame:
                one, other = (np.stack(side.loc[seeds, f"{value}_resampled"]) for side in (better, worse))
                draws = sign * (one.astype(np.float64) - other.astype(np.float64))
            chosen = np.random.RandomState(1).randint(len(seeds), size=(RESAMPLES, len(seeds)))
            means_of_seeds = np.nanmean(draws[chosen, np.arange(RESAMPLES)[:, None]], axis=1)
            resampled[str(dataset)] = (float(means.mean()), means_of_seeds)
    return resampled
