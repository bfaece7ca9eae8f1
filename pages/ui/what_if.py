"""What if: edit the instance that is explained; what the GNN predicts then, and why, stands beside what it was.

The edits are a part of the question (`gfx_core.datasets.edits`), so the edited instance is explained in the same way.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from gfx_core.datasets.edits import Counterfactual, Edit, has_names, node_name, read_edits, spell_edits, with_edit
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.jobs import requests
from gfx_core.layout.instances import edited_layout
from gfx_core.text.captions import rings
from gfx_core.text.instance_words import flip_sentence, what_if_sentence
from gfx_core.text.typesetting import sentence_shapes
from gfx_core.trace.schema import Trace
from pages.ui import jobs
from pages.ui.components.mount import component, graph_style
from pages.ui.explorer import loaders, pickers
from pages.ui.explorer.parameters import EDITS
from pages.ui.text import plain
from pages.ui.widgets import WORDS, in_row, widget

_view = component("components/edit_view", '<div class="kit player edit-view"></div>', graph_style("edit_view"))
_WORDS: dict[str, Any] = WORDS["what-if"]
_SOON_S = 0.1  # so long both predictions wait for the answer to come with them

# Session state:
_TURN = "edit-turn"  # how many edits were sent, and why the last one was impossible
_FLIP = "flipped"  # a prediction that is to be flipped, or that a flip led to, and then what it took


def instance_of(question: Question) -> Instance:
    """What the GNN sees of the instance, after the edits of the question."""
    return question.instance(loaders.hops(question.dataset, question.gnn))


def can_be_made(question: Question) -> bool:
    """Whether the edits of a link can be made; else the page has the reason, and offers to drop them."""
    problem = EDITS.problem
    try:
        instance_of(question)
    except UserError as error:
        problem = str(error)
    if problem is not None:
        st.error(plain(problem), icon=":material/edit_off:")
        st.button(**widget("drop-edits"), on_click=EDITS.write, args=(None,))
    return problem is None


def undo_buttons(question: Question) -> None:
    """Take back the last edit, or all of them."""
    edits = read_edits(question.edits)
    for key, rest in (("undo", edits[:-1]), ("undo-all", ())):
        st.button(**widget(key), disabled=not edits, on_click=EDITS.write, args=(spell_edits(rest),))


def show(question: Question) -> Trace | None:
    """Both sides; returns the explanation of the edited instance, ``None`` while it is computed."""
    base, edits = replace(question, edits=""), read_edits(question.edits)
    old, new = instance_of(base), instance_of(question)
    with st.container(key="asking"):
        after = _probabilities(question)
        before = _probabilities(base) if edits and after is not None else after
    both = st.container(key="what-if")
    with st.container(key="answering"):  # drawn before both sides: of two at once a browser may keep the first
        first = trace = pickers.find_trace(question, patience=_SOON_S)
        if edits and trace is not None:
            first = pickers.find_trace(base, slot="before-edits", patience=_SOON_S)
        if trace is not None and (notes := trace.notes[bool(edits) :]):  # the first is about the edits
            st.caption(plain(" ".join(notes)))
        if trace is not None and first is not None and trace.flows is not first.flows:
            st.caption(_WORDS["flows"].format(before=first.flows, after=trace.flows))
    with both:
        with in_row("what-if-actions"):
            looking = {_FLIP: (question.prediction, None)}
            st.button(**widget("flip"), type="primary", on_click=st.session_state.update, args=(looking,))
            undo_buttons(question)
        with st.container(key="flipping"):
            flip = _flip(question)
        sentence, classes = _WORDS["first"], old.info.class_names(len(before or after or ()))
        if edits and before is not None and after is not None:
            sentence = what_if_sentence(old, edits, classes, before, after)
            sentence += f" {flip_sentence(old, flip)}" if flip is not None else ""
        turn, refused = st.session_state.get(_TURN, (0, ""))  # with its turn, one that is refused comes back here too
        data = {
            "before": _graph(old, old, (), first),
            "now": _graph(old, new, edits, trace),
            "probabilities": {"before": before, "now": after},
            "classes": classes,
            "edits": question.edits,
            "sentence": sentence,
            "turn": turn,
            "refused": refused,
            **_tools(old),
        }
        _view(key="edit-view", data=data, heard={"edit": lambda text: _edit(question, str(text))})
    return trace


def _probabilities(question: Question) -> tuple[float, ...] | None:
    """Of each class; ``None`` while the GNN is evaluated."""
    return jobs.run_job("Evaluating the GNN", requests.ask(question.prediction))


def _tools(old: Instance) -> dict[str, Any]:
    """What a click can do to the instance, in its words."""
    nouns, written = old.info.vocabulary, old.is_sentence
    choices = list(old.node_names) if has_names(old) else "word" if written else None
    names = {"node": nouns.node, "edge": nouns.edge}
    tools, hints = ({name: text.format(**names) for name, text in _WORDS[kind].items()} for kind in ("tools", "hints"))
    if choices is None:
        del tools["change"]
    looks = {"target": old.target, "molecule": bool(old.node_names), "written": written}
    return {"tools": tools, "hints": hints, "choices": choices, **looks}


def _graph(old: Instance, side: Instance, edits: Sequence[Edit], trace: Trace | None) -> dict[str, Any]:
    """All nodes and edges of the old instance and of one side, those of the old one first, and the side's reasons."""
    rows = {node: (old, at) for at, node in enumerate(old.nodes.tolist())}
    rows |= {node: (side, at) for at, node in enumerate(side.nodes.tolist())}
    points, changed = edited_layout(old, side), {edit.node for edit in edits if edit.label}
    numbers, nodes, edges = {node: number for number, node in enumerate(rows)}, [], []
    for node, (instance, at) in rows.items():
        mark = "gone" if instance is not side else "changed" if node in changed else ""
        nodes.append(
            {
                "id": node,
                "edit": str(node),
                "label": instance.node_label(at),
                "name": node_name(instance, at),
                "position": points[node].round(3).tolist(),
                "mark": mark,
                "own": Edit(node) in edits,
            }
        )
    now = _orders(side)
    for (low, high), order in {**_orders(old), **now}.items():
        is_new = Edit(low, high, added=True) in edits
        edges.append(
            {
                "source": numbers[low],
                "target": numbers[high],
                "edit": f"{low}-{high}",
                "order": order,
                "mark": "gone" if (low, high) not in now else "new" if is_new else "",
                "own": is_new or Edit(low, high) in edits,
            }
        )
    answer = None if trace is None else trace.answer
    reasons = () if answer is None else answer.reasons
    place = [] if trace is None else [numbers[node.id] for node in trace.nodes]
    graph = {
        "nodes": nodes,
        "edges": edges,
        "reasons": [[place[node] for node in reason.nodes] for reason in reasons],
        "rings": [[[place[node] for node in ring] for ring in rings(trace, reason.nodes)] for reason in reasons],
        "words": answer.sentence if answer else "",
    }
    if old.is_sentence:
        labels, places = [node["label"] for node in nodes], [node["position"] for node in nodes]
        graph["shapes"] = sentence_shapes(labels, places, [(edge["source"], edge["target"]) for edge in edges])
    return graph


def _orders(instance: Instance) -> dict[tuple[int, int], int]:
    """The order of each bond, 1 of any other edge, by the ids of its ends, the smaller first."""
    undirected = instance.undirected
    ends = instance.nodes[instance.edge_index[:, undirected]].T.tolist()
    orders = instance.edge_order[undirected].tolist()
    return {(min(pair), max(pair)): order for pair, order in zip(ends, orders, strict=False)}


def _edit(question: Question, text: str) -> None:
    """Make an edit, or take it back; one that is impossible changes nothing, and the page has the reason."""
    node, changes, label = text.partition("_")
    edit = Edit(int(node), label=label) if changes else read_edits(text)[0]
    turn, problem = st.session_state.get(_TURN, (0, ""))[0] + 1, ""
    try:
        edits = _with(question, [edit])
        instance_of(replace(question, edits=edits))
        EDITS.write(edits)
    except UserError as error:
        problem = str(error)
    st.session_state[_TURN] = (turn, problem)


def _with(question: Question, more: Sequence[Edit]) -> str:
    """The edits in the link and more of them; a node that is its old self again is not edited any more."""
    old = instance_of(replace(question, edits=""))
    labels = [Edit(node, label=old.node_label(at)) for at, node in enumerate(old.nodes.tolist())]
    edits = read_edits(EDITS.read())
    for edit in more:
        edits = with_edit(edits, edit)
    return spell_edits([edit for edit in edits if edit not in labels])


def _flip(question: Question) -> Counterfactual | None:
    """Have a smallest set found and put it into the link; what was found, as long as the link has what it led to."""
    prediction, flip = st.session_state.get(_FLIP, (None, None))
    if prediction != question.prediction:
        return None
    request = requests.about("gfx_core.explanation.counterfactual:flip", prediction)
    if flip is None and (change := jobs.run_job("Looking for a smallest change", request, slot="flip")):
        if change.edits:
            edits = _with(question, read_edits(".".join(change.edits)))
            st.session_state[_FLIP] = (replace(prediction, edits=edits), change)
            EDITS.write(edits)
            st.rerun()
        st.info(plain(flip_sentence(instance_of(question), change)), icon=":material/flip:")
    return flip
