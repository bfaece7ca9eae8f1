"""What Data sets shows: one instance, the whole it is taken from, what the GNN predicts, and what its rule is.

A worker evaluates the GNN, so that pages never load torch; what is shipped with a trace needs none.
"""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from gfx_core.arrays import Floats
from gfx_core.config import Drawing, Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.drawing.pictures import class_legend, form_picture, instance_picture, legend, overview_picture
from gfx_core.drawing.templates import render
from gfx_core.explanation.many import NamedQuestions
from gfx_core.explanation.rules import LIMIT, ClassRules, Rule, Rules, shipped_rules
from gfx_core.files import fingerprint
from gfx_core.gnn.checkpoint import model_path
from gfx_core.jobs import requests
from gfx_core.jobs.job import Request
from gfx_core.layout.instances import instance_layout
from gfx_core.teaching.glossary import tooltip
from gfx_core.text import instance_words
from gfx_core.text.numbers import about_percent, counted, percent
from gfx_core.trace.schema import GNN_PRINT
from pages.ui import jobs
from pages.ui.address import pick_one, whole
from pages.ui.components.svg_views import Card, gallery, network_view
from pages.ui.explorer import loaders
from pages.ui.explorer.parameters import DATASET, EXPLORER, GNN, PredictionQuery, go_to_number
from pages.ui.explorer.pickers import Selection
from pages.ui.text import plain, shortened
from pages.ui.widgets import WORDS, in_row, page_link, widget

READABLE_NODES = 100
"""Of a neighbourhood of more nodes than this only the nearest hops are drawn."""
DRAWABLE = 2000
"""Nodes of a whole graph that are drawn at once."""
_LONGEST = 60  # letters of a heading
_FREE_HEIGHT = 620  # of a network that moves freely, in pixels


def neighbourhood(selection: Selection) -> None:
    """What the GNN sees of the instance, on its fixed layout."""
    instance, dataset, info = selection.instance, selection.dataset, selection.instance.info
    title = selection.name
    if dataset is not None:
        name = f": {dataset.names[instance.index]}" if dataset.names else ""
        title = f"{info.vocabulary.instance.capitalize()} {instance.index}{name}"
    st.subheader(plain(shortened(title, _LONGEST)), anchor=False)
    drawn, labels = np.ones(instance.num_nodes, dtype=bool), None
    if instance.target is not None:
        counts = np.bincount(instance.hops).cumsum()  # nodes within 0, 1, … hops
        drawn = instance.hops <= max(1, int((counts <= READABLE_NODES).sum()) - 1)
    part = instance.part(drawn)
    if dataset is not None and dataset.task is Task.NODE:
        labels = dataset.y[part.nodes]
    drawing = instance_picture(part, instance_layout(instance)[drawn], info.classes, labels)
    motif, *_ = instance_words.own_motif(instance)
    entries = legend(drawing, {"start": "explained node", "motif": motif, "other": "another motif"})
    entries += [] if labels is None else class_legend(labels, info.classes)
    picture = st.container()
    if st.toggle(**widget("move_freely")):
        from gfx_core.drawing.export import framed
        from gfx_core.drawing.network import free_network  # pyvis

        # a frame without an origin inside Streamlit's, which has one
        picture.iframe(framed(free_network(drawing).generate_html(), drawing.title, 600), height=_FREE_HEIGHT)
    else:
        pick = None if labels is None else lambda node: go_to_number(dataset.name, node)
        with picture:
            network_view(drawing.svg(), key="neighbourhood", legend=entries, on_pick=pick, enlarge=1.35)
    picture.caption(plain(_caption(instance, part)))


def _caption(instance: Instance, part: Instance) -> str:
    nouns = instance.info.vocabulary
    text = f"{counted(instance.num_nodes, nouns.node)} and {counted(len(instance.undirected), nouns.edge)}"
    if instance.target is not None:
        text += f" {WORDS['datasets']['reach'].format(counted(instance.reach, 'hop'))}"
    if missing := instance.num_nodes + instance.left_out - part.num_nodes:
        text += f" {missing:,} nodes farther away are not drawn, as the neighbourhood is too large."
    return text


def whole_graph(dataset: GraphDataset, index: int, kind: str | None) -> None:
    """All nodes of a node task; a click goes to one."""
    info = dataset.info
    st.subheader(f"All of {plain(info.title)}", anchor=False)
    wrong = []
    if kind is not None and st.toggle(**widget("mistakes")):
        shares = all_probabilities(dataset, kind)
        if shares is not None:
            wrong = np.flatnonzero((shares.argmax(axis=1) != dataset.y) & (dataset.y >= 0)).tolist()
    if dataset.num_nodes > DRAWABLE:
        st.caption(f"{dataset.num_nodes:,} nodes are too many for one picture: pick one above.")
        return
    with st.spinner("Laying out the graph …"):
        points = loaders.whole_layout(dataset.name)
    drawing = overview_picture(dataset, points, info.classes, wrong)
    marks = {"selected": "shown above", "motif": info.motif_names, "wrong": "the GNN is wrong"}
    network_view(
        drawing.svg(),
        key="overview",
        legend=legend(drawing, marks) + class_legend(dataset.y, info.classes),
        selected=index,
        on_pick=lambda node: go_to_number(dataset.name, node),
    )
    st.caption(WORDS["datasets"]["overview"])


def all_graphs(dataset: GraphDataset, index: int, kind: str | None) -> None:
    """All graphs of a graph task with two classes as a map; a click goes to one."""
    shares = None if kind is None or dataset.num_classes != 2 else all_probabilities(dataset, kind)
    if shares is None:
        return
    from gfx_core.drawing.charts import graph_map

    info, key = dataset.info, f"map-{dataset.name}-{index}"  # a new chart for each graph, without the old selection
    st.subheader(f"All of {plain(info.title)}", anchor=False)

    def picked() -> None:
        points = st.session_state[key].selection.points
        if points and "customdata" in points[0]:
            go_to_number(dataset.name, int(points[0]["customdata"][0]))

    st.plotly_chart(
        graph_map(dataset, shares, info.classes, index),
        key=key,
        on_select=picked,
        selection_mode="points",
        config={"displayModeBar": False, "scrollZoom": False},
        alt=f"Every graph of {info.title} by size and by the GNN’s probability of {info.classes[1]}",
    )
    low, high = map(plain, info.classes)
    st.caption(WORDS["datasets"]["map"].format(low=low, high=high))


def all_probabilities(dataset: GraphDataset, kind: str) -> Floats | None:
    """Of each class for every node or graph of a data set; None while the GNN is evaluated. [num_instances, C]"""
    title = f"Evaluating the GNN on every {dataset.info.vocabulary.instance}"
    gnn, files = {"dataset": dataset.name, "gnn": kind}, (model_path(dataset.name, kind),)
    return jobs.run_job(title, Request("gfx_core.explanation.run:ask_about_all", gnn, files), slot="ask-all")


def about(info: DatasetInfo, dataset: GraphDataset | None) -> None:
    """The data set in numbers."""
    st.subheader("The data set", anchor=False)
    with in_row("about"):
        motifs = info.motif_names if info.knows_reasons else "not known"
        if info.motifs or info.drawing is Drawing.SENTENCE:
            st.image(loaders.motif_picture(info), alt=f"Expected motif: {motifs}")
        size = "" if dataset is None else f" {instance_words.statistics_line(info, dataset.statistics)}."
        task = f"{info.task.capitalize()} classification; expected motif: {plain(motifs)}."
        st.markdown(f"{task}{plain(size)}  \n:small[Source: {plain(info.citation)}]")


def prediction_card(selection: Selection, kind: str | None) -> None:
    """What the GNN predicts, whether it is right, and the reason for the true class."""
    instance, info = selection.instance, selection.instance.info
    st.subheader("What the GNN predicts", anchor=False)
    true = plain(info.classes[instance.y]) if instance.y >= 0 else "not known here"
    if kind is not None and (shares := _probabilities(selection, kind)) is not None:
        predicted = int(np.argmax(shares))
        name = plain(info.classes[predicted])
        if instance.y < 0:
            st.markdown(f"#### {name}")
        elif predicted == instance.y:
            st.markdown(f"#### :green[:material/check_circle: Right:] {name}")
        else:
            st.markdown(f"#### :red[:material/cancel: Wrong:] {name}, not {true}")
        classes = [(title, share, percent(share)) for title, share in zip(info.classes, shares, strict=True)]
        st.html(render("html/datasets.html", classes=classes, predicted=predicted, truth=instance.y))
    reason = "Known alerts" if info.labelled else "True reason"
    st.markdown(f"**True class:** {true}  \n**{reason}:** {plain(instance_words.reason(instance))}")
    if kind is not None and (header := loaders.readable_header(info.name, kind)) is not None:
        trained_on = "whole graphs and fragments" if header.knows_fragments else "whole graphs only"
        texts = {"kind": loaders.GNN_NAMES[kind], "accuracy": loaders.accuracy(header), "trained_on": trained_on}
        st.caption(WORDS["datasets"]["gnn"].format(**texts), help=tooltip("fragments"))


def _probabilities(selection: Selection, kind: str) -> tuple[float, ...] | None:
    """Of each class for one instance; None while the GNN is evaluated, or if it cannot be read."""
    question = selection.question(kind)
    checkpoint = model_path(question.dataset, kind)
    trace = loaders.trace(question) if question.is_plain else None
    if trace is not None and trace.made.get(GNN_PRINT) == fingerprint(checkpoint):  # else it was trained again
        return trace.prediction.probabilities
    return jobs.run_job("Evaluating the GNN", requests.ask(question), slot="ask")


RULES = EXPLORER.switch("rules")
"""Whether Data sets shows the GNN's rules instead of one instance."""
PREDICTED = EXPLORER.parameter("predicted", None, whole(0, 9999), under=(DATASET,))
"""The class whose rules are shown, by its number."""
RULE = EXPLORER.parameter("rule", None, whole(0, 9999), under=(DATASET, GNN, PREDICTED))
"""The card that is open; those of wrong predictions are counted on behind the rules."""
_LINKS = 24  # to instances of a rule


def pick_class(view: PredictionQuery, gnn: str | None) -> tuple[int, str] | None:
    """The class whose rules are shown, by number and name; at first one whose reason is known, if there is one."""
    header = None if gnn is None else loaders.readable_header(view.info.name, gnn)
    if header is None:
        return None
    names = view.info.class_names(header.num_classes)
    number = min(PREDICTED.read((view.info.reasons or (0,))[0]) or 0, len(names) - 1)
    titles = dict(enumerate(map(plain, names)))
    number = pick_one("Predicted class", PREDICTED, titles, shown=number, wrap=True)
    return number, names[number]


Entry = tuple[Rule, tuple[int, ...], tuple[tuple[str, str], ...]]
"""A card: a rule, those of its instances that the card is about, and what is said of them."""


def show_rules(view: PredictionQuery, gnn: str, number: int, name: str) -> None:
    """A sentence on a class, a card for each of its rules, and one for each kind of wrong prediction.

    Args:
        view: The data set.
        gnn: Which of its GNNs.
        number: The class.
        name: What it is called.
    """
    rules = _find(view, gnn, number, name)
    if rules is None:
        return
    of_class = rules[name]
    st.markdown(f"#### {plain(of_class.sentence)}")
    total = counted(of_class.explained, plain(of_class.noun))
    right: list[Entry] = [
        (rule, rule.instances, ((about_percent(of_class.share(rule)), f"{len(rule.instances)} of {total}"),))
        for rule in of_class.rules
    ]
    wrong: list[Entry] = [
        (rule, instances, (("true class", true), ("how many", str(len(instances)))))
        for true, rule, instances in of_class.confusions
    ]
    link = {DATASET.name: view.info.name, GNN.name: gnn}
    _cards("rule-cards", right, 0, link, of_class)
    if wrong:
        st.subheader(f"Wrong predictions: {len(of_class.mistakes)} of {total}", anchor=False)
        _cards("mistake-cards", wrong, len(right), link, of_class)
    st.caption(WORDS["datasets"]["rules"].format(**rules.made | link))


def _find(view: PredictionQuery, gnn: str, number: int, name: str) -> Rules | None:
    """Those that are shipped, or those that a worker finds."""
    shipped = shipped_rules(view.info.name, gnn)
    if shipped is not None:
        return shipped
    if not sources_of(view.info.name)[Numbered.parameter].ready:
        st.caption(WORDS["datasets"]["not-here"])
        return None
    about = {"questions": NamedQuestions(view.info.name, gnn), "of": number}
    files = requests.files_of(view.info.name, gnn)
    request = Request[Rules]("gfx_core.explanation.rules:find_rules", about, files)
    return jobs.run_job(f"Explaining up to {LIMIT} predictions of {plain(name)}", request, slot="rules")


def _cards(key: str, entries: Sequence[Entry], first: int, link: dict[str, str], of_class: ClassRules) -> None:
    """Cards that are numbered from the first on; a click opens one, and closes it again."""
    chosen = RULE.read(-1) - first
    cards = []
    for number, (rule, instances, facts) in enumerate(entries):
        form = next((form for form in rule.forms if {*form.instances} & {*instances}), None)
        svg = "" if form is None else form_picture(form, rule.title).svg()
        cards.append(Card(svg, rule.title, facts, "", "See them", selected=number == chosen))
    gallery(cards, key=key, on_pick=lambda at: RULE.write(None if at == chosen else first + at), wide=11.5)
    if chosen not in range(len(entries)):
        return
    rule, instances, _ = entries[chosen]
    noun = plain(of_class.noun)
    with st.container(border=True, key="rule-instances"):  # links that explain them
        st.markdown(f"**{plain(rule.title)}**: {counted(len(instances), noun)}")
        with st.container(horizontal=True, gap="small", key="rule-links"):
            for index in instances[:_LINKS]:
                label = f"{noun} {index}" + " (wrong)" * (index in of_class.mistakes)
                page_link("prediction", {**link, Numbered.parameter: str(index)}, label=label)
        if len(instances) > _LINKS:
            st.caption(f"The first {_LINKS} of {counted(len(instances), noun)}.")
