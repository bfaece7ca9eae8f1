"""Edits of an instance: what if an edge or a node were gone, an edge were there, or an atom or a word were another one.

In links and on the command line edits are one text, such as ``541-542.7.3~9.5_N``:

    541-542   without the edge between the nodes 541 and 542
    7         without the node 7 and its edges
    3~9       with a new edge between 3 and 9
    5_N       with N in place of the atom, or the word, at node 5

Nodes go by their ids in the data set (in a graph task: by their numbers), so the text means the same for every GNN. The
order is that in which the edits were made; it does not matter to the result.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from gfx_core.arrays import Floats, edge_array
from gfx_core.datasets.instance import UNKNOWN_CLASS, Instance
from gfx_core.datasets.molecules import check_valences
from gfx_core.datasets.sentences import WORD_VECTORS, check_letters, embedded, read_table, visible
from gfx_core.errors import UserError
from gfx_core.limits import MAX_EDITS

_EDIT = re.compile(r"(?a:(\d{1,9})(?:([-~])(\d{1,9})|_(.+))?)")
_CODED = re.compile(r"((?:~[0-9a-f]{2})+)")
_NEW = -1  # in place of an edge's position


@dataclass(frozen=True)
class Edit:
    """One change.

    Attributes:
        node: The node that is removed or changed, or the smaller end of an edge, by its id.
        other: The other end of an edge; ``None`` where a node is meant.
        added: Whether the edge is added; else it is removed.
        label: The atom or word that takes the node's place; empty where the node is removed.
    """

    node: int
    other: int | None = None
    added: bool = False
    label: str = ""

    @classmethod
    def edge(cls, one: int, other: int, *, added: bool = False) -> "Edit":
        """An edge that is removed, or added; its ends in any order."""
        return cls(min(one, other), max(one, other), added)

    @property
    def text(self) -> str:
        """As it stands in a link: a letter that has a meaning there, or would be escaped, is written in hexadecimal."""
        if self.other is not None:
            return f"{self.node}{'~' if self.added else '-'}{self.other}"
        coded = re.sub(r"[^\w']", lambda found: "".join(f"~{byte:02x}" for byte in found[0].encode()), self.label)
        return f"{self.node}_{coded}" if self.label else str(self.node)


@dataclass(frozen=True)
class Counterfactual:
    """Edits that change a prediction, see `gfx_core.explanation.counterfactual`.

    Attributes:
        edits: One after the other, as links spell them; none if nothing was found.
        probabilities: Of each class, before the first edit and after each of them.
        smallest: Whether no smaller set changes the prediction: all of them were tried. Where nothing was found, that
            nothing can be.
        tried: How many sets the GNN predicted for.
    """

    edits: tuple[str, ...]
    probabilities: tuple[tuple[float, ...], ...]
    smallest: bool
    tried: int


def read_edits(text: str) -> tuple[Edit, ...]:
    """The edits that a text means, each once; ``UserError`` where it means none.

    >>> [edit.text for edit in read_edits("542-541.7.5_n't")]
    ['541-542', '7', "5_n't"]
    """
    if not isinstance(text, str):
        raise UserError(f"The edits must be a text such as 541-542 (got a {type(text).__name__}).")
    parts = text.split(".") if text else []
    if len(parts) > MAX_EDITS:
        raise UserError(f"At most {MAX_EDITS} edits can be made at once (got {len(parts)}): undo some.")
    return tuple(dict.fromkeys(map(_read_edit, parts)))


def _read_edit(text: str) -> Edit:
    found = _EDIT.fullmatch(text)
    if found is None:
        raise UserError(
            f"“{text[:60]}” is not an edit. 541-542 removes an edge, 541~542 adds one, 541 removes a node, 5_N changes "
            "an atom or a word. Dots separate edits."
        )
    node, sign, other, label = found.groups()
    if other is not None:
        if int(node) == int(other):
            raise UserError(f"An edge has two different ends (got {node} twice).")
        return Edit.edge(int(node), int(other), added=sign == "~")
    if label is None:
        return Edit(int(node))
    plain = visible(_CODED.sub(lambda part: bytes.fromhex(part[0].replace("~", "")).decode("utf-8", "replace"), label))
    if not plain:
        raise UserError(f"Node {node} can be changed only to an atom or a word that can be read.")
    return Edit(int(node), label=plain)


def spell_edits(edits: Sequence[Edit]) -> str:
    """The other way round."""
    return ".".join(edit.text for edit in edits)


def with_edit(edits: Sequence[Edit], edit: Edit) -> tuple[Edit, ...]:
    """Edits and one more; the one that is there already, or its contrary, is taken back instead."""
    contrary = replace(edit, added=not edit.added)
    if edit in edits or (edit.other is not None and contrary in edits):
        return tuple(each for each in edits if each not in (edit, contrary))
    if edit.label:
        edits = [each for each in edits if each.node != edit.node or not each.label]
    return (*edits, edit)


def edited(cut: Callable[[int], Instance], hops: int, edits: Sequence[Edit]) -> Instance:
    """An instance after edits.

    A node that is left without an edge leaves the graph, as it does wherever edges are deleted
    (`Predictor.with_edges`); the explained node stays. Nodes that the GNN sees only over a new edge join it, after
    all others. The true class is not known any more.

    Args:
        cut: Cuts the instance out, with what a GNN of so many layers sees of it.
        hops: How far the GNN sees.
        edits: What is changed.

    Raises:
        UserError: An edit is impossible; the sentence names why.
    """
    before = cut(hops)
    # every end of a new edge is at most ``hops`` away, so whatever comes into sight is at most twice as far
    wide = cut(2 * hops) if before.target is not None and any(edit.added for edit in edits) else before
    words, count, target = before.info.vocabulary, wide.num_nodes, before.target  # rows of ``wide`` begin with its own
    local = {int(node): position for position, node in enumerate(wide.nodes)}
    edges = {pair: position for position, pair in enumerate(map(tuple, wide.edge_index.T.tolist()))}
    x, texts = wide.x.copy(), list(wide.node_texts)
    removed: set[int] = set()
    touched: set[int] = set()
    for edit in edits:
        nodes = [edit.node] if edit.other is None else [edit.node, edit.other]
        for node in nodes:
            if local.get(node, count) >= (before if edit.added else wide).num_nodes:
                raise UserError(f"The GNN does not see {words.node} {node} here: edit one that is shown.")
        ends = tuple(local[node] for node in nodes)
        end, name = ends[0], "–".join(node_name(wide, end) for end in ends)
        if edit.other is not None:
            if (ends in edges) == edit.added:
                there = f"The {words.edge} {name} is there already."
                raise UserError(there if edit.added else f"There is no {words.edge} {name} to remove.")
            for pair in permutations(ends):
                if edit.added:
                    edges[pair] = _NEW
                    touched.add(pair[0])
                else:
                    del edges[pair]
        elif edit.label:
            if edit.label == wide.node_label(end):
                raise UserError(f"{name} is {edit.label} already.")
            if before.is_sentence:
                check_letters(edit.label)
                texts[end], x[end] = edit.label, embedded([edit.label], read_table(WORD_VECTORS))[0]
            else:
                x[end] = _element(before, edit.label, name)
                touched.add(end)
        elif end == target:
            raise UserError(f"Node {edit.node} is the one that is explained: it cannot be removed.")
        else:
            removed.add(end)
    if any(position == _NEW and not removed.isdisjoint(pair) for pair, position in edges.items()):
        raise UserError(f"A new {words.edge} needs both of its ends: one of them is removed.")
    pairs = sorted(pair for pair in edges if removed.isdisjoint(pair))
    positions = np.array([edges[pair] for pair in pairs], dtype=int)
    touched -= removed
    if np.count_nonzero(positions != _NEW) < wide.edge_index.shape[1] or removed:
        removed = set(range(count)).difference((target,), *pairs)
    if len(removed) == count:
        raise UserError(f"This removes all of the {words.instance}: restore a {words.edge}.")
    edge_index = edge_array(pairs)
    distance = wide.hops
    if target is not None:
        import networkx as nx  # only here: every page loads this file

        near = nx.single_source_shortest_path_length(nx.Graph([(target, target), *pairs]), target, cutoff=hops)
        distance = np.array([near.get(node, hops + 1) for node in range(count)])  # farther away, or not connected
    after = replace(
        wide,
        x=x,
        edge_index=edge_index,
        y=UNKNOWN_CLASS,
        edge_motif=np.append(wide.edge_motif, -1)[positions],
        edge_order=np.append(wide.edge_order, 1)[positions],
        hops=distance,
        reach=before.reach,
        node_texts=tuple(texts),
    )
    check_valences(after, sorted(touched))
    seen = (np.arange(count) < before.num_nodes) | (distance <= hops)
    seen[list(removed)] = False
    return after.part(seen)


def _element(instance: Instance, label: str, name: str) -> Floats:
    """The features of a node with another label."""
    names = instance.node_names if has_names(instance) else ()
    if label not in names:
        choices = f"choose one of {', '.join(names)}" if names else "its nodes have no names"
        raise UserError(f"{name} cannot be changed to {label}: {choices}.")
    return np.eye(len(names), dtype=np.float32)[names.index(label)]


def has_names(instance: Instance) -> bool:
    """Whether a node is one of the named ones, as an atom is one of the elements, and nothing more."""
    x = instance.x
    return bool(instance.node_names and np.isin(x, (0, 1)).all() and (x.sum(axis=1) == 1).all())


def node_name(instance: Instance, node: int) -> str:
    """What sentences about edits call a node: an atom with its number, a word in quotes, a name or an id."""
    if instance.is_sentence:
        return f"“{instance.node_label(node)}”"
    return f"{instance.node_label(node)}{instance.nodes[node]}" if instance.node_names else instance.node_name(node)
