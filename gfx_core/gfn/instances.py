"""What the policy needs of the graphs: their propagation matrices, node features, and the episodes on them.

APPNP is linear and its matrix does not change along a trajectory. So S, the whole propagation, is computed once for
each instance, and what a node receives from a set is a running sum of columns of S.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gfx_core.config import Task
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.settings import PolicyConfig
from gfx_core.gnn.predict import InstanceBatch, Predictor

LINKS, SPREAD = 0, 1  # the two channels of FlowGraphs.table
STARTS_PER_GRAPH = 4  # graph tasks: trajectories from this many nodes of a graph train policy and locator together


def propagation_matrix(instance: Instance, steps: int, teleport: float) -> Tensor:
    """S with S·H⁰ = APPNP(H⁰): H ← (1 − α)·ÂH + α·H⁰, Â the symmetric-normalised adjacency with self-loops. [m, m]

    On the CPU: its many small operations on a small matrix take longer to be launched on a GPU.
    """
    size, edge_index = instance.num_nodes, torch.from_numpy(instance.edge_index)
    edges = torch.cat([edge_index, torch.arange(size).expand(2, -1)], dim=1)
    scale = torch.bincount(edges[0], minlength=size).float().rsqrt()
    a_hat = torch.sparse_coo_tensor(edges, scale[edges].prod(0), (size, size), check_invariants=False).coalesce()
    identity = torch.eye(size)
    result = identity
    for _ in range(steps):
        result = (1 - teleport) * torch.sparse.mm(a_hat, result) + teleport * identity
    return result


class FlowGraphs:
    """Some instances as the policy sees them.

    Attributes:
        instances: The instances.
        graphs: Their graphs.
        table: For every pair of nodes of an instance: whether they are joined, and S; then zeros. [cells + 1, 2]
        features: What is known of each node before any start node or set is chosen. [M, f]
        inverse_degree: 1 / degree of each node. [M]
    """

    def __init__(self, predictor: Predictor, config: PolicyConfig) -> None:
        self.instances, self.task = predictor.instances, predictor.task
        self.graphs = graphs = predictor.graphs
        self.device = graphs.device
        self.table = torch.zeros(graphs.num_cells + 1, 2, device=self.device)
        self.table[graphs.edge_cells, LINKS] = 1.0
        matrices = [propagation_matrix(instance, config.steps, config.teleport) for instance in self.instances]
        self.table[:-1, SPREAD] = torch.cat([matrix.flatten() for matrix in matrices]).to(self.device)
        features = predictor.features
        degree = torch.bincount(graphs.edge_index[0], minlength=len(features)).to(features.dtype)
        self.inverse_degree = 1 / degree.clamp(min=1)
        if config.context:
            features = torch.cat([features, predictor.node_embedding, degree.log1p()[:, None]], dim=1)  # [M, f]
        pairs = zip(matrices, features.split(graphs.sizes.tolist()), strict=True)
        propagated = torch.cat([matrix.to(self.device) @ rows for matrix, rows in pairs])
        self.features = torch.cat([features, propagated], dim=1) if config.context else propagated


@dataclass(frozen=True)
class Episodes:
    """E pairs of an instance and a start node; trajectories are sampled from these.

    Every node of every episode has a row in what the policy encodes: episode ``e`` owns the rows
    ``base[e] … base[e] + size[e] - 1``, R in all.
    """

    source: FlowGraphs
    instance: Tensor  # [E]
    start: Tensor  # [E], local ids
    size: Tensor  # [E]
    base: Tensor  # [E]
    block: Tensor  # [E], where an episode's cells begin in the tables
    episode: Tensor  # [R], the episode of each row
    node: Tensor  # [R], the local node of each row
    row: Tensor  # [R], its row among the nodes of all instances
    inverse_degree: Tensor  # [R]
    width: int  # m, the most nodes of an episode

    @classmethod
    def of(cls, source: FlowGraphs, instance: np.ndarray, start: np.ndarray | None = None) -> "Episodes":
        """Pair instances with start nodes; by default the explained nodes."""
        graphs, device = source.graphs, source.device
        if start is None and source.task is Task.GRAPH:
            raise ValueError("in a graph task every episode needs a start node")
        numbers = torch.from_numpy(np.asarray(instance, dtype=np.int64)).to(device)
        sizes = graphs.sizes[instance]
        bases = np.cumsum(sizes) - sizes
        owner = np.repeat(np.arange(len(sizes)), sizes)
        base, episode = torch.from_numpy(bases).to(device), torch.from_numpy(owner).to(device)
        node = torch.from_numpy(np.arange(len(owner)) - bases[owner]).to(device)
        row = graphs.rows(numbers[episode], node)
        return cls(
            source=source,
            instance=numbers,
            start=graphs.target[numbers] if start is None else torch.from_numpy(start).to(device),
            size=graphs.size[numbers],
            base=base,
            block=graphs.block[numbers],
            episode=episode,
            node=node,
            row=row,
            inverse_degree=source.inverse_degree[row],
            width=int(sizes.max()),
        )

    def __len__(self) -> int:
        return len(self.instance)

    @property
    def graphs(self) -> InstanceBatch:
        return self.source.graphs

    def columns(self, episode: Tensor, node: Tensor) -> Tensor:
        """What a node, once in the set, adds to every other: rows of the (symmetric) tables. [N], [N] → [N, m, 2]"""
        return self.cells(episode[:, None], node[:, None], torch.arange(self.width, device=node.device))

    def cells(self, episode: Tensor, one: Tensor, other: Tensor) -> Tensor:
        """The tables at pairs of nodes, zero where one is -1 or beyond the graph; all broadcast. [...] → [..., 2]"""
        size = self.size[episode]
        exists = (one >= 0) & (other >= 0) & (other < size)
        return self.source.table[(self.block[episode] + one * size + other).where(exists, -1)]


# The instances of a training, in batches of trajectories that are sampled together.


def training_batches(
    graphs: FlowGraphs, instances: Ints, batch_size: int, seed: int, start: int | None = None, anywhere: bool = False
) -> list[Episodes]:
    """Instances in random batches, which stay the same from epoch to epoch.

    Args:
        graphs: All instances.
        instances: Those that trajectories are sampled from.
        batch_size: The most trajectories of a batch.
        seed: Of the batches.
        start: A node where all trajectories start; by default the explained nodes.
        anywhere: Whether they start at some random nodes of each graph, which `move_starts` changes.
    """
    rng, starts = np.random.RandomState(seed), STARTS_PER_GRAPH if anywhere else 1
    order = instances[rng.permutation(len(instances))]
    batches = np.array_split(order, math.ceil(len(order) / max(1, batch_size // starts)))
    if anywhere:
        return [Episodes.of(graphs, batch.repeat(starts), random_starts(graphs, batch, rng)) for batch in batches]
    return [Episodes.of(graphs, batch, None if start is None else np.full(len(batch), start)) for batch in batches]


def move_starts(batches: list[Episodes], rng: np.random.RandomState) -> None:
    """Let the trajectories of batches that start anywhere start at other random nodes, in place."""
    for episodes in batches:
        instances = episodes.instance[::STARTS_PER_GRAPH].cpu().numpy()
        episodes.start.copy_(torch.from_numpy(random_starts(episodes.source, instances, rng)))


def random_starts(graphs: FlowGraphs, instances: Ints, rng: np.random.RandomState) -> Ints:
    """Distinct random nodes of each graph (repeated where a graph is too small). [G · starts]"""
    size = graphs.graphs.sizes[instances]
    key = rng.random_sample((len(instances), max(int(size.max()), STARTS_PER_GRAPH)))
    key[np.arange(key.shape[1]) >= size[:, None]] = np.inf
    return (np.argsort(key, axis=1)[:, :STARTS_PER_GRAPH] % size[:, None]).astype(np.int64).ravel()
