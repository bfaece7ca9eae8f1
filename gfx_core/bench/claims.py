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
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gfx_core.bench.cells import OWN, RESULTS, read_records
from gfx_core.bench.studies import STUDIES, TITLES
from gfx_core.bench.tables import OTHER_REASON, Entry, Table, other_reasons, tables
from gfx_core.config import ASSETS
from gfx_core.metrics.intervals import RESAMPLES, interval, resampled_means, resampling, verdict
from gfx_core.text.numbers import counted, listed

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
        paper_verdict: What they say under the paper's own scoring rule.
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
    paper_number: str = ""

    @property
    def verdicts(self) -> str:
        """``◐ partly holds``, with both verdicts where the paper's scoring rule gives another one."""
        ours, theirs = (f"{ICONS[verdict]} {verdict}" for verdict in (self.verdict, self.paper_verdict))
        return ours if ours == theirs else f"{ours}; by the paper's rule {theirs}"

    @property
    def numbers(self) -> str:
        """The number that decides, and the one by the paper's rule."""
        return self.number + (f". By the paper's rule: {self.paper_number}" if self.paper_number else "")


def claims(folder: Path = RESULTS, studies: Iterable[str] = STUDIES) -> list[Claim]:
    """The claims that the records in a folder decide."""
    shown = {name: (study, table) for study in studies for name, table in tables(study, folder).items()}
    decided = []
    for entry in CLAIMS["claim"]:
        names = [entry["table"], *entry.get("more", ()), *filter(None, [entry.get("paper_table")])]
        methods = {OWN} if entry["rule"] == "best" else {*entry.get("methods", ())}
        methods |= {entry[side] for side in ("better", "worse") if side in entry}
        if not all(name in shown and methods <= {row.method for row in shown[name][1].rows} for name in names):
            continue  # some of its methods are not measured
        study, paper = shown[entry["table"]][0], entry.get("paper", False)
        mine = decide(entry, [shown[name][1] for name in (entry["table"], *entry.get("more", ()))], study, folder)
        theirs = (mine[0], "")
        if "paper_table" in entry:
            theirs = decide(entry, [shown[entry["paper_table"]][1]], study, folder)[:2]
        elif paper and entry.get("value") == "auc":
            theirs = decide({**entry, "value": "auc_order"}, [], study, folder)[:2]
        decided.append(Claim(entry["name"], entry["sentence"], paper, study, entry["table"], *mine, *theirs))
    return decided


def decide(entry: Mapping[str, Any], shown: Sequence[Table], study: str, folder: Path = RESULTS) -> Decision:
    """What the records say of a claim, by the rule of its entry: of a difference, or of the columns of its tables."""
    if entry["rule"] == "best":
        return _best(shown)
    if entry["rule"] in ("difference", "pairs"):
        return (_difference if entry["rule"] == "difference" else _pairs)(entry, study, folder)
    table, words = shown[0], ""
    methods = entry.get("methods", {row.method for row in table.rows} - {*entry.get("except", ())})
    rows = [row.entries for row in table.rows if row.method in methods]
    columns = [[entries[name] for entries in rows if name in entries] for name in table.columns]
    if entry["rule"] == "reason":
        other = other_reasons(entry["methods"][0], folder)
        true = [name not in other for name in table.columns]
        words = f"not on {listed([TITLES[name] for name in other])}" if other else ""
    elif entry["rule"] == "near":
        best = [min(one.mean for one in column) for column in columns]
        true = [number <= NEAR for number in best]
        words = f"total variation {min(best):.3f} to {max(best):.3f}".replace(" 0.", " .")
    else:
        true = [not any(_is_below(one, first) for one in others) for first, *others in columns]
        words = "elsewhere another is nearer, by more than both deviations together" * (not all(true))
    share = f"{sum(true)} of {len(true)} data sets"
    return _of_all(true), "; ".join(filter(None, [share, words])), {"share": share}


def _of_all(true: Sequence[bool]) -> Verdict:
    if not true:
        return "cannot tell"
    return "holds" if all(true) else "does not hold here" if 2 * sum(true) < len(true) else "partly holds"


def _is_below(one: Entry, other: Entry) -> bool:
    """Whether one is lower by more than both deviations together."""
    return one.mean + one.deviation < other.mean - other.deviation


def _best(shown: Sequence[Table]) -> Decision:
    """In how many columns that can separate explainers GFlowExplainer is the best or level with the best."""
    ours = STUDIES["explainers"].titles[OWN]
    places = [(table, name, table.best_of(name)) for table in shown for name in table.columns]
    places = [(table, name, best) for table, name, best in places if ours in table.means(name)]
    decided = [(table, name, best) for table, name, best in places if best]
    level = [ours in best for _, _, best in decided]
    fair = [ours in best for table, name, best in decided if OTHER_REASON not in table.columns[name]]
    alone = sum(best == {ours} for _, _, best in decided) or "none"
    rivals = Counter(label for _, _, best in decided for label in sorted(best - {ours}))
    most = max(rivals.values(), default=0)
    behind = [
        TITLES[name] + f" ({table.title.partition(':')[0]})" * (len(shown) > 1)
        for table, name, best in decided
        if ours not in best
    ]
    values = {
        "level": sum(level),
        "separable": len(level),
        "alone": alone,
        "share": f"{sum(level)} of {len(level)} {'columns' if shown[1:] else 'data sets'}, alone best on {alone}",
        "next": f"The next is {listed([label for label in rivals if rivals[label] == most])}, on {most}",
        "fair": f"{sum(fair)} of {len(fair)} where the motif is the GNN's reason",
    }
    words = [str(values[name]) for name in ("share", "next", "fair")] + [f"Behind on {listed(behind)}"] * bool(behind)
    words += [f"{len(places) - len(decided)} more cannot separate explainers"] * (len(decided) < len(places))
    return _of_all(level), ". ".join(words), values


def _pairs(entry: Mapping[str, Any], study: str, folder: Path) -> Decision:
    """A number of two methods, for each data set, GNN and seed that both have: its difference, or quotient of times."""
    records, times = read_records(study, folder), study == "timing"
    records = records[records["variant"] == entry.get("variant", "")]
    records = records.set_index(["dataset", records["gnn"].str[-1:], "seed"])
    worse, better = (records[records["method"] == entry[side]][entry["value"]] for side in ("worse", "better"))
    less = (np.log(worse / better) if times else worse - better).dropna()
    resampled = resampled_means(less, resampling(np.arange(len(less))))
    low, high = interval(resampled) or (0.0, 0.0)
    if not times:
        return verdict(resampled), f"lower by {less.mean():.3f} [{low:.3f}, {high:.3f}]", {}
    mean, low, high = np.exp([less.mean(), low, high])
    bounds = f"[{low:.2f}, {high:.2f}]"
    if len(less) < 5:  # too few for an interval: the least and the most instead
        bounds = f"({low:.2f} to {high:.2f} on {counted(len(less), 'data set')}, one run each)"
    return verdict(resampled), f"{mean:.2f} times as fast {bounds}", {}


def _difference(entry: Mapping[str, Any], study: str, folder: Path) -> Decision:
    """The mean over data sets of a difference, above 0 if the claim is true; data sets that contradict are named.

    It is resampled over motifs and seeds that both sides have; a value whose resamples over motifs were not kept, over
    seeds alone.
    """
    records, value = read_records(study, folder), entry["value"]
    records = records[(records["variant"] == entry.get("share", "50 %")) & records[value].notna()]
    sign, unit = (-1, "total variation lower by") if value == "distance" else (1, "AUC")
    means, draws = [], {}
    for dataset, here in records.groupby("dataset", sort=False):
        better, worse = (here[here["method"] == entry[side]].set_index("seed") for side in ("better", "worse"))
        seeds = better.index.intersection(worse.index)
        if not len(seeds):
            continue
        better, worse = better.loc[seeds], worse.loc[seeds]
        differences = sign * (better[value] - worse[value]).to_numpy(float)
        resampled = np.repeat(differences[:, None], RESAMPLES, axis=1)  # [seeds, B]
        if (kept := f"{value}_resampled") in records:
            resampled = sign * (np.stack(better[kept]).astype(float) - np.stack(worse[kept]).astype(float))
        chosen = np.random.RandomState(1).randint(len(seeds), size=(RESAMPLES, len(seeds)))
        means.append(differences.mean())
        draws[str(dataset)] = np.nanmean(resampled[chosen, np.arange(RESAMPLES)[:, None]], axis=1)
    every = np.mean(list(draws.values()), axis=0)
    low, high = interval(every) or (0.0, 0.0)
    plus = "+" if sign > 0 else ""
    number = f"{unit} {np.mean(means):{plus}.3f} [{low:{plus}.3f}, {high:{plus}.3f}]".replace("-", "−")
    false = [TITLES[name] for name, some in draws.items() if verdict(some) == "does not hold here"]
    decided: Verdict = verdict(every)
    if false and decided != "does not hold here":
        number += f"; false on {listed(false)}"
        decided = "partly holds" if decided == "holds" else decided
    return decided, number, {}
