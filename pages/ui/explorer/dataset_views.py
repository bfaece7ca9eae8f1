"""What Data sets shows: one instance, the whole it is taken from, what the GNN answers and whether it is right.

A worker asks the GNN, so that pages never load torch; what is shipped with a trace needs none.
"""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from gfx_core.bench.studies import STUDIES
from gfx_core.config import Drawing, Task
from gfx_core.datasets.graph import DEFAULT_HOPS, GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.pictures import (
    class_legend,
    instance_picture,
    legend,
    overview_picture,
)
from gfx_core.drawing.templates import render
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.files import fingerprint
from gfx_core.gnn.checkpoint import model_path
from gfx_core.jobs.requests import AskGnn
from gfx_core.layout.instances import instance_layout
from gfx_core.teaching.glossary import tooltip
from gfx_core.text import instance_words
from gfx_core.text.numbers import counted, percent
from gfx_core.trace.schema import GNN_PRINT
from pages.ui import jobs
from pages.ui.components.svg_views import network_view
from pages.ui.explorer import loaders
from pages.ui.explorer.parameters import go_to_number
from pages.ui.explorer.pickers import Selection, all_probabilities, checked_header, mistakes
from pages.ui.text import plain, shortened

_LONGEST = 60  # letters of a heading
DRAWABLE = 2000
"""Nodes of a whole graph that are drawn at once."""
_FREE_HEIGHT = 620  # of a network that moves freely, in pixels


def neighbourhood(subject: Selection) -> None:
    """What the GNN sees of the instance, on its fixed layout."""
    instance, dataset = subject.instance, subject.dataset
    info = instance.info
    points = instance_layout(instance)
    shown = np.ones(instance.num_nodes, dtype=bool)
    if instance.target is not None:
        st.subheader(f"Node {_called(instance)} and what the GNN sees of it", anchor=False)
        shown = instance.hops <= drawn_hops(instance)
    elif dataset is not None:
        st.subheader(f"{plain(info.vocabulary.instance.capitalize())} {instance.index}", anchor=False)
    else:
        st.subheader(plain(shortened(subject.name, _LONGEST)), anchor=False)
    part = instance.part(shown)
    labels = dataset.y[part.nodes] if dataset is not None and dataset.task is Task.NODE else None
    pick = None
    if instance.target is not None and dataset is not None:

        def pick(node: int) -> None:
            go_to_number(dataset.name, node)

    drawing = instance_picture(part, points[shown], info.classes, labels)
    motif = instance_words.own_motif_label(instance)
    entries = legend(drawing, {"start": "explained node", "motif": motif, "other": "another motif"})
    if labels is not None:
        entries += class_legend(labels, info.classes)
    picture = st.container()
    free = st.toggle("Move freely: drag a node, and the others follow", key="move_freely")
    if free:
        from gfx_core.drawing.export import framed
        from gfx_core.drawing.network import free_network  # pyvis: loaded when it is needed

        # a frame without an origin inside Streamlit's, which has one
        picture.iframe(framed(free_network(drawing).generate_html(), drawing.title, 600), height=_FREE_HEIGHT)
    else:
        with picture:
            network_view(
                drawing.svg(),
                key="neighbourhood",
                legend=entries,
                on_pick=pick,
                enlarge=1.35,
            )
    picture.caption(plain(_caption(instance, part)))


def _called(instance: Instance) -> str:
    """The explained node: its number, and its name before it where it has one."""
    assert instance.target is not None
    number, name = str(instance.index), instance.node_name(instance.target)
    return number if name == number else f"{plain(shortened(name, _LONGEST))} ({number})"


def drawn_hops(instance: Instance) -> int:
    """How many hops to draw: all of a small neighbourhood; of a large one what the visitor asks for."""
    farthest = int(instance.hops.max())
    if instance.num_nodes <= loaders.READABLE_NODES:
        return farthest
    counts = [int((instance.hops <= hops).sum()) for hops in range(1, farthest + 1)]
    readable = max((hops for hops, count in enumerate(counts, 1) if count <= loaders.READABLE_NODES), default=1)
    chosen = st.segmented_control(
        "Hops drawn",
        range(1, farthest + 1),
        default=readable,
        format_func=lambda hops: f"{hops} ({counted(counts[hops - 1], 'node')})",
        required=True,
        key=f"hops-{instance.dataset}-{instance.index}",
        help="This neighbourhood is too large to be read at once. The nodes keep their places.",
    )
    return int(chosen or readable)


def _caption(instance: Instance, part: Instance) -> str:
    called = instance.info.vocabulary
    size = f"{counted(instance.num_nodes, called.node)} and {counted(len(instance.undirected), called.edge)}"
    if instance.target is None:
        text = f"{size}."
    else:
        text = (
            f"{size} lie within {counted(instance.reach, 'hop')}: nothing outside can change this prediction. "
            "Click a node to go there."
        )
    if part.num_nodes < instance.num_nodes:
        text += f" Only the nearest {part.num_nodes:,} are drawn."
    elif instance.num_nodes > loaders.READABLE_NODES:
        text += " That is more than can be read at once: zoom in with +."
    if instance.left_out:
        text += f" {instance.left_out:,} more were left out because the neighbourhood is too large."
    return text


def whole_graph(dataset: GraphDataset, index: int, kind: str | None) -> None:
    """All nodes of a node task; a click goes to one."""
    info = dataset.info
    st.subheader(f"All of {plain(info.title)}", anchor=False)
    wrong: list[int] = []
    shares = None
    about = "A cross on every node whose class the GNN gets wrong."
    if kind is not None and st.toggle("Mark the GNN’s mistakes", key="mistakes", help=about):
        shares = all_probabilities(dataset, kind)
        wrong = [] if shares is None else mistakes(dataset, shares)
    if dataset.num_nodes > DRAWABLE:
        st.caption(f"{dataset.num_nodes:,} nodes are too many for one picture: pick one above.")
        return
    with st.spinner("Laying out the graph …"):
        points = loaders.whole_layout(dataset.name)
    drawing = overview_picture(dataset, points, info.classes, wrong)
    words = {"selected": "shown above", "motif": info.motif_names, "wrong": "the GNN is wrong"}
    network_view(
        drawing.svg(),
        key="overview",
        legend=legend(drawing, words) + class_legend(dataset.y, info.classes),
        selected=index,
        on_pick=lambda node: go_to_number(dataset.name, node),
    )
    wrong_note = f" The GNN is wrong on {len(wrong)} of {counted(dataset.num_nodes, 'node')}." * (shares is not None)
    st.caption("Click a node to see what the GNN sees of it; zoom with + or Ctrl and the wheel." + wrong_note)


def all_graphs(dataset: GraphDataset, index: int | None, kind: str | None) -> None:
    """All graphs of a graph task as a map; a click goes to one."""
    info = dataset.info
    st.subheader(f"All of {plain(info.title)}", anchor=False)
    if kind is None:
        st.caption(f"The map needs a GNN, which is {loaders.training_hint(info)}")
        return
    shares = all_probabilities(dataset, kind)
    if shares is None:
        return
    if dataset.num_classes != 2:
        right = int((shares.argmax(axis=1) == dataset.y).sum())
        st.caption(
            f"The GNN is right on {right:,} of {dataset.num_graphs:,} graphs. A map is drawn of two classes only."
        )
        return
    from gfx_core.drawing.charts import graph_map

    key = f"map-{dataset.name}-{index}"  # a new chart for each graph: an old selection would swallow a click

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
    wrong = int((shares.argmax(axis=1) != dataset.y).sum())
    st.caption(
        f"Each point is a graph: click one to see it. Above the dashed line the GNN predicts {plain(info.classes[1])}, "
        f"below it {plain(info.classes[0])}: points on the wrong side are its {counted(wrong, 'mistake')} among "
        f"{dataset.num_graphs:,} graphs."
    )


def about(info: DatasetInfo, dataset: GraphDataset | None) -> None:
    """The data set in numbers."""
    st.subheader("The data set", anchor=False)
    with st.container(horizontal=True, vertical_alignment="center", key="about"):
        if info.motifs or info.drawing is Drawing.SENTENCE:
            shown = info.motif_names if info.knows_reasons else "no true reason is known"
            st.image(loaders.motif_picture(info), alt=f"Expected motif: {shown}")
        with st.container(gap="xsmall", width="stretch"):
            sought = f"; expected motif: {plain(info.motif_names)}" if info.knows_reasons else ""
            st.markdown(f"{info.task.capitalize()} classification{sought}.")
            if dataset is not None:
                st.caption(plain(instance_words.statistics_line(info, dataset.statistics)))
            st.caption(f"Source: {plain(info.citation)}")


def prediction_card(subject: Selection, kind: str | None) -> None:
    """Ask the GNN, or say how far that is."""
    instance = subject.instance
    info = instance.info
    st.subheader("What the GNN predicts", anchor=False)
    if kind is None:
        hint = loaders.training_hint(info)
        st.info(f"The GNN for {plain(info.title)} is {hint}", icon=":material/model_training:")
        true_class(subject)
        return
    try:
        shares = probabilities(subject, kind)
        header = loaders.header(info.name, kind)
    except UserError as error:
        st.error(plain(error), icon=":material/broken_image:")
        true_class(subject)
        return
    if shares is not None:
        _say(shares, subject)
    true_class(subject)
    st.caption(
        f"This GNN ({loaders.GNN_NAMES[kind]}) gets {loaders.accuracy(header)} of unseen cases right. "
        f"Trained on {loaders.trained_on(header)}.",
        help=tooltip("fragments"),
    )


def _say(shares: Sequence[float], subject: Selection) -> None:
    """The class that the GNN names, whether it is right, and how sure it is."""
    instance = subject.instance
    info = instance.info
    predicted = max(range(len(shares)), key=shares.__getitem__)
    name, known = plain(info.classes[predicted]), instance.y >= 0
    if not known:
        st.markdown(f"#### {name}")
    elif predicted == instance.y:
        st.markdown(f"#### :green[:material/check_circle: Right:] {name}")
    else:
        st.markdown(f"#### :red[:material/cancel: Wrong:] {name}, not {plain(info.classes[instance.y])}")
    classes = [(title, share, percent(float(share))) for title, share in zip(info.classes, shares, strict=True)]
    st.html(render("html/datasets.html", classes=classes, predicted=predicted, truth=instance.y))


def true_class(subject: Selection) -> None:
    """The true class, and the reason for it."""
    instance = subject.instance
    info = instance.info
    known = plain(info.classes[instance.y]) if instance.y >= 0 else "not known here"
    reason = "Known alerts" if info.labelled else "True reason"
    st.markdown(f"**True class:** {known}  \n**{reason}:** {plain(instance_words.reason(instance))}")


def probabilities(subject: Selection, kind: str) -> tuple[float, ...] | None:
    """Of each class for one instance; None while the GNN is being asked.

    Raises:
        UserError: The GNN cannot be read, or is for other data.
    """
    instance = subject.instance
    header = checked_header(instance.dataset, kind, instance.x.shape[1], len(instance.info.classes))
    question = Question(instance.dataset, subject.name, subject.source.parameter, kind)
    known = loaders.trace(question) if question.is_plain and header.hops == DEFAULT_HOPS else None
    checkpoint = model_path(instance.dataset, kind)
    if known is not None and known.made.get(GNN_PRINT) == fingerprint(checkpoint):  # else it was trained again
        return known.prediction.probabilities
    return jobs.run_job("Asking the GNN", AskGnn(str(checkpoint), question), slot="ask")


def fragments_link(dataset: str) -> None:
    """The way to whether its GNN knows fragments, where that was measured."""
    if dataset in STUDIES["reasons"].datasets:
        st.page_link(
            "pages/results.py",
            label="Does this GNN know fragments?",
            icon=":material/leaderboard:",
            query_params={"study": "reasons"},
        )
