"""LookAheadTrainer: a look-ahead policy learns exact flows of listed states, of many data sets and GNNs at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import huber_loss

from gfx_core.device import seeded
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.objectives import LossTerms
from gfx_core.gfn.settings import GFNConfig, RewardConfig
from gfx_core.gfn.trainer import FlowTrainer
from gfx_core.look_ahead.horizon import EVERYTHING, WIDTHS, Ahead
from gfx_core.look_ahead.policy import AheadTensors, LookAheadPolicy, logsumexp_by, most_nodes

SEEN = (EVERYTHING, EVERYTHING, WIDTHS, (8, 1), (4, 0))
"""Each batch of a training is seen with one of these widths: so the network knows what it is to do without the rest."""
UNIFORM = 0.2
"""Share of the states that counts as much as any other; the others count as often as exact flows visit them."""
FLOWS, STATES = 0.05, 0.02
"""Weights of the squared error of log-flows, and of the error of states' own, beside the divergence of the actions."""
BATCHES, EDGES = 50, 100_000
"""Batches in an epoch, and edges in a batch, about."""


@dataclass(frozen=True)
class ListedFlows:
    """Some whole state spaces with their exact flows: a training's batch, or all that it learns from.

    Attributes:
        states: What `AheadTensors` has of states; log F; how much each counts, 1 in all for each space. [S, 8]
        edges: What it has of edges: parent, child, rank. [E, 3]
        log_edge: The exact log-flow of each edge. [E]
        spaces: The first state and edge of each space, and how many it has. [D, 4]
    """

    states: Tensor
    edges: Tensor
    log_edge: Tensor
    spaces: Tensor

    @classmethod
    def of(cls, space: StateSpace, reward: RewardConfig, device: torch.device) -> "ListedFlows":
        """The listed states of some instances."""
        ahead = AheadTensors.of(Ahead.of(space), most_nodes(space), reward, device)
        exact = torch.from_numpy(np.stack([space.log_state, space.chances(UNIFORM)], axis=1)).to(device, torch.float32)
        edges = np.bincount(space.owner[space.parent], minlength=len(space))
        spaces = np.stack([space.origin, np.cumsum(edges) - edges, space.counts, edges], axis=1)
        return cls(
            states=torch.cat([torch.stack(ahead.of_states, dim=1), exact], dim=1),
            edges=torch.stack(ahead.of_edges, dim=1),
            log_edge=torch.from_numpy(space.log_edge).to(device, torch.float32),
            spaces=torch.from_numpy(spaces),
        )

    @property
    def ahead(self) -> AheadTensors:
        """What a policy reads of them."""
        return AheadTensors(*self.states[:, :-2].unbind(1), *self.edges.unbind(1))

    def pick(self, numbers: Tensor) -> "ListedFlows":
        """Some of the spaces. [d]"""
        spaces, device = self.spaces[numbers], self.log_edge.device
        first, count = spaces.split(2, dim=1)
        moved = count.cumsum(0) - count  # where their states and edges begin now. [d, 2]
        state, edge = (_ranges(first[:, k], moved[:, k], count[:, k]).to(device) for k in (0, 1))
        shift = (moved - first)[:, 0].repeat_interleave(count[:, 1]).to(device)
        edges = self.edges[edge] + torch.stack([shift, shift, torch.zeros_like(shift)], dim=1)
        return ListedFlows(self.states[state], edges, self.log_edge[edge], torch.cat([moved, count], dim=1))

    @classmethod
    def join(cls, parts: "Sequence[ListedFlows]") -> "ListedFlows":
        """Those of several rewards or GNNs side by side."""
        edges, spaces, first = [], [], torch.zeros(2, dtype=torch.long)  # states and edges that came before
        for part in parts:
            edges.append(part.edges + torch.tensor([first[0], first[0], 0], device=part.edges.device))
            spaces.append(part.spaces + torch.cat([first, torch.zeros_like(first)]))
            first = first + torch.tensor([len(part.states), len(part.edges)])
        states, log_edge = (torch.cat([getattr(part, name) for part in parts]) for name in ("states", "log_edge"))
        return cls(states, torch.cat(edges), log_edge, torch.cat(spaces))


def _ranges(first: Tensor, at: Tensor, count: Tensor) -> Tensor:
    """The numbers from each first on, so many of each, one range after the other."""
    return torch.arange(int(count.sum())) + (first - at).repeat_interleave(count)


class LookAheadTrainer(FlowTrainer):
    """Trains a policy on state spaces, as many of each source.

    Args:
        sources: Listed states of instances, a part for each data set and GNN.
        config: The network, learning rate and epochs.
        device: Where it learns.
    """

    largest = 1.0

    def __init__(self, sources: Sequence[ListedFlows], config: GFNConfig, device: torch.device) -> None:
        with seeded(config.seed):
            self.policy = LookAheadPolicy(config.policy.hidden, config.max_nodes)
        super().__init__(nn.ModuleDict({"policy": self.policy}), config, device)
        self._all = ListedFlows.join(sources)
        counts = [len(source.spaces) for source in sources]
        self._numbers = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
        self._edges = self._all.spaces[:, 3].numpy()

    def batch_numbers(self) -> Sequence[int]:
        return range(BATCHES)

    def sample(self, number: int, generator: torch.Generator) -> tuple[ListedFlows, tuple[int, int]]:
        picked, edges = [], 0
        while edges < EDGES:
            space = self.rng.choice(self._numbers[self.rng.randint(len(self._numbers))])
            picked.append(space)
            edges += int(self._edges[space])
        return self._all.pick(torch.tensor(picked)), SEEN[self.rng.randint(len(SEEN))]

    def terms(self, sampled: tuple[ListedFlows, tuple[int, int]]) -> LossTerms:
        listed, widths = sampled
        ahead, count, (log_state, weight) = listed.ahead, len(listed.states), listed.states[:, -2:].unbind(1)
        flows = self.policy.flows(ahead, widths)
        log_on = logsumexp_by(flows.log_edge, ahead.parent, count)
        log_out = torch.logaddexp(log_on, ahead.log_reward)
        log_pi = flows.log_edge - log_out.index_select(0, ahead.parent)
        log_target = listed.log_edge - log_state[ahead.parent]
        target, log_stop = log_target.exp(), ahead.log_reward - log_state
        divergence = log_stop.exp() * (log_stop - ahead.log_reward + log_out)
        error = (flows.log_edge - listed.log_edge).square()
        per_edge = target * (log_target - log_pi + FLOWS * error)
        divergence = divergence.index_add(0, ahead.parent, per_edge)
        own = huber_loss(flows.log_far, log_state, reduction="none", delta=3.0)
        own = own + 0.3 * huber_loss(flows.log_near, log_state, reduction="none", delta=3.0)
        weight = weight / len(listed.spaces)
        loss = (weight * (divergence + STATES * own)).sum()
        residual = (weight * divergence).sum().detach()
        return LossTerms(loss, residual, ahead.log_reward, ahead.size)
