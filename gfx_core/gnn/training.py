"""Train a GNN on a data set: 80/10/10 split, early stopping on validation, the best weights kept.

Besides whole graphs a GNN learns from random fragments of them, with the label of the whole: explanations evaluate
fragments, and the predictions of a GNN that never saw one are arbitrary there (counterfactual training, Hase, Xie and
Bansal, NeurIPS 2021; the idea serves metrics in F-Fidelity, Zheng et al., ICLR 2025). Its prediction for a fragment is
then what follows from the fragment alone. The labels are the data set's; no ground truth of any explanation is used.

A fragment is a connected induced subgraph. It starts at a node and grows by one node at a time, chosen uniformly among
those that touch it. All fragments grow in lockstep; a step costs as much as the neighbours of the nodes that are added,
whatever the graph's size.
"""

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch_geometric.data import Batch

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.device import provenance, seeded
from gfx_core.gnn.checkpoint import ModelHeader
from gfx_core.gnn.models import GNN
from gfx_core.gnn.settings import TrainingConfig, WordTrainingConfig
from gfx_core.gnn.word_vectors import WordGNN, numbered

_CELLS = 1 << 26  # entries of the tables of one pass: bounds the memory on large graphs


@dataclass(frozen=True)
class Fragments:
    """B connected subgraphs, in the order in which they grew.

    Attributes:
        nodes: Global node ids, the start node first, padded with -1. [B, K]
        adjacency: Which of the nodes are joined. bool [B, K, K]
    """

    nodes: Tensor
    adjacency: Tensor

    def to(self, device: str | torch.device) -> "Fragments":
        return Fragments(self.nodes.to(device), self.adjacency.to(device))

    def rows(self, index: Tensor) -> "Fragments":
        return Fragments(self.nodes[index], self.adjacency[index])


class FragmentSource:
    """Grows fragments in the graphs of a data set.

    Args:
        dataset: The graphs.
        device: Where to compute.
    """

    def __init__(self, dataset: GraphDataset, device: str | torch.device = "cpu") -> None:
        self.dataset, self.device = dataset, torch.device(device)
        degree, size = np.diff(dataset.indptr), np.diff(dataset.ptr)
        self.x = torch.from_numpy(dataset.x).to(device)
        self.edge_index = torch.from_numpy(dataset.edge_index).to(device)
        self._ptr = torch.from_numpy(dataset.ptr).to(device)
        self._first = torch.from_numpy(np.repeat(dataset.ptr[:-1], size)).to(device)  # [n], of the node's graph
        self._begin = torch.from_numpy(dataset.indptr[:-1]).to(device)  # [n], of the node's neighbours
        self._degree = torch.from_numpy(degree).to(device)  # [n]
        source, self._neighbours = functional.pad(self.edge_index, (0, 1), value=len(self.x))  # [E + 1], never empty
        self._pairs = source * len(self.x) + self._neighbours  # [E + 1], ascending
        self._max_degree, self._max_size = max(1, int(degree.max(initial=0))), int(size.max())

    def grow(self, starts: Tensor, sizes: Tensor, generator: torch.Generator | None = None) -> Fragments:
        """Grow one fragment from each start node.

        Args:
            starts: Global node ids. [B]
            sizes: Nodes of each fragment; in a smaller graph it stays smaller. [B]
            generator: Of the choices.
        """
        most, rows = int(sizes.max()), max(1, _CELLS // (self._max_size + self._max_degree))
        passes = zip(starts.split(rows), sizes.split(rows), strict=True)
        nodes = torch.cat([self._grow(*start_and_size, most, generator) for start_and_size in passes])  # [B, K]
        pairs = nodes[:, :, None] * len(self.x) + nodes[:, None, :]  # [B, K, K]
        at = torch.searchsorted(self._pairs, pairs).clamp(max=len(self._pairs) - 1)
        return Fragments(nodes, (self._pairs[at] == pairs) & (nodes >= 0)[:, None])

    def _grow(self, starts: Tensor, sizes: Tensor, most: int, generator: torch.Generator | None) -> Tensor:
        count, width, device = len(starts), self._max_size, self.device
        row, slot = torch.arange(count, device=device), torch.arange(self._max_degree, device=device)
        room = min(width, most * self._max_degree)
        # the last column of each table takes what is not to be written
        met = torch.zeros(count, width + 1, dtype=torch.bool, device=device)  # members and their neighbours
        met[row, starts - self._first[starts]] = True
        frontier = torch.zeros(count, room + 1, dtype=torch.int64, device=device)  # a list in each row
        length = torch.zeros(count, dtype=torch.int64, device=device)  # of these lists
        nodes = torch.full((count, most), -1, dtype=torch.int64, device=device)
        chance = torch.rand(most, count, device=device, generator=generator)
        added, grows = starts, torch.ones(count, dtype=torch.bool, device=device)
        for step in range(most):
            nodes[:, step] = added.where(grows, -1)
            real = (slot < self._degree[added][:, None]) & grows[:, None]  # [B, D]
            edge = (self._begin[added][:, None] + slot).where(real, 0)
            neighbour = (self._neighbours[edge] - self._first[added][:, None]).where(real, width)
            fresh = ~met.gather(1, neighbour) & real
            met.scatter_(1, neighbour, True)
            frontier.scatter_(1, (length[:, None] + fresh.cumsum(1) - 1).where(fresh, room), neighbour)
            length = length + fresh.sum(1)
            grows = (sizes > step + 1) & (length > 0)
            last = (length - 1).clamp(min=0)
            choice = (chance[step] * length).long().minimum(last)
            added = (frontier[row, choice] + self._first[starts]).where(grows, starts)
            frontier[row, choice.where(grows, room)] = frontier[row, last]  # the last one moves into the gap
            length = length - grows.long()
        return nodes

    def around(self, indices: Ints, most: int, generator: torch.Generator | None = None) -> Fragments:
        """Fragments of random sizes around nodes (node tasks), or from random nodes of graphs (graph tasks).

        Args:
            indices: Nodes or graphs; they may repeat. [B]
            most: The most nodes; sizes are uniform in 1 … the smaller of this and the graph's size.
            generator: Of starts, sizes and choices.
        """
        index = torch.from_numpy(indices).to(self.device)
        share = torch.rand(2, len(index), device=self.device, generator=generator)
        if self.dataset.task is Task.NODE:
            starts, size = index, self._ptr[-1].expand_as(index)
        else:
            size = self._ptr[index + 1] - self._ptr[index]
            starts = self._ptr[index] + (share[0] * size).long().minimum(size - 1)
        limit = size.clamp(max=most)
        return self.grow(starts, 1 + (share[1] * limit).long().minimum(limit - 1), generator)

    def logits(self, model: GNN, fragments: Fragments) -> Tensor:
        """A GNN's logits of each fragment alone: of its first node (node tasks), or of all of it. [B, C]"""
        mask = fragments.nodes >= 0  # the real ones
        owner, _ = mask.nonzero(as_tuple=True)
        row = (mask.flatten().cumsum(0) - 1).view_as(mask)  # of each node in the disjoint union
        fragment, source, target = fragments.adjacency.nonzero(as_tuple=True)
        edge_index = torch.stack([row[fragment, source], row[fragment, target]])
        nodes = model.embed(self.x[fragments.nodes[mask]], edge_index)
        explained = row[:, 0] if self.dataset.task is Task.NODE else None
        return model.read(nodes, explained, owner, len(mask))[0]


# Training


VALIDATION_FRAGMENTS = 2048
"""About so many fragments of the validation set decide when to stop; fewer where a step takes less than a quarter."""


@dataclass(frozen=True)
class GnnEpoch:
    """One epoch's report."""

    epoch: int
    epochs: int
    loss: float
    validation_loss: float
    validation_accuracy: float


def split(order: Ints) -> dict[str, Ints]:
    """80/10/10: the first ones, the next and the last of an order as training, validation and test set."""
    ends = [int(len(order) * share) for share in (0.8, 0.9)]
    return dict(zip(("train", "validation", "test"), np.split(order, ends), strict=True))


def parts_of(dataset: GraphDataset, seed: int) -> Mapping[str, Ints]:
    """Training, validation and test set: the data set's own, or random ones."""
    return dataset.parts or split(np.random.RandomState(seed).permutation(len(dataset.y)))


def train(
    dataset: GraphDataset,
    config: TrainingConfig,
    device: str = "cpu",
    on_epoch: Callable[[GnnEpoch], bool | None] | None = None,
) -> tuple[GNN, ModelHeader]:
    """Train a GNN and measure it on the test part.

    Args:
        dataset: What to learn.
        config: How.
        device: ``cpu`` or ``cuda``.
        on_epoch: Called after each epoch; may raise to stop, or return True to end with the best weights so far.
    """
    started = time.perf_counter()
    parts, statistics = parts_of(dataset, config.split_seed), dataset.statistics
    average: AveragedModel | None = None  # steadier than the last weights where few epochs are enough
    with seeded(config.seed):
        if isinstance(config, WordTrainingConfig):
            dataset, words = numbered(dataset)
            model: GNN = WordGNN(dataset, words, config).to(device)
            average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(config.average))
        else:
            sizes = dataset.x.shape[1], dataset.num_classes, config.hidden, config.num_layers
            model = GNN(dataset.task, config.kind, *sizes).to(device)
    evaluated: GNN = model if average is None else average.module  # type: ignore[assignment]
    evaluate = step_of(dataset, device)
    fragments = _FragmentLoss(dataset, config, parts, device) if config.fragments else None
    best_loss, best_weights, best_epoch, epoch = float("inf"), copy.deepcopy(model.state_dict()), 0, 0

    def loss(indices: Ints) -> Tensor:
        return evaluate(model, indices)[0] + (fragments.sample(model) if fragments else 0.0)

    for epoch, mean_loss in enumerate(epochs(model, dataset.task, parts["train"], config, loss, average), 1):
        validation_loss, validation_accuracy = score(evaluated, evaluate, parts["validation"])
        validation_loss += fragments.validation(evaluated) if fragments else 0.0
        if validation_loss < best_loss:
            best_loss, best_epoch = validation_loss, epoch
            best_weights = copy.deepcopy(evaluated.state_dict())
        report = GnnEpoch(epoch, config.epochs, mean_loss, validation_loss, validation_accuracy)
        stops = on_epoch is not None and on_epoch(report)
        if stops or epoch - best_epoch >= config.patience:
            break

    model.load_state_dict(best_weights)
    if isinstance(model, WordGNN):
        model.round()
    header = ModelHeader(
        dataset=dataset.name,
        task=dataset.task,
        kind=model.kind,
        in_channels=model.in_channels,
        num_classes=model.num_classes,
        hidden=model.hidden,
        num_layers=model.num_layers,
        accuracy={name: score(model, evaluate, part)[1] for name, part in parts.items()},
        statistics=statistics,
        training={
            "config": asdict(config),
            "epochs": epoch,
            "best_epoch": best_epoch,
            "validation_loss": best_loss,
            **provenance(device, time.perf_counter() - started),
        },
    )
    return (model.finished() if isinstance(model, WordGNN) else model).eval(), header


def best_of(trained: Sequence[tuple[GNN, ModelHeader]]) -> tuple[GNN, ModelHeader]:
    """The lowest validation loss among trainings with other seeds; the header lists all of them as ``tried``."""
    tried = [
        {
            "seed": header.training["config"]["seed"],
            "validation_loss": header.training["validation_loss"],
            "accuracy": header.accuracy,
        }
        for _, header in trained
    ]
    model, header = min(trained, key=lambda pair: pair[1].training["validation_loss"])
    return model, replace(header, training=header.training | {"tried": tried})


def epochs(
    model: nn.Module,
    task: Task,
    part: Ints,
    config: TrainingConfig,
    loss: Callable[[Ints], Tensor],
    average: AveragedModel | None = None,
) -> Iterator[float]:
    """Train a model, ours or PyG's, and yield the mean loss of each epoch.

    Args:
        model: The model.
        task: A node task takes the whole part in a step, a graph task some graphs.
        part: Nodes or graphs to learn from.
        config: How.
        loss: Of some of them.
        average: Follows the weights, if there is one.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    rng = np.random.RandomState(config.seed)
    for _ in range(config.epochs):
        model.train()
        losses = []
        order, size = (part, len(part)) if task is Task.NODE else (rng.permutation(part), config.batch_size)
        for start in range(0, len(order), size):
            optimizer.zero_grad()
            value = loss(order[start : start + size])
            value.backward()
            optimizer.step()
            if average is not None:
                average.update_parameters(model)
            losses.append(value.detach())
        schedule.step()
        yield float(torch.stack(losses).mean())


Step = Callable[[nn.Module, Ints], tuple[Tensor, Tensor]]
"""Loss and number of right predictions of a model on some nodes or graphs."""


def step_of(dataset: GraphDataset, device: str) -> Step:
    """Evaluates a model, ours or PyG's, on nodes or graphs of a data set."""
    data = dataset.to_pyg()
    graphs = [graph.to(device) for graph in ([data] if dataset.task is Task.NODE else data)]

    def step(model: nn.Module, indices: Ints) -> tuple[Tensor, Tensor]:
        if dataset.task is Task.NODE:
            at = torch.from_numpy(indices).to(device)
            logits, y = model(graphs[0].x, graphs[0].edge_index)[at], graphs[0].y[at]
        else:
            batch = Batch.from_data_list([graphs[index] for index in indices])
            logits, y = model(batch.x, batch.edge_index, batch.batch), batch.y
        return functional.cross_entropy(logits, y), (logits.argmax(1) == y).sum()

    return step


class _FragmentLoss:
    """Cross-entropy of random fragments times its weight: new ones in training, always the same in validation."""

    def __init__(self, dataset: GraphDataset, config: TrainingConfig, parts: Mapping[str, Ints], device: str) -> None:
        self.config, self._source, self._train = config, FragmentSource(dataset, device), parts["train"]
        self._y = torch.from_numpy(dataset.y).to(device)
        self._rng = np.random.RandomState(config.seed)
        self._generator = torch.Generator(device).manual_seed(config.seed)
        count = min(VALIDATION_FRAGMENTS, 4 * config.fragments)
        self._validation = np.tile(parts["validation"], -(-count // len(parts["validation"])))
        generator = torch.Generator(device).manual_seed(config.split_seed)  # comparable between seeds
        self._validation_fragments = self._source.around(self._validation, config.fragment_nodes, generator)

    def sample(self, model: GNN) -> Tensor:
        """The loss of new fragments of the training set."""
        indices = self._rng.choice(self._train, self.config.fragments)
        return self._loss(model, indices, self._source.around(indices, self.config.fragment_nodes, self._generator))

    @torch.no_grad()
    def validation(self, model: GNN) -> float:
        """The loss of the validation set's fragments."""
        return float(self._loss(model, self._validation, self._validation_fragments))

    def _loss(self, model: GNN, indices: Ints, fragments: Fragments) -> Tensor:
        y = self._y[torch.from_numpy(indices).to(self._y.device)]
        return self.config.fragment_weight * functional.cross_entropy(self._source.logits(model, fragments), y)


@torch.no_grad()
def score(model: nn.Module, evaluate: Step, part: Ints) -> tuple[float, float]:
    """Loss and accuracy of a model on one part."""
    model.eval()
    loss, right = evaluate(model, part)
    return float(loss), float(right) / len(part)
