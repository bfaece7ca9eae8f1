"""Results: what the records decide, as cards; each opens its table, figure, command and records. Without torch."""

import logging
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import streamlit as st

from gfx_core.bench import documents, report
from gfx_core.bench.report import ICONS, STUDIES, Findings
from gfx_core.bench.study import Claim, Study
from gfx_core.bench.tables import ResultRow, ResultTable, present
from gfx_core.datasets.registry import DATASETS, dataset_info
from gfx_core.errors import UserError
from gfx_core.files import stamp
from pages.ui.address import Address, bind, one_of, pick_one, whole
from pages.ui.components.browser import copy_link, save_button
from pages.ui.components.html_blocks import BEST, Head, Line, Place, as_csv, number_table
from pages.ui.fragment import stop
from pages.ui.text import plain, plain_sentence

_log = logging.getLogger(__name__)

ADDRESS = Address()
STUDY = ADDRESS.parameter("study", None, one_of(list(STUDIES)))
CLAIM = ADDRESS.parameter("claim", 1, whole(1, 99), under=(STUDY,))
TABLE = ADDRESS.parameter("table", 0, whole(1, 99), under=(STUDY,))
DATASET = ADDRESS.parameter("dataset", None, str)
DOCUMENTS = {name: title for name, title in documents.TITLES.items() if documents.path_of(name).is_file()}
READ = ADDRESS.parameter("read", None, one_of(list(DOCUMENTS)))
# Where the explorer shows what documents link to, by the link that leads there in the repository
SHOWN = {"../results/RESULTS.md": "/results"} | {f"{name}.md": f"/results?read={name}" for name in DOCUMENTS}

MOST = 3  # a study with more claims has one card for all of them
FIRST = (
    "F1 is 1 where an answer is exactly the motif (the planted reason), and 0 where they share no edge. "
    "A control cannot know the GNN’s reasons. Where one is as good as the best explainer, a data set cannot separate "
    "explainers."
)
STRONGEST = 0.42  # how much of the colour is behind the best number of a column


@st.cache_resource(show_spinner=False, max_entries=32)  # it never changes, and copies of thousands would be slow
def findings(_study: Study, name: str, version: tuple[int, int]) -> Findings:
    """What a study has come to; files that have changed are read again."""
    return Findings(_study, report.read_records(_study, report.RESULTS))


def findings_of(study: Study, *, tables: bool = False) -> Findings | str:
    """What a study has come to, or a sentence if its records are damaged, which is found out here.

    Args:
        study: The study.
        tables: Whether its tables are to be shown, and whether its records are those of today's code.
    """
    try:
        found = findings(study, study.name, stamp(report.RESULTS / f"{study.benchmark}.json"))
        _ = found.claims, tables and (found.stale, found.tables)
        return found
    except UserError as error:
        return str(error)
    except Exception:  # a file may be damaged in any way
        _log.exception("the records of %s are damaged", study.name)
        return (
            f"The records in {study.benchmark}.json are damaged: put the file back from git, or run "
            f"`python -m gfx_core bench {study.benchmark}` again."
        )


@st.cache_resource(show_spinner=False, max_entries=36)
def figure(_found: Findings, name: str, dataset: str, version: tuple[int, int]) -> Any:
    """A study's chart of one data set."""
    records = [record for record in _found.records if record["dataset"] == dataset]
    return _found.study.figure(records).update_layout(margin={"l": 10, "r": 10, "t": 30, "b": 10})


# All claims


def link(**parameters: object) -> str:
    """An address of this page, which keeps the visitor's session (see ``history.js``)."""
    return f'data-inside="" href="results?{escape(urlencode(parameters))}"'


def verdict_html(claim: Claim) -> str:
    """A verdict by its sign and in words, and whether the claim is the paper's."""
    name = claim.verdict.replace(" ", "-")
    paper = f'<abbr title="A claim of the paper">{report.PAPER}</abbr>' * report.is_papers(claim)
    return f'<span class="verdict {name}"><b aria-hidden="true">{ICONS[claim.verdict]}</b>{claim.verdict}{paper}</span>'


def cards(study: Study) -> list[str]:
    """A card for each claim of a study, one for all of them, or one with its question."""
    found = findings_of(study)
    if isinstance(found, str) or not found.claims:
        words = "records are damaged" if isinstance(found, str) else "tables" if found.records else "to be measured"
        sign = f'<span class="verdict question"><b aria-hidden="true">…</b>{words}</span>'
        return [f'<a class="claim" {link(study=study.name)}>{sign}<span>{escape(study.question)}</span></a>']
    if len(found.claims) > MOST:
        head = f'<a class="verdict question" {link(study=study.name)}>{escape(study.title)}</a>'
        return [f'<div class="claim many">{head}{claim_lines(found.claims, study)}</div>']
    return [
        f'<a class="claim" {link(study=study.name, claim=number)}>{verdict_html(claim)}'
        f'<span>{escape(claim.sentence)}</span><span class="number">{escape(claim.number)}</span></a>'
        for number, claim in enumerate(found.claims, 1)
    ]


def claim_lines(claims: Sequence[Claim], study: Study) -> str:
    """Many claims of a study, one below the other: each says its verdict and number, and leads to its table."""
    return "".join(
        f'<a class="line" {link(study=study.name, claim=number)}>{verdict_html(claim)}'
        f'<span>{escape(claim.sentence)}</span><span class="number">{escape(claim.number)}</span></a>'
        for number, claim in enumerate(claims, 1)
    )


def overview() -> None:
    """What all records come to, the picture for everybody, then all claims."""
    st.title("How well do the explainers do?", anchor=False)
    place = st.empty()  # what takes no time stands there first
    st.markdown("Open a claim for its table and records.")
    with st.container(horizontal=True, vertical_alignment="center", key="ways-on"):
        with st.container(horizontal=True, width="content", key="stays"):  # in present mode, too
            for name, title in DOCUMENTS.items():
                st.page_link("pages/results.py", label=title, icon=":material/article:", query_params={"read": name})
        path = report.RESULTS / "RESULTS.md"
        if path.is_file():
            save_button("All results as text", path.read_bytes(), path.name)
        copy_link()
    nav, picture, first = st.empty(), documents.DOCUMENTS / "answers.svg", ""
    if picture.is_file():
        drawn = image(picture, "GFlowExplainer against the best other explainer")
        first = f'<figure class="first">{drawn}<figcaption>{escape(FIRST)}</figcaption></figure>'
    nav.html(claims_nav([first]))  # seen while the records are read
    known = [found for study in STUDIES.values() if isinstance(found := findings_of(study), Findings)]
    if words := report.conclusion(known):
        with place.container(border=True, key="findings"):
            st.markdown(plain(words))
    every = [card for study in STUDIES.values() for card in cards(study)]
    every.sort(key=lambda card: (' question"><b' in card, ' many"' in card))  # those without a verdict come last
    nav.html(claims_nav([first, *every]))


def claims_nav(blocks: Sequence[str]) -> str:
    """The picture and the cards."""
    return f'<nav class="claims" aria-label="Claims">{"".join(blocks)}</nav>'


def image(path: Path, words: str) -> str:
    """A picture of ours, as an address: SVG itself would be taken out."""
    svg = path.read_text(encoding="utf-8")
    return f'<img class="forest" src="data:image/svg+xml,{quote(svg)}" alt="{escape(words)}">'


def inside(words: str) -> str:
    """A document's words with links that lead where the explorer shows the same; a link to anything else is text."""

    def leads(found: re.Match[str]) -> str:
        title, target = found.groups()
        target = SHOWN.get(target, target)
        return f"[{title}]({target})" if target.startswith(("/", "https:")) else title

    return re.sub(r"\[([^]]+)\]\(([^)\s]+)\)", leads, words)


def document(name: str) -> None:
    """One of the documents, with its pictures."""
    back()
    with st.container(key="document"), st.container(key="inside"):  # its links keep the session, see history.js
        for words, picture in documents.parts(name):
            st.markdown(inside(words))
            if picture is not None:
                st.html(image(*picture))


def back() -> None:
    with st.container(key="stays"):
        st.page_link("pages/results.py", label="All claims", icon=":material/arrow_back:")


# One claim


def shades(table: ResultTable, dataset: str) -> dict[str, float]:
    """How much colour is behind each measured row of a column: the better, the more; equal numbers have the same."""
    known = table.means(dataset)
    shown = sorted({round(mean, table.digits) for mean in known.values()}, reverse=table.best == "low")
    if not table.best or len(shown) < 2:
        return {}
    place = {number: STRONGEST * rank / (len(shown) - 1) for rank, number in enumerate(shown)}
    return {label: place[round(mean, table.digits)] for label, mean in known.items()}


def lines(table: ResultTable) -> list[Line]:
    """A table as it is shown: the better a number, the more colour behind it; the best is marked, the paper's faint."""
    shade = {dataset: shades(table, dataset) for dataset in table.columns}
    best = {dataset: table.best_of(dataset) for dataset in table.columns}

    def place(row: ResultRow, dataset: str) -> Place:
        return Place(table.text(row, dataset), row.label in best[dataset], shade[dataset].get(row.label, 0.0))

    return [Line(row.label, [place(row, name) for name in table.columns], faint=not row.ours) for row in table.rows]


def pick_table(found: Findings, claim: Claim | None) -> ResultTable:
    """The table that decides the claim, or another one of the study, which the link names."""
    titles = [table.title for table in found.tables]
    own = titles.index(claim.table) + 1 if claim is not None and claim.table in titles else 1
    if len(titles) == 1:
        return found.tables[0]
    number = bind(
        st.selectbox,
        "Table",
        TABLE,
        range(1, len(titles) + 1),
        shown=min(len(titles), TABLE.read() or own),
        own=own,
        format_func=lambda number: found.tables[number - 1].heading,
        width=560,
    )
    return found.tables[number - 1]


def show_table(table: ResultTable, shown: Sequence[Line]) -> None:
    """A table that a screen reader can read, with what its marks mean."""
    number_table("", [Head(title) for title in table.columns.values()], shown, label=table.heading)
    resampled = any(entry.resampled for row in table.rows for entry in row.entries.values())
    marks = ["Mean ± standard deviation over seeds (their number)"] if table.counts and not resampled else []
    marks += ["In brackets: 95 % interval over motifs"] * resampled
    if table.best:
        low = "low" if table.best == "low" else "high"
        level = "the interval of the difference contains 0" if resampled else f"they differ by at most {table.close:g}"
        rule = f", or level with it: {level}" if resampled or table.close else ""
        marks.append(f"{BEST} the best of a column{rule} ({low} is good)")
    if any(not row.ours for row in table.rows):
        marks.append("italics: the paper’s figures, for other GNNs and another ground truth")
    if marks:
        st.caption(f"{'; '.join(marks)}.")
    for note in table.notes:
        st.caption(plain_sentence(note))


def show_figure(found: Findings, dataset: str, version: tuple[int, int]) -> None:
    """The chart, or that the records cannot be drawn."""
    try:
        chart = figure(found, found.study.name, dataset, version)
    except Exception:
        _log.exception("the records of %s cannot be drawn", found.study.name)
        words = f"The records in {found.study.benchmark}.json cannot be drawn: put the file back from git."
        st.error(plain_sentence(words), icon=":material/broken_image:")
        return
    st.plotly_chart(chart, key=f"{found.study.name}-{dataset}", config={"displayModeBar": False})
    if found.study.legend:
        st.caption(found.study.legend)


def opened(study: Study) -> None:
    """A claim, or a study that makes none, with all that belongs to it."""
    back()
    found = findings_of(study, tables=True)
    if isinstance(found, str):
        st.subheader(study.question, anchor=False)
        st.error(plain_sentence(found), icon=":material/broken_image:")
        stop()
    alone = len(found.claims) <= MOST or CLAIM.in_link
    claim = found.claims[min(CLAIM.read(), len(found.claims)) - 1] if found.claims and alone else None
    if claim is not None:
        st.html(verdict_html(claim))
    st.subheader(plain(claim.sentence) if claim is not None else study.question, anchor=False)
    if claim is not None:
        st.markdown(plain(claim.number))
    elif found.claims:
        st.html(f'<nav class="many" aria-label="Claims">{claim_lines(found.claims, study)}</nav>')
    if not found.records:
        st.info(f"To be measured: {report.command(study)} makes its records.", icon=":material/hourglass_empty:")
        stop()
    if found.stale:
        st.warning(plain_sentence(found.stale), icon=":material/history:")
    table = pick_table(found, claim)
    shown = lines(table)
    show_table(table, shown)
    path = report.RESULTS / f"{study.benchmark}.json"
    with st.container(horizontal=True, key="downloads"):
        rows = [(line.title, [place.text for place in line.places]) for line in shown]
        save_button("Table as CSV", as_csv("", list(table.columns.values()), rows), f"{study.name}.csv")
        save_button("Records as JSON", path.read_bytes, path.name)
        copy_link()
    # as text: a block of code would fetch a highlighter of 1.5 MB for one line
    st.markdown(f"{report.command(study)}: {plain_sentence(found.measured)}")
    names = present(DATASETS, found.records, "dataset")
    if study.has_figure and names:
        titles = {name: plain(dataset_info(name).title) for name in names}
        named = DATASET.read()
        dataset = pick_one(
            "Data set",
            DATASET,
            titles,
            shown=named if named in titles else names[0],
            key="results-dataset",
            unlabelled=True,
        )
        show_figure(found, dataset, stamp(path))
        st.page_link(
            "pages/compare.py",
            label=f"Compare the explainers on one prediction of {titles[dataset]}",
            icon=":material/compare:",
            query_params={"dataset": dataset},
        )


st.html(Path(__file__).parent / "ui" / "results.css")
name, study = READ.read(), STUDY.read()
if name is not None:
    document(name)
elif study is not None:
    opened(STUDIES[study])
else:
    overview()
