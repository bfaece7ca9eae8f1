"""Trainer: makes the policy's flows match on the states it visits."""

import copy
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gfn.captured import CapturedSampler
from gfx_core.gfn.config import GFNConfig, Loss
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.locator import StartLocator, locator_loss
from gfx_core.gfn.losses import flow_matching_loss, log_out_flow, masked_logsumexp, raised, trajectory_balance_loss
from gfx_core.gfn.policy import FlowPolicy, Flows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, parent_nodes, sample
from gfx_core.gfn.states import States
from gfx_core.gnn.predict import Predictor, SubgraphPredictor
from gfx_core.seeding import seeded

_log = logging.getLogger(__name__)

STARTS_PER_GRAPH = 4  # graph tasks: trajectories from this many nodes of a graph train policy and locator together


@dataclass(frozen=True)
class EpochReport:
    """What one epoch did.

    Attributes:
        epoch: Its number, from 1.
        epochs: How many there will be.
        loss: Mean loss over its batches.
        residual: Mean |log in-flow − log out-flow| over the visited states.
        log_reward: Mean log R of the final subgraphs.
        size: Mean number of their nodes.
        seconds: How long it took.
        eta: Seconds until the end at this pace.
    """

    epoch: int
    epochs: int
    loss: float
    residual: float
    log_reward: float
    size: float
    seconds: float
    eta: float


@dataclass(frozen=True)
class LossTerms:
    """What one batch gives: the loss to make small, and what to report."""

    loss: Tensor
    residual: Tensor
    log_reward: Tensor  # [B]


class NotANumberError(UserError, FloatingPointError):
    """The loss stopped being a number; the last good weights were put back."""


class _NoNumber(Exception):  # noqa: N818 (said to the trainer itself)
    def __init__(self, from_the_start: bool) -> None:
        super().__init__()
        self.from_the_start = from_the_start


class Trainer:
    """Trains a policy (and, in graph tasks, a locator) on some instances.

    Everything random comes from ``config.seed`` and the epoch's number, so a training that is stopped and resumed
    goes on exactly as if it had not been.

    Args:
        predictor: The GNN on the instances.
        config: How.
        reward: What makes a subgraph good; by default the configuration's reward of what the GNN itself predicts.
        start: A node where all trajectories start. By default they start at the explained node or, in graph tasks, at
            random nodes, from which the locator learns.
        repeats: How many trajectories start there in an epoch.
    """

    def __init__(
        self,
        predictor: Predictor,
        config: GFNConfig,
        *,
        reward: Reward | None = None,
        start: int | None = None,
        repeats: int = 1,
    ) -> None:
        self.predictor, self.config = predictor, config
        self.start, self.repeats = start, repeats
        self.device = predictor.device
        self.graphs = FlowGraphs(predictor, config.policy)
        self.reward = reward or Reward(predictor, config.reward)
        with seeded(config.seed):
            width = self.graphs.features.shape[1]
            self.policy = FlowPolicy(width, config.policy, config.stop, config.max_nodes)
            self.locator: StartLocator | None = None
            if predictor.task is Task.GRAPH and start is None:
                self.locator = StartLocator(predictor.whole.embedding.shape[1], predictor.node_embedding.shape[1])
            self.log_z = _log_z_model(config.loss, width)
        self.modules = nn.ModuleDict({"policy": self.policy, "log_z": self.log_z})
        if self.locator is not None:
            self.modules["locator"] = self.locator
        self.modules.to(self.device)
        # the best log R met so far from each start node, by row of the nodes' features
        self.best = torch.full((len(self.graphs.features),), -torch.inf, device=self.device)
        slow = [p for name, module in self.modules.items() if name != "log_z" for p in module.parameters()]
        groups = [{"params": slow, "lr": config.lr}, {"params": list(self.log_z.parameters()), "lr": config.lr_log_z}]
        # β₂ below Adam's usual: the first gradients dwarf the later ones and should be forgotten sooner
        self.optimizer = torch.optim.Adam(
            [g for g in groups if g["params"]], betas=(0.9, 0.95), fused=self.device.type == "cuda"
        )
        self._rates = [group["lr"] for group in self.optimizer.param_groups]
        self.curve: list[EpochReport] = []
        self._before_last: Callable[[], None] | None = None  # puts the last epoch's beginning back
        self._captures = self.device.type == "cuda" and isinstance(predictor, SubgraphPredictor) and repeats == 1
        self._batch_size = config.batch_size
        self._make_batches()

    @property
    def epoch(self) -> int:
        """Epochs done so far."""
        return len(self.curve)

    def fit(
        self,
        on_epoch: Callable[[EpochReport], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Train until ``config.epochs`` are done, or it is cancelled, or the loss stops being a number.

        In the last case the weights of the last good epoch are put back and a :class:`NotANumberError` says so.

        Args:
            on_epoch: Called after each epoch.
            cancelled: Asked before each batch; training stops, keeping what it has, when it says yes.
        """
        while self.epoch < self.config.epochs:
            if not self.run_epoch(cancelled):
                return
            if on_epoch is not None:
                on_epoch(self.curve[-1])

    def run_epoch(self, cancelled: Callable[[], bool] | None = None) -> bool:
        """One pass over the instances; False if it was cancelled half-way (and then not counted).

        Where the device's memory does not suffice, the epoch begins again with batches of half the size.
        """
        restore = self._snapshot()
        while True:
            try:
                done = self._pass(cancelled)
            except torch.OutOfMemoryError:
                if self._batch_size <= STARTS_PER_GRAPH:
                    raise
                self._batch_size //= 2
                _log.warning("the device's memory is full: going on with batches of %d", self._batch_size)
                restore()
                self._make_batches()
            except _NoNumber as error:
                failed = self.epoch + 1
                if error.from_the_start and self._before_last is not None:  # the last epoch's step broke the weights
                    restore, self._before_last = self._before_last, None
                    self.curve.pop()
                restore()
                raise NotANumberError(
                    f"The loss stopped being a number in epoch {failed}; the weights of epoch {self.epoch} were kept. "
                    "Try a smaller learning rate or β."
                ) from None
            else:
                if done:
                    self._before_last = restore
                else:
                    restore()
                return done

    def _snapshot(self) -> Callable[[], None]:
        """Remember the weights and Adam's state; returns what puts them back."""
        weights, adam, best = copy.deepcopy((self.modules.state_dict(), self.optimizer.state_dict(), self.best))

        def restore() -> None:
            self.modules.load_state_dict(weights)
            self.optimizer.load_state_dict(adam)
            self.best.copy_(best)

        return restore

    def _pass(self, cancelled: Callable[[], bool] | None) -> bool:
        started = time.perf_counter()
        config, number = self.config, self.epoch + 1
        cosine = 0.5 * (1 + math.cos(math.pi * (number - 1) / config.epochs))
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * (0.05 + 0.95 * cosine)
        rng = np.random.RandomState([config.seed, number])
        generator = torch.Generator(self.device).manual_seed(config.seed * 1_000_003 + number)
        terms, sizes = [], []
        for episodes in self._batches(rng):
            if cancelled is not None and cancelled():
                return False
            trajectories, parents = self.sample(episodes, generator)
            batch = self.step(trajectories, parents)
            terms.append(torch.stack([batch.loss.detach(), batch.residual.detach(), batch.log_reward.mean()]))
            sizes.append(trajectories.length.float().mean())
        loss, residual, log_reward = torch.stack(terms).mean(0).tolist()
        if not math.isfinite(loss):
            raise _NoNumber(from_the_start=not bool(terms[0][0].isfinite()))
        seconds = time.perf_counter() - started
        eta = seconds * (config.epochs - number)
        size = float(torch.stack(sizes).mean())
        self.curve.append(EpochReport(number, config.epochs, loss, residual, log_reward, size, seconds, eta))
        return True

    def sample(self, episodes: Episodes, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """Trajectories from each episode, and the parents of its states. bool [B, K, m]"""
        config = self.config
        if self._captures:
            captured = self._captured.get(id(episodes))
            if captured is None:
                captured = CapturedSampler(self.policy, episodes, self.reward, config.epsilon, config.parents)
                self._captured[id(episodes)] = captured
            return captured(generator)
        each = torch.arange(len(episodes), device=self.device).repeat_interleave(self.repeats)
        trajectories = sample(self.policy, episodes, each, self.reward, epsilon=config.epsilon, generator=generator)
        return trajectories, parent_nodes(trajectories, config.parents)

    def step(self, trajectories: Trajectories, parents: Tensor) -> LossTerms:
        """One step of gradient descent on all visited states of some trajectories."""
        batch = self.loss(trajectories, parents)
        self.optimizer.zero_grad(set_to_none=True)
        batch.loss.backward()
        nn.utils.clip_grad_norm_(self.modules.parameters(), 10.0)
        self.optimizer.step()
        return batch

    def loss(self, trajectories: Trajectories, parents: Tensor) -> LossTerms:
        """The loss of every visited state, in one pass.

        Args:
            trajectories: What was sampled.
            parents: Which nodes' removal counts as a parent of each prefix. bool [B, K, m]
        """
        config = self.config
        at = trajectories.visited.flatten().nonzero()[:, 0]  # rows of [B · K] that are states
        states = States.along(trajectories.episodes, trajectories.episode, trajectories.order, config.max_nodes)[at]
        parents = parents.flatten(0, 1)[at]  # [N, m]
        log_reward = self._log_reward(trajectories, at)  # [N]
        flows = self.policy(self.policy.encode(trajectories.episodes), states, parents)
        log_stop = log_reward if flows.log_stop is None else flows.log_stop
        log_out = log_out_flow(flows.log_out, log_stop)  # [N]
        log_in = masked_logsumexp(flows.log_in)  # [N]
        has_parent = states.size > 1
        # where, and not an index: the device is not asked how many there are
        balanced = log_in.where(has_parent, 0.0), log_out.where(has_parent, 0.0)
        count = has_parent.sum().clamp(min=1)  # an isolated start node has no state with a parent
        residual = (balanced[0] - balanced[1]).abs().sum() / count
        if config.loss.is_trajectory_balance:
            loss = self._balance(trajectories, at, flows, log_out, log_stop, log_reward, parents)
        else:
            linear = config.loss is Loss.FLOW_MATCHING_LINEAR
            if config.delta is not None:
                floor = self._best_reward(trajectories, at, log_reward) - config.delta
                balanced = raised(balanced[0], floor), raised(balanced[1], floor)
            loss = flow_matching_loss(*balanced, linear).sum() / count
            if flows.log_stop is not None:
                loss = loss + flow_matching_loss(flows.log_stop, log_reward, linear).mean()
        loss = loss + 0 * log_out.detach().sum()  # no number stays unnoticed, also where no balance is asked for
        final = torch.zeros(trajectories.order.numel(), device=self.device).index_put((at,), log_reward)
        final = final.view_as(trajectories.order).gather(1, trajectories.length[:, None] - 1)[:, 0]  # [B]
        if self.locator is not None:
            omega = self.locator(self.predictor, trajectories.instance, trajectories.episodes.start)
            loss = loss + locator_loss(omega.view(-1, STARTS_PER_GRAPH), final.view(-1, STARTS_PER_GRAPH))
        return LossTerms(loss, residual, final)

    def _best_reward(self, trajectories: Trajectories, at: Tensor, log_reward: Tensor) -> Tensor:
        """The best log R met so far from the start node of each state, these states included. [N]"""
        start = trajectories.episodes.start[trajectories.episode]
        rows = trajectories.episodes.graphs.rows(trajectories.instance, start)[at // trajectories.order.shape[1]]
        self.best.scatter_reduce_(0, rows, log_reward, "amax")
        return self.best[rows]

    def _log_reward(self, trajectories: Trajectories, at: Tensor) -> Tensor:
        if trajectories.log_reward is not None:
            return trajectories.log_reward.flatten()[at]
        K = self.config.max_nodes
        return self.reward(trajectories.prefixes().flatten(0, 1)[at], trajectories.instance[at // K])

    def _balance(
        self,
        trajectories: Trajectories,
        at: Tensor,
        flows: Flows,
        log_out: Tensor,
        log_stop: Tensor,
        log_reward: Tensor,
        parents: Tensor,
    ) -> Tensor:
        """Trajectory balance with a uniform backward policy over the parents."""
        B, K = trajectories.order.shape
        following = torch.cat([trajectories.order[:, 1:], trajectories.order.new_full((B, 1), -1)], dim=1)
        action = following.flatten()[at]  # [N], -1 for STOP
        taken = torch.where(action < 0, log_stop, flows.log_out.gather(1, action.clamp(min=0)[:, None])[:, 0])
        back = -parents.sum(1).clamp(min=1).float().log()  # [N], zero at the start state
        trajectory = at // K
        zeros = torch.zeros(B, device=self.device)
        log_forward = zeros.index_add(0, trajectory, taken - log_out)
        log_backward = zeros.index_add(0, trajectory, back)
        final = zeros.index_add(0, trajectory, log_reward * (action < 0))
        log_z = self.log_z(self._start_features(trajectories))
        return trajectory_balance_loss(log_z, log_forward, log_backward, final).mean()

    def _start_features(self, trajectories: Trajectories) -> Tensor:
        start = trajectories.episodes.start[trajectories.episode]
        return self.graphs.features[trajectories.episodes.graphs.rows(trajectories.instance, start)]

    def _make_batches(self) -> None:
        """Put the instances into random parts of at most ``_batch_size`` trajectories; the parts stay the same."""
        rng, count = np.random.RandomState(self.config.seed), len(self.predictor.graphs)
        starts = STARTS_PER_GRAPH if self.locator is not None else 1
        self._parts = np.array_split(rng.permutation(count), math.ceil(count / max(1, self._batch_size // starts)))
        self._captured: dict[int, CapturedSampler] = {}
        if self.locator is None:
            starts_at = [None if self.start is None else np.full(len(part), self.start) for part in self._parts]
            self._all = [Episodes.of(self.graphs, *pair) for pair in zip(self._parts, starts_at, strict=True)]
        else:
            self._all = [
                Episodes.of(self.graphs, part.repeat(starts), self._random_starts(part, rng)) for part in self._parts
            ]

    def _batches(self, rng: np.random.RandomState) -> list[Episodes]:
        """The episodes of one epoch in random order, in graph tasks with new start nodes."""
        if self.locator is not None:
            for part, episodes in zip(self._parts, self._all, strict=True):
                episodes.start.copy_(torch.from_numpy(self._random_starts(part, rng)))
        return [self._all[i] for i in rng.permutation(len(self._all))]

    def _random_starts(self, instances: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """Distinct random nodes of each graph (repeated where a graph is too small). [G · starts]"""
        size = self.predictor.graphs.sizes[instances]
        key = rng.random_sample((len(instances), max(int(size.max()), STARTS_PER_GRAPH)))
        key[np.arange(key.shape[1]) >= size[:, None]] = np.inf
        return (np.argsort(key, axis=1)[:, :STARTS_PER_GRAPH] % size[:, None]).astype(np.int64).ravel()


class _ConstantLogZ(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.value = nn.Parameter(torch.zeros(()))

    def forward(self, features: Tensor) -> Tensor:
        return self.value.expand(len(features))


class _ConditionalLogZ(nn.Module):
    def __init__(self, width: int, hidden: int = 128) -> None:
        super().__init__()
        self.mlp = nn.Sequential(
            nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, features: Tensor) -> Tensor:
        return self.mlp(features)[:, 0]


def _log_z_model(loss: Loss, width: int) -> nn.Module:
    """log Z of trajectory balance: one number, or an MLP on the start node's features; nothing for flow matching."""
    if loss is Loss.TRAJECTORY_BALANCE_CONDITIONAL:
        return _ConditionalLogZ(width)
    return _ConstantLogZ() if loss is Loss.TRAJECTORY_BALANCE else nn.Module()
