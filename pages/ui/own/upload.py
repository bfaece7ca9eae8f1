"""Ways to bring a graph: a file, pasted text, a drawing, an example; what was understood of it, dropped, and why.

Its files lie in the folder of the visit until they are read.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from gfx_core import limits
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.drawing.pictures import class_legend, instance_picture, overview_picture
from gfx_core.errors import UserError
from gfx_core.files import content_digest
from gfx_core.jobs.requests import LookAt
from gfx_core.layout.instances import instance_layout
from gfx_core.text.numbers import capitalised, counted
from gfx_core.user_data import store
from gfx_core.user_data.draft import TYPES, ColumnRoles, DataFile, Preview, limits_in_words
from gfx_core.user_data.examples import EXAMPLES, files_of
from gfx_core.user_data.structure import Structure
from pages.ui import jobs
from pages.ui.address import Address, one_of
from pages.ui.components.browser import save_button
from pages.ui.components.graph_editor import Sketch, graph_editor
from pages.ui.components.svg_views import network_view
from pages.ui.explain import trace_views
from pages.ui.explorer import loaders
from pages.ui.sessions import own_dataset, visit
from pages.ui.text import file_name, plain
from pages.ui.uploads import find_uploads, upload_field

OWN = Address()
TITLES = {"file": "A file", "paste": "Paste", "draw": "Draw", "example": "An example", "model": "A PyTorch model"}
"""How something is brought, by what links call it."""
WAY = OWN.parameter("from", "file", one_of(list(TITLES)))
OPENED = OWN.parameter("dataset", "", own_dataset, spell=lambda name: name or None)
"""Which data set of this visit is looked at; by default the latest."""

_UPLOAD = "own:brought"  # session state
_TURN = "own:brought-turn"  # session state
_KEPT = 2 * limits.MAX_FILES  # files of a visit
_PROBLEM = "own:problem"  # session state: why the last thing could not be brought


@dataclass(frozen=True)
class GraphUpload:
    """Files that are being looked at.

    Attributes:
        way: How they came, see `TITLES`.
        names: What they are called.
        paths: Where they lie.
        meaning: What the visitor says of their columns; None while it is guessed.
        title: What the visitor calls the data set.
    """

    way: str
    names: tuple[str, ...]
    paths: tuple[str, ...]
    meaning: ColumnRoles | None = None
    title: str = ""

    @property
    def request(self) -> LookAt:
        """What is asked of a worker."""
        return LookAt(visit().name, self.names, self.paths, self.meaning, self.title)

    @property
    def key(self) -> str:
        """Names the files; widgets that belong to them end in it."""
        return content_digest("\n".join(self.paths).encode())[:8]


def save_file(data: bytes, ending: str = "") -> Path:
    """Put bytes into the room of the visit, by what is in them.

    Raises:
        UserError: There is no room.
    """
    store.check_room(len(data))
    folder = store.room(visit().name) / "files"
    path = folder / f"{content_digest(data)}{ending}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(data)
        for old in sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)[:-_KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise UserError("Your file cannot be read here: the server’s disk is full or read-only.") from error
    return path


def upload(way: str, files: Sequence[DataFile], title: str = "") -> None:
    """Look at some files; what was looked at before is forgotten. `upload_problem` tells what cannot be."""
    try:
        _forget()
        paths = tuple(str(save_file(file.data)) for file in files)
        st.session_state[_UPLOAD] = GraphUpload(way, tuple(file.name for file in files), paths, title=title)
    except UserError as error:
        st.session_state[_PROBLEM] = str(error)


def discard() -> None:
    """Forget what is looked at; its files go, and the field for files is empty again."""
    st.session_state[_TURN] = upload_turn() + 1
    _forget()


def upload_turn() -> int:
    """How often something was left or taken: a field for files belongs to one turn."""
    return int(st.session_state.get(_TURN, 0))


def _forget() -> None:
    found: GraphUpload | None = st.session_state.pop(_UPLOAD, None)
    for path in () if found is None else found.paths:
        with contextlib.suppress(OSError):
            Path(path).unlink()


def current_upload() -> GraphUpload | None:
    """What is looked at."""
    return st.session_state.get(_UPLOAD)


def change_upload(meaning: ColumnRoles | None = None, title: str | None = None) -> None:
    """Say otherwise what the columns mean, or what the data set is called."""
    found = current_upload()
    if found is not None:
        found = replace(found, meaning=meaning or found.meaning)
        st.session_state[_UPLOAD] = found if title is None else replace(found, title=title)


def upload_problem() -> str:
    """Why the last thing could not be brought, told once; empty if nothing went wrong."""
    return str(st.session_state.pop(_PROBLEM, ""))


_FILES = "own:files"  # session state: the files that stood in the field, by what it calls them
_SKETCH = "own:sketch"  # session state: what is drawn
_PASTED = "own-pasted"
_FORMATS = (
    "An **edge list** (two names in a line; CSV or TSV). With columns “source” and “target”, it may come with a table "
    "of its nodes as a second file. "
    "**GraphML**, **GEXF**, **GML** or node-link **JSON**. For many small graphs, a **zip** of text files as in the "
    "TU collection (`NAME_A.txt`, `NAME_graph_indicator.txt` …)."
)
_FIRST = "source,target\na,b\nb,c\nc,a\nc,d"


def by_file() -> None:
    """An uploader; files that are dropped together belong together."""
    st.markdown(_FORMATS)
    key = f"own-upload-{upload_turn()}"
    upload_field(
        "Drop one file, or an edge list and its table of nodes",
        lambda data, _name: save_file(data),
        types=list(TYPES),
        key=key,
        most_mb=limits.MAX_BYTES // 2**20,
        help_text="Nothing in a file is executed. " + limits_in_words(),
        several=True,
    )
    files = [file for file in find_uploads(key) if file.value is not None]
    before, now = st.session_state.get(_FILES, []), [file.file for file in files]
    st.session_state[_FILES] = now
    if now == before:
        return
    if files:
        upload("file", [DataFile(file.name, _data(file.value)) for file in files])
    elif (found := current_upload()) is not None and found.way == "file":
        discard()


def _data(path: Path) -> bytes:
    """What lies in the visit's room; nothing where it is gone."""
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return b""


def by_pasting() -> None:
    """A field for text; whatever can stand in a file can be pasted."""
    st.text_area(
        "Edges, one in a line; or GraphML, GML, JSON",
        key=_PASTED,
        height=160,
        max_chars=1_000_000,
        placeholder=_FIRST,
        help="Your text stays in the field, even if it cannot be read.",
    )

    def read() -> None:
        upload("paste", [DataFile("pasted text", str(st.session_state.get(_PASTED, "")).encode())], "Pasted graph")

    st.button("Read it", key="own-read", icon=":material/search:", on_click=read)


CLASSES = ("A", "B", "C")
"""Of drawn nodes; the shapes are those that classes have everywhere."""
_MOST_DRAWN = 200  # nodes


def by_drawing() -> None:
    """A sheet to draw on: click to add nodes, drag from one to another to link them."""
    st.markdown(
        "Click on the sheet to add a node: it is linked to the **highlighted** one. Click a node to highlight it. "
        "Click two nodes to add or remove their link, or a highlighted one to change its class. To train a GNN, draw "
        f"{limits.LEAST_LABELLED} nodes or more."
    )
    drawn: Sketch = st.session_state.get(_SKETCH, Sketch())

    def changed(sketch: Sketch) -> None:
        st.session_state[_SKETCH] = sketch

    graph_editor(drawn, key="own-editor", most=_MOST_DRAWN, on_change=changed, classes=CLASSES)

    def take() -> None:
        sketch: Sketch = st.session_state.get(_SKETCH, Sketch())
        upload("draw", drawn_files(sketch), "Drawn graph")

    st.button(
        f"Use this drawing ({counted(len(drawn.classes), 'node')}, {counted(len(drawn.edges), 'link')})",
        key="own-take-drawing",
        icon=":material/check:",
        on_click=take,
        disabled=not drawn.edges,
    )


def drawn_files(sketch: Sketch) -> list[DataFile]:
    """A table of edges and one of nodes."""
    edges = "".join(f"{one},{other}\n" for one, other in sketch.edges)
    nodes = "".join(f"{node},{CLASSES[label]}\n" for node, label in enumerate(sketch.classes))
    return [
        DataFile("drawn edges.csv", f"source,target\n{edges}".encode()),
        DataFile("drawn nodes.csv", f"id,class\n{nodes}".encode()),
    ]


def by_example() -> None:
    """Files to try with one click, or to look at."""
    for name, example in EXAMPLES.items():
        with st.container(horizontal=True, vertical_alignment="center", key=f"own-example-{name}"):
            st.markdown(f"**{plain(example.title)}**: {plain(example.about)}", width="stretch")
            files = files_of(name)
            st.button(
                "Try it",
                key=f"own-try-{name}",
                icon=":material/play_arrow:",
                on_click=upload,
                args=("example", files, example.title),
            )
            for number, file in enumerate(files):
                key = f"own-save-{name}-{number}"
                save_button(plain(file.name), file.data, file_name(file.name), key=key)


MODEL_LINES = """\
from gfx_core import explain

why = explain(model, data, 9)  # your PyTorch model, your PyG data, and which node or graph
print(why.sentence)
why.save("why.json")
"""
"""How any model is explained in Python, with a file that opens here; `model` and `data` are the reader's own."""


def by_model() -> None:
    """What to write in a notebook, and where its file is opened."""
    st.markdown(
        "No code is ever uploaded, so a model of your own runs where it is: in your notebook. Install the library once "
        "(`pip install .` in the explorer’s folder). These lines explain any PyTorch model that reads a PyG graph:"
    )
    st.code(MODEL_LINES, language="python")
    trace_views.load_trace("Open why.json")
    if (trace := trace_views.loaded_trace()) is not None:
        trace_views.show_loaded(trace)


WAYS = {"file": by_file, "paste": by_pasting, "draw": by_drawing, "example": by_example, "model": by_model}
"""Draws each of the ways."""


# What was understood of what was brought


_DRAWN = 600  # nodes of a whole graph that are drawn before it is taken
_NOTES = 12  # sentences of each kind


def show_preview(reading: GraphUpload) -> None:
    """Read it, or say how far that is; then all that was understood."""
    with st.container(border=True, key="own-preview"):
        st.subheader("What was understood", anchor=False)
        found = jobs.run_job(f"Reading {', '.join(reading.names)}", reading.request, slot="own-read")
        if found is None:
            st.button("Cancel", key="own-leave", icon=":material/close:", on_click=discard)
            return
        try:
            dataset = load_dataset(found.name) if found.name else None
        except UserError as error:
            st.error(plain(error), icon=":material/error:")
            return
        _pick_class(found, dataset, reading)
        left, right = st.columns([3, 2], gap="medium")
        with left:
            _say(found, dataset)
        with right:
            _meaning(found, reading)
            if dataset is not None:
                _picture(dataset)
        _take(dataset, reading)


_STRUCTURES = {
    Structure.COMMUNITIES: "communities, found in the graph itself",
    Structure.ROLES: "roles, found in the graph itself: core, between, end",
}


def _pick_class(found: Preview, dataset: GraphDataset | None, reading: GraphUpload) -> None:
    """What the GNN is to learn: a column, something of the graph's own, or nothing yet; and what gives it away."""
    if dataset is not None and dataset.task is Task.GRAPH:  # its file names the class of each graph
        return
    meaning, key = found.meaning, f"own-class-{reading.key}"
    few = {name: different for name, different in found.columns.items() if 1 <= different <= limits.MAX_CLASSES}
    options = {("label", name): f"{name}: {counted(different, 'value')}" for name, different in few.items()}
    options |= {("structure", str(kind)): words for kind, words in _STRUCTURES.items()}
    options["", ""] = "nothing yet"
    now = ("label", meaning.label) if meaning.label else ("structure", meaning.structure)
    st.session_state[key] = now if now in options else ("", "")

    def changed() -> None:
        field, value = st.session_state[key]
        change_upload(meaning.change(**{"label": "", "structure": ""} | {field or "label": value}))

    st.selectbox(
        "What should the GNN predict?",
        list(options),
        key=key,
        format_func=options.__getitem__,
        on_change=changed,
        width=430,
        help="This is the class of each node. Without classes, a GNN can learn something of the graph itself.",
    )
    if dataset is not None and (dataset.y < 0).all():
        st.info(
            "Without classes no GNN can be trained here. Choose what to predict, or continue and upload a trained GNN.",
            icon=":material/help:",
        )
    for name in found.telling:
        with st.container(horizontal=True, vertical_alignment="center", key=f"own-telling-{name}"):
            st.warning(
                f"“{plain(name)}” gives the class away: each of its values occurs in one class only. A GNN that reads "
                "it need not look at the graph.",
                icon=":material/warning:",
            )
            without = meaning.change(features=tuple(other for other in meaning.features if other != name))
            st.button("Leave it out", key=f"own-leave-out-{name}", on_click=change_upload, args=(without,))


def _say(found: Preview, dataset: GraphDataset | None) -> None:
    st.markdown(f"**{plain(capitalised(found.form))}**")
    if found.problem:
        st.error(plain(found.problem), icon=":material/error:")
    if dataset is not None:
        counts = dataset.statistics
        size = f"{counted(counts['nodes'], 'node')}, {counted(counts['edges'], 'edge')}"
        if dataset.task is Task.GRAPH:
            size = f"{counted(counts['graphs'], 'graph')} with {size}"
        st.markdown(f"{size}.")
    _list("", found.understood, ":material/check:")
    _list("Dropped", found.dropped, ":material/remove_circle_outline:")


def _list(title: str, sentences: Sequence[str], icon: str) -> None:
    if not sentences:
        return
    rest = len(sentences) - _NOTES
    lines = [f"{icon} {plain(sentence)}" for sentence in sentences[:_NOTES]]
    lines += [f"and {rest} more"] * (rest > 0)
    st.markdown((f"**{title}**  \n" if title else "") + "  \n".join(lines))


def _meaning(found: Preview, reading: GraphUpload) -> None:
    """What the columns mean; a change is read at once."""
    meaning, names = found.meaning, list(found.columns)
    if not names:
        return

    def role(widget: Callable[..., object], title: str, field: str, *options: Sequence[str], **settings: Any) -> None:
        key, now = f"own-{field}-{reading.key}", getattr(meaning, field)
        st.session_state[key] = list(now) if isinstance(now, tuple) else now

        def changed() -> None:
            value = st.session_state[key]
            change_upload(meaning.change(**{field: tuple(value) if isinstance(value, list) else value}))

        widget(title, *options, key=key, on_change=changed, **settings)

    with st.expander("What the other columns mean", icon=":material/view_column:", expanded=bool(found.problem)):
        for title, field in (("Marks of what an explanation should find", "motif"), ("Name on a node", "name")):
            options = list(dict.fromkeys(["", getattr(meaning, field), *names]))
            role(st.selectbox, title, field, options, format_func=lambda name: name or "none")
        role(
            st.multiselect,
            "Features that the GNN reads",
            "features",
            [name for name in names if name in meaning.features or name not in (meaning.label, meaning.motif)],
            help="Without features, every node looks the same to the GNN and it sees only the links.",
        )
        if numeric := [name for name in meaning.features if name in found.numeric]:
            role(
                st.multiselect,
                "Numbers that are names of categories",
                "categories",
                numeric,
                help="Each value becomes a feature of its own. Other numbers are quantities: 2 is then twice 1.",
            )
        role(
            st.toggle,
            "Numbers on one scale",
            "scaled",
            help="Mean 0 and deviation 1, so that no column outweighs the others. Switch it off if you upload a GNN "
            "that reads the numbers as they are.",
        )


def _picture(dataset: GraphDataset) -> None:
    if dataset.task is Task.GRAPH:
        instance = dataset.instance(0)
        if instance.num_nodes <= _DRAWN:
            picture = instance_picture(instance, instance_layout(instance), dataset.info.classes)
            network_view(picture.svg(), key="own-picture")
            st.caption("The first of the graphs.")
    elif dataset.num_nodes <= _DRAWN:
        points = loaders.whole_layout(dataset.name)
        legend = class_legend(dataset.y, dataset.info.classes)
        picture = overview_picture(dataset, points, dataset.info.classes)
        network_view(picture.svg(), key="own-picture", legend=legend)
    else:
        st.caption("Too large for a preview.")


def _take(dataset: GraphDataset | None, reading: GraphUpload) -> None:
    """Take it, or leave it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="own-take-row"):
        title = f"own-title-{reading.key}"
        st.session_state[title] = reading.title if dataset is None else dataset.info.title
        st.text_input(
            "Call it",
            key=title,
            max_chars=limits.MAX_TEXT,
            on_change=lambda: change_upload(title=st.session_state[title]),
        )

        def take() -> None:
            if dataset is None:
                return
            try:
                store.accept(dataset.name, [info.title for info in DATASETS.values()])
            except UserError:
                return  # it is checked once more, and then reported
            discard()
            OPENED.write(dataset.name)

        st.button(
            "Use this data set",
            key="own-take",
            type="primary",
            icon=":material/check:",
            on_click=take,
            disabled=dataset is None,
        )
        st.button("Cancel", key="own-leave", icon=":material/close:", on_click=discard)
