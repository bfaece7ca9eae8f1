"""Predictions of any model, ours or somebody else's, on instances, their subgraphs and choices of their edges.

Where a GNN sees thousands of nodes, hardly any can be in a subgraph of ten. What is looked at is then a window: a
connected part of the instance, grown from the explained node (in a graph task from the node that matters most) by the
node with the largest gradient. The prediction stays that of the whole, and what the GNN says without the answer is
asked there too.
"""

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictions, Predictor, SubgraphPredictor, Subgraphs
from gfx_core.user_models.adapter import ModelAdapter, ModelOutput, read_output
from gfx_core.user_models.inputs import ModelInputs, disjoint_union, features_of


@dataclass(frozen=True, eq=False)
class ModelInstance(Instance):
    """An instance of somebody else's graph. Its own edges say what hangs together; the model sees the given ones.

    Attributes:
        inputs: What the model is asked about, under the instance's local ids.
        answer: What the model says on the whole graph, as it came out of it. [1, C]
        adapter: The model that it was cut out for.
        output: What that model's numbers mean.
        labels: What to write on each node, where its owner says so.
        notes: What is to be read before an explanation of it is believed.
        beyond: The larger instance that this one is a window on.
    """

    inputs: ModelInputs | None = None
    answer: Tensor | None = None
    adapter: ModelAdapter | None = None
    output: ModelOutput | None = None
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    beyond: "ModelInstance | None" = None

    def node_label(self, node: int) -> str:
        return self.labels[node] if self.labels else super().node_label(node)


def inputs_of(instance: Instance) -> ModelInputs:
    """What a model sees of an instance: what its owner gave, or the plain graph of one of ours."""
    if isinstance(instance, ModelInstance) and instance.inputs is not None:
        return instance.inputs
    return ModelInputs(torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index))


_CHUNK = 1 << 21  # pairs of a node set and a node or edge that are looked at in one pass
_UNION_EDGES = 1 << 18  # nodes and edges of one pass where most of them stay
_REPEATED = 10  # times as many edges as different ones: from there on it is tried to leave duplicates out
_WIDEST = 64  # features of a node that a policy reads; more are folded by a random projection


@dataclass(frozen=True)
class ModelSubgraphs(Subgraphs):
    """Induced subgraphs that know which nodes they hold."""

    nodes: Tensor  # [B, K], local ids, 0 in padded places
    instance: Tensor  # [B]

    def halves(self) -> "tuple[ModelSubgraphs, ModelSubgraphs]":
        """The first half of them, and the second."""
        middle = len(self.mask) // 2
        one, other = (
            ModelSubgraphs(
                self.x[part],
                self.adjacency[part],
                self.mask[part],
                None if self.target is None else self.target[part],
                self.rows[part],
                nodes=self.nodes[part],
                instance=self.instance[part],
            )
            for part in (slice(0, middle), slice(middle, None))
        )
        return one, other


class ModelPredictor(Predictor):
    """Predictions of any model, in one pass over the disjoint union of the subgraphs.

    The model sees the edges as they were given (directed, doubled, looping) with their rows of all arguments. It does
    not tell its embeddings: what it puts out stands in for the embedding of a subgraph. What is known of a node is what
    the model puts out for it (node tasks) or its features.

    Args:
        adapter: The model.
        output: What its numbers mean.
        instances: The graphs the subsets are taken from.
    """

    def __init__(self, adapter: ModelAdapter, output: ModelOutput, instances: Sequence[Instance]) -> None:
        super().__init__(adapter.task, instances, adapter.device)
        self.adapter, self.output = adapter, output
        graphs = self.graphs
        self._inputs = adapter.ready(disjoint_union([inputs_of(instance) for instance in instances]))
        self._inputs = self._without_duplicates(self._inputs)
        owner = graphs.owner[self._inputs.edge_index[0]]  # [e]
        source, target = self._inputs.edge_index - graphs.offset[owner]
        cells = graphs.block[owner] + source * graphs.size[owner] + target
        self._cells, count = cells.sort(stable=True).values.unique_consecutive(return_counts=True)
        self._order, self._count = cells.argsort(stable=True), count  # given edges by cell, how many in each cell
        self._begin = count.cumsum(0) - count
        self._loops = bool((source == target).any())
        self._answers = [i.answer for i in instances if isinstance(i, ModelInstance) and i.answer is not None]
        graphs.x = policy_features(graphs.x)

    def on(self, instance: Instance) -> "ModelPredictor":
        """The same on a part of the instance."""
        return ModelPredictor(self.adapter, self.output, [instance])

    def induced(self, subsets: Tensor, instance: Tensor) -> ModelSubgraphs:
        plain = super().induced(subsets, instance)
        return ModelSubgraphs(
            plain.x, plain.adjacency, plain.mask, plain.target, plain.rows, subsets.clamp(min=0), instance
        )

    @torch.no_grad()
    def _without_duplicates(self, inputs: ModelInputs) -> ModelInputs:
        """Each edge once, where most are duplicates and the model says the same of all that is given without them."""
        nodes = torch.arange(inputs.num_nodes, device=self.device)
        edges = torch.arange(inputs.edge_index.shape[1], device=self.device)
        keys, number = (inputs.edge_index[0] * len(nodes) + inputs.edge_index[1]).unique(return_inverse=True)
        if len(edges) < _REPEATED * max(1, len(keys)):
            return inputs
        first = edges.new_zeros(len(keys)).scatter_reduce(0, number, edges, "amin", include_self=False)
        if any(not torch.equal(values, values[first[number]]) for values in inputs.edges.values()):
            return inputs
        once = first.sort().values  # as they were given
        merged = replace(inputs, edge_index=inputs.edge_index[:, once]).rows(nodes, once)
        owner, count = self.graphs.owner, len(self.graphs)
        raw, merged_raw = self.adapter.raw(inputs, owner, count), self.adapter.raw(merged, owner, count)
        return merged if torch.allclose(raw, merged_raw, rtol=1e-4, atol=1e-5) else inputs

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        assert isinstance(subgraphs, ModelSubgraphs)
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
            return Predictions.join(halves)
        rows, pair = self._edges_in(at, count)
        edge_index = torch.stack([number[b, i][pair], number[b, j][pair]])
        in_order = (b[pair] * len(self._order) + rows).argsort()  # as they were given
        nodes = graphs.rows(instance[:, None], subgraphs.nodes)[mask]
        explained = None
        if subgraphs.target is not None:
            explained = number.gather(1, subgraphs.target[:, None])[:, 0]
        return self._predict(
            nodes, (edge_index[:, in_order], rows[in_order]), mask.nonzero()[:, 0], explained, instance
        )

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

    def _predict(
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
        union = replace(self._inputs, edge_index=edges[0]).rows(nodes, edges[1]).with_graphs(instance)
        raw = self.adapter.raw(union, owner, len(instance))
        if explained is not None:
            raw = raw[explained]
        if not bool(raw.isfinite().all()):
            raise UserError(
                f"{self.adapter.name} puts out NaN or infinity for a part of the graph: let it take graphs of any "
                "size, down to one node without edges."
            )
        return self.output.predictions(raw.float(), self._whole_raw[instance])

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
        return self.adapter.raw(self._inputs, self.graphs.owner, len(self.graphs))

    @cached_property
    def whole(self) -> Predictions:
        return self.output.predictions(self._whole_raw, self._whole_raw)

    @cached_property
    def node_embedding(self) -> Tensor:
        if self.task is Task.GRAPH:
            return self.graphs.x
        return policy_features(self._everything.float())

    @torch.no_grad()
    def with_edges(self, instance: Instance, kept: Tensor | NDArray[np.bool_]) -> Predictions:
        """An edge that was given in one direction, or several times, stays or goes as a whole; a self-loop stays with
        its node."""
        kept = np.asarray(kept)
        if isinstance(instance, ModelInstance) and instance.beyond is not None:
            return self.on(instance.beyond).with_edges(instance.beyond, edges_beyond(instance, kept))
        m, ends = instance.num_nodes, instance.edge_index[:, instance.undirected]  # ascending, the lower end first
        source, target = self._first_edges.cpu().numpy()
        keys, wanted = ends[0] * m + ends[1], np.minimum(source, target) * m + np.maximum(source, target)
        number = np.searchsorted(keys, wanted)  # [e], the undirected edge of each given one
        number[source == target] = len(keys)  # behind all of them
        together, parts = max(1, _UNION_EDGES // (m + len(source))), []
        for first in range(0, len(kept), together):
            rows = kept[first : first + together]
            present = np.zeros((len(rows), m), dtype=bool)
            row, edge = rows.nonzero()
            present[row, ends[0, edge]] = present[row, ends[1, edge]] = True
            if instance.target is None:
                present |= ~rows.any(1, keepdims=True)
            else:
                present[:, instance.target] = True
            stays = np.where(number < len(keys), np.pad(rows, ((0, 0), (0, 1)))[:, number], present[:, source])
            held, chosen = (torch.from_numpy(values).to(self.device) for values in (present, stays))
            parts.append(self._parts(held, chosen))
        return Predictions.join(parts) if parts else Predictions(self.whole.logits[:0], self.whole.embedding[:0])

    @torch.no_grad()
    def sets(self, members: Tensor) -> Predictions:
        """Predictions of node sets of the first instance, of any size; none is empty. bool [B, m]"""
        source, target = self._first_edges
        chunks = members.split(max(1, _CHUNK // max(1, len(source) + members.shape[1])))
        return Predictions.join([self._parts(held, held[:, source] & held[:, target]) for held in chunks])

    @property
    def _first_edges(self) -> Tensor:
        """Given edges of the first instance. [2, e]"""
        return self._inputs.edge_index[:, self._inputs.edge_index[0] < self.graphs.size[0]]

    def _parts(self, held: Tensor, chosen: Tensor) -> Predictions:
        """Predictions of some nodes of the first instance with some of the given edges. bool [B, m], bool [B, e]"""
        number = held.flatten().cumsum(0).view_as(held) - 1  # [B, m]
        owner, nodes = held.nonzero(as_tuple=True)
        row, edge = chosen.nonzero(as_tuple=True)
        source, target = self._first_edges[:, edge]
        edges = torch.stack([number[row, source], number[row, target]])
        explained = number[:, self.graphs.target[0]] if self.task is Task.NODE else None
        first = torch.zeros_like(held[:, 0], dtype=torch.long)
        return self._predict(nodes, (edges, edge), owner, explained, first)


def edges_beyond(instance: ModelInstance, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Choices of the edges of a window as choices of all edges of the whole, whose others stay. [B, E] → [B, E']"""
    whole = instance.beyond
    assert whole is not None
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


def weights_of(*modules: nn.Module | None) -> list[np.ndarray]:
    """All numbers of some models, to name them by."""
    return arrays_of(value for module in modules if module is not None for value in module.state_dict().values())


def arrays_of(values: Iterable[Any]) -> list[np.ndarray]:
    """The tensors among some values, as arrays of numbers."""
    found = [value.detach() for value in values if isinstance(value, Tensor) and not (value.is_meta or value.is_nested)]
    dense = [value.cpu() if value.layout is torch.strided else value.cpu().to_dense() for value in found]
    return [(value.float() if value.dtype is torch.bfloat16 else value).contiguous().numpy() for value in dense]


def policy_features(x: Tensor) -> Tensor:
    """Features as a policy reads them: large numbers made small, many folded into few. [M, d] → [M, ≤ 64]"""
    x = x.asinh()
    if x.shape[1] <= _WIDEST:
        return x
    generator = torch.Generator().manual_seed(0)
    folded = torch.randn(x.shape[1], _WIDEST, generator=generator) / np.sqrt(x.shape[1])
    return x @ folded.to(x.device, x.dtype)


# Predictors of instances that are cut out already


def predictor_on(
    model: nn.Module, instances: Sequence[Instance], device: str | torch.device | None = None
) -> Predictor:
    """A model on some instances; one of our GNNs that is being trained stays in that mode, and a copy is asked.

    Args:
        model: Ours or any other.
        instances: What it is asked about.
        device: Where to compute; by default where one of our GNNs is, and any other on the CPU.
    """
    if isinstance(model, GNN):
        device = device or next(model.parameters()).device
        return SubgraphPredictor(copy.deepcopy(model) if model.training else model, instances, device)
    return model_predictor(model, instances, device or "cpu")


def model_predictor(
    model: nn.Module, instances: Sequence[Instance], device: str | torch.device = "cpu"
) -> ModelPredictor:
    """A model that others wrote on some instances: by what is known of it, if they are `ModelInstances`."""
    first = instances[0]
    if isinstance(first, ModelInstance) and first.adapter is not None and first.output is not None:
        adapter, output = first.adapter, first.output
        if adapter.is_copy_of(model) and adapter.device == torch.device(device):
            return ModelPredictor(adapter, output, instances)
    return ModelPredictor(*adapt(model, instances, device), instances)


def adapt(
    model: nn.Module, instances: Sequence[Instance], device: str | torch.device = "cpu"
) -> tuple[ModelAdapter, ModelOutput]:
    """A new private copy of a model, for some instances, and what its numbers mean."""
    first = instances[0]
    adapter = ModelAdapter(model, first.task, device)
    if isinstance(first, ModelInstance) and first.adapter is not None:
        adapter.learn_from(first.adapter)
    return adapter, _output_of(adapter, instances)


@torch.no_grad()
def _output_of(adapter: ModelAdapter, instances: Sequence[Instance]) -> ModelOutput:
    """What the model's numbers mean, on instances of ours: those must go as far as the model sees."""
    instance = instances[0]
    if isinstance(adapter.model, GNN):
        for each in instances:
            each.check_reach(adapter.model.hops)
        return ModelOutput()
    if isinstance(instance, ModelInstance) and instance.output is not None:
        return instance.output
    inputs = inputs_of(instance)
    owner = torch.zeros(inputs.num_nodes, dtype=torch.long, device=adapter.device)
    rows = inputs.num_nodes if adapter.task is Task.NODE else 1
    with adapter.counting() as listens:
        raw = adapter.shaped(adapter.first(inputs, owner, 1), rows).cpu()
    by_degree = any(getattr(module, "normalize", False) is True for module in adapter.model.modules())  # as in GCNConv
    for each in instances:
        each.check_reach(listens() + by_degree)
    y: Tensor | None = None if instance.y < 0 else torch.tensor([instance.y])
    return read_output(raw, y, None, None)


# A window on a large instance


WINDOW = 150
"""Nodes of a window."""


def window(instance: ModelInstance, most: int = WINDOW, order: Ints | None = None) -> ModelInstance:
    """The part of an instance that matters most; the instance itself if it is small enough.

    Args:
        instance: The instance.
        most: Nodes of the part.
        order: Its nodes in the order in which they join, as `growth` gives them, where that is known.
    """
    if instance.num_nodes <= most or instance.inputs is None:
        return instance
    shown = np.zeros(instance.num_nodes, dtype=bool)
    shown[(growth(instance, most) if order is None else order)[:most]] = True
    inputs = instance.inputs.part(np.flatnonzero(shown))
    note = (
        f"The GNN sees {instance.num_nodes + instance.left_out:,} nodes here: the {int(shown.sum())} that matter most "
        "to it, by their gradient and as they hang together, were looked at."
    )
    part = instance.part(shown)
    assert isinstance(part, ModelInstance)
    return replace(
        part,
        inputs=inputs,
        beyond=instance,
        left_out=instance.left_out + int((~shown).sum()),
        labels=tuple(label for label, inside in zip(instance.labels, shown, strict=True) if inside)
        if instance.labels
        else (),
        notes=(*(instance.notes if instance.beyond is None else instance.notes[:-1]), note),  # one of a window
    )


def influence(instance: ModelInstance) -> Doubles:
    """How much each node matters: the size of the gradient of the explained class's log-probability. [m]

    Features that have no gradient (whole numbers) matter the more the nearer a node is.
    """
    adapter, output, inputs = instance.adapter, instance.output, instance.inputs
    assert adapter is not None
    assert output is not None
    assert inputs is not None
    assert instance.answer is not None
    nearness = 1 / (1.0 + instance.hops)
    answer, target = instance.answer, instance.target

    def wanted(raw: Tensor) -> Tensor:
        raw = raw if target is None else raw[target : target + 1]
        found = output.predictions(raw, raw.detach() if instance.left_out else answer)
        values = found.logits if found.logits.requires_grad else found.embedding
        return values[0, int(values[0].argmax())]

    gradient = adapter.gradient(adapter.ready(inputs), wanted)
    if gradient is None or not bool(gradient.isfinite().all()):
        return nearness
    size = features_of(gradient.abs()).sum(1).double().numpy()
    return size / max(float(size.max()), 1e-30) + 1e-9 * nearness


def growth(instance: ModelInstance, most: int = WINDOW, start: int | None = None) -> Ints:
    """The nodes of a connected set in the order in which they join: always the neighbour that matters most. [≤ most]

    Args:
        instance: The instance.
        most: How many nodes.
        start: The first; by default the explained node, or the one that matters most.
    """
    weight = influence(instance)
    source, target = instance.edge_index  # sorted by source
    indptr = np.searchsorted(source, np.arange(instance.num_nodes + 1))
    held = np.zeros(instance.num_nodes, dtype=bool)
    near = np.zeros_like(held)
    first = instance.target if start is None else start
    node = first_best(weight) if first is None else first
    order = []
    for _ in range(most):
        held[node] = True
        order.append(node)
        near[target[indptr[node] : indptr[node + 1]]] = True
        gain = np.where(near & ~held, weight, -np.inf)
        node = first_best(gain)
        if not np.isfinite(gain[node]):
            break
    return np.array(order, dtype=np.int64)
