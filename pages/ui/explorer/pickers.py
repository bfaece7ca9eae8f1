"""Widgets that pick a data set, something in it, and a GNN. They read from and write to the link only."""

import random
from collections.abc import Sequence

import streamlit as st

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import dataset_info, sources_of
from gfx_core.datasets.source import Listed, Numbered, Source, Typed
from gfx_core.teaching.glossary_links import tooltip
from pages.ui import visit
from pages.ui.address import bind
from pages.ui.explorer import facts, loaders
from pages.ui.explorer.link import DATASET, GNN, NAMES, View, go_to, go_to_number
from pages.ui.text import plain

LISTED = 2000
"""Nodes with names that are offered as a list to search in; with more of them, a name is typed."""


def say_problems(view: View) -> None:
    """What could not be used of the link."""
    for problem in view.problems:
        st.warning(plain(problem), icon=":material/link_off:")


def pick_dataset(view: View) -> None:
    """A list of the data sets."""
    bind(
        st.selectbox,
        "Data set",
        DATASET,
        visit.all_datasets(),
        shown=view.info.name,
        format_func=lambda name: dataset_info(name).title,
        width=200,
    )


def pick_gnn(view: View) -> str | None:
    """A choice between the kinds of GNN that are trained; ``None`` where none is."""
    kinds = loaders.trained_kinds(view.info.name)
    kind = loaders.asked_kind(view.info.name, view.gnn)
    if len(kinds) > 1:
        bind(
            st.segmented_control,
            "GNN",
            GNN,
            kinds,
            shown=kind,
            format_func=facts.GNN_NAMES.__getitem__,
            help=f"{facts.GNN_HELP} {_trainings(view.info.name, kinds)}",
            required=True,
        )
    return kind


def _trainings(dataset: str, kinds: Sequence[str]) -> str:
    """What each kind of GNN was trained on."""
    headers = {kind: loaders.readable_header(dataset, kind) for kind in kinds}
    said = (
        f"{facts.GNN_NAMES[kind]}: trained on {facts.trained_on(found)}." for kind, found in headers.items() if found
    )
    return f"{' '.join(said)} {tooltip('fragments')}"


def pick_source(dataset: str, sources: Sequence[Source], source: Source, name: str | None) -> None:
    """Where an instance comes from."""
    by_name = {one.parameter: one for one in sources}

    def change() -> None:
        chosen = by_name[st.session_state["source"]]
        first = None
        if isinstance(chosen, Listed):
            first = chosen.first
        elif isinstance(chosen, Typed):  # the field starts with what is shown, where that can be typed
            first = source.typed(name or source.first) if isinstance(source, Listed) else chosen.first
        go_to(dataset, chosen, first)

    st.session_state["source"] = source.parameter
    st.segmented_control(
        plain(dataset_info(dataset).vocabulary.instance.capitalize()),
        list(by_name),
        key="source",
        format_func=lambda parameter: plain(by_name[parameter].title),
        required=True,
        wrap=True,
        on_change=change,
    )


def pick_number(dataset: GraphDataset, index: int) -> None:
    """A node or graph by its number, or by its name where it has one, and a button for a random one.

    The random one is one whose motif is known, where some are.
    """
    noun = dataset.info.vocabulary.instance
    if not dataset.names:
        _by_number(dataset, index)
    elif dataset.num_nodes <= LISTED:
        _by_name(dataset, index)
    else:
        _by_typing(dataset, index)
    st.button(
        "Random",
        key="random",
        icon=":material/shuffle:",
        help=f"Pick one of the {len(dataset.explainable):,} {plain(noun)}s"
        + (" whose true motif is known." if (dataset.motif >= 0).any() else "."),
        on_click=lambda: go_to_number(dataset.name, int(random.choice(dataset.explainable))),
        disabled=not len(dataset.explainable),
    )


def _by_number(dataset: GraphDataset, index: int) -> None:
    st.session_state["index"] = index
    st.number_input(
        f"{plain(dataset.info.vocabulary.instance.capitalize())} (0 to {dataset.num_instances - 1:,})",
        min_value=0,
        max_value=dataset.num_instances - 1,
        step=1,
        key="index",
        on_change=lambda: go_to_number(dataset.name, st.session_state["index"]),
        width=150,
    )


def _by_name(dataset: GraphDataset, index: int) -> None:
    """A list to search in: by name, or by the number behind it."""
    st.session_state["node"] = index
    st.selectbox(
        f"{plain(dataset.info.vocabulary.instance.capitalize())} (name · number)",
        range(dataset.num_nodes),
        key="node",
        format_func=lambda node: f"{dataset.names[node]} · {node}",
        on_change=lambda: go_to_number(dataset.name, st.session_state["node"]),
        width=230,
    )


def _by_typing(dataset: GraphDataset, index: int) -> None:
    """A field for a name or a number: a list of so many would take long to load."""
    st.session_state["node-typed"] = dataset.names[index]

    def change() -> None:
        if typed := st.session_state["node-typed"].strip():
            go_to(dataset.name, sources_of(dataset.name)[Numbered.parameter], typed)

    st.text_input(
        f"{plain(dataset.info.vocabulary.instance.capitalize())} (name, or 0 to {dataset.num_nodes - 1:,})",
        key="node-typed",
        on_change=change,
        width=230,
    )


def pick_listed(source: Listed, name: str) -> None:
    """A list of well-known instances."""
    bind(
        st.selectbox,
        plain(source.noun.capitalize()),
        NAMES[source.parameter],
        list(source.names),
        shown=name,
        width=source.width,
    )


def pick_typed(source: Typed, name: str) -> None:
    """A text field."""
    bind(
        st.text_input,
        plain(source.noun),
        NAMES[source.parameter],
        shown=name,
        placeholder=source.placeholder,
        help=source.help,
        width=source.width,
    )
