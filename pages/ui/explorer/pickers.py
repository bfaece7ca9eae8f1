"""Find the prediction that the link names and its trace, and draw the widgets that pick another one.

Widgets read from and write to the link only. Where what it names cannot be had, the page has the reason.
"""

import random
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gfx_core.datasets.graph import DEFAULT_HOPS, GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import dataset_info, listed, sources_of
from gfx_core.datasets.source import Listed, Numbered, Source, Typed, examples
from gfx_core.errors import UserError
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.gfn.own_policies import own_policy
from gfx_core.gfn.settings import policy_config
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.jobs import requests
from gfx_core.trace.schema import Trace
from gfx_core.training.recording import Assembler
from pages.ui import jobs, sessions
from pages.ui.address import bind
from pages.ui.components.player import train_view
from pages.ui.explorer import loaders, parameters
from pages.ui.explorer.parameters import DATASET, GNN, NAMES, OPTIONS, OWN, PredictionQuery, go_to, go_to_number
from pages.ui.text import plain, shortened
from pages.ui.widgets import WORDS, in_row, widget

LISTED = 2000
"""Nodes with names that are offered as a list to search in; of more of them a number is typed."""
_LOAD = "load-dataset"  # session state: the data set to be downloaded


@dataclass(frozen=True)
class Selection:
    """What the page shows.

    Attributes:
        instance: What the GNN sees.
        source: Where it comes from.
        name: What the source calls it.
        dataset: The data set it is from; ``None`` for one that is from none.
    """

    instance: Instance
    source: Source
    name: str
    dataset: GraphDataset | None = None

    def question(self, gnn: str, **options: Any) -> Question:
        """About what a GNN predicts for it."""
        return Question(self.instance.dataset, self.name, self.source.parameter, gnn, **options)


def pick_prediction(
    view: PredictionQuery, title: str = "", *, instances: bool = True
) -> tuple[DeltaGenerator, Selection | None, str | None]:
    """The pickers behind a button in a row: the row, which has room for more, the instance, and the kind of GNN.

    Args:
        view: What the link names.
        title: Of the page, where that stands in the row.
        instances: Whether an instance is picked, and not only a data set and a GNN.
    """
    row = in_row("pickers", "bottom")
    selection = find_instance(view) if instances else None
    gnn = loaders.selected_gnn(view.info.name, view.gnn)
    if gnn is None:
        hint = loaders.training_hint(view.info)
        st.info(f"The GNN for {plain(view.info.title)} is {hint}", icon=":material/model_training:")
    with row:
        if title:
            st.title(title, anchor=False, width="content")
        name = f": {shortened(selection.name, 28)}" if selection else ""
        with st.popover(**widget("pick", label=plain(view.info.title + name))):
            pick_dataset(view)
            if instances:
                pick_instance(view, selection)
            pick_gnn(view)
        if instances:
            pick_example(view.info.name, selection, gnn)
    if selection is not None:
        parameters.remember_prediction(view.info.name, selection.source.parameter, selection.name)
    return row, selection, gnn


def find_instance(view: PredictionQuery) -> Selection | None:
    """What the link names; ``None`` where it cannot be had. The page has each problem as a sentence."""
    for problem in view.problems:
        st.warning(plain(problem), icon=":material/link_off:")
    source, dataset = view.source or first_source(view.info.name), None
    waits = isinstance(source, Numbered) and source.size and not source.ready
    if waits and st.session_state.pop(_LOAD, None) != view.info.name:
        offer_download(view)
        return None
    try:
        with st.spinner(f"Reading {plain(view.info.title)} …"):
            dataset = source.dataset() if isinstance(source, Numbered) else None
        name = view.name or source.first
        instance = source.instance(name, loaders.hops(view.info.name, view.gnn))
    except UserError as error:
        if dataset is not None and view.name:
            instead = f"{error} Showing {source.first} instead."
            return find_instance(replace(view, source=source, name=None, problems=(instead,)))
        st.error(plain(error), icon=":material/edit:")
        offer_download(view)
        return None
    if isinstance(source, Typed) and (note := source.note(name)):
        st.caption(plain(note))
    return Selection(instance, source, name, dataset)


def first_source(dataset: str) -> Source:
    """Where what opens first comes from: the source of the first example, or the only one."""
    sources = sources_of(dataset)
    return sources[next((example.source for example in examples(dataset)), next(iter(sources)))]


def pick_dataset(view: PredictionQuery) -> None:
    """A list of the data sets, with one that only a link names."""
    titles = {name: dataset_info(name).title for name in (*listed(), *sessions.own_datasets(), view.info.name)}
    bind(st.selectbox, **widget("dataset"), parameter=DATASET, titles=titles, shown=view.info.name)


def pick_gnn(view: PredictionQuery) -> None:
    """A choice between the GNNs that are trained, where there are several."""
    titles = {gnn: loaders.GNN_NAMES[gnn] for gnn in loaders.trained_gnns(view.info.name)}
    if len(titles) > 1:
        gnn = loaders.selected_gnn(view.info.name, view.gnn)
        bind(st.selectbox, **widget("gnn"), parameter=GNN, titles=titles, shown=gnn)


def pick_instance(view: PredictionQuery, selection: Selection | None) -> None:
    """Where an instance comes from, and which one.

    Args:
        view: What the link names.
        selection: What is shown of it, if anything.
    """
    sources = sources_of(view.info.name)
    source = view.source or first_source(view.info.name)
    name = view.name or (selection.name if selection else "")
    if len(sources) > 1:
        _pick_source(view, source)
    if isinstance(source, Listed):
        noun, names = plain(source.noun.capitalize()), list(source.names)
        bind(st.selectbox, noun, NAMES[source.parameter], names, shown=name, width=source.width)
    elif isinstance(source, Typed):
        about = {"placeholder": source.placeholder, "help": source.help, "width": source.width}
        bind(st.text_input, plain(source.noun), NAMES[source.parameter], shown=name, **about)
    elif selection is not None and selection.dataset is not None:
        _pick_number(selection.dataset, int(selection.name))


def _pick_source(view: PredictionQuery, source: Source) -> None:
    sources = sources_of(view.info.name)

    def change() -> None:
        chosen = sources[st.session_state["source"]]
        go_to(view.info.name, chosen.parameter, chosen.first if chosen.ready else "0")

    st.session_state["source"] = source.parameter
    st.segmented_control(
        plain(view.info.vocabulary.instance.capitalize()),
        list(sources),
        key="source",
        format_func=lambda parameter: plain(sources[parameter].title),
        required=True,
        wrap=True,
        on_change=change,
    )


def _pick_number(dataset: GraphDataset, index: int) -> None:
    """A node or graph by its number, or from a list of names to search in, and a button for a random one."""
    noun, last = plain(dataset.info.vocabulary.instance), dataset.num_instances - 1
    key = "node" if dataset.names and last < LISTED else "index"
    st.session_state[key] = index

    def change() -> None:
        go_to_number(dataset.name, st.session_state[key])

    if key == "node":
        names = [f"{name} · {node}" for node, name in enumerate(dataset.names)]
        label = f"{noun.capitalize()} (name · number)"
        st.selectbox(label, range(last + 1), key=key, format_func=names.__getitem__, on_change=change, width=230)
    else:
        label = f"{noun.capitalize()} (0 to {last:,})"
        st.number_input(label, 0, last, step=1, key=key, on_change=change, width=150)
    among = dataset.explainable if (dataset.motif >= 0).any() else range(last + 1)
    st.button(**widget("random", noun=noun), on_click=lambda: go_to_number(dataset.name, int(random.choice(among))))


def offer_download(view: PredictionQuery) -> None:
    """Offer to load the data set: nothing is downloaded unless its button is pressed."""
    for source in sources_of(view.info.name).values():
        if isinstance(source, Numbered) and source.size and not source.ready:
            texts = widget("load", title=plain(view.info.title), size=source.size, content=plain(source.content))
            st.button(**texts, on_click=st.session_state.update, args=({_LOAD: view.info.name},))


def pick_example(dataset: str, selection: Selection | None, gnn: str | None) -> None:
    """A button to the next of a data set's examples that open at once, and what the one is that is shown."""
    shipped = [question for question in SHIPPED if question.dataset == dataset]
    if not shipped:
        return
    names = [question.name for question in shipped]
    at = names.index(selection.name) if selection is not None and selection.name in names else -1
    after = shipped[(at + 1) % len(shipped)]
    with st.container(key="next-example", width="content"):
        texts = widget("example-button", count=len(shipped))
        st.button(**texts, on_click=go_to, args=(dataset, after.source, after.name))
        caption = st.container(key="which-example")  # empty where it is none, so that nothing moves
        for example in examples(dataset):
            if gnn == DEFAULT_KIND and at >= 0 and example.name == names[at]:
                caption.caption(plain(f"Example {at + 1} of {len(shipped)}, {example.words}."))


def question_about(selection: Selection, gnn: str) -> Question:
    """What the link is about: the prediction, the policy and how it is sampled."""
    chosen = {name: parameter.read() for name, parameter in OPTIONS.items()}
    return selection.question(gnn, **chosen)


def settings_of(question: Question) -> dict[str, Any] | None:
    """K_M, the reward and STOP of the policy; ``None`` if it cannot be read: then the page has the reason."""
    if not question.own:
        return policy_config(question.dataset).as_dict()
    with in_row("own-policy"):
        st.markdown(WORDS["explain"]["own-policy"])
        st.button(**widget("use-shipped"), on_click=OWN.write, args=(None,))
    try:
        return own_policy(question.own, question.dataset, question.gnn).config
    except UserError as error:
        st.error(plain(str(error)), icon=":material/broken_image:")
        return None


def find_trace(question: Question, slot: str = "explain", patience: float | None = None) -> Trace | None:
    """The trace of a prediction, shipped or from a worker; ``None`` while it is computed (see `jobs.run_job`)."""
    is_shipped = question.is_plain and loaders.hops(question.dataset, question.gnn) == DEFAULT_HOPS
    if is_shipped and (trace := loaders.trace(question)) is not None:
        return trace
    request, title, meanwhile = requests.explain(question), f"Explaining {question.title}", None
    if question.tuned:
        title, meanwhile = f"Training on and explaining {question.title}", partial(_learning, request.key)
    return jobs.run_job(title, request, slot=slot, meanwhile=meanwhile, patience=patience)


def _learning(token: str, events: list[dict[str, Any]]) -> None:
    """A training on this one as far as it has come."""
    recording = Assembler("Training on this one")
    recording.feed(events)
    if recording.length:
        step = recording.lanes[0]["frames"][-1]["step"]  # the newest is seen
        train_view(recording.as_dict(), key="learning", token=token, step=step)
