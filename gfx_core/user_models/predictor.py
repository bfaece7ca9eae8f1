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
from gfx_core.datasets.instance import Instance, some
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictions, Predictor, SubgraphPredictor, Subgraphs, disjoint_parts
from gfx_core.user_models.adapter import ModelAdapter, ModelOutput, read_output
from gfx_core.user_models.inputs import ModelInputs, disjoint_union, features_of


@dataclass(frozen=True, eq=False, kw_only=True)
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

    inputs: ModelInputs
    answer: Tensor
    adapter: ModelAdapter
    output: ModelOutput
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    beyond: "ModelInstance | None" = None

    def node_label(self, node: int) -> str:
        return self.labels[node] if self.labels else super().node_label(node)


def inputs_of(instance: Instance) -> ModelInputs:
    """What a model sees of an instance: what its owner gave, or the plain graph of one of ours."""
    if isinstance(instance, ModelInstance):
        return instance.inputs
    return ModelInputs(torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index))


_CHUNK = 1 << 21  # pairs of a node set and an edge that are looked at in one pass
_WIDEST = 64  # features of a node that a policy reads; more are folded by a random projection


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
        owner = graphs.owner[self._inputs.edge_index[0]]  # [e], ascending
        self._local = self._inputs.edge_index - graphs.offset[owner]  # [2, e]
        self._count = owner.bincount(minlength=len(graphs))  # [I], given edges of each instance
        self._begin = self._count.cumsum(0) - self._count
        self._answers = [instance.answer for instance in instances if isinstance(instance, ModelInstance)]
        graphs.x = policy_features(graphs.x)

    def on(self, instance: Instance) -> "ModelPredictor":
        """The same on a part of the instance."""
        return ModelPredictor(self.adapter, self.output, [instance])

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        mask, graphs, instance = subgraphs.mask, self.graphs, subgraphs.instance
        count = self._count[instance]
        rows = max(1, _CHUNK // max(1, int(count.max()))) if len(mask) else 1
        if len(mask) > rows:
            return Predictions.join(
                [self.evaluate(subgraphs.part(slice(at, at + rows))) for at in range(0, len(mask), rows)]
            )
        owner, slot = mask.nonzero(as_tuple=True)  # [n]
        nodes = subgraphs.rows[owner, slot]
        place = torch.full((len(mask), int(graphs.sizes.max())), -1, device=self.device)  # [B, m], in the union
        place[owner, nodes - graphs.offset[instance[owner]]] = torch.arange(len(nodes), device=self.device)
        row = torch.arange(len(mask), device=self.device).repeat_interleave(count)
        edge = torch.arange(len(row), device=self.device) + (self._begin[instance] - (count.cumsum(0) - count))[row]
        ends = place[row, self._local[:, edge]]  # [2, pairs]
        inside = (ends >= 0).all(0)
        explained = None
        if subgraphs.target is not None:
            explained = (mask.flatten().cumsum(0).view_as(mask) - 1).gather(1, subgraphs.target[:, None])[:, 0]
        return self._predict(nodes, (ends[:, inside], edge[inside]), owner, explained, instance)

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
                f"{self.adapter.name} outputs NaN or infinity for a part of the graph: let it take graphs of any "
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

    def with_edges(self, instance: Instance, kept: Tensor | NDArray[np.bool_]) -> Predictions:
        if isinstance(instance, ModelInstance) and instance.beyond is not None:
            return self.on(instance.beyond).with_edges(instance.beyond, edges_beyond(instance, np.asarray(kept)))
        return super().with_edges(instance, kept)

    @property
    def first_edges(self) -> Tensor:
        return self._local[:, : int(self._count[0])]

    def sets(self, members: Tensor) -> Predictions:
        """An empty graph cannot be asked about: all classes are then as likely."""
        filled, whole = members.any(1), self.whole
        logits, embedding = whole.logits.new_zeros(len(members), whole.logits.shape[1]), whole.embedding
        embedding = embedding.new_zeros(len(members), embedding.shape[1])
        if bool(filled.any()):
            found = super().sets(members[filled])
            logits[filled], embedding[filled] = found.logits, found.embedding
        return Predictions(logits, embedding)

    def union(self, held: Tensor, chosen: Tensor) -> Predictions:
        nodes, edges, owner, explained = disjoint_parts(self, held, chosen)
        return self._predict(nodes, edges, owner, explained, torch.zeros_like(held[:, 0], dtype=torch.long))


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
    if isinstance(first, ModelInstance):
        adapter = first.adapter
        if adapter.is_copy_of(model) and adapter.device == torch.device(device):
            return ModelPredictor(adapter, first.output, instances)
    return ModelPredictor(*adapt(model, instances, device), instances)


def adapt(
    model: nn.Module, instances: Sequence[Instance], device: str | torch.device = "cpu"
) -> tuple[ModelAdapter, ModelOutput]:
    """A new private copy of a model, for some instances, and what its numbers mean."""
    first = instances[0]
    adapter = ModelAdapter(model, first.task, device)
    if isinstance(first, ModelInstance):
        adapter.learn_from(first.adapter)
    return adapter, _output_of(adapter, instances)


def _output_of(adapter: ModelAdapter, instances: Sequence[Instance]) -> ModelOutput:
    """What the model's numbers mean, on instances of ours: those must go as far as the model sees."""
    instance = instances[0]
    if isinstance(adapter.model, GNN):
        for each in instances:
            each.check_reach(adapter.model.hops)
        return ModelOutput()
    if isinstance(instance, ModelInstance):
        return instance.output
    raw, listens = adapter.whole(inputs_of(instance))
    by_degree = any(getattr(module, "normalize", False) is True for module in adapter.model.modules())  # as in GCNConv
    for each in instances:
        each.check_reach(listens + by_degree)
    y: Tensor | None = None if instance.y < 0 else torch.tensor([instance.y])
    return read_output(raw.cpu(), y, None, None)


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
    if instance.num_nodes <= most:
        return instance
    shown = np.zeros(instance.num_nodes, dtype=bool)
    shown[(growth(instance, most) if order is None else order)[:most]] = True
    inputs = instance.inputs.part(np.flatnonzero(shown))
    note = (
        f"The GNN sees {instance.num_nodes + instance.left_out:,} nodes here. We use the {int(shown.sum())} connected "
        "nodes with the largest gradients."
    )
    part = instance.part(shown)
    assert isinstance(part, ModelInstance)
    return replace(
        part,
        inputs=inputs,
        beyond=instance,
        left_out=instance.left_out + int((~shown).sum()),
        labels=some(instance.labels, np.flatnonzero(shown)),
        notes=(*(instance.notes if instance.beyond is None else instance.notes[:-1]), note),  # one of a window
    )


def influence(instance: ModelInstance) -> Doubles:
    """How much each node matters: the size of the gradient of the explained class's log-probability. [m]

    Features that have no gradient (whole numbers) matter the more the nearer a node is.
    """
    adapter, target = instance.adapter, instance.target
    nearness = 1 / (1.0 + instance.hops)

    def wanted(raw: Tensor) -> Tensor:
        raw = raw if target is None else raw[target : target + 1]
        found = instance.output.predictions(raw, raw.detach() if instance.left_out else instance.answer)
        values = found.logits if found.logits.requires_grad else found.embedding
        return values[0, int(values[0].argmax())]

    gradient = adapter.gradient(adapter.ready(instance.inputs), wanted)
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
