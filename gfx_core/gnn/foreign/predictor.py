"""GivenPredictor: ask a model that others wrote about thousands of subgraphs of a graph that others gave."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.foreign.asking import AskedModel
from gfx_core.gnn.foreign.given import GivenGraph, joined
from gfx_core.gnn.foreign.given_instance import GivenInstance, given_of
from gfx_core.gnn.foreign.outputs import Meaning
from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs

_CHUNK = 1 << 21  # pairs of a node set and a node or edge that are looked at in one pass
_REPEATED = 10  # times as many edges as different ones: from there on it is tried to leave duplicates out
_WIDEST = 64  # features of a node that a policy reads; more are folded by a random projection


@dataclass(frozen=True)
class GivenSubgraphs(Subgraphs):
    """Induced subgraphs that know which nodes they hold."""

    nodes: Tensor  # [B, K], local ids, 0 in padded places
    instance: Tensor  # [B]

    def halves(self) -> "tuple[GivenSubgraphs, GivenSubgraphs]":
        """The first half of them, and the second."""
        middle = len(self.mask) // 2
        one, other = (
            GivenSubgraphs(
                self.x[part],
                self.adjacency[part],
                self.mask[part],
                None if self.target is None else self.target[part],
                nodes=self.nodes[part],
                instance=self.instance[part],
            )
            for part in (slice(0, middle), slice(middle, None))
        )
        return one, other


class GivenPredictor(Predictor):
    """Predictions of any model, in one pass over the disjoint union of the subgraphs.

    The model sees the edges as they were given (directed, doubled, looping) with their rows of all arguments. It does
    not tell its embeddings: what it puts out stands in for the embedding of a subgraph. What is known of a node is what
    the model puts out for it (node tasks) or its features.

    Args:
        asked: The model.
        meaning: What its numbers mean.
        instances: The graphs the subsets are taken from.
    """

    def __init__(self, asked: AskedModel, meaning: Meaning, instances: Sequence[Instance]) -> None:
        super().__init__(asked.task, instances, asked.device)
        self.asked, self.meaning = asked, meaning
        graphs = self.graphs
        self._given = asked.ready(joined([given_of(instance) for instance in instances]))
        self._given = self._without_duplicates(self._given)
        owner = graphs.owner[self._given.edge_index[0]]  # [e]
        source, target = self._given.edge_index - graphs.offset[owner]
        cells = graphs.block[owner] + source * graphs.size[owner] + target
        self._cells, count = cells.sort(stable=True).values.unique_consecutive(return_counts=True)
        self._order, self._count = cells.argsort(stable=True), count  # given edges by cell, how many in each cell
        self._begin = count.cumsum(0) - count
        self._loops = bool((source == target).any())
        self._answers = [i.answer for i in instances if isinstance(i, GivenInstance) and i.answer is not None]
        graphs.x = policy_features(graphs.x)

    def induced(self, subsets: Tensor, instance: Tensor) -> GivenSubgraphs:
        plain = super().induced(subsets, instance)
        return GivenSubgraphs(
            plain.x, plain.adjacency, plain.mask, plain.target, nodes=subsets.clamp(min=0), instance=instance
        )

    @torch.no_grad()
    def _without_duplicates(self, given: GivenGraph) -> GivenGraph:
        """Each edge once, where most are duplicates and the model says the same of all that is given without them."""
        nodes = torch.arange(given.num_nodes, device=self.device)
        edges = torch.arange(given.edge_index.shape[1], device=self.device)
        keys, number = (given.edge_index[0] * len(nodes) + given.edge_index[1]).unique(return_inverse=True)
        if len(edges) < _REPEATED * max(1, len(keys)):
            return given
        first = edges.new_zeros(len(keys)).scatter_reduce(0, number, edges, "amin", include_self=False)
        if any(not torch.equal(values, values[first[number]]) for values in given.edges.values()):
            return given
        once = first.sort().values  # as they were given
        merged = replace(given, edge_index=given.edge_index[:, once]).rows(nodes, once)
        owner, count = self.graphs.owner, len(self.graphs)
        said, without = self.asked.raw(given, owner, count), self.asked.raw(merged, owner, count)
        return merged if torch.allclose(said, without, rtol=1e-4, atol=1e-5) else given

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        assert isinstance(subgraphs, GivenSubgraphs)
        mask, graphs, instance = subgraphs.mask, self.graphs, subgraphs.instance
        number = mask.flatten().cumsum(0).view_as(mask) - 1  # [B, K], of each real node in the union
        pairs = subgraphs.adjacency  # [B, K, K]
        if self._loops:
            pairs = pairs | torch.diag_embed(mask)
        b, i, j = pairs.nonzero(as_tuple=True)
        one, other = subgraphs.nodes[b, i], subgraphs.nodes[b, j]
        at, count = self._cells_at(graphs.block[instance[b]] + one * graphs.size[instance[b]] + other)
        if len(mask) > 1 and int(count.sum()) > _CHUNK:  # many duplicates: so many edges would not fit into memory
            halves = [self.evaluate(half) for half in subgraphs.halves()]
            return Predictions(torch.cat([h.logits for h in halves]), torch.cat([h.embedding for h in halves]))
        rows, pair = self._edges_in(at, count)
        edge_index = torch.stack([number[b, i][pair], number[b, j][pair]])
        in_order = (b[pair] * len(self._order) + rows).argsort()  # as they were given
        nodes = graphs.rows(instance[:, None], subgraphs.nodes)[mask]
        explained = None
        if subgraphs.target is not None:
            explained = number.gather(1, subgraphs.target[:, None])[:, 0]
        return self._ask(nodes, (edge_index[:, in_order], rows[in_order]), mask.nonzero()[:, 0], explained, instance)

    def _cells_at(self, cells: Tensor) -> tuple[Tensor, Tensor]:
        """Where the edges between some pairs of nodes are, and how many each pair has. [P] → [P], [P]"""
        if not len(self._cells):
            return torch.zeros_like(cells), torch.zeros_like(cells)
        at = torch.searchsorted(self._cells, cells).clamp(max=len(self._cells) - 1)
        return at, torch.where(self._cells[at] == cells, self._count[at], 0)

    def _edges_in(self, at: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
        """The given edges of these pairs, and which of the pairs each belongs to. [P], [P] → [n], [n]"""
        pair = torch.arange(len(at), device=at.device).repeat_interleave(count)
        within = torch.arange(len(pair), device=at.device) - (count.cumsum(0) - count)[pair]
        return self._order[self._begin[at[pair]] + within], pair

    def _ask(
        self, nodes: Tensor, edges: tuple[Tensor, Tensor], owner: Tensor, explained: Tensor | None, instance: Tensor
    ) -> Predictions:
        """Ask about a union.

        Args:
            nodes: The given row of each of its nodes. [n]
            edges: Its edges between them, and the given row of each. [2, e], [e]
            owner: Which of the B graphs each node is in, ascending. [n]
            explained: The explained node of each (node tasks). [B]
            instance: What each is a part of. [B]
        """
        union = replace(self._given, edge_index=edges[0]).rows(nodes, edges[1]).with_graphs(instance)
        raw = self.asked.raw(union, owner, len(instance))
        if explained is not None:
            raw = raw[explained]
        if not bool(raw.isfinite().all()):
            raise UserError(
                f"{self.asked.name} puts out NaN or infinity for a part of the graph: let it take graphs of any size, "
                "down to one node without edges."
            )
        return self.meaning.predictions(raw.float(), self._whole_raw[instance])

    @cached_property
    @torch.no_grad()
    def _whole_raw(self) -> Tensor:
        """What the model puts out for each instance: on the whole graph, where that was asked. [I, C]"""
        if len(self._answers) == len(self.graphs):
            return torch.cat(self._answers).to(self.device).float()
        raw = self._everything.float()
        return raw if self.task is Task.GRAPH else raw[self.graphs.offset + self.graphs.target]

    @cached_property
    @torch.no_grad()
    def _everything(self) -> Tensor:
        """What the model puts out for all instances, at every node or for every graph. [M or I, C]"""
        return self.asked.raw(self._given, self.graphs.owner, len(self.graphs))

    @cached_property
    def whole(self) -> Predictions:
        return self.meaning.predictions(self._whole_raw, self._whole_raw)

    @cached_property
    def node_embedding(self) -> Tensor:
        if self.task is Task.GRAPH:
            return self.graphs.x
        return policy_features(self._everything.float())

    def left(self, instance: Instance, kept: NDArray[np.bool_]) -> Predictions:
        """Predictions of the first instance with some of its undirected edges. bool [B, E]

        An edge that was given in one direction, or several times, stays or goes as a whole; a self-loop stays with its
        node. Which nodes stay is said in `gfx_core.gnn.kept_edges`.
        """
        if isinstance(instance, GivenInstance) and instance.beyond is not None:
            whole = instance.beyond
            return GivenPredictor(self.asked, self.meaning, [whole]).left(whole, _beyond(instance, whole, kept))
        m, ends = instance.num_nodes, instance.edge_index[:, instance.undirected]  # ascending, the lower end first
        source, target = self._given.edge_index[:, : self._num_first].cpu().numpy()
        keys, wanted = ends[0] * m + ends[1], np.minimum(source, target) * m + np.maximum(source, target)
        number = np.searchsorted(keys, wanted)  # [e], the undirected edge of each given one
        number[source == target] = -1
        parts = [self._left_one(instance, row, (ends, number, source, target)) for row in kept]
        return Predictions(torch.cat([p.logits for p in parts]), torch.cat([p.embedding for p in parts]))

    @property
    def _num_first(self) -> int:
        """Given edges of the first instance."""
        return int((self._given.edge_index[0] < self.graphs.size[0]).sum())

    @torch.no_grad()
    def _left_one(self, instance: Instance, kept: NDArray[np.bool_], edges: tuple[np.ndarray, ...]) -> Predictions:
        ends, number, source, target = edges
        present = np.zeros(instance.num_nodes, dtype=bool)
        present[ends[:, kept]] = True
        if instance.target is not None:
            present[instance.target] = True
        elif not kept.any():
            present[:] = True
        stays = np.where(number >= 0, np.append(kept, False)[number], present[source])
        return self.held(present, np.flatnonzero(stays & present[source] & present[target]))

    @torch.no_grad()
    def held(self, present: NDArray[np.bool_], edges: NDArray[np.int64]) -> Predictions:
        """Predictions of some nodes of the first instance with some of the given edges, by their rows. [1, …]"""
        local = np.cumsum(present) - 1
        rows = torch.from_numpy(edges).to(self.device)
        number = torch.from_numpy(local).to(self.device)
        nodes = torch.from_numpy(np.flatnonzero(present)).to(self.device)
        explained = None
        if self.task is Task.NODE:
            explained = number[self.graphs.target[:1]]
        first = torch.zeros(1, dtype=torch.long, device=self.device)
        union = (number[self._given.edge_index[:, rows]], rows)
        return self._ask(nodes, union, torch.zeros_like(nodes), explained, first)

    @torch.no_grad()
    def sets(self, members: Tensor) -> Predictions:
        """Predictions of node sets of the first instance, of any size; none is empty. bool [B, m]"""
        source, target = self._given.edge_index[:, : self._num_first]
        parts = []
        for held in members.split(max(1, _CHUNK // max(1, len(source) + members.shape[1]))):
            number = held.flatten().cumsum(0).view_as(held) - 1  # [B, m]
            owner, nodes = held.nonzero(as_tuple=True)
            row, edge = (held[:, source] & held[:, target]).nonzero(as_tuple=True)
            edges = torch.stack([number[row, source[edge]], number[row, target[edge]]])
            explained = number[:, self.graphs.target[0]] if self.task is Task.NODE else None
            parts.append(
                self._ask(nodes, (edges, edge), owner, explained, torch.zeros_like(held[:, 0], dtype=torch.long))
            )
        return Predictions(torch.cat([p.logits for p in parts]), torch.cat([p.embedding for p in parts]))

    def read(self, x: Tensor, edge_index: Tensor, owner: Tensor, explained: Tensor | None, count: int) -> Predictions:
        """Not for such models: what they are given besides x and edges would be lost."""
        raise NotImplementedError("a model that others wrote is asked about parts of what it was given")


def _beyond(instance: Instance, whole: Instance, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Choices of the edges of a window as choices of all edges of the whole, whose others stay. [B, E] → [B, E']"""
    size = int(whole.nodes.max()) + 1

    def keys(of: Instance) -> NDArray[np.int64]:
        ends = of.nodes[of.edge_index[:, of.undirected]]
        return ends.min(0) * size + ends.max(0)

    every = keys(whole)
    order = np.argsort(every)
    at = order[np.searchsorted(every, keys(instance), sorter=order)]
    choices = np.ones((len(kept), len(every)), dtype=bool)
    choices[:, at] = kept
    return choices


def policy_features(x: Tensor) -> Tensor:
    """Features as a policy reads them: large numbers made small, many folded into few. [M, d] → [M, ≤ 64]"""
    x = x.asinh()
    if x.shape[1] <= _WIDEST:
        return x
    generator = torch.Generator().manual_seed(0)
    folded = torch.randn(x.shape[1], _WIDEST, generator=generator) / np.sqrt(x.shape[1])
    return x @ folded.to(x.device, x.dtype)
