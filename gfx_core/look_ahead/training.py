"""LookAheadTrainer: a look-ahead policy learns exact flows of listed states, of many data sets and GNNs at once."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import huber_loss

from gfx_core.device import seeded
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.objectives import LossTerms
from gfx_core.gfn.settings import GFNConfig, RewardConfig
from gfx_core.gfn.trainer import FlowTrainer
from gfx_core.look_ahead.horizon import Ahead
from gfx_core.look_ahead.policy import WIDTHS, AheadTensors, LookAheadPolicy, logsumexp_by, most_nodes

NARROW = (WIDTHS, WIDTHS, WIDTHS, (8, 1), (4, 0))
"""Each batch of a training is seen with one of these widths: so the network knows what it is to do without the rest."""
UNIFORM = 0.2
"""Share of the states that counts as much as any other; the others count as often as exact flows visit them."""
FLOWS, STATES = 0.1, 0.02
"""Weights of the squared error of log-flows, and of the error of states' own, beside the divergence of the actions."""
BATCHES, EDGES = 50, 250_000
"""Batches in an epoch, and edges in a batch, about."""


@dataclass(frozen=True)
class ListedFlows:
    """Some whole state spaces with their exact flows: a training's batch, or all that it learns from.

    Attributes:
        ahead: The states.
        log_edge: The exact log-flow of each edge. [E]
        log_state: log F of each state. [S]
        weight: How much each state counts, 1 in all for each space. [S]
        spaces: The first state and edge of each space, and how many it has. [D, 4]
    """

    ahead: AheadTensors
    log_edge: Tensor
    log_state: Tensor
    weight: Tensor
    spaces: Tensor

    @classmethod
    def of(cls, space: StateSpace, reward: RewardConfig, device: torch.device) -> "ListedFlows":
        """The listed states of some instances."""
        ahead = AheadTensors.of(Ahead.of(space), most_nodes(space), reward, device)
        numbers = space.log_edge, space.log_state, space.chances(UNIFORM)
        floats = (torch.from_numpy(values).to(device, torch.float32) for values in numbers)
        edges = np.bincount(space.owner[space.parent], minlength=len(space))
        bounds = np.stack([space.origin, np.cumsum(edges) - edges, space.counts, edges], axis=1)
        return cls(ahead, *floats, torch.from_numpy(bounds))

    def pick(self, spaces: Tensor) -> "ListedFlows":
        """Some of the spaces, by number. [d]"""
        bounds, device = self.spaces[spaces], self.log_edge.device
        starts = bounds[:, 2:].cumsum(0) - bounds[:, 2:]  # of states and edges among those that are picked. [d, 2]
        state, edge = (_ranges(bounds[:, k], starts[:, k], bounds[:, k + 2]).to(device) for k in (0, 1))
        shift = (starts[:, 0] - bounds[:, 0]).repeat_interleave(bounds[:, 3]).to(device)
        of_states = ("log_reward", "size", "left", "cost", "log_parents", "num_children")
        ahead = AheadTensors(
            **{name: getattr(self.ahead, name)[state] for name in of_states},
            parent=self.ahead.parent[edge] + shift,
            child=self.ahead.child[edge] + shift,
            rank=self.ahead.rank[edge],
        )
        bounds = torch.cat([starts, bounds[:, 2:]], dim=1)
        return ListedFlows(ahead, self.log_edge[edge], self.log_state[state], self.weight[state], bounds)

    @classmethod
    def join(cls, parts: "Sequence[ListedFlows]") -> "ListedFlows":
        """Those of several rewards or GNNs side by side."""
        states = np.cumsum([0, *(len(part.log_state) for part in parts)])
        edges = np.cumsum([0, *(len(part.log_edge) for part in parts)])
        aheads = {
            field.name: torch.cat([getattr(part.ahead, field.name) for part in parts])
            for field in fields(AheadTensors)
            if field.name not in ("parent", "child", "inner", "outer")
        }
        for name in ("parent", "child"):
            aheads[name] = torch.cat(
                [getattr(part.ahead, name) + int(first) for part, first in zip(parts, states, strict=False)]
            )
        rest = (torch.cat([getattr(part, name) for part in parts]) for name in ("log_edge", "log_state", "weight"))
        moved = [
            part.spaces + torch.tensor([state, edge, 0, 0])
            for part, state, edge in zip(parts, states.tolist(), edges.tolist(), strict=False)
        ]
        return cls(AheadTensors(**aheads), *rest, torch.cat(moved))


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
        return self._all.pick(torch.tensor(picked)), NARROW[self.rng.randint(len(NARROW))]

    def terms(self, sampled: tuple[ListedFlows, tuple[int, int]]) -> LossTerms:
        listed, widths = sampled
        ahead, count, spaces = listed.ahead, len(listed.log_state), len(listed.spaces)
        flows = self.policy.flows(ahead, widths)
        log_on = logsumexp_by(flows.log_edge, ahead.parent, count)
        log_out = torch.logaddexp(log_on, ahead.log_reward)
        log_pi = flows.log_edge - log_out[ahead.parent]
        log_target = listed.log_edge - listed.log_state[ahead.parent]
        target, log_stop = log_target.exp(), ahead.log_reward - listed.log_state
        divergence = log_stop.exp() * (log_stop - ahead.log_reward + log_out)
        error = (flows.log_edge - listed.log_edge).square()
        per_edge = target * (log_target - log_pi + FLOWS * error)
        divergence = divergence.index_add(0, ahead.parent, per_edge)
        own = huber_loss(flows.log_far, listed.log_state, reduction="none", delta=3.0)
        own = own + 0.3 * huber_loss(flows.log_near, listed.log_state, reduction="none", delta=3.0)
        weight = listed.weight / spaces
        loss = (weight * (divergence + STATES * own)).sum()
        residual = (weight * divergence).sum().detach()
        return LossTerms(loss, residual, ahead.log_reward, ahead.size)
