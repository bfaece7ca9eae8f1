"""Widgets that pick a data set, something in it, and a GNN. They read from and write to the link only.

Where what the link names cannot be had, they say why, and offer the next best.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, sources_of
from gfx_core.datasets.source import Downloaded, Listed, Numbered, Source, Typed
from gfx_core.errors import UserError
from gfx_core.teaching.glossary import tooltip
from pages.ui import sessions
from pages.ui.address import bind, pick_one
from pages.ui.explorer import loaders, parameters
from pages.ui.explorer.parameters import DATASET, GNN, NAMES, PredictionQuery, go_to, go_to_number
from pages.ui.text import plain

LISTED = 2000
"""Nodes with names that are offered as a list to search in; with more of them, a name is typed."""
_LOAD = "load-dataset"  # session state: the data set that somebody asked to be downloaded


@dataclass(frozen=True)
class Selection:
    """What the page shows.

    Attributes:
        instance: What the GNN is asked about.
        source: Where it comes from.
        name: What the source calls it.
        dataset: The data set it is from; ``None`` for one that is from none.
    """

    instance: Instance
    source: Source
    name: str
    dataset: GraphDataset | None = None


def say_problems(view: PredictionQuery) -> None:
    """What could not be used of the link."""
    for problem in view.problems:
        st.warning(plain(problem), icon=":material/link_off:")


def pick_dataset(view: PredictionQuery) -> None:
    """A list of the data sets, with one that only a link names."""
    bind(
        st.selectbox,
        "Data set",
        DATASET,
        list(dict.fromkeys([*sessions.all_datasets(), view.info.name])),
        shown=view.info.name,
        format_func=lambda name: dataset_info(name).title,
        width=200,
    )


def pick_gnn(view: PredictionQuery) -> str | None:
    """A choice between the GNNs that are trained, by name; ``None`` where none is."""
    gnns = loaders.trained_gnns(view.info.name)
    gnn = loaders.selected_gnn(view.info.name, view.gnn)
    if len(gnns) > 1:
        about = f"{loaders.GNN_HELP} {_trainings(view.info.name, gnns)}"
        pick_one("GNN", GNN, {each: loaders.GNN_NAMES[each] for each in gnns}, shown=gnn, help=about)
    return gnn


def _trainings(dataset: str, gnns: Sequence[str]) -> str:
    """What each GNN was trained on."""
    headers = {gnn: loaders.readable_header(dataset, gnn) for gnn in gnns}
    sentences = (
        f"{loaders.GNN_NAMES[gnn]}: trained on {loaders.trained_on(found)}." for gnn, found in headers.items() if found
    )
    return f"{' '.join(sentences)} {tooltip('fragments')}"


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
    noun = plain(dataset.info.vocabulary.instance)
    called = plain(dataset.info.vocabulary.instance.capitalize())
    key, shown = "index", index
    if dataset.names:
        key, shown = ("node", index) if dataset.num_nodes <= LISTED else ("node-typed", dataset.names[index])
    st.session_state[key] = shown

    def change() -> None:
        if typed := str(st.session_state[key]).strip():
            go_to(dataset.name, sources_of(dataset.name)[Numbered.parameter], typed)

    if not dataset.names:
        st.number_input(
            f"{called} (0 to {dataset.num_instances - 1:,})",
            min_value=0,
            max_value=dataset.num_instances - 1,
            step=1,
            key=key,
            on_change=change,
            width=150,
        )
    elif dataset.num_nodes <= LISTED:  # to be searched by name, or by the number behind it
        st.selectbox(
            f"{called} (name · number)",
            range(dataset.num_nodes),
            key=key,
            format_func=lambda node: f"{dataset.names[node]} · {node}",
            on_change=change,
            width=230,
        )
    else:  # a list of so many would take long to load
        st.text_input(f"{called} (name, or 0 to {dataset.num_nodes - 1:,})", key=key, on_change=change, width=230)
    st.button(
        "Random",
        key="random",
        icon=":material/shuffle:",
        help=f"Pick one of the {len(dataset.explainable):,} {noun}s"
        + (" whose true motif is known." if (dataset.motif >= 0).any() else "."),
        on_click=lambda: go_to_number(dataset.name, int(random.choice(dataset.explainable))),
        disabled=not len(dataset.explainable),
    )


def pick_instance(view: PredictionQuery, *, offers: bool = True) -> Selection | None:
    """Draw the pickers that fit the data set, and get what they pick; ``None`` if there is nothing to show.

    What is found is what the other pages open with.

    Args:
        view: What the link asks for.
        offers: Whether a data set that is not here yet is offered beside what works without it. Where it is chosen
            itself, it always is.
    """
    sources = list(sources_of(view.info.name).values())
    source = view.source or next((one for one in sources if one.ready), sources[0])
    if len(sources) > 1:
        pick_source(view.info.name, sources, source, view.name)
    found = _numbered(view, source) if isinstance(source, Numbered) else _named(view, source, offers)
    if found is not None:
        parameters.remember_prediction(view.info.name, found.source.parameter, found.name)
    return found


def say_how_read(subject: Selection | None) -> None:
    """How something that was typed is read here, where that is worth saying: below the row of pickers."""
    if subject is not None and isinstance(subject.source, Typed) and subject.source.note:
        st.caption(plain(subject.source.note))


def _named(view: PredictionQuery, source: Source, offers: bool) -> Selection | None:
    """One of a list of well-known instances, or what is typed."""
    name = view.name or ("" if isinstance(source, Typed) else source.first)
    if isinstance(source, Listed):
        noun, names = plain(source.noun.capitalize()), list(source.names)
        bind(st.selectbox, noun, NAMES[source.parameter], names, shown=name, width=source.width)
    elif isinstance(source, Typed):
        bind(
            st.text_input,
            plain(source.noun),
            NAMES[source.parameter],
            shown=name,
            placeholder=source.placeholder,
            help=source.help,
            width=source.width,
        )
    if offers:
        _offer_download(view)
    try:
        return Selection(source.instance(name), source, name)
    except UserError as error:
        st.error(plain(str(error)), icon=":material/edit:")
        return None


def _numbered(view: PredictionQuery, source: Numbered) -> Selection | None:
    waits = isinstance(source, Downloaded) and not source.ready
    if waits and st.session_state.pop(_LOAD, None) != view.info.name:
        _offer_download(view)
        return None
    try:
        with st.spinner(f"Reading {plain(view.info.title)} …"):
            dataset = source.dataset()
    except UserError as error:
        others = [other.title for other in sources_of(view.info.name).values() if other is not source]
        st.error(plain(f"{error} {' and '.join(others)} work without it."), icon=":material/cloud_off:")
        _offer_download(view)
        return None
    index, problem = int(view.name or source.first), None
    if index >= dataset.num_instances:
        try:
            dataset.instance(index)
        except UserError as error:
            problem = error
        index = dataset.example
    pick_number(dataset, index)
    if problem is not None:
        st.warning(plain(f"{problem} Showing {index} instead."), icon=":material/link_off:")
    hops = loaders.hops(dataset.name, view.gnn)
    return Selection(dataset.instance(index, hops=hops), source, str(index), dataset)


def _offer_download(view: PredictionQuery) -> None:
    """Offer to load the data set: nothing is downloaded without being asked for."""
    for source in sources_of(view.info.name).values():
        if isinstance(source, Downloaded) and not source.ready:

            def load(source: Source = source) -> None:
                st.session_state[_LOAD] = view.info.name
                go_to(view.info.name, source, None)

            st.button(
                f"Load {plain(view.info.title)} (downloads {source.size} once)",
                key="load",
                icon=":material/download:",
                on_click=load,
                help=f"The data set’s {plain(source.content)} are not on this computer yet.",
            )
