"""RESULTS.md, the documents of ``assets/docs`` and README: each number in them is written from the records or the code.

A number stands between marks, ``<!--=name-->…<!--=-->``. Its name is a field of a claim (``f1.level``), a constant of
the code (``gfx_core.gfn.settings:USUAL_REWARD.beta``), a place of a table by row and data set
(``tables[f1][Most links][tree_grid]``), or all ``claims``.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from string import Formatter
from types import SimpleNamespace
from typing import Any

from gfx_core.bench.claims import CLAIMS, ICONS, Claim, claims
from gfx_core.bench.studies import RESULTS, STUDIES, read_records
from gfx_core.bench.tables import Table, markdown_table, tables
from gfx_core.config import ASSETS
from gfx_core.text.numbers import listed

DOCUMENTS = ASSETS / "docs"
README = ASSETS.parent / "README.md"
TITLES = {
    "departures": "What we do differently from the paper",
    "reproduction": "[Re] DAG Matters! on two pages",
    "measuring": "How everything was measured",
}
"""Of the documents with numbers, by the name of their file."""


def command(study: str) -> str:
    """The command that measures a study."""
    return f"`gfx bench run {study}`"


def conclusion(decided: Sequence[Claim]) -> str:
    """What all records come to, in plain sentences; nothing where they do not decide it."""
    paper = [claim for claim in decided if claim.paper]
    counts = [Counter(getattr(claim, rule) for claim in paper) for rule in ("verdict", "paper_verdict")]
    ours, theirs = (listed([f"{words} ({count[words]})" for words in ICONS if count[words]]) for count in counts)
    try:
        return str(CLAIMS["conclusion"].format(paper=len(paper), ours=ours, theirs=theirs, **_values(decided)))
    except KeyError:
        return ""


def _values(decided: Sequence[Claim]) -> dict[str, Any]:
    return {claim.name: SimpleNamespace(**claim.values) for claim in decided}


def measured(study: str, folder: Path = RESULTS) -> str:
    """How many cells are measured, on what, and when."""
    records = read_records(study, folder)
    cells = {cell.key for device in ("cpu", "cuda") for cell in STUDIES[study].cells(device=device)}
    runs = records[["device", "cores", "versions", "date"]].value_counts().reset_index()
    words = "; ".join(
        f"{device}, {cores} cores, torch {json.loads(versions)['torch']}, {date} ({count:,} records)"
        for device, cores, versions, date, count in runs.to_numpy()
    )
    return f"{len(cells & set(records['key'])):,} of {len(cells):,} cells. {words}."


def results() -> dict[Path, str]:
    """What RESULTS.md, README and the documents come to by all records, by file."""
    by_name = tables()
    decided = claims(by_name)
    return {RESULTS / "RESULTS.md": results_markdown(by_name, decided)} | documents(by_name, decided)


def results_markdown(by_name: Mapping[str, Table], decided: Sequence[Claim]) -> str:
    """RESULTS.md: the claims, then the tables that decide them."""
    numbers = {name: n for n, name in enumerate(dict.fromkeys(claim.table for claim in decided), 1)}
    lines = []
    for claim in decided:
        verdicts, n = claim.verdicts + " · paper" * claim.paper, numbers[claim.table]
        lines.append([claim.sentence, verdicts, claim.numbers, f"[{n}](#table-{n})"])
    chapters = ["# Results", conclusion(decided), CLAIMS["how"], "## Claims"]
    chapters += [markdown_table(["claim", "verdict", "number", "table"], lines), "## Tables"]
    for name, n in numbers.items():
        table = by_name[name]
        chapters.append(f'### <a name="table-{n}"></a>{n}. {table.title}')
        chapters += [f"{command(table.study)}. {measured(table.study)}", table.markdown()]
    return "\n\n".join(chapters) + "\n"


# Documents


def document(name: str) -> str:
    """A document without the marks of its numbers."""
    return re.sub(r"<!--=.*?-->", "", (DOCUMENTS / f"{name}.md").read_text(encoding="utf-8"))


def documents(by_name: Mapping[str, Table], decided: Sequence[Claim]) -> dict[Path, str]:
    """README and the documents with all their numbers written again, by file."""
    from gfx_core.gfn.settings import policy_config
    from gfx_core.gnn.settings import default_config

    values = _values(decided)
    for task, dataset in (("node", "tree_grid"), ("graph", "ba_2motifs")):  # one way for all data sets of a task
        values[task] = policy_config(dataset)
    values |= {"gnn": default_config("tree_grid"), "graph_gnn": default_config("ba_2motifs")}
    values["tables"] = {
        name: {row.label: {dataset: table.text(row, dataset) for dataset in row.entries} for row in table.rows}
        for name, table in by_name.items()
    }
    lines = [[claim.sentence, claim.verdicts, claim.numbers] for claim in decided if claim.paper]
    values["claims"] = markdown_table(["claim", "verdict", "number"], lines)

    def rewritten(match: re.Match[str]) -> str:
        begin, module, path = match.groups()
        value, _ = Formatter().get_field(path, (), vars(import_module(module)) if module else values)
        text = f"{value:,.6g}" if isinstance(value, int | float) else value
        return f"{begin}\n{text}\n<!--=-->" if text.startswith("|") else f"{begin}{text}<!--=-->"

    paths = [README, *(DOCUMENTS / f"{name}.md" for name in TITLES)]
    mark = re.compile(r"(<!--=(?:(gfx_core[\w.]+):)?(.+?)-->).*?<!--=-->", re.DOTALL)
    return {path: mark.sub(rewritten, path.read_text(encoding="utf-8")) for path in paths}
