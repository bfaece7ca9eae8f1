"""Edits of an instance: what if an edge or a node were gone, an edge were there, or an atom or a word were another one.

In links and on the command line edits are one text, such as ``541-542.7.3~9.5_N``:

    541-542   without the edge between the nodes 541 and 542
    7         without the node 7 and its edges
    3~9       with a new edge between 3 and 9
    5_N       with N in place of the atom, or the word, at node 5

Nodes go by their ids in the data set (in a graph task: by their numbers), so the text means the same for every GNN. The
order is that in which somebody made the edits; it does not matter to the result.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Ints
from gfx_core.config import Drawing
from gfx_core.datasets.graph import neighbourhood
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import check_valences
from gfx_core.datasets.sentences import WORD_VECTORS, check_letters, embedded, read_table, visible
from gfx_core.errors import UserError
from gfx_core.limits import MAX_EDITS

_EDIT = re.compile(r"(?a:(\d{1,9})(?:([-~])(\d{1,9})|_(.+))?)")
_CODED = re.compile(r"((?:~[0-9a-f]{2})+)")
_UNKNOWN_CLASS = -1


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
        tried: How many sets the GNN was asked about.
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


def checked_edits(text: str) -> str:
    """A text of edits as this module writes it; ``UserError`` where it makes no sense for any instance."""
    return spell_edits(read_edits(text))


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
        UserError: An edit is impossible; the sentence says why.
    """
    before = cut(hops)
    adds = any(edit.added for edit in edits)
    # every end of a new edge is at most ``hops`` away, so whatever comes into sight is at most twice as far
    wide = cut(2 * hops) if adds and before.target is not None else before
    work = _Workbench(before, wide)
    for edit in edits:
        work.apply(edit)
    return work.result(hops)


class _Workbench:
    """An instance while it is edited; rows of ``wide`` begin with those of ``before``."""

    def __init__(self, before: Instance, wide: Instance) -> None:
        self.before, self.wide = before, wide
        self.local = {int(node): at for at, node in enumerate(wide.nodes)}
        self.noun, self.link = before.info.vocabulary.node, before.info.vocabulary.edge
        self.x, self.texts = wide.x.copy(), list(wide.node_texts)
        self.gone: NDArray[np.bool_] = np.zeros(wide.num_nodes, dtype=bool)
        self.kept: NDArray[np.bool_] = np.ones(wide.edge_index.shape[1], dtype=bool)
        self.new: list[tuple[int, int]] = []
        self.touched: set[int] = set()

    def apply(self, edit: Edit) -> None:
        node = self._at(edit.node, edit.added)
        if edit.other is not None:
            (self._add if edit.added else self._remove)(node, self._at(edit.other, edit.added))
        elif edit.label:
            self._change(node, edit.label)
        elif node == self.before.target:
            raise UserError(f"Node {edit.node} is the one that is explained: it cannot be removed.")
        else:
            self.gone[node] = True

    def _at(self, node: int, joins: bool) -> int:
        """Where a node is; a new edge joins two that are seen without it."""
        if self.local.get(node, len(self.local)) >= (self.before if joins else self.wide).num_nodes:
            raise UserError(f"The GNN does not see {self.noun} {node} here: edit one that is shown.")
        return self.local[node]

    def _name(self, node: int) -> str:
        return node_name(self.wide, node)

    def _between(self, one: int, other: int) -> NDArray[np.bool_]:
        source, target = self.wide.edge_index
        return ((source == one) & (target == other)) | ((source == other) & (target == one))

    def _remove(self, one: int, other: int) -> None:
        found = self._between(one, other)
        if not found.any():
            raise UserError(f"There is no {self.link} {self._name(one)}–{self._name(other)} to remove.")
        self.kept &= ~found

    def _add(self, one: int, other: int) -> None:
        if self._between(one, other).any():
            raise UserError(f"The {self.link} {self._name(one)}–{self._name(other)} is there already.")
        self.new.append((one, other))
        self.touched |= {one, other}

    def _change(self, node: int, label: str) -> None:
        before = self.before
        if label == before.node_label(node):
            raise UserError(f"{self._name(node)} is {label} already.")
        if before.info.drawing is Drawing.SENTENCE:
            check_letters(label)
            self.texts[node] = label
            self.x[node] = embedded([label], read_table(WORD_VECTORS))[0]
        elif label not in before.node_names or not has_names(before):
            known = f"choose one of {', '.join(before.node_names)}" if has_names(before) else "its nodes have no names"
            raise UserError(f"{self._name(node)} cannot be changed to {label}: {known}.")
        else:
            self.x[node] = np.eye(len(before.node_names), dtype=np.float32)[before.node_names.index(label)]
            self.touched.add(node)

    def result(self, hops: int) -> Instance:
        wide, target = self.wide, self.before.target
        for one, other in self.new:
            if self.gone[one] or self.gone[other]:
                raise UserError(f"A new {self.link} needs both of its ends: one of them is removed.")
        kept = self.kept & ~self.gone[wide.edge_index].any(axis=0)
        both = np.array([pair for one, other in self.new for pair in ((one, other), (other, one))], dtype=np.int64)
        edge_index = np.concatenate([wide.edge_index[:, kept], both.reshape(-1, 2).T], axis=1)
        order = np.lexsort(edge_index[::-1])
        edge_index = edge_index[:, order]

        def of_edges(values: Ints, new: int) -> Ints:
            return np.append(values[kept], np.full(2 * len(self.new), new))[order]

        if not (self.kept.all() and not self.gone.any()):
            alone = np.bincount(edge_index[0], minlength=wide.num_nodes) == 0
            if target is not None:
                alone[target] = False
            self.gone |= alone
        if self.gone.all():
            raise UserError(f"This removes all of the {self.before.info.vocabulary.instance}: restore a {self.link}.")
        distance = wide.hops if target is None else _distances(edge_index, wide.num_nodes, target, hops)
        after = replace(
            wide,
            x=self.x,
            edge_index=edge_index,
            y=_UNKNOWN_CLASS,
            edge_motif=of_edges(wide.edge_motif, -1),
            edge_order=None if wide.edge_order is None else of_edges(wide.edge_order, 1),
            hops=distance,
            reach=self.before.reach,
            node_texts=tuple(self.texts),
        )
        check_valences(after, sorted(node for node in self.touched if not self.gone[node]))
        seen = np.arange(wide.num_nodes) < self.before.num_nodes
        return after.part(~self.gone & (seen | (distance <= hops)))


def _distances(edge_index: Ints, num_nodes: int, start: int, most: int) -> Ints:
    """Hops of each node from a start node; ``most + 1`` stands for whatever is farther away, or not connected. [m]"""
    indptr = np.searchsorted(edge_index[0], np.arange(num_nodes + 1))
    nodes, distance, _ = neighbourhood(indptr, edge_index[1], start, most)
    found = np.full(num_nodes, most + 1, dtype=np.int64)
    found[nodes] = distance
    return found


def has_names(instance: Instance) -> bool:
    """Whether a node is one of the named ones, as an atom is one of the elements, and nothing more."""
    x = instance.x
    return bool(instance.node_names and ((x == 0) | (x == 1)).all() and (x.sum(axis=1) == 1).all())


def node_name(instance: Instance, node: int) -> str:
    """What sentences about edits call a node: an atom with its number, a word in quotes, a name or an id."""
    if instance.info.drawing is Drawing.SENTENCE:
        return f"“{instance.node_label(node)}”"
    return f"{instance.node_label(node)}{instance.nodes[node]}" if instance.node_names else instance.node_name(node)
