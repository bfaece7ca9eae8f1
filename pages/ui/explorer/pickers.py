"""Widgets that pick a data set, something in it, and a GNN. They read from and write to the link only.

Where what the link names cannot be had, they say why, and offer the next best.
"""

import random
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
import streamlit as st

from gfx_core.arrays import Floats
from gfx_core.datasets.chosen_examples import examples
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, sources_of
from gfx_core.datasets.source import Downloaded, Listed, Numbered, Source, Typed
from gfx_core.errors import UserError
from gfx_core.gnn.checkpoint import ModelHeader, model_path
from gfx_core.jobs.requests import AskGnnAboutAll
from pages.ui import jobs, sessions
from pages.ui.address import bind
from pages.ui.explorer import loaders, parameters
from pages.ui.explorer.parameters import DATASET, GNN, NAMES, PredictionQuery, go_to, go_to_number
from pages.ui.text import plain, shortened

LISTED = 2000
"""Nodes with names that are offered as a list to search in; with more of them, a name is typed."""
_LOAD = "load-dataset"  # session state: the data set to be downloaded
_RANDOM = "random-mistake"  # session state: the data set whose wrong predictions are wanted


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


def picker_popover(view: PredictionQuery) -> AbstractContextManager[object]:
    """A place for pickers behind a button that names what they pick, or in the open where that cannot be read."""
    picked = None if view.problems else _called(view)
    return nullcontext() if picked is None else st.popover(picked, icon=":material/search:", key="pick")


def _called(view: PredictionQuery) -> str | None:
    """What the link names, for a button; ``None`` where it cannot be had, and the pickers say why."""
    source = view.source or first_source(view.info.name)
    try:
        name = view.name or ("" if isinstance(source, Typed) else source.first)
        if not isinstance(source, Numbered):
            source.instance(name)
        elif not source.ready or int(name) >= (dataset := source.dataset()).num_instances:
            return None
        else:
            name = dataset.names[int(name)] if dataset.names else f"{view.info.vocabulary.instance} {name}"
    except UserError:
        return None
    return plain(f"{view.info.title}: {shortened(name, 28)}")


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
        bind(st.selectbox, "GNN", GNN, gnns, shown=gnn, format_func=loaders.GNN_NAMES.__getitem__, width=110)
    return gnn


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


def pick_number(dataset: GraphDataset, index: int, gnn: str | None) -> None:
    """A node or graph by its number, or by its name where it has one, and a menu for a random one.

    Args:
        dataset: The data set.
        index: The one that is shown.
        gnn: The GNN that is asked, if there is one.
    """
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
    _pick_random(dataset, gnn)


_ANY, _MOTIF, _WRONG = "Any", "With a motif", "The GNN is wrong"


def _pick_random(dataset: GraphDataset, gnn: str | None) -> None:
    """A menu that goes to a random instance of a kind."""
    noun = plain(dataset.info.vocabulary.instance)
    kinds = {_ANY: np.arange(dataset.num_instances)}
    if (dataset.motif >= 0).any():
        kinds[_MOTIF] = dataset.explainable
    if gnn is not None and (dataset.y >= 0).any():
        kinds[_WRONG] = np.array([], dtype=np.int64)  # to be requested

    def draw() -> None:
        kind = st.session_state["random"]
        if kind == _WRONG:
            st.session_state[_RANDOM] = dataset.name
        elif kind is not None:
            go_to_number(dataset.name, int(random.choice(kinds[kind])))

    st.menu_button(
        "Random",
        list(kinds),
        key="random",
        icon=":material/shuffle:",
        help=f"Open a random {noun}: any, one whose true motif is known, or one that the GNN gets wrong.",
        on_click=draw,
    )
    if gnn is None or st.session_state.get(_RANDOM) != dataset.name:
        return
    shares = all_probabilities(dataset, gnn)
    if shares is not None:
        del st.session_state[_RANDOM]
        wrong = mistakes(dataset, shares)
        if not wrong:
            st.toast(f"The GNN gets every {noun} right.", icon=":material/check_circle:")
            return
        go_to_number(dataset.name, random.choice(wrong))
        st.rerun()


def all_probabilities(dataset: GraphDataset, kind: str) -> Floats | None:
    """Of each class for every node or graph of a data set. [num_instances, C]

    None while the GNN is being asked, and where it cannot be read or is for other data: then the page says so.
    """
    try:
        checked_header(dataset.name, kind, dataset.x.shape[1], len(dataset.info.classes))
    except UserError as error:
        st.error(plain(error), icon=":material/broken_image:")
        return None
    noun = dataset.info.vocabulary.instance
    checkpoint = str(model_path(dataset.name, kind))
    return jobs.run_job(f"Evaluating the GNN on every {noun}", AskGnnAboutAll(checkpoint, dataset.name), slot="ask-all")


def mistakes(dataset: GraphDataset, shares: Floats) -> list[int]:
    """The nodes or graphs that the GNN gets wrong."""
    found: list[int] = np.flatnonzero((shares.argmax(axis=1) != dataset.y) & (dataset.y >= 0)).tolist()
    return found


def checked_header(dataset: str, kind: str, features: int, classes: int) -> ModelHeader:
    """What a GNN says of itself, if it is for such data."""
    header = loaders.header(dataset, kind)
    for noun, its, ours in (("features", header.in_channels, features), ("classes", header.num_classes, classes)):
        if its != ours:
            raise UserError(
                f"The GNN in {model_path(dataset, kind).name} is for {its} {noun}, but {dataset} has {ours}. "
                f"Train it again with: python -m gfx_core train gnn --dataset {dataset}."
            )
    return header


def pick_instance(view: PredictionQuery, *, offers: bool = True) -> Selection | None:
    """Draw the pickers that fit the data set, and get what they pick; ``None`` if there is nothing to show.

    What is found is what the other pages open with.

    Args:
        view: What the link asks for.
        offers: Whether a data set that is not here yet is offered beside what works without it. Where it is chosen
            itself, it always is.
    """
    sources = list(sources_of(view.info.name).values())
    source = view.source or first_source(view.info.name)
    if len(sources) > 1:
        pick_source(view.info.name, sources, source, view.name)
    found = _numbered(view, source) if isinstance(source, Numbered) else _named(view, source, offers)
    if found is not None:
        parameters.remember_prediction(view.info.name, found.source.parameter, found.name)
    return found


def first_source(dataset: str) -> Source:
    """Where what opens first comes from: the first example; without examples, whatever is ready."""
    sources = sources_of(dataset)
    chosen = [sources[each.source] for each in examples(dataset)]
    return next((one for one in (*chosen, *sources.values()) if one.ready), next(iter(sources.values())))


def say_how_read(subject: Selection | None) -> None:
    """How something that was typed is read here, where that is worth saying: below the row of pickers."""
    if subject is not None and isinstance(subject.source, Typed) and (note := subject.source.note(subject.name)):
        st.caption(plain(note))


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
        index = int(source.first)
    pick_number(dataset, index, loaders.selected_gnn(dataset.name, view.gnn))
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
