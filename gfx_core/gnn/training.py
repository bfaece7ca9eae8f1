"""Train a GNN on a data set: 80/10/10 split, early stopping on validation, the best weights kept.

Besides whole graphs a GNN learns from random fragments of them, with the label of the whole: an explanation is asked
of fragments, and a GNN that never saw one has no reason to say anything sensible of it (counterfactual training, Hase,
Xie and Bansal, NeurIPS 2021; the idea serves metrics in F-Fidelity, Zheng et al., ICLR 2025). What it then says of a
fragment is what can be known from it alone. The labels are the data set's; no ground truth of any explanation is used.

A fragment is a connected induced subgraph. It starts at a node and grows by one node at a time, chosen uniformly among
those that touch it. All fragments grow in lockstep; a step costs as much as the neighbours of the nodes that are added,
whatever the graph's size.
"""

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace

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
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.gnn.models import GNN
from gfx_core.gnn.settings import TrainingConfig
from gfx_core.gnn.word_vectors import WordGNN, WordsConfig, numbered

_OUTSIDE, _TOUCHING = -2, -1  # what the table of a fragment says of a node that is not in it; a member has its place
_CELLS = 1 << 26  # entries of the tables that are held at once: bounds the memory on large graphs


@dataclass(frozen=True)
class Fragments:
    """B connected subgraphs, in the order in which they grew.

    Attributes:
        nodes: Global node ids, where it started first, padded with -1. [B, K]
        adjacency: Which of its nodes are joined. bool [B, K, K]
    """

    nodes: Tensor
    adjacency: Tensor

    @property
    def mask(self) -> Tensor:
        """Which nodes are real. bool [B, K]"""
        return self.nodes >= 0

    def to(self, device: str | torch.device) -> "Fragments":
        """The same elsewhere."""
        return Fragments(self.nodes.to(device), self.adjacency.to(device))

    def rows(self, chosen: Tensor) -> "Fragments":
        """Some of them. [b]"""
        return Fragments(self.nodes[chosen], self.adjacency[chosen])


class FragmentSource:
    """Grows fragments in the graphs of a data set.

    Args:
        dataset: Whose graphs.
        device: Where to compute.
    """

    def __init__(self, dataset: GraphDataset, device: str | torch.device = "cpu") -> None:
        self.dataset, self.device = dataset, torch.device(device)
        counts = np.bincount(dataset.edge_index[0], minlength=len(dataset.x))
        first = np.repeat(dataset.ptr[:-1], np.diff(dataset.ptr))  # of each node's graph
        self.x = torch.from_numpy(dataset.x).to(device)
        self.edge_index = torch.from_numpy(dataset.edge_index).to(device)
        self._begin = torch.from_numpy(np.cumsum(counts) - counts).to(device)  # [n], where a node's neighbours begin
        self._degree = torch.from_numpy(counts).to(device)  # [n]
        # [E], and one that is never looked at where there are no edges
        self._neighbours = functional.pad(self.edge_index[1], (0, 1))
        self._first = torch.from_numpy(first).to(device)  # [n]
        self._widest = max(1, int(counts.max(initial=0)))
        self._width = int(np.diff(dataset.ptr).max())

    def grow(self, starts: Tensor, sizes: Tensor, generator: torch.Generator | None = None) -> Fragments:
        """One fragment from each start node.

        Args:
            starts: Global node ids. [B]
            sizes: The nodes that each is to have; one whose graph has no more stays smaller. [B]
            generator: Of the choices.
        """
        most, rows = int(sizes.max()), max(1, _CELLS // (self._width + self._widest))
        pairs = zip(starts.split(rows), sizes.split(rows), strict=True)
        parts = [self._grow(some, wanted, most, generator) for some, wanted in pairs]
        return Fragments(torch.cat([part.nodes for part in parts]), torch.cat([part.adjacency for part in parts]))

    def _grow(self, starts: Tensor, sizes: Tensor, most: int, generator: torch.Generator | None) -> Fragments:
        count, device = len(starts), self.device
        row, slot = torch.arange(count, device=device), torch.arange(self._widest, device=device)
        # each has one cell more than it needs: what is not to be written goes there
        places = torch.full((count, self._width + 1), _OUTSIDE, dtype=torch.int16, device=device)
        room = min(self._width, most * self._widest)
        touching = torch.zeros(count, room + 1, dtype=torch.int64, device=device)  # a list of each
        waiting = torch.zeros(count, dtype=torch.int64, device=device)  # its length
        nodes = torch.full((count, most), -1, dtype=torch.int64, device=device)
        adjacency = torch.zeros(count, most, most + 1, dtype=torch.bool, device=device)
        chance = torch.rand(most, count, device=device, generator=generator)
        added, grows = starts, torch.ones(count, dtype=torch.bool, device=device)
        for place in range(most):
            nodes[:, place] = added.where(grows, -1)
            own = (added - self._first[added]).where(grows, self._width)
            places.scatter_(1, own[:, None], place)
            real = (slot < self._degree[added][:, None]) & grows[:, None]  # [B, D]
            at = (self._begin[added][:, None] + slot).where(real, 0)
            local = (self._neighbours[at] - self._first[added][:, None]).where(real, self._width)
            before = places.gather(1, local)
            member = (before >= 0) & real
            joined = before.long().where(member, most)
            adjacency[:, place].scatter_(1, joined, True)
            fresh = (before == _OUTSIDE) & real
            places.scatter_(1, local.where(fresh, self._width), _TOUCHING)
            position = (waiting[:, None] + fresh.cumsum(1) - 1).where(fresh, room)
            touching.scatter_(1, position, local)
            waiting = waiting + fresh.sum(1)
            if place + 1 == most:
                break
            grows = (sizes > place + 1) & (waiting > 0)
            last = (waiting - 1).clamp(min=0)
            drawn = (chance[place] * waiting).long().minimum(last)
            added = (touching[row, drawn] + self._first[starts]).where(grows, starts)
            touching[row, drawn.where(grows, room)] = touching[row, last]  # takes the place of the one that was drawn
            waiting = waiting - grows.long()
        adjacency = adjacency[:, :, :most]
        return Fragments(nodes, adjacency | adjacency.transpose(1, 2))

    def around(self, indices: Ints, most: int, generator: torch.Generator | None = None) -> Fragments:
        """A fragment of each of some nodes (around it) or graphs (from a random node of it), of a random size.

        Args:
            indices: Nodes or graphs; they may repeat. [B]
            most: The most nodes; sizes are uniform in 1 … the smaller of this and the graph's size.
            generator: Of starts, sizes and choices.
        """
        which = torch.from_numpy(indices).to(self.device)
        ptr = torch.from_numpy(self.dataset.ptr).to(self.device)
        share = torch.rand(2, len(which), device=self.device, generator=generator)
        if self.dataset.task is Task.NODE:
            starts, size = which, torch.full_like(which, int(self.dataset.ptr[-1]))
        else:
            size = ptr[which + 1] - ptr[which]
            starts = ptr[which] + (share[0] * size).long().minimum(size - 1)
        limit = size.clamp(max=most)
        return self.grow(starts, 1 + (share[1] * limit).long().minimum(limit - 1), generator)

    def logits(self, model: GNN, fragments: Fragments) -> Tensor:
        """What a GNN says of each fragment, seeing nothing else: of its first node, or of the whole of it. [B, C]"""
        mask = fragments.mask
        owner, _ = mask.nonzero(as_tuple=True)
        place = (mask.flatten().cumsum(0) - 1).view_as(mask)  # of each node among all
        which, one, other = fragments.adjacency.nonzero(as_tuple=True)
        nodes = model.embed(self.x[fragments.nodes[mask]], torch.stack([place[which, one], place[which, other]]))
        explained = place[:, 0] if self.dataset.task is Task.NODE else None
        return model.read(nodes, explained, owner, len(mask))[0]


# Training


VALIDATION_FRAGMENTS = 2048
"""About so many fragments of the validation part tell when to stop; fewer where a step takes fewer than a quarter."""


@dataclass(frozen=True)
class WordTrainingConfig(TrainingConfig):
    """How a GNN is trained that learns vectors for words besides.

    Attributes:
        average: How much of the running average of the weights is kept in each step; 0: the last weights count.
        words: How the vectors are learned.
    """

    average: float = 0.995
    words: WordsConfig = field(default_factory=WordsConfig)


_GNNEXPLAINER = TrainingConfig(hidden=20, epochs=5000, patience=2000, lr=1e-3, weight_decay=5e-3, fragments=0)
_PLAIN = {
    "tree_cycles": _GNNEXPLAINER,  # its own recipe
    "tree_grid": _GNNEXPLAINER,
    "ba_community": TrainingConfig(hidden=20, epochs=2000, patience=300, lr=1e-2, fragments=0),
    "ba_2motifs": TrainingConfig(epochs=100, patience=30, fragments=0),
    "mutagenicity": TrainingConfig(hidden=64, epochs=100, patience=30, lr=3e-3, fragments=0),
    "tree_cycles_noise": _GNNEXPLAINER,
    "tree_grid_noise": _GNNEXPLAINER,
    "ba_either": TrainingConfig(hidden=64, epochs=300, patience=100, batch_size=64, fragments=0),
    "benzene": TrainingConfig(epochs=40, patience=15, fragments=0),
}
_MOLECULES = TrainingConfig(hidden=256, epochs=100, patience=30, lr=1e-3, fragments=512, fragment_nodes=24)
_SENTENCES = WordTrainingConfig(
    hidden=64, epochs=8, patience=3, lr=1e-3, batch_size=64, fragments=256, fragment_weight=0.5
)
_NOISE = TrainingConfig(epochs=1500, patience=400, fragments=512)
_SETTINGS = {
    "ba_shapes": TrainingConfig(hidden=64, weight_decay=1e-3),
    "ba_community": TrainingConfig(hidden=128, epochs=2000, patience=300, weight_decay=1e-3, fragment_weight=0.3),
    "tree_cycles": TrainingConfig(hidden=20, weight_decay=1e-3),
    "tree_grid": TrainingConfig(hidden=64),
    "ba_2motifs": TrainingConfig(epochs=300, patience=30, fragments=512, fragment_nodes=24),
    "mutagenicity": _MOLECULES,
    "graph_sst2": _SENTENCES,
    "tree_cycles_noise": _NOISE,
    "tree_grid_noise": _NOISE,
    "ba_either": TrainingConfig(hidden=64, epochs=150, patience=40, batch_size=64, fragments=256, fragment_nodes=24),
    "benzene": TrainingConfig(epochs=12, fragments=512, fragment_nodes=24),
}
_TREES_GCN = TrainingConfig("gcn", hidden=64, patience=1000, fragment_weight=0.3)
_GCN = {  # whose layers can hardly tell small fragments apart where all features are the same
    "ba_shapes": TrainingConfig("gcn", hidden=64),
    "ba_community": TrainingConfig("gcn", 64, epochs=2000, patience=300, weight_decay=1e-3, fragment_weight=0.1),
    "tree_cycles": _TREES_GCN,
    "tree_grid": _TREES_GCN,
    "mutagenicity": replace(_MOLECULES, kind="gcn", hidden=128),
    "graph_sst2": TrainingConfig("gcn", 64, epochs=8, patience=3, lr=1e-3, batch_size=64, fragments=256),
}


def default_config(dataset: str, kind: str = DEFAULT_KIND, *, plain: bool = False) -> TrainingConfig:
    """The settings that a data set's shipped GNN was trained with.

    Args:
        dataset: Its name.
        kind: Which convolution.
        plain: Those of the first generation, which saw whole graphs only.
    """
    if plain:
        return replace(_PLAIN.get(dataset, TrainingConfig(fragments=0)), kind=kind)
    chosen = _GCN.get(dataset) if kind == "gcn" else _SETTINGS.get(dataset)
    return replace(chosen or TrainingConfig(), kind=kind)


@dataclass(frozen=True)
class GnnEpoch:
    """One epoch's report."""

    epoch: int
    epochs: int
    loss: float
    validation_loss: float
    validation_accuracy: float


def split(count: int, seed: int) -> tuple[Ints, Ints, Ints]:
    """Random 80/10/10 parts for training, validation and test."""
    return split_in_order(np.random.RandomState(seed).permutation(count))


def split_in_order(order: Ints) -> tuple[Ints, Ints, Ints]:
    """80/10/10 parts for training, validation and test: the first ones, the next, the last."""
    first, second = int(len(order) * 0.8), int(len(order) * 0.9)
    return order[:first], order[first:second], order[second:]


def parts_of(dataset: GraphDataset, seed: int) -> dict[str, Ints]:
    """The parts for training, validation and test: the data set's own, or random ones."""
    if dataset.parts:
        return {name: dataset.parts[name] for name in ("train", "validation", "test")}
    return dict(zip(("train", "validation", "test"), split(len(dataset.y), seed), strict=True))


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
    parts = parts_of(dataset, config.split_seed)
    statistics = dataset.statistics
    dataset, model = _fresh_model(dataset, config)
    model = model.to(device)
    averaged: AveragedModel | None = None  # steadier than the last weights where few epochs are enough
    if isinstance(config, WordTrainingConfig):
        averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(config.average))
    counted: GNN = model if averaged is None else averaged.module  # type: ignore[assignment]
    evaluate = step_of(dataset, device)
    fragments = _FragmentLoss(dataset, config, parts, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    rng = np.random.RandomState(config.seed)
    best_loss, best_weights, best_epoch, epoch = float("inf"), copy.deepcopy(model.state_dict()), 0, 0

    for epoch in range(1, config.epochs + 1):
        model.train()
        losses = []
        for indices in batches(dataset, parts["train"], config.batch_size, rng):
            optimizer.zero_grad()
            loss = evaluate(model, indices)[0] + fragments.drawn(model)
            loss.backward()
            optimizer.step()
            if averaged is not None:
                averaged.update_parameters(model)
            losses.append(loss.detach())
        schedule.step()
        validation_loss, validation_accuracy = score(counted, evaluate, parts["validation"])
        validation_loss += fragments.held_out(counted)
        if validation_loss < best_loss:
            best_loss, best_epoch = validation_loss, epoch
            best_weights = copy.deepcopy(counted.state_dict())
        if on_epoch is not None:
            mean_loss = float(torch.stack(losses).mean())
            if on_epoch(GnnEpoch(epoch, config.epochs, mean_loss, validation_loss, validation_accuracy)):
                break
        if epoch - best_epoch >= config.patience:
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
    """The one with the lowest validation loss among trainings that differ in their seed; its header tells of all."""
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


def _fresh_model(dataset: GraphDataset, config: TrainingConfig) -> tuple[GraphDataset, GNN]:
    """A GNN that has learned nothing yet, and the data set with the features that it reads."""
    shape = config.hidden, config.num_layers
    if isinstance(config, WordTrainingConfig):
        dataset, words = numbered(dataset)
        with seeded(config.seed):
            return dataset, WordGNN(dataset, words, (config.kind, *shape), config.words, config.seed)
    with seeded(config.seed):
        return dataset, GNN(dataset.task, config.kind, dataset.x.shape[1], dataset.num_classes, *shape)


def batches(dataset: GraphDataset, part: Ints, size: int, rng: np.random.RandomState) -> list[Ints]:
    """What the steps of an epoch learn from: the whole part in a node task, else some graphs each."""
    if dataset.task is Task.NODE:
        return [part]
    order = rng.permutation(part)
    return [order[start : start + size] for start in range(0, len(order), size)]


Step = Callable[[nn.Module, Ints], tuple[Tensor, Tensor]]
"""Loss and number of right predictions of a model on some nodes or graphs."""


def step_of(dataset: GraphDataset, device: str) -> Step:
    """What asks a model, ours or PyG's, about nodes or graphs of a data set."""
    return _node_step(dataset, device) if dataset.task is Task.NODE else _graph_step(dataset, device)


def _node_step(dataset: GraphDataset, device: str) -> Step:
    data = dataset.to_pyg().to(device)

    def step(model: nn.Module, indices: Ints) -> tuple[Tensor, Tensor]:
        at = torch.from_numpy(indices).to(device)
        logits, y = model(data.x, data.edge_index)[at], data.y[at]
        return functional.cross_entropy(logits, y), (logits.argmax(1) == y).sum()

    return step


def _graph_step(dataset: GraphDataset, device: str) -> Step:
    graphs = [graph.to(device) for graph in dataset.to_pyg()]

    def step(model: nn.Module, indices: Ints) -> tuple[Tensor, Tensor]:
        data = Batch.from_data_list([graphs[i] for i in indices])
        logits = model(data.x, data.edge_index, data.batch)
        return functional.cross_entropy(logits, data.y), (logits.argmax(1) == data.y).sum()

    return step


class _FragmentLoss:
    """The cross-entropy of random fragments times its weight: of new ones in training, of the same in validation."""

    def __init__(self, dataset: GraphDataset, config: TrainingConfig, parts: dict[str, Ints], device: str) -> None:
        self.config = config
        if config.fragments:
            self._source, self._parts = FragmentSource(dataset, device), parts
            self._y = torch.from_numpy(dataset.y).to(device)
            self._rng = np.random.RandomState(config.seed)
            self._generator = torch.Generator(device).manual_seed(config.seed)
            wanted = min(VALIDATION_FRAGMENTS, 4 * config.fragments)
            repeats = -(-wanted // len(parts["validation"]))
            self._held_out = np.tile(parts["validation"], repeats)
            fixed = torch.Generator(device).manual_seed(config.split_seed)  # the same for every seed that is tried
            self._same = self._source.around(self._held_out, config.fragment_nodes, fixed)

    def drawn(self, model: GNN) -> Tensor | float:
        """Of fragments that nobody saw before."""
        if not self.config.fragments:
            return 0.0
        indices = self._rng.choice(self._parts["train"], self.config.fragments)
        return self._loss(model, indices, self._source.around(indices, self.config.fragment_nodes, self._generator))

    @torch.no_grad()
    def held_out(self, model: GNN) -> float:
        """Of fragments of the validation part."""
        return float(self._loss(model, self._held_out, self._same)) if self.config.fragments else 0.0

    def _loss(self, model: GNN, indices: Ints, fragments: Fragments) -> Tensor:
        y = self._y[torch.from_numpy(indices).to(self._y.device)]
        return self.config.fragment_weight * functional.cross_entropy(self._source.logits(model, fragments), y)


@torch.no_grad()
def score(model: nn.Module, evaluate: Step, part: Ints) -> tuple[float, float]:
    """Loss and accuracy of a model on one part."""
    model.eval()
    loss, right = evaluate(model, part)
    return float(loss), float(right) / len(part)
