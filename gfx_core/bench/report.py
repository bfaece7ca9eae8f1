"""RESULTS.md, the documents of ``assets/docs`` and README: each number in them is written from the records or the code.

A number stands between marks, ``<!--=name-->…<!--=-->``. Its name is a field of a claim (``f1.level``), a constant of
the code (``gfx_core.gfn.settings:ON_GPU.exact_steps``), a place of a table (``f1 | GFlowExplainer | tree_grid``: its
name, how the row begins, the data set), or a whole table (``table: claims``).
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from string import Formatter
from types import SimpleNamespace

from gfx_core.bench.cells import OWN, RESULTS, SHIPPED, read_records
from gfx_core.bench.claims import CLAIMS, ICONS, Claim, claims
from gfx_core.bench.studies import STUDIES
from gfx_core.bench.tables import Row, Table, is_control, markdown_table, tables
from gfx_core.config import ASSETS, Task
from gfx_core.drawing.forest import Kind, Mark, forest_svg
from gfx_core.errors import UserError
from gfx_core.files import replacing, why_unwritten
from gfx_core.text.numbers import listed

DOCUMENTS = ASSETS / "docs"
README = ASSETS.parent / "README.md"
TITLES = {
    "departures": "What we do differently from the paper",
    "reproduction": "[Re] DAG Matters! on two pages",
    "measuring": "How everything was measured",
}
"""Of the documents with numbers, by the name of their file."""
UNKNOWN = "(not measured)"
"""What is written for a number that no record has."""

_NUMBER = re.compile(r"<!--=(.+?)-->.*?<!--=-->", re.DOTALL)
_MARKS = re.compile(r"<!--=.*?-->")
_PICTURE = re.compile(r"^!\[(.+?)\]\((\w+\.svg)\)$", re.MULTILINE)


def command(study: str) -> str:
    """The command that measures a study."""
    return f"`gfx bench run {study}`"


def conclusion(decided: Sequence[Claim]) -> str:
    """What all records come to, in plain sentences; nothing where they do not decide it."""
    paper = [claim for claim in decided if claim.paper]
    counts = [Counter(getattr(claim, rule) for claim in paper) for rule in ("verdict", "paper_verdict")]
    ours, theirs = (listed([f"{words} ({some[words]})" for words in ICONS if some[words]]) for some in counts)
    try:
        return str(CLAIMS["conclusion"].format(paper=len(paper), ours=ours, theirs=theirs, **_values(decided)))
    except KeyError:
        return ""


def _values(decided: Sequence[Claim]) -> dict[str, object]:
    return {claim.name: SimpleNamespace(**claim.values) for claim in decided}


def measured(study: str, folder: Path = RESULTS) -> str:
    """How many cells are measured, on what, and when."""
    records = read_records(study, folder)
    devices = {json.loads(options)["device"] for options in records["options"]}
    wanted = {cell.key for device in devices for cell in STUDIES[study].cells(device=device)}
    made = records[["device", "cores", "versions", "date"]].itertuples(index=False, name=None)
    words = "; ".join(
        f"{device}, {cores} cores, torch {json.loads(versions)['torch']}, {date} ({count:,} records)"
        for (device, cores, versions, date), count in Counter(made).most_common()
    )
    return f"{len(wanted & set(records['key'])):,} of {len(wanted):,} cells. {words}."


def results_markdown(folder: Path = RESULTS) -> str:
    """RESULTS.md: the claims, then the tables that decide them."""
    decided = claims(folder)
    numbers = {name: n for n, name in enumerate(dict.fromkeys(claim.table for claim in decided), 1)}
    lines = [
        [one.sentence, one.verdicts + " · paper" * one.paper, one.numbers, f"[{n}](#table-{n})"]
        for one in decided
        for n in [numbers[one.table]]
    ]
    parts = ["# Results", conclusion(decided), CLAIMS["how"], "## Claims"]
    parts += [markdown_table(["claim", "verdict", "number", "table"], lines), "## Tables"]
    studies = {claim.table: claim.study for claim in decided}
    for name, n in numbers.items():
        study, table = studies[name], tables(studies[name], folder)[name]
        parts.append(f'### <a name="table-{n}"></a>{n}. {table.title}')
        parts += [f"{command(study)}. {measured(study, folder)}", table.markdown()]
    return "\n\n".join(parts) + "\n"


def write_results(folder: Path = RESULTS) -> list[Path]:
    """Write RESULTS.md from the records in a folder; from the shipped ones, the documents and their picture, too."""
    texts = {folder / "RESULTS.md": results_markdown(folder)}
    if folder == RESULTS:
        number, paths = numbers(), [README, *(DOCUMENTS / f"{name}.md" for name in TITLES)]
        texts |= {path: filled(path.read_text(encoding="utf-8"), number) for path in paths if path.is_file()}
        texts[DOCUMENTS / "answers.svg"] = picture() + "\n"
    for path, text in texts.items():
        try:
            with replacing(path) as part:
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            why = why_unwritten(error)
            raise UserError(f"{path.name} cannot be written: {why}. Choose another folder with --out.") from error
    return list(texts)


# Documents


def text_of(name: str) -> str:
    """A document as people read it, without the marks of its numbers."""
    return _MARKS.sub("", (DOCUMENTS / f"{name}.md").read_text(encoding="utf-8"))


def pieces(name: str) -> list[tuple[str, tuple[Path, str] | None]]:
    """A document in pieces: some text, then the file of a picture and what it shows, if one follows."""
    *split, rest = re.split(_PICTURE, text_of(name))
    texts, alts, files = split[::3], split[1::3], split[2::3]
    pictures = [(text, (DOCUMENTS / file, alt)) for text, alt, file in zip(texts, alts, files, strict=True)]
    return [*pictures, (rest, None)]


def filled(text: str, number: Callable[[str], str]) -> str:
    """A document with all its numbers written again, by what finds a number for a name."""
    return _NUMBER.sub(lambda match: f"<!--={match[1]}-->{number(match[1])}<!--=-->", text)


def numbers() -> Callable[[str], str]:
    """What finds the numbers of documents by their names."""
    from gfx_core.gfn.settings import preset_config
    from gfx_core.gnn.training import default_config

    decided = claims()
    shown = {name: table for study in STUDIES for name, table in tables(study).items()}
    values = _values(decided)
    values |= {"node": preset_config(Task.NODE), "graph": preset_config(Task.GRAPH)}
    values |= {"gnn": default_config("tree_grid"), "graph_gnn": default_config("ba_2motifs")}

    def find(name: str) -> str:
        if name.startswith("table:"):
            return f"\n{_whole_table(name[6:].strip(), decided)}\n"
        if "|" in name:
            return _place(shown, *(part.strip() for part in name.split("|")))
        module, _, path = name.rpartition(":")
        value, _ = Formatter().get_field(path, (), vars(import_module(module)) if module else values)
        return f"{value:,.6g}" if isinstance(value, int | float) else str(value)

    return find


def _place(shown: Mapping[str, Table], table: str, row: str, dataset: str) -> str:
    for line in shown[table].rows if table in shown else ():
        if line.label.startswith(row) and dataset in line.entries:
            return line.entries[dataset].text(shown[table].digits)
    return UNKNOWN


def _whole_table(name: str, decided: Sequence[Claim]) -> str:
    """The table of the paper's claims, of the data sets and their GNNs, or of every method's settings."""
    if name == "claims":
        lines = [[claim.sentence, claim.verdicts, claim.numbers] for claim in decided if claim.paper]
        return markdown_table(["claim", "verdict", "number"], lines)
    from gfx_core.bench.gnns import dataset_table
    from gfx_core.bench.settings import settings_table

    frame = dataset_table() if name == "gnns" else settings_table()
    return markdown_table(["", *frame.columns], [[label, *row] for label, *row in frame.itertuples()])


_LEGEND: dict[Kind, str] = {
    "own": "GFlowExplainer, exact",
    "other": "the best other explainer",
    "control": "the best control",
}


def picture() -> str:
    """GFlowExplainer against the best other explainer and the best control, a line for each data set, as SVG."""
    table, lines = tables("explainers")["f1"], []
    rows = [row for row in table.rows if row.method not in ("gflow_paper", SHIPPED)]
    for dataset, title in table.columns.items():
        best: dict[Kind, Row] = {}
        for row in sorted(rows, key=lambda row: row.entries[dataset].mean):  # the best of a kind comes last
            best["own" if row.method == OWN else "control" if is_control(row.method) else "other"] = row
        marks = []
        for kind in _LEGEND:
            label, entry = best[kind].label.partition(",")[0], best[kind].entries[dataset]
            marks.append(Mark(label, entry.mean, *(entry.interval or (entry.mean, entry.mean)), kind))
        lines.append((title.rstrip(" §‡"), marks))
    return forest_svg(lines, table.title, _LEGEND)
