"""What was understood of something that was brought, what was dropped and why; and what its columns mean."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from gfx_core import limits
from gfx_core.config import Task
from gfx_core.datasets.registry import load_dataset
from gfx_core.drawing.pictures import class_legend, instance_svg, overview_svg
from gfx_core.errors import UserError
from gfx_core.layout import instance_layout
from gfx_core.text.numbers import capitalised, counted
from gfx_core.user_data import store
from gfx_core.user_data.build import ColumnRoles, Preview
from pages.ui import jobs
from pages.ui.components.network_view import network_view
from pages.ui.explorer import loaders
from pages.ui.own.upload import OPENED, GraphUpload, change_upload, discard
from pages.ui.text import plain

_DRAWN = 600  # nodes of a whole graph that are drawn before it is taken
_NOTES = 12  # sentences of each kind


def show_preview(reading: GraphUpload) -> None:
    """Read it, or say how far that is; then all that was understood."""
    with st.container(border=True, key="own-preview"):
        st.subheader("What was understood", anchor=False)
        found = jobs.run_job(f"Reading {', '.join(reading.names)}", reading.request, slot="own-read")
        if found is None:
            st.button("Leave it", key="own-leave", icon=":material/close:", on_click=discard)
            return
        left, right = st.columns([3, 2], gap="medium")
        with left:
            _say(found)
        with right:
            _meaning(found, reading)
            _picture(found)
        _take(found, reading)


def _say(found: Preview) -> None:
    st.markdown(f"**{plain(capitalised(found.form))}**")
    if found.problem:
        st.error(plain(found.problem), icon=":material/error:")
    if found.counts:
        counts = found.counts
        size = f"{counted(counts['nodes'], 'node')}, {counted(counts['edges'], 'edge')}"
        if found.task is Task.GRAPH:
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
    if not names and not found.edge_columns:
        return
    few = [name for name, different in found.columns.items() if different <= limits.MAX_CLASSES]
    with st.expander("What the columns mean", icon=":material/view_column:", expanded=bool(found.problem)):
        if names:
            _one("Class", "label", few, meaning, reading)
            _one("Marks of what an explanation should find", "motif", names, meaning, reading)
            _one("Name on a node", "name", names, meaning, reading)
            _features(names, meaning, reading)
        if found.edge_columns:
            _one("Marks on edges", "edge_motif", found.edge_columns, meaning, reading)


def _one(title: str, field: str, names: Sequence[str], meaning: ColumnRoles, reading: GraphUpload) -> None:
    key, now = f"own-{field}-{reading.key}", getattr(meaning, field)
    options = ["", *names] if not now or now in names else ["", now, *names]
    st.session_state[key] = now

    def changed() -> None:
        chosen = st.session_state[key] or ""
        features = tuple(name for name in meaning.features if name != chosen)
        change_upload(replace(meaning, features=features, **{field: chosen}))

    st.selectbox(title, options, key=key, format_func=lambda name: name or "none", on_change=changed)


def _features(names: Sequence[str], meaning: ColumnRoles, reading: GraphUpload) -> None:
    key, scaled = f"own-features-{reading.key}", f"own-scaled-{reading.key}"
    st.session_state[key], st.session_state[scaled] = list(meaning.features), meaning.scaled

    def changed() -> None:
        chosen = tuple(st.session_state[key])
        change_upload(replace(meaning, features=chosen, scaled=bool(st.session_state[scaled])))

    used = {meaning.label, meaning.motif}
    st.multiselect(
        "Features that the GNN reads",
        [name for name in names if name not in used],
        key=key,
        on_change=changed,
        help="Without any, every node looks the same to the GNN and it sees the links alone.",
    )
    st.toggle(
        "Numbers on one scale",
        key=scaled,
        on_change=changed,
        help="Mean 0 and deviation 1, so that no column outweighs the others. Switch it off for a GNN that you bring "
        "along and that reads the numbers as they are.",
    )


def _picture(found: Preview) -> None:
    if not found.name:
        return
    try:
        dataset = load_dataset(found.name)
    except UserError as error:
        st.error(plain(error), icon=":material/error:")
        return
    if dataset.task is Task.GRAPH:
        instance = dataset.instance(0)
        if instance.num_nodes <= _DRAWN:
            network_view(instance_svg(instance, instance_layout(instance), dataset.info.classes), key="own-picture")
            st.caption("The first of the graphs.")
    elif dataset.num_nodes <= _DRAWN:
        points = loaders.whole_layout(dataset.name)
        legend = class_legend(dataset.y, dataset.info.classes)
        network_view(overview_svg(dataset, points, dataset.info.classes), key="own-picture", legend=legend)
    else:
        st.caption("Too large to be drawn whole before it is taken.")


def _take(found: Preview, reading: GraphUpload) -> None:
    """Take it, or leave it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="own-take-row"):
        title = f"own-title-{reading.key}"
        shown = load_dataset(found.name).info.title if found.name else reading.title
        st.session_state[title] = shown
        st.text_input(
            "Call it",
            key=title,
            max_chars=limits.MAX_TEXT,
            on_change=lambda: change_upload(title=st.session_state[title]),
        )

        def take() -> None:
            try:
                store.accept(found.name)
            except UserError:
                return  # it is looked at once more, and then it is said
            discard()
            OPENED.write(found.name)

        st.button(
            "Use this data set",
            key="own-take",
            type="primary",
            icon=":material/check:",
            on_click=take,
            disabled=not found.name,
        )
        st.button("Leave it", key="own-leave", icon=":material/close:", on_click=discard)
