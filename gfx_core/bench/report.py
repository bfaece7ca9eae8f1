"""All studies, their records on disk, and RESULTS.md: the claims, then the tables that decide them. Nothing is typed.

A study is added by a file of its own and a line here. Of its tables RESULTS.md has those that its claims rest on; the
page of results has all of them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from gfx_core.bench.answers import Answers
from gfx_core.bench.any_gnn import AnyGnn
from gfx_core.bench.auc import Auc
from gfx_core.bench.distance import Distance
from gfx_core.bench.inductive import Inductive
from gfx_core.bench.losses import Losses
from gfx_core.bench.reasons import Reasons
from gfx_core.bench.study import Claim, Study, Sweep, Verdict
from gfx_core.bench.tables import Record, ResultTable
from gfx_core.bench.time import Time
from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.files import read_once, replacing, why_unwritten
from gfx_core.text.numbers import counted, listed


def _reasons() -> list[Record]:
    """The shipped records that say whose reason the motif is."""
    return read_records(STUDIES["reasons"])


STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Answers(_reasons),
        Auc(_reasons),
        AnyGnn(_reasons),
        Reasons(),
        Distance(),
        Time(),
        Inductive(),
        Losses(),
    )
}
"""By name, in the order in which they are shown."""

RESULTS = ASSETS / "results"
"""Where the shipped records are."""

_AGAIN = "put it back from git, move it away and measure again, or choose another folder with --out."

ICONS: dict[Verdict, str] = {"holds": "✓", "partly holds": "◐", "does not hold here": "✗", "cannot tell": "?"}
"""What stands before a verdict."""

_COUNTED: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "partly holds": ("partly holds", "partly hold"),
    "does not hold here": ("does not hold here", "do not hold here"),
    "cannot tell": ("cannot be decided", "cannot be decided"),
}
"""What is said of one claim or of several with a verdict."""

PAPER_CLAIMS = (
    "On GNNs trained on fragments, GFlowExplainer's AUC",
    "Counting all valid parents finds motifs better",
    "Counting all valid parents samples closer",
    "Flow matching finds motifs better than trajectory balance with one log Z",
    "Flow matching samples closer",
    "GFlowExplainer, not pretrained, finds motifs better",
    "Trained on 10 % of the motifs",
    "𝒵 finds cut vertices faster",
)
"""How the claims begin that are the paper's, in its order."""
PAPER = "paper"
"""Marks them among all claims."""

MOST_LINES = 300
"""Of RESULTS.md: tables that are not the first of their study give way."""

_HOW = (
    "Made by `python -m gfx_core bench results` from the records beside this file.",
    "All methods explain the same GNNs on the same instances and are scored on the same undirected edges.",
    "Settings are chosen on the tuning half; tables come from the reporting half unless they say otherwise.",
    "Rows of numbers marked “(paper)” are figures of the paper, for other GNNs and another ground truth.",
    "[What we do differently from the paper](../docs/departures.md) lists every departure. "
    "[The reproduction report](../docs/reproduction.md) is two pages long.",
)


@dataclass(frozen=True)
class Findings:
    """What a study has come to.

    Attributes:
        study: The study.
        records: Of its finished cells.
    """

    study: Study
    records: list[Record]

    @cached_property
    def tables(self) -> list[ResultTable]:
        return self.study.tables(self.records) if self.records else []

    @cached_property
    def claims(self) -> list[Claim]:
        return self.study.claims(self.records) if self.records else []

    @property
    def deciding(self) -> list[ResultTable]:
        """The tables that its claims rest on, or its first one."""
        named = {claim.table for claim in self.claims}
        return [table for table in self.tables if table.title in named] or self.tables[:1]

    @cached_property
    def cells(self) -> tuple[int, int]:
        """How many of its cells are measured, and how many there are."""
        devices = {record["options"].get("device", "cpu") for record in self.records}
        sweeps = [Sweep(list(self.study.datasets), list(self.study.methods), device=device) for device in devices]
        wanted = {cell.key for sweep in sweeps for cell in self.study.cells(sweep)}
        return len(wanted & {record["key"] for record in self.records}), len(wanted)

    @cached_property
    def stale(self) -> str:
        """A sentence if some records were made with other code or weights than those of today."""
        count = sum(bool(self.study.stale(record)) for record in self.records)
        if not count:
            return ""
        which = "All" if count == len(self.records) else f"{count:,} of {len(self.records):,}"
        return f"{which} records were measured with an older state of the code: run {command(self.study)}."

    @property
    def measured(self) -> str:
        """How many cells are measured, on what, and when."""
        done, every = self.cells
        found: Counter[str] = Counter()
        for record in self.records:
            made = record["made"]
            machine = (made["device"], f"{made['cpu_cores']} cores", f"torch {made['versions']['torch']}", made["date"])
            found[", ".join(machine)] += 1
        machines = "; ".join(f"{machine} ({count:,} records)" for machine, count in found.most_common())
        return f"{done:,} of {every:,} cells. {machines}."


def command(study: Study) -> str:
    """What measures a study."""
    return f"`python -m gfx_core bench {study.name}`"


def paper_claims(every: Iterable[Findings]) -> list[Claim]:
    """Those of all claims that are the paper's, in its order."""
    claims = [claim for findings in every for claim in findings.claims]
    return [claim for start in PAPER_CLAIMS for claim in claims if claim.sentence.startswith(start)]


def is_papers(claim: Claim) -> bool:
    """Whether a claim is the paper's."""
    return claim.sentence.startswith(PAPER_CLAIMS)


def conclusion(every: Sequence[Findings]) -> str:
    """What all records come to: a plain sentence for everybody, then the numbers; nothing where they decide nothing."""
    paper, claims = paper_claims(every), [claim for findings in every for claim in findings.claims]
    summary = [words for claim in claims for words in claim.summary]
    sentences = [f"GFlowExplainer is {listed(summary)}."] if summary else []
    sentences += [claim.conclusion for claim in claims if claim.conclusion]
    if paper:
        counts = Counter(claim.verdict for claim in paper)
        words = [
            f"{counts[verdict]} {forms[counts[verdict] > 1]}"
            for verdict, forms in _COUNTED.items()
            if verdict in counts
        ]
        sentences.append(f"Of the paper's {counted(len(paper), 'claim')} (marked “{PAPER}”), {listed(words)}.")
    return " ".join(sentences)


def write_results(folder: Path | None = None) -> Path:
    """Write RESULTS.md from the records in a folder."""
    folder = folder or RESULTS
    every = [Findings(study, read_records(study, folder)) for study in STUDIES.values()]
    known = [findings for findings in every if findings.records]
    if not known:
        raise UserError(
            f"There are no records in {folder}: run a study first, {command(next(iter(STUDIES.values())))}."
        )
    missing = [findings.study for findings in every if not findings.records]
    shown = [(findings, table) for findings in known for table in findings.deciding]
    firsts = [findings.deciding[0] for findings in known if findings.deciding]
    while len((text := _whole(known, shown, missing)).splitlines()) > MOST_LINES and len(shown) > len(firsts):
        others = [each for each in shown if not any(each[1] is first for first in firsts)]
        shown.remove(max(others, key=lambda each: len(each[1].rows)))
    path = folder / "RESULTS.md"
    write_text(path, text)
    return path


Shown = Sequence[tuple[Findings, ResultTable]]


def _whole(known: Sequence[Findings], shown: Shown, missing: Sequence[Study]) -> str:
    """The file: the claims, some tables, and what is still to be measured."""
    parts = ["# Results", conclusion(known), "\n".join(_HOW)]
    parts += ["## Claims", _claims_table(known, [table for _, table in shown]), "## Tables"]
    for number, (findings, table) in enumerate(shown, 1):
        own = [each for one, each in shown if one is findings]
        parts.append(_section(number, findings, table, len(findings.tables) - len(own) if table is own[-1] else 0))
    if missing:
        parts += ["## To be measured", "There are no records of these studies yet."]
        parts.append("\n".join(f"- {study.title}: {command(study)}" for study in missing))
    return "\n\n".join(filter(None, parts)) + "\n"


def _claims_table(known: Sequence[Findings], tables: Sequence[ResultTable]) -> str:
    """A line for each claim, with a link to the table that decides it."""
    lines = ["| claim | verdict | number | table |", "|---|---|---|---|"]
    titles = [table.title for table in tables]
    for findings in known:
        for claim in findings.claims:
            place = titles.index(claim.table) + 1 if claim.table in titles else None
            link = f"[{place}](#table-{place})" if place else "on the page"
            marks = f" · {PAPER}" * is_papers(claim) + " (older code)" * bool(findings.stale)
            lines.append(f"{claim_line(claim, marks)} {link} |")
    return "\n".join(lines)


def claim_line(claim: Claim, marks: str = "") -> str:
    """A claim as a line of a table in Markdown, with marks behind its verdict."""
    return f"| {claim.sentence} | {ICONS[claim.verdict]} {claim.verdict}{marks} | {claim.number} |"


def _section(number: int, findings: Findings, table: ResultTable, others: int) -> str:
    """A table with where it comes from, and how many more of its study are elsewhere."""
    made = [f"{command(findings.study)}.", findings.measured, findings.stale]
    if others:
        made.append(f"The page Results has {others} more table{'s' * (others > 1)} of this study.")
    heading = f'### <a name="table-{number}"></a>{number}. {table.heading or findings.study.title}'
    notes = [" ".join(table.notes)] if table.notes else []
    return f"{heading}\n{' '.join(filter(None, made))}\n\n" + replace(table, title="", half="", notes=notes).markdown()


def write_text(path: Path, text: str) -> None:
    """Write a file of results; ``UserError`` if that cannot be done."""
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{path.name} cannot be written: {why_unwritten(error)}. Make room, or choose another folder with --out."
        ) from error


def write_table(path: Path, benchmark: str, cells: Iterable[Record]) -> None:
    """Write the records of a study to its file, a line for each."""
    lines = ",\n".join(json.dumps(cell, ensure_ascii=False, separators=(",", ":")) for cell in cells)
    write_text(path, f'{{"benchmark": {json.dumps(benchmark)}, "cells": [\n{lines}\n]}}\n')


def read_table(path: Path) -> dict[str, Record]:
    """The records of a table's file by key."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse) if path.is_file() else {}
        cells = {cell["key"]: cell for cell in table.get("cells", [])}
        damaged = [key for key, cell in cells.items() if not is_record(cell)]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UserError(f"{path.name} is not a table of cells: {_AGAIN}") from error
    if damaged:
        raise UserError(f"{path.name} contains something else than records (“{str(damaged[0])[:60]}”): {_AGAIN}")
    return cells


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def is_record(cell: Record) -> bool:
    """Whether a finished cell has what every reader of records relies on."""
    texts = all(isinstance(cell.get(name), str) for name in ("key", "dataset", "method", "status"))
    parts = all(isinstance(cell.get(name), dict) for name in ("options", "made", "values"))
    return texts and parts and isinstance(cell["made"].get("versions"), dict) and "torch" in cell["made"]["versions"]


def read_records(study: Study, folder: Path = RESULTS) -> list[Record]:
    """The finished cells of a study; none if it was never run. They are read once: several studies may share them."""
    return list(_read_once(folder / f"{study.benchmark}.json").values())


_read_once = read_once(8)(read_table)
