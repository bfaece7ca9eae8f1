"""What if: an instance before and after edits, side by side, with both predictions; a click edits it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gfx_core.config import Drawing
from gfx_core.datasets.edits import Counterfactual, Edit, has_names, node_name, read_edits, spell_edits
from gfx_core.datasets.instance import Instance
from gfx_core.layout import kept_places
from pages.ui.components.component_files import component, read
from pages.ui.components.graph_view import graph_style

_view = component("edit_view", '<div class="kit player edit-view"></div>', graph_style() + read("edit_view.css"))


@dataclass(frozen=True)
class Side:
    """What is known of the instance before the edits, or after them.

    Attributes:
        instance: The instance.
        probabilities: Of each class; ``None`` while the GNN is being asked.
        reasons: The nodes of each reason of the answer, by id; empty while it is not known.
        words: The answer in a sentence.
    """

    instance: Instance
    probabilities: tuple[float, ...] | None = None
    reasons: tuple[tuple[int, ...], ...] = ()
    words: str = ""


def edit_view(
    before: Side,
    now: Side,
    edits: Sequence[Edit],
    *,
    key: str,
    sentence: str,
    on_edit: Callable[[Edit], None],
    flip: Counterfactual | None = None,
    refused: tuple[int, str] = (0, ""),
) -> None:
    """Show both sides.

    Args:
        before: Without edits.
        now: After them.
        edits: All that were made.
        key: Widget key.
        sentence: What there is to say of both.
        on_edit: Called with the edit that somebody clicked.
        flip: What was found to change the prediction, which is then played.
        refused: How many edits were asked for, and why the last one was impossible, if it was.
    """
    old = before.instance
    words, written = old.info.vocabulary, old.info.drawing is Drawing.SENTENCE
    choices = list(old.node_names) if has_names(old) else "word" if written else None
    shown = _graph(old, now, edits)
    place = {node["id"]: at for at, node in enumerate(shown["nodes"])}

    def heard(text: Any) -> None:
        node, changes, label = str(text).partition("_")
        on_edit(Edit(int(node), label=label) if changes else read_edits(str(text))[0])

    data = {
        "before": _graph(old, before, ()),
        "now": shown,
        "probabilities": {"before": before.probabilities, "now": now.probabilities},
        "classes": old.info.class_names(len(before.probabilities or now.probabilities or ())),
        "target": old.target,
        "molecule": bool(old.node_names),
        "written": written,
        "labels": [old.node_label(node) for node in range(old.num_nodes)],
        "removed": [place[edit.node] for edit in edits if edit.other is None and not edit.label],
        "choices": choices,
        "edits": spell_edits(edits),
        "sentence": sentence,
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
        "turn": refused[0],  # so that one that is refused comes back here too
        "refused": refused[1],
    }
    _view(key=key, data=data, heard={"edit": heard})


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _graph(old: Instance, side: Side, edits: Sequence[Edit]) -> dict[str, Any]:
    """All nodes and edges of the old instance and of one side, those of the old one first, and the side's reasons."""
    nodes = _nodes(old, side.instance, edits)
    place = {node["id"]: at for at, node in enumerate(nodes)}
    own = {(edit.node, edit.other): edit.added for edit in edits if edit.other is not None}
    now = _orders(side.instance)
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
    reasons = [[place[node] for node in reason] for reason in side.reasons]
    return {"nodes": nodes, "edges": edges, "reasons": reasons, "words": side.words}


def _nodes(old: Instance, new: Instance, edits: Sequence[Edit]) -> list[dict[str, Any]]:
    changed = {edit.node for edit in edits if edit.label}
    removed = {edit.node for edit in edits if edit.other is None} - changed
    was, now = ({int(node): at for at, node in enumerate(each.nodes)} for each in (old, new))
    places, found = kept_places(old, new), []
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
