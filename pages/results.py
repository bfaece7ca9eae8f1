"""Results: what the records decide, as cards; each opens its table, command and records. Without torch."""

import re
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from gfx_core.bench import report, studies
from gfx_core.bench.claims import ICONS, Claim, claims
from gfx_core.bench.studies import STUDIES, Study, records_path
from gfx_core.bench.tables import CLOSE, Table, tables
from gfx_core.config import read_content
from gfx_core.drawing.templates import render
from gfx_core.errors import UserError
from gfx_core.files import csv_text, stamp
from pages.ui.address import Address, bind, one_of, whole
from pages.ui.components.browser import copy_link, save_button
from pages.ui.components.html_blocks import BEST, Head, number_table
from pages.ui.text import plain
from pages.ui.widgets import in_row, page_link

TEXTS = read_content("results")

ADDRESS = Address()
STUDY = ADDRESS.parameter("study", None, one_of(list(STUDIES)))
CLAIM = ADDRESS.parameter("claim", 1, whole(1, 99), under=(STUDY,))
TABLE = ADDRESS.parameter("table", 0, whole(1, 99), under=(STUDY,))
DOCUMENTS = {name: title for name, title in report.TITLES.items() if (report.DOCUMENTS / f"{name}.md").is_file()}
READ = ADDRESS.parameter("read", None, one_of(list(DOCUMENTS)))
# Where the explorer shows what documents link to, by the link that leads there in the repository
LINKS = {"../results/RESULTS.md": "/results"} | {f"{name}.md": f"/results?read={name}" for name in DOCUMENTS}


@st.cache_resource(show_spinner=False, max_entries=2)
def read_records(folder: Path, stamps: tuple[tuple[int, int], ...]) -> tuple[dict[str, Table], list[Claim]]:
    """All tables by name, and all claims; files that have changed are read again."""
    by_name = tables(folder)
    return by_name, claims(by_name)


def results() -> tuple[dict[str, Table], list[Claim]]:
    """What all records come to; where some are damaged the page ends with a sentence."""
    stamps = tuple(stamp(records_path(study, studies.RESULTS)) for study in STUDIES)
    try:
        return read_records(studies.RESULTS, stamps)
    except UserError as error:
        st.error(plain(error), icon=":material/broken_image:")
        st.stop()


def overview() -> None:
    """What all records come to, then all claims."""
    st.title(TEXTS["title"], anchor=False)
    conclusion = st.empty()  # what takes no time stands there first
    st.markdown(TEXTS["intro"])
    with in_row("ways-on"):
        with in_row("stays", width="content"):  # in present mode, too
            for name, title in DOCUMENTS.items():
                page_link("document", {"read": name}, title=title)
        path = studies.RESULTS / "RESULTS.md"
        if path.is_file():
            save_button("All results as text", path.read_bytes(), path.name)
        copy_link()
    st.caption(TEXTS["measure"])
    _, decided = results()
    if words := report.conclusion(decided):
        with conclusion.container(border=True, key="findings"):
            st.markdown(plain(words))
    by_study = [(study, [claim for claim in decided if claim.study == study.name]) for study in STUDIES.values()]
    by_study.sort(key=lambda pair: (not pair[1], len(pair[1])))  # those without a verdict come last
    st.html(render("html/claims.html", icons=ICONS, studies=by_study))


def document(name: str) -> None:
    """One of the documents, with links that lead where the explorer shows the same; a link to anything else is text."""

    def link(match: re.Match[str]) -> str:
        title, target = match.groups()
        target = LINKS.get(target, target)
        return f"[{title}]({target})" if target.startswith(("/", "https:")) else title

    with st.container(key="document"), st.container(key="inside"):  # its links keep the session, see history.js
        st.markdown(re.sub(r"\[([^]]+)\]\(([^)\s]+)\)", link, report.document(name)))


def opened(study: Study) -> None:
    """A claim, or all claims of a study, with the table that decides, its records and the command."""
    by_name, decided = results()
    decided = [claim for claim in decided if claim.study == study.name]
    claim = decided[min(CLAIM.read(), len(decided)) - 1] if decided and CLAIM.in_link else None
    if claim is None:
        st.subheader(study.question, anchor=False)
        st.html(render("html/claims.html", icons=ICONS, many=decided))
    else:
        st.html(render("html/claims.html", icons=ICONS, verdict_of=claim))
        st.subheader(plain(claim.sentence), anchor=False)
        st.markdown(plain(claim.numbers))
    choices = [table for table in by_name.values() if table.study == study.name]
    if not choices:
        st.info(TEXTS["unmeasured"].format(command=report.command(study.name)), icon=":material/hourglass_empty:")
        return
    table = pick_table(choices, claim)
    show_table(table)
    with in_row("downloads"):
        rows = [["", *table.columns.values()], *([name, *texts.values()] for name, texts in texts_of(table).items())]
        save_button("Table as CSV", csv_text(rows), f"{table.name}.csv")
        path = records_path(study.name, studies.RESULTS)
        save_button("Records as parquet", path.read_bytes, path.name)
        copy_link()
    # as text: a block of code would fetch a highlighter of 1.5 MB for one line
    st.markdown(f"{report.command(study.name)}: {plain(report.measured(study.name, studies.RESULTS))}")


def pick_table(choices: Sequence[Table], claim: Claim | None) -> Table:
    """The table that decides the claim, or another one of the study, which the link names."""
    names = [table.name for table in choices]
    usual = names.index(claim.table) + 1 if claim is not None and claim.table in names else 1
    number = min(len(choices), TABLE.read() or usual)
    if len(choices) > 1:
        titles = {n: table.title for n, table in enumerate(choices, 1)}
        bind(st.selectbox, "Table", TABLE, titles=titles, shown=number, own=usual, width=560)
    return choices[number - 1]


def texts_of(table: Table) -> dict[str, dict[str, str]]:
    """What stands at each place, by row and column."""
    return {row.label: {name: table.text(row, name) for name in table.columns} for row in table.rows}


def show_table(table: Table) -> None:
    """A table that a screen reader can read, with what its marks mean."""
    heads = {name: Head(title) for name, title in table.columns.items()}
    number_table("", heads, texts_of(table), {name: table.leaders(name)[0] for name in heads}, label=table.title)
    marks = TEXTS[f"{'motifs' if table.over else 'seeds'}{'_best' * bool(table.best)}"]
    for note in (marks.format(mark=BEST, close=CLOSE, side=table.best), *table.notes):
        st.caption(plain(note))


st.html(Path(__file__).parent / "ui" / "results.css")
name, study = READ.read(), STUDY.read()
if name is None and study is None:
    overview()
else:
    with st.container(key="stays"):
        page_link("claims")
    if name is not None:
        document(name)
    elif study is not None:
        opened(STUDIES[study])
