"""Own data: ways to bring a graph, what was understood of it, dropped, and why; and a GNN for it, trained or uploaded.

Its files lie in the folder of the visit until they are read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from secrets import token_hex

import streamlit as st

from gfx_core import limits
from gfx_core.config import Task, read_content
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.drawing.pictures import class_legend, instance_picture, overview_picture
from gfx_core.errors import UserError
from gfx_core.files import content_digest, csv_text
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS
from gfx_core.jobs.job import Request
from gfx_core.layout.instances import instance_layout
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.numbers import capitalised, counted, percent
from gfx_core.training.user_gnn_setting import (
    LEAST_SECONDS,
    LEAST_UNSEEN,
    MOST_LAYERS,
    MOST_SECONDS,
    USUAL_SECONDS,
    GnnReport,
    GnnSetting,
)
from gfx_core.user_data import store
from gfx_core.user_data.draft import EXAMPLES, ColumnRoles, Preview, files_of, limits_in_words
from pages.ui import jobs
from pages.ui.address import Address, one_of
from pages.ui.components.browser import reveal
from pages.ui.components.graph_editor import Sketch, graph_editor
from pages.ui.components.svg_views import network_view
from pages.ui.explain import load_trace, loaded_trace, show_loaded
from pages.ui.explorer import loaders
from pages.ui.sessions import own_dataset, visit
from pages.ui.text import error_shown, plain
from pages.ui.uploads import find_upload, find_uploads, upload_field
from pages.ui.widgets import in_row, widget

TEXTS = read_content("own")
OWN = Address()
WAY = OWN.parameter("from", "file", one_of(list(TEXTS["ways"])))
OPENED = OWN.parameter("dataset", "", own_dataset)
"""Which data set of this visit is looked at; by default the latest."""

_UPLOAD = "own:upload"  # session state: what is looked at
_TURN = "own:turn"  # session state: how often something was taken or left; a field for files belongs to one turn
_FILES = "own:files"  # session state: the files that stood in that field
_SKETCH = "own:sketch"  # session state: what is drawn
_KEPT = 2 * limits.MAX_FILES  # files of a visit
CLASSES = ("A", "B", "C")
"""Of drawn nodes; the shapes are those that classes have everywhere."""
_MOST_DRAWN = 200  # nodes of a drawing
_MOST_PICTURED = 600  # nodes of a graph
SINGLE = ("label", "motif", "name")
"""Roles of one column."""


@dataclass(frozen=True)
class GraphUpload:
    """Files that are being looked at.

    Attributes:
        files: Where each lies, by its name.
        title: What the data set is called; by default as its first file.
        meaning: The roles of its columns; None while they are guessed.
    """

    files: Mapping[str, Path]
    title: str = ""
    meaning: ColumnRoles | None = None


def save_file(data: bytes, ending: str = "") -> Path:
    """Put bytes into the room of the visit, by what is in them; returns their path.

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


def upload(files: Mapping[str, bytes], title: str) -> None:
    """Look at some files, by their names."""
    with error_shown("upload_file"):
        st.session_state[_UPLOAD] = GraphUpload({name: save_file(data) for name, data in files.items()}, title)


def discard() -> None:
    """Forget what is looked at; the field for files is empty again."""
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    st.session_state.pop(_UPLOAD, None)


def by_file() -> None:
    """An uploader; files that are dropped together belong together."""
    st.markdown(TEXTS["formats"])
    key = f"own-upload-{st.session_state.get(_TURN, 0)}"
    upload_field(
        "Drop one file, or an edge list and its table of nodes",
        lambda data, _name: save_file(data),
        type=TEXTS["types"],
        key=key,
        most_mb=limits.MAX_BYTES // 2**20,
        help="Nothing in a file is executed. " + limits_in_words(),
        accept_multiple_files=True,
    )
    files = {file.name: file.value for file in find_uploads(key) if file.value is not None}
    before, st.session_state[_FILES] = st.session_state.get(_FILES, {}), files
    if files and files != before:
        st.session_state[_UPLOAD] = GraphUpload(files)
    elif before and not files:
        discard()


def by_pasting() -> None:
    """A field for text; whatever can stand in a file can be pasted."""
    text = st.text_area(**widget("own-pasted"))
    if st.button(**widget("own-read")):
        upload({"pasted text": text.encode()}, "Pasted graph")


def by_drawing() -> None:
    """A sheet to draw on: click to add nodes, drag from one to another to link them."""
    st.markdown(TEXTS["draw"].format(least=limits.LEAST_LABELLED))

    drawn: Sketch = st.session_state.setdefault(_SKETCH, Sketch())
    changed = partial(st.session_state.__setitem__, _SKETCH)
    graph_editor(drawn, key="own-editor", most=_MOST_DRAWN, on_change=changed, classes=CLASSES)
    size = f"{counted(len(drawn.classes), 'node')}, {counted(len(drawn.edges), 'link')}"
    if st.button(**widget("own-take-drawing", size=size), disabled=not drawn.edges):
        nodes = [(node, CLASSES[label]) for node, label in enumerate(drawn.classes)]
        tables = {"edges": [("source", "target"), *drawn.edges], "nodes": [("id", "class"), *nodes]}
        upload({f"drawn {name}.csv": csv_text(rows).encode() for name, rows in tables.items()}, "Drawn graph")


def by_example() -> None:
    """Files to try with one click."""
    for name, example in EXAMPLES.items():
        with in_row(f"own-example-{name}"):
            st.markdown(f"**{plain(example['title'])}**: {plain(example['about'])}", width="stretch")
            if st.button(**widget("own-try", name=name)):
                upload({file.name: file.data for file in files_of(name)}, example["title"])


def by_model() -> None:
    """What to write in a notebook, and where its file is opened."""
    st.markdown(TEXTS["model"])
    st.code(TEXTS["lines"], language="python")
    load_trace("Open why.json")
    if (trace := loaded_trace()) is not None:
        show_loaded(trace)


WAYS = {"file": by_file, "paste": by_pasting, "draw": by_drawing, "example": by_example, "model": by_model}
"""Draws each of the ways."""


# What was understood of the files


def show_preview() -> None:
    """Read the files, or say how far that is; then all that was understood."""
    current: GraphUpload | None = st.session_state.get(_UPLOAD)
    reveal("own-understood", current and hash(str(current.files)) % 10**6, ".st-key-own-preview")
    if current is None:
        return
    with st.container(border=True, key="own-preview"):
        st.subheader("What was understood", anchor=False)
        names, paths = tuple(current.files), tuple(current.files.values())
        about = {"names": names, "paths": paths, "meaning": current.meaning, "title": current.title}
        request = Request[Preview](
            "gfx_core.user_data.build:preview_files",
            about | {"visit": visit().name},
            paths,
            device="cpu",  # where a worker has a memory limit
            limit_s=limits.MAX_SECONDS,
        )
        preview = jobs.run_job(f"Reading {', '.join(names)}", request, slot="own-read")
        if preview is not None:
            with error_shown("error"):
                _show(current, preview)
        st.button(**widget("own-leave"), on_click=discard)


def _show(current: GraphUpload, preview: Preview) -> None:
    dataset = load_dataset(preview.name) if preview.name else None
    left, right = st.columns(2, gap="medium")
    with left:
        _describe(preview, dataset)
    with right:
        _pick_roles(current, preview, alone=dataset is None or dataset.task is Task.NODE)
        if dataset is not None:
            _picture(dataset)
    st.button(**widget("own-take"), on_click=_take, args=(preview.name,), disabled=dataset is None)


def _take(name: str) -> None:
    try:
        store.accept(name, [info.title for info in DATASETS.values()])
    except UserError:
        return  # it is checked once more, and then reported
    discard()
    OPENED.write(name)


def _describe(preview: Preview, dataset: GraphDataset | None) -> None:
    st.markdown(f"**{plain(capitalised(preview.form))}**")
    if preview.problem:
        st.error(plain(preview.problem), icon=":material/error:")
    if dataset is not None:
        counts = dataset.statistics
        graphs = f"{counted(counts['graphs'], 'graph')} with " if dataset.task is Task.GRAPH else ""
        st.markdown(f"{graphs}{counted(counts['nodes'], 'node')}, {counted(counts['edges'], 'edge')}.")
        if (dataset.y < 0).all():
            st.info(TEXTS["unlabelled"], icon=":material/help:")
    if preview.telling:
        names = " and ".join(f"“{plain(name)}”" for name in preview.telling)
        st.warning(TEXTS["telling"].format(names=names), icon=":material/warning:")
    lines = [f":material/check: {plain(sentence)}" for sentence in preview.understood]
    lines += [f":material/remove_circle_outline: Dropped: {plain(sentence)}" for sentence in preview.dropped]
    st.markdown("  \n".join(lines))


def roles_of(meaning: ColumnRoles, columns: Mapping[str, int]) -> dict[str, str]:
    """The role of each column, by its name in ``TEXTS["roles"]``."""
    roles = {name: "feature" if name in meaning.features else "unused" for name in columns}
    roles |= dict.fromkeys(meaning.categories, "category")
    return roles | {getattr(meaning, role): role for role in SINGLE if getattr(meaning, role)}


def with_roles(meaning: ColumnRoles, roles: Mapping[str, str]) -> ColumnRoles:
    """Columns in these roles; of several for which there is one column the last one holds."""
    single = dict.fromkeys(SINGLE, "") | {role: name for name, role in roles.items() if role in SINGLE}
    categories = tuple(name for name, role in roles.items() if role == "category")
    features = tuple(name for name, role in roles.items() if role in ("feature", "category"))
    structure = "" if single["label"] else meaning.structure
    return ColumnRoles(**single, features=features, categories=categories, structure=structure)


def _pick_roles(current: GraphUpload, preview: Preview, *, alone: bool) -> None:
    """The roles of the columns; in a graph that is alone, what is learned where none has the classes."""
    meaning, titles = preview.meaning, TEXTS["roles"] if alone else TEXTS["roles_of_graphs"]
    roles = roles_of(meaning, preview.columns)
    key = f"own-roles-{content_digest(repr(meaning).encode())[:8]}"  # edits belong to the roles before them

    def edited() -> None:
        rows = st.session_state[key]["edited_rows"]
        named = {title: role for role, title in titles.items()}
        changes = {list(roles)[row]: named[cells["Used as"]] for row, cells in rows.items()}
        st.session_state[_UPLOAD] = replace(current, meaning=with_roles(meaning, {**roles, **changes}))

    def learn() -> None:
        structure = st.session_state["own-structure"]
        st.session_state[_UPLOAD] = replace(current, meaning=meaning.change(structure=structure))

    table = {"Column": list(roles), "Values": [preview.columns[name] for name in roles]}
    table["Used as"] = [titles[role] for role in roles.values()]
    choice = {"Used as": st.column_config.SelectboxColumn(options=list(titles.values()), required=True)}
    fixed = ["Column", "Values"]
    if roles:
        st.data_editor(table, key=key, hide_index=True, disabled=fixed, column_config=choice, on_change=edited)
    if alone and not meaning.label:
        structures = TEXTS["structures"]
        st.session_state["own-structure"] = str(meaning.structure)
        texts = widget("own-structure")
        st.selectbox(**texts, options=list(structures), format_func=structures.__getitem__, on_change=learn)


def _picture(dataset: GraphDataset) -> None:
    """The graph, or the first of several."""
    classes = dataset.info.classes
    if dataset.task is Task.GRAPH:
        instance = dataset.instance(0)
        network_view(instance_picture(instance, instance_layout(instance), classes).svg(), key="own-picture")
        st.caption("The first of the graphs.")
    elif dataset.num_nodes <= _MOST_PICTURED:
        picture = overview_picture(dataset, loaders.whole_layout(dataset.name), classes)
        network_view(picture.svg(), key="own-picture", legend=class_legend(dataset.y, classes))


_REQUEST = "own:gnn"  # session state: by data set, the latest request
_WORK = "gfx_core.training.user_gnn"  # its functions compute these requests
WORDS = TEXTS["gnn"]


def show_gnn(dataset: GraphDataset) -> tuple[bool, bool]:
    """What the GNN is worth, or how far it is; returns whether there is one, and whether one is on its way."""
    st.subheader("A GNN for it", anchor=False)
    request: Request[GnnReport] | None = st.session_state.setdefault(_REQUEST, {}).get(dataset.name)
    if request is not None:
        jobs.run_job(f"A GNN for {dataset.info.title}", request, slot="own-gnn")
    job = None if request is None else jobs.find_job(request)
    going = job is not None and not job.finished
    kinds = loaders.trained_gnns(dataset.name)
    for kind in () if going else kinds:
        _report(dataset.name, kind)
    return bool(kinds), going


def offer_gnn(dataset: GraphDataset, *, another: bool) -> None:
    """Ways to a GNN, or to another one."""
    label = "Another GNN" if another else "Train or upload one"
    with st.expander(label, icon=":material/model_training:", expanded=not another):
        labelled, noun = int((dataset.y >= 0).sum()), plain(dataset.info.vocabulary.instance)
        if labelled < limits.LEAST_LABELLED:
            count = f"{counted(labelled, noun)} with a class" if labelled else "no classes"
            words = WORDS["few"].format(labelled=count, least=limits.LEAST_LABELLED, noun=noun)
            st.info(words, icon=":material/model_training:")
        else:
            _train(dataset)
        _upload(dataset)


def _train(dataset: GraphDataset) -> None:
    with in_row("own-gnn-settings", "bottom"):
        names = {"format_func": loaders.GNN_NAMES.__getitem__, "help": loaders.GNN_HELP, "required": True}
        kind = st.segmented_control("Kind", list(KINDS), key="own-gnn-kind", default=DEFAULT_KIND, **names)
        layers = st.slider(**widget("own-gnn-layers"), max_value=MOST_LAYERS)
        least, most, usual = map(int, (LEAST_SECONDS, MOST_SECONDS, USUAL_SECONDS))
        seconds = st.number_input(**widget("own-gnn-seconds"), min_value=least, max_value=most, value=usual)
        fragments = st.toggle(**widget("own-gnn-fragments"), value=True)

    def train() -> None:
        setting = GnnSetting(dataset.name, str(kind), num_layers=layers, fragments=fragments, seconds=float(seconds))
        request = Request[GnnReport](f"{_WORK}:train_gnn", {"setting": setting}, turn=token_hex(8))
        st.session_state[_REQUEST][dataset.name] = request

    st.button(**widget("own-gnn-train"), on_click=train)


def _upload(dataset: GraphDataset) -> None:
    def bring(data: bytes, _name: str) -> Request[GnnReport]:
        weights = {"dataset": dataset.name, "path": save_file(data, ".safetensors")}
        return Request(f"{_WORK}:bring_gnn", weights, turn=token_hex(8))

    key = f"own-gnn-upload-{dataset.name}"
    upload_field(
        "Or upload weights of one of these kinds (safetensors)",
        bring,
        type=["safetensors"],
        key=key,
        most_mb=limits.GNN_MB,
        help=WORDS["upload"],
    )
    request = find_upload(key)
    if request is not None and st.session_state.get(f"{key}:taken") != request:
        st.session_state[f"{key}:taken"] = st.session_state[_REQUEST][dataset.name] = request
        st.rerun()


def _report(dataset: str, kind: str) -> None:
    """How often it is right, and whether it knows when it is."""
    header = loaders.readable_header(dataset, kind)
    if header is None:
        return
    try:
        report = GnnReport.from_dict(header.training["report"])
    except (KeyError, TypeError, ValueError):
        return
    seconds, epochs = (header.training.get(name, 0) for name in ("seconds", "epochs"))
    trained = f", trained for {seconds:.0f} s ({counted(epochs, 'epoch')})" if epochs else ""
    layers = counted(header.num_layers, "layer")
    st.markdown(f"{loaders.GNN_NAMES[kind]}, {layers} of width {header.hidden}{trained}.")
    right = report.accuracy.get("test")
    if right is None:
        st.caption(WORDS["unknown"])
    else:
        calibrated = report.unseen >= LEAST_UNSEEN
        with in_row(f"own-gnn-report-{kind}"):
            count = {"delta": report.right or None, "delta_color": "off", "delta_arrow": "off"}
            st.metric("Right on unseen ones", percent(right), width="content", **count)
            if calibrated:
                whole, parts = (f"{error:.3f}" for error in (report.calibration_error, report.fragment_error))
                st.metric("Calibration error", whole, help=WORDS["calibration"], width="content")
                st.metric("Calibration error on fragments", parts, help=tooltip("fragments"), width="content")
        notes = {
            WORDS["unseen"].format(least=LEAST_UNSEEN): not calibrated,
            WORDS["absent"].format(names=" or ".join(f"“{plain(name)}”" for name in report.absent)): report.absent,
            WORDS["commonest"].format(share=percent(report.commonest)): report.commonest < 1
            and right <= report.commonest + 0.02,
            WORDS["fragments"]: header.knows_fragments and report.fragment_error > 0.25,
        }
        for note in (words for words, holds in notes.items() if holds):
            st.warning(note, icon=":material/warning:")
    if not header.knows_fragments:
        st.caption(WORDS["whole"], help=tooltip("fragments"))
