"""What the pages of the explorer look at: its pickers, and where it cannot be had, why, and the next best."""

from dataclasses import dataclass

import streamlit as st

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Downloaded, Listed, Numbered, Source, Typed
from gfx_core.errors import UserError
from pages.ui.explorer import loaders, pickers, travel
from pages.ui.explorer.link import View, go_to
from pages.ui.text import plain

_LOAD = "load-dataset"  # session state: the data set that somebody asked to be downloaded


@dataclass(frozen=True)
class Subject:
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


def find_subject(view: View, *, offers: bool = True) -> Subject | None:
    """Draw the pickers that fit the data set, and get what they pick; ``None`` if there is nothing to show.

    What is found is what the other pages open with.

    Args:
        view: What the link asks for.
        offers: Whether a data set that is not here yet is offered beside what works without it. Where it is chosen
            itself, it always is.
    """
    found = _picked(view, offers)
    if found is not None:
        travel.remember(view.info.name, found.source.parameter, found.name)
    return found


def say_how_read(subject: Subject | None) -> None:
    """How something that was typed is read here, where that is worth saying: below the row of pickers."""
    if subject is not None and isinstance(subject.source, Typed) and subject.source.note:
        st.caption(plain(subject.source.note))


def _picked(view: View, offers: bool) -> Subject | None:
    sources = list(sources_of(view.info.name).values())
    source = view.source or next((one for one in sources if one.ready), sources[0])
    if len(sources) > 1:
        pickers.pick_source(view.info.name, sources, source, view.name)
    if isinstance(source, Numbered):
        return _numbered(view, source)
    name = view.name or source.first
    if isinstance(source, Listed):
        pickers.pick_listed(source, name)
    elif isinstance(source, Typed):
        name = view.name or ""
        pickers.pick_typed(source, name)
    if offers:
        _offer_download(view)
    try:
        return Subject(source.instance(name), source, name)
    except UserError as error:
        st.error(plain(str(error)), icon=":material/edit:")
        return None


def _numbered(view: View, source: Numbered) -> Subject | None:
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
    pickers.pick_number(dataset, index)
    if problem is not None:
        st.warning(plain(f"{problem} Showing {index} instead."), icon=":material/link_off:")
    hops = loaders.hops(dataset.name, view.gnn)
    return Subject(dataset.instance(index, hops=hops), source, str(index), dataset)


def _offer_download(view: View) -> None:
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
