"""Results: what the records decide, as cards; each opens its table, command and records. Without torch."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from gfx_core.bench import report, studies
from gfx_core.bench.claims import ICONS, Claim, claims
from gfx_core.bench.studies import STUDIES, Study, records_path
from gfx_core.bench.tables import CLOSE, Table, TableRow, tables
from gfx_core.drawing.charts import dots_by_method
from gfx_core.drawing.templates import render
from gfx_core.errors import UserError
from gfx_core.files import stamp
from pages.ui.address import Address, bind, one_of, pick_one, whole
from pages.ui.components.browser import copy_link, save_button
from pages.ui.components.html_blocks import BEST, Head, Line, Place, as_csv, number_table
from pages.ui.text import plain

_log = logging.getLogger(__name__)

ADDRESS = Address()
STUDY = ADDRESS.parameter("study", None, one_of(list(STUDIES)))
CLAIM = ADDRESS.parameter("claim", 1, whole(1, 99), under=(STUDY,))
TABLE = ADDRESS.parameter("table", 0, whole(1, 99), under=(STUDY,))
DOCUMENTS = {name: title for name, title in report.TITLES.items() if (report.DOCUMENTS / f"{name}.md").is_file()}
DATASET = ADDRESS.parameter("dataset", None, str)
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

Results = tuple[dict[str, Table], list[Claim]]


@st.cache_resource(show_spinner=False, max_entries=2)
def read_results(folder: Path, stamps: tuple[tuple[int, int], ...]) -> Results:
    """All tables by name, and all claims; files that have changed are read again."""
    shown = tables(folder)
    return shown, claims(shown)


def results() -> Results | str:
    """What all records come to, or a sentence if some are damaged."""
    stamps = tuple(stamp(records_path(study, studies.RESULTS)) for study in STUDIES)
    try:
        return read_results(studies.RESULTS, stamps)
    except UserError as error:
        return str(error)
    except Exception:  # a file may be damaged in any way
        _log.exception("records are damaged")
        return f"The records in {studies.RESULTS.name} are damaged: put the files back from git, or measure them again."


# All claims


def claims_html(**values: Any) -> str:
    """Verdicts, lines or cards by `assets/html/claims.html`."""
    return render("html/claims.html", icons=ICONS, most=MOST, **values)


def overview() -> None:
    """What all records come to, then all claims."""
    st.title("How well do the explainers do?", anchor=False)
    place = st.empty()  # what takes no time stands there first
    st.markdown("Open a claim for its table and records.")
    with st.container(horizontal=True, vertical_alignment="center", key="ways-on"):
        with st.container(horizontal=True, width="content", key="stays"):  # in present mode, too
            for name, title in DOCUMENTS.items():
                st.page_link("pages/results.py", label=title, icon=":material/article:", query_params={"read": name})
        path = studies.RESULTS / "RESULTS.md"
        if path.is_file():
            save_button("All results as text", path.read_bytes(), path.name)
        copy_link()
    st.caption(FIRST)
    found = results()
    if isinstance(found, str):
        st.error(plain(found), icon=":material/broken_image:")
        st.stop()
    _, decided = found
    if words := report.conclusion(decided):
        with place.container(border=True, key="findings"):
            st.markdown(plain(words))
    by_study = [(study, [claim for claim in decided if claim.study == study.name]) for study in STUDIES.values()]
    by_study.sort(key=lambda pair: (not pair[1], len(pair[1]) > MOST))  # those without a verdict come last
    st.html(claims_html(studies=by_study))


def inside(words: str) -> str:
    """A document's words with links that lead where the explorer shows the same; a link to anything else is text."""

    def leads(match: re.Match[str]) -> str:
        title, target = match.groups()
        target = SHOWN.get(target, target)
        return f"[{title}]({target})" if target.startswith(("/", "https:")) else title

    return re.sub(r"\[([^]]+)\]\(([^)\s]+)\)", leads, words)


def document(name: str) -> None:
    """One of the documents."""
    back()
    with st.container(key="document"), st.container(key="inside"):  # its links keep the session, see history.js
        st.markdown(inside(report.document(name)))


def back() -> None:
    with st.container(key="stays"):
        st.page_link("pages/results.py", label="All claims", icon=":material/arrow_back:")


# One claim


def shades(table: Table, dataset: str) -> dict[str, float]:
    """How much colour is behind each measured row of a column: the better, the more; equal numbers have the same."""
    rows = [row for row in table.rows if dataset in row.entries]
    means = {row.label: round(row.entries[dataset].mean, table.digits) for row in rows}
    shown = sorted(set(means.values()), reverse=table.best == "low")
    if not table.best or len(shown) < 2:
        return {}
    return {label: STRONGEST * shown.index(mean) / (len(shown) - 1) for label, mean in means.items()}


def lines(table: Table) -> list[Line]:
    """A table as it is shown: the better a number, the more colour behind it; the best is marked."""
    shade = {dataset: shades(table, dataset) for dataset in table.columns}
    best = {dataset: table.leaders(dataset)[0] for dataset in table.columns}

    def place(row: TableRow, dataset: str) -> Place:
        return Place(table.text(row, dataset), row.label in best[dataset], shade[dataset].get(row.label, 0.0))

    return [Line(row.label, [place(row, name) for name in table.columns]) for row in table.rows]


def pick_table(choices: Sequence[Table], claim: Claim | None) -> Table:
    """The table that decides the claim, or another one of the study, which the link names."""
    own = next((n for n, table in enumerate(choices, 1) if claim is not None and table.name == claim.table), 1)
    if len(choices) == 1:
        return choices[0]
    number = bind(
        st.selectbox,
        "Table",
        TABLE,
        range(1, len(choices) + 1),
        shown=min(len(choices), TABLE.read() or own),
        own=own,
        format_func=lambda number: choices[number - 1].title,
        width=560,
    )
    return choices[number - 1]


def show_table(table: Table, shown: Sequence[Line]) -> None:
    """A table that a screen reader can read, with what its marks mean."""
    number_table("", [Head(title) for title in table.columns.values()], shown, label=table.title)
    marks = "In brackets: 95 % interval over motifs" if table.over else "Mean ± standard deviation over seeds"
    if table.best:
        level = "the interval of the difference contains 0" if table.over else f"they differ by at most {CLOSE:g}"
        marks += f"; {BEST} the best of a column, or level with it: {level} ({table.best} is good)"
    st.caption(f"{marks}.")
    for note in table.notes:
        st.caption(plain(note))


def show_figure(table: Table) -> None:
    """A chart of one column: a dot for each seed or GNN."""
    titles = {name: plain(title) for name, title in table.columns.items()}
    own = next(iter(titles))
    named = DATASET.read()
    dataset = pick_one(
        "Data set", DATASET, titles, shown=named if named in titles else own, key="results-dataset", unlabelled=True
    )
    rows = [row for row in table.rows if dataset in row.entries]
    chart = dots_by_method(
        {row.method: row.entries[dataset].values for row in rows},
        {row.method: row.label for row in rows},
        table.title,
    )
    st.plotly_chart(chart, key=f"{table.name}-{dataset}", config={"displayModeBar": False})
    st.page_link(
        "pages/compare.py",
        label=f"Compare the explainers on one prediction of {titles[dataset]}",
        icon=":material/compare:",
        query_params={"dataset": dataset},
    )


def opened(study: Study) -> None:
    """A claim, or a study that makes none, with all that belongs to it."""
    back()
    found = results()
    if isinstance(found, str):
        st.subheader(study.question, anchor=False)
        st.error(plain(found), icon=":material/broken_image:")
        st.stop()
    choices = [table for table in found[0].values() if table.study == study.name]
    decided = [claim for claim in found[1] if claim.study == study.name]
    alone = len(decided) <= MOST or CLAIM.in_link
    claim = decided[min(CLAIM.read(), len(decided)) - 1] if decided and alone else None
    if claim is not None:
        st.html(claims_html(verdict_of=claim))
    st.subheader(plain(claim.sentence) if claim is not None else study.question, anchor=False)
    if claim is not None:
        st.markdown(plain(claim.numbers))
    elif decided:
        st.html(claims_html(many=decided))
    if not choices:
        st.info(f"To be measured: {report.command(study.name)} makes its records.", icon=":material/hourglass_empty:")
        st.stop()
    table = pick_table(choices, claim)
    shown = lines(table)
    show_table(table, shown)
    path = records_path(study.name, studies.RESULTS)
    with st.container(horizontal=True, key="downloads"):
        rows = [(line.title, [place.text for place in line.places]) for line in shown]
        save_button("Table as CSV", as_csv("", list(table.columns.values()), rows), f"{table.name}.csv")
        save_button("Records as parquet", path.read_bytes, path.name)
        copy_link()
    # as text: a block of code would fetch a highlighter of 1.5 MB for one line
    st.markdown(f"{report.command(study.name)}: {plain(report.measured(study.name, studies.RESULTS))}")
    if study.name == "explainers":
        show_figure(table)


st.html(Path(__file__).parent / "ui" / "results.css")
name, study = READ.read(), STUDY.read()
if name is not None:
    document(name)
elif study is not None:
    opened(STUDIES[study])
else:
    overview()
