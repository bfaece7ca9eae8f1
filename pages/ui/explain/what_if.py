"""What if: edit the instance that is explained; what the GNN predicts then, and why, stands beside what it was.

The edits are a part of the question (`gfx_core.datasets.edits`), so all that a question can be asked is asked of the
edited instance in the same way.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import streamlit as st

from gfx_core.config import Drawing, FlowSource
from gfx_core.datasets.edits import Counterfactual, Edit, has_names, node_name, read_edits, spell_edits, with_edit
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gnn.checkpoint import model_path
from gfx_core.jobs.requests import AskGnn, Flip
from gfx_core.layout.instances import edited_layout
from gfx_core.teaching.glossary import term
from gfx_core.text.instance_words import edit_words, flip_sentence, what_if_sentence
from gfx_core.trace.schema import Trace
from pages.ui import jobs
from pages.ui.components.mount import component, graph_style
from pages.ui.explorer import loaders, traces
from pages.ui.explorer.parameters import EDITS
from pages.ui.text import plain

_view = component("components/edit_view", '<div class="kit player edit-view"></div>', graph_style("edit_view"))


Shares = tuple[float, ...] | None
"""The probability of each class; ``None`` while the GNN is being asked."""


def _data(
    instances: tuple[Instance, Instance],
    shares: tuple[Shares, Shares],
    answers: tuple[Trace | None, Trace | None],
    edits: Sequence[Edit],
    flip: Counterfactual | None,
) -> dict[str, Any]:
    """What the browser is given of the instance before the edits and after them, and of a flip, which is then played.

    Args:
        instances: Both.
        shares: What the GNN predicts from each.
        answers: Why, as far as that is known.
        edits: All that were made.
        flip: What was found to change the prediction.
    """
    old, new = instances
    words, written = old.info.vocabulary, old.info.drawing is Drawing.SENTENCE
    choices = list(old.node_names) if has_names(old) else "word" if written else None
    shown = _graph(old, new, edits, answers[1])
    place = {node["id"]: at for at, node in enumerate(shown["nodes"])}
    return {
        "before": _graph(old, old, (), answers[0]),
        "now": shown,
        "probabilities": {"before": shares[0], "now": shares[1]},
        "classes": old.info.class_names(len(shares[0] or shares[1] or ())),
        "target": old.target,
        "molecule": bool(old.node_names),
        "written": written,
        "labels": [old.node_label(node) for node in range(old.num_nodes)],
        "removed": [place[edit.node] for edit in edits if edit.other is None and not edit.label],
        "choices": choices,
        "edits": spell_edits(edits),
        "tools": {
            "remove": "Remove",
            "add": f"Add {_a(words.edge)}",
            **({"change": f"Change {_a(words.node)}"} if choices else {}),
        },
        "hints": {
            "remove": f"Click {_a(words.node)} or {_a(words.edge)} to remove it; click again to restore it.",
            "add": f"Click two {words.node}s to join them.",
            "change": f"Click the {words.node} that is to become another one.",
        },
        "alone": f"This {words.node} has no {words.edge} left: restore one of them.",
        "play": None if flip is None else _play(flip, shown["edges"], place),
    }


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _graph(old: Instance, side: Instance, edits: Sequence[Edit], trace: Trace | None) -> dict[str, Any]:
    """All nodes and edges of the old instance and of one side, those of the old one first, and the side's reasons."""
    nodes = _nodes(old, side, edits)
    place = {node["id"]: at for at, node in enumerate(nodes)}
    own = {(edit.node, edit.other): edit.added for edit in edits if edit.other is not None}
    now = _orders(side)
    edges = [
        {
            "source": place[one],
            "target": place[other],
            "order": order,
            "name": f"{nodes[place[one]]['name']}–{nodes[place[other]]['name']}",
            "mark": "gone" if (one, other) not in now else "new" if own.get((one, other)) else "",
            "own": (one, other) in own,
        }
        for (one, other), order in {**_orders(old), **now}.items()
    ]
    explanation = {"reasons": [], "words": ""}
    if trace is not None and trace.answer is not None:
        reasons = [[place[trace.nodes[node].id] for node in reason.nodes] for reason in trace.answer.reasons]
        explanation = {"reasons": reasons, "words": trace.answer.sentence}
    return {"nodes": nodes, "edges": edges, **explanation}


def _nodes(old: Instance, new: Instance, edits: Sequence[Edit]) -> list[dict[str, Any]]:
    changed = {edit.node for edit in edits if edit.label}
    removed = {edit.node for edit in edits if edit.other is None} - changed
    was, now = ({int(node): at for at, node in enumerate(each.nodes)} for each in (old, new))
    places, found = edited_layout(old, new), []
    for node in {**was, **now}:
        there = node in now
        instance, at = (new, now[node]) if there else (old, was[node])
        label, (x, y) = instance.node_label(at), places[node]
        found.append(
            {
                "id": node,
                "label": label,
                "element": label if old.node_names else None,
                "name": node_name(instance, at),
                "position": [round(float(x), 3), round(float(y), 3)],
                "mark": "gone" if not there else "changed" if node in changed else "",
                "own": node in removed,
            }
        )
    return found


def _orders(instance: Instance) -> dict[tuple[int, int], int]:
    """The order of each bond, 1 of any other edge, by the ids of its ends."""
    chosen = instance.undirected
    ends = instance.nodes[instance.edge_index[:, chosen]].T.tolist()
    orders = [1] * len(chosen) if instance.edge_order is None else instance.edge_order[chosen].tolist()
    return {(min(pair), max(pair)): order for pair, order in zip(ends, orders, strict=True)}


def _play(found: Counterfactual, edges: Sequence[dict[str, Any]], place: dict[int, int]) -> dict[str, Any] | None:
    """Which nodes and edges are edited one after the other; a token tells one flip from another.

    Where it took a new edge away again, nothing is left of that to play.
    """
    at = {frozenset((edge["source"], edge["target"])): index for index, edge in enumerate(edges)}
    steps: list[dict[str, Any]] = []
    for edit in read_edits(".".join(found.edits)):
        ends = frozenset(place.get(node) for node in (edit.node, edit.other) if node is not None)
        index = place.get(edit.node) if edit.other is None else at.get(ends)
        if index is None:
            return None
        steps.append({"kind": "node" if edit.other is None else "edge", "index": index})
    return {"edits": steps, "probabilities": found.probabilities, "token": ".".join(found.edits)}


# Session state:
_SOON_S = 0.1  # so long both predictions wait for the answer to come with them
_TURN = "edit-turn"  # how many edits were made, and why the last one was impossible
_UNDO = "edits-before"  # the prediction after the last change, and the edits before each change
_FLIP = "flip-requested"  # the prediction that is to be flipped
_PLAYED = "flip-played"  # the prediction that a flip led to, and what it found


def instance_of(question: Question) -> Instance:
    """What the GNN sees of the instance, after the edits of the question."""
    return question.instance(loaders.hops(question.dataset, question.gnn))


def can_be_made(question: Question) -> bool:
    """Whether the edits of a link can be made; else the page says why not, and offers to drop them."""
    problem = EDITS.problem
    try:
        if question.edits:
            instance_of(question)
    except UserError as error:
        problem = str(error)
    if problem is None:
        return True
    st.error(plain(problem), icon=":material/edit_off:")
    st.button("Drop the edits", key="drop-edits", icon=":material/undo:", on_click=EDITS.write, args=(None,))
    return False


def way_back(question: Question) -> None:
    """Undo the last edit, or all of them."""
    back, none = not _history(question), not question.edits
    st.button("Undo", key="undo", icon=":material/undo:", disabled=back, on_click=_undo, args=(question,))
    start = {"icon": ":material/restart_alt:", "disabled": none, "on_click": _write, "args": (question, "")}
    st.button("Undo all", key="undo-all", **start)


def show(question: Question) -> Trace | None:
    """Both sides; returns the explanation of the edited instance, ``None`` while it is computed."""
    base, edits = replace(question, edits=""), read_edits(question.edits)
    before, now = instance_of(base), instance_of(question)
    with st.container(key="asking"):
        new = _probabilities(question)
        old = _probabilities(base) if edits and new is not None else new
    both, flip = st.container(key="what-if"), _found(question)
    with st.container(key="answering"):  # drawn before both sides: of two at once a browser may keep the first
        known = trace = traces.find_trace(question, patience=_SOON_S)
        if edits and trace is not None:
            known = traces.find_trace(base, slot="before-edits", patience=_SOON_S)
        if trace is not None and trace.notes[bool(edits) :]:
            st.caption(plain(" ".join(trace.notes[bool(edits) :])))  # the first says what was edited
        if known is not None and trace is not None and known.flows is not trace.flows:
            one, other = ("exact" if each.flows is FlowSource.EXACT else "learned" for each in (known, trace))
            st.caption(f"The answer before the edits comes from {one} flows, the one after them from {other} flows.")
    with both:
        _actions(question)
        turn, refused = st.session_state.get(_TURN, (0, ""))  # with its turn, one that is refused comes back here too
        texts = {"sentence": _sentence(before, edits, old, new, flip), "turn": turn, "refused": refused}
        data = _data((before, now), (old, new), (known, trace), edits, flip)
        _view(key="edit-view", data=data | texts, heard={"edit": lambda text: _edit(question, str(text))})
    return trace


def _probabilities(question: Question) -> Shares:
    checkpoint = str(model_path(question.dataset, question.gnn))
    return jobs.run_job("Asking the GNN", AskGnn(checkpoint, question.prediction))


def _sentence(before: Instance, edits: tuple[Edit, ...], old: Shares, new: Shares, flip: Counterfactual | None) -> str:
    if not edits:
        what = "graph" if before.target is not None else before.info.vocabulary.instance
        return f"Edit the {what} on the right, and see at once what the GNN predicts then."
    if old is None or new is None:
        return f"Asking the GNN: {edit_words(before, edits)} …"
    sentence = what_if_sentence(before, edits, before.info.class_names(len(old)), old, new)
    return sentence if flip is None else f"{sentence} {flip_sentence(before, flip)}"


# What can be done


def _actions(question: Question) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="what-if-actions"):
        st.button(
            "Flip it",
            key="flip",
            icon=":material/flip:",
            type="primary",
            help="Find a smallest set of removed edges that changes the prediction, or one changed atom of a molecule. "
            + term("counterfactual", "Glossary"),
            on_click=lambda: st.session_state.update({_FLIP: question.prediction}),
        )
        way_back(question)
    with st.container(key="flipping"):
        if st.session_state.get(_FLIP) == question.prediction:
            _flip(question)


def _edit(question: Question, text: str) -> None:
    """Make an edit, or take it back; one that is impossible changes nothing, and the page says why."""
    node, changes, label = text.partition("_")
    edit = Edit(int(node), label=label) if changes else read_edits(text)[0]
    question = _latest(question)
    turn, problem = st.session_state.get(_TURN, (0, ""))[0] + 1, ""
    try:
        wanted = replace(question, edits=_with(question, [edit]))
        instance_of(wanted)
        _write(question, wanted.edits)
    except UserError as error:
        problem = str(error)
    st.session_state[_TURN] = (turn, problem)


def _latest(question: Question) -> Question:
    """The question with the edits that were made by now: several clicks may come before the page is drawn again."""
    return replace(question, edits=EDITS.read())


def _with(question: Question, more: Sequence[Edit]) -> str:
    """The edits of a question and more of them; what is its old self again is not edited any more."""
    before = instance_of(replace(question, edits=""))
    own = [Edit(int(node), label=before.node_label(at)) for at, node in enumerate(before.nodes)]
    return spell_edits([edit for edit in reduce(with_edit, more, read_edits(question.edits)) if edit not in own])


def _write(question: Question, edits: str) -> None:
    st.session_state[_UNDO] = (replace(question.prediction, edits=edits), [*_history(question), question.edits])
    st.session_state.pop(_FLIP, None)
    EDITS.write(edits)


def _history(question: Question) -> list[str]:
    """The edits that there were before; of a link that was opened, its own less the last one."""
    latest, history = st.session_state.get(_UNDO, (None, []))
    if latest == question.prediction:
        return list(history)
    return [spell_edits(read_edits(question.edits)[:-1])] if question.edits else []


def _undo(question: Question) -> None:
    question = _latest(question)
    if past := _history(question):
        _write(question, past[-1])
        st.session_state[_UNDO] = (replace(question.prediction, edits=past[-1]), past[:-1])


def _flip(question: Question) -> None:
    """Have a smallest set found, and put it into the link."""
    found = jobs.run_job("Looking for a smallest change", Flip(question.prediction), slot="flip")
    if found is None:
        return
    if not found.edits:
        st.info(plain(flip_sentence(instance_of(question), found)), icon=":material/flip:")
        return
    edits = _with(question, read_edits(".".join(found.edits)))
    st.session_state[_PLAYED] = (replace(question.prediction, edits=edits), found)
    _write(question, edits)
    st.rerun()


def _found(question: Question) -> Counterfactual | None:
    """What a flip found, as long as the link has what it led to."""
    after, found = st.session_state.get(_PLAYED, (None, None))
    return found if after == question.prediction else None
