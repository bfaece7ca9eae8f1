"""The ways to bring a graph: a file, pasted text, a drawing, an example."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from gfx_core import limits
from gfx_core.user_data.examples import EXAMPLES, edge_list, files_of
from gfx_core.user_data.read import TYPES, DataFile
from pages.ui.address import bind
from pages.ui.components.graph_editor import Sketch, graph_editor
from pages.ui.own.brought import bring, leave, reading, turn
from pages.ui.own.link import WAY, WAYS
from pages.ui.text import file_name, plain
from pages.ui.uploads import File, upload_several

_LIE = "own:files"  # session state: where the files lie that were brought last, by what the field calls them
_SKETCH = "own:sketch"  # session state: what is drawn
_PASTED = "own-pasted"
_FORMATS = (
    "An **edge list** (two names in a line; CSV or TSV, with a table of nodes as a second file if you have one), "
    "**GraphML**, **GEXF**, **GML**, node-link **JSON**, or a **zip** of text files "
    "as the TU collection has them (`NAME_A.txt`, `NAME_graph_indicator.txt` …) for many small graphs."
)
_FIRST = "source,target\na,b\nb,c\nc,a\nc,d"


def pick_way() -> str:
    """Which way it comes."""
    return str(
        bind(
            st.segmented_control,
            "Bring",
            WAY,
            list(WAYS),
            key="own-way",
            format_func=WAYS.__getitem__,
            required=True,
            wrap=True,
            label_visibility="collapsed",
        )
    )


def by_file() -> None:
    """An uploader; files that are dropped together belong together."""
    st.markdown(_FORMATS)
    files = upload_several(
        "Drop one file, or an edge list and its table of nodes",
        types=list(TYPES),
        key=f"own-upload-{turn()}",
        most_mb=limits.MAX_BYTES // 2**20,
        help_text="Nothing in a file is run. " + limits.in_words(),
    )
    if files is None:
        return
    if files:
        lie = st.session_state.get(_LIE, {})
        bring("file", [DataFile(file.name, _data(file, lie)) for file in files])
    found = reading()
    if not files and found is not None and found.way == "file":
        leave()
    paths = found.paths if files and found is not None else ()
    st.session_state[_LIE] = dict(zip((file.file for file in files), paths, strict=False))


def _data(file: File, lie: Mapping[str, str]) -> bytes:
    """What is in a file that came now, or came before and lies in the visit's room; nothing where it is gone."""
    if file.data is not None:
        return file.data
    try:
        return Path(lie[file.file]).read_bytes()
    except (KeyError, OSError):
        return b""


def by_pasting() -> None:
    """A field for text; whatever can stand in a file can be pasted."""
    st.text_area(
        "Edges, one in a line; or GraphML, GML, JSON",
        key=_PASTED,
        height=160,
        max_chars=1_000_000,
        placeholder=_FIRST,
        help="What you paste stays in the field, also where it cannot be read.",
    )

    def read() -> None:
        bring("paste", [DataFile("pasted text", str(st.session_state.get(_PASTED, "")).encode())], "Pasted graph")

    st.button("Read it", key="own-read", icon=":material/search:", on_click=read)


def by_drawing() -> None:
    """A sheet to draw on: click to add nodes, drag from one to another to link them."""
    st.markdown(
        "Click on the sheet to add a node: it is linked to the **highlighted** one. Click a node to go on from there, "
        "two nodes to link them or to take their link away, a highlighted one to change its class. To train a GNN, "
        f"draw {limits.LEAST_LABELLED} nodes or more."
    )
    drawn: Sketch = st.session_state.get(_SKETCH, Sketch())

    def changed(sketch: Sketch) -> None:
        st.session_state[_SKETCH] = sketch

    graph_editor(drawn, key="own-editor", on_change=changed)

    def take() -> None:
        sketch: Sketch = st.session_state.get(_SKETCH, Sketch())
        bring("draw", edge_list(sketch.classes, sketch.edges), "Drawn graph")

    st.button(
        f"Use this drawing ({len(drawn.classes)} nodes, {len(drawn.edges)} links)",
        key="own-take-drawing",
        icon=":material/check:",
        on_click=take,
        disabled=not drawn.edges,
    )


def by_example() -> None:
    """Files to try with one click, or to look at."""
    for example in EXAMPLES.values():
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"own-example-{example.name}"):
            st.markdown(f"**{plain(example.title)}**: {plain(example.about)}", width="stretch")
            files = files_of(example.name)
            st.button(
                "Try it",
                key=f"own-try-{example.name}",
                icon=":material/play_arrow:",
                on_click=bring,
                args=("example", files, example.title),
            )
            for number, file in enumerate(files):
                st.download_button(
                    plain(file.name),
                    file.data,
                    file_name(file.name),
                    "application/octet-stream",
                    key=f"own-save-{example.name}-{number}",
                    icon=":material/download:",
                    on_click="ignore",
                )
