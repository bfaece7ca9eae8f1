"""Trainer: samples trajectories and makes an objective small on the states they visit."""

import copy
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gfn.captured import CapturedSampler
from gfx_core.gfn.exact_targets import ExactTargets, list_states
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.locator import StartLocator, locator_loss
from gfx_core.gfn.objectives import OBJECTIVES, LossTerms, Objective
from gfx_core.gfn.pairs import Room
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.ramp import RampedReward, heat
from gfx_core.gfn.replay import Replay, Seen
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, parent_nodes, sample
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gnn.predict import Predictor, SubgraphPredictor
from gfx_core.seeding import seeded

_log = logging.getLogger(__name__)

WATCHED = 64  # where all instances are learned from lists of their states, so many are sampled to see how it goes
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
        objective: What is made small; by default that of the configuration's loss.
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
        objective: Objective | None = None,
        start: int | None = None,
        repeats: int = 1,
    ) -> None:
        self.predictor, self.config = predictor, config
        self.start, self.repeats = start, repeats
        self.device = predictor.device
        self.graphs = FlowGraphs(predictor, config.policy)
        self.reward = reward or Reward(predictor, config.reward)
        self.exact = self._list_states() if config.learning.exact_cap else None
        if config.learning.ramp:
            self.reward = RampedReward(self.reward)
        with seeded(config.seed):
            width = self.graphs.features.shape[1]
            self.policy = FlowPolicy(width, config.policy, config.stop, config.max_nodes)
            self.locator: StartLocator | None = None
            if predictor.task is Task.GRAPH and start is None:
                self.locator = StartLocator(predictor.whole.embedding.shape[1], predictor.node_embedding.shape[1])
            self.objective = objective or OBJECTIVES[config.loss](config, self.graphs)
        self.modules = nn.ModuleDict({"policy": self.policy, "objective": self.objective})
        if self.locator is not None:
            self.modules["locator"] = self.locator
        self.modules.to(self.device)
        slow = [p for name, module in self.modules.items() if name != "objective" for p in module.parameters()]
        fast = list(self.objective.parameters())
        groups = [{"params": slow, "lr": config.lr}, {"params": fast, "lr": config.lr_log_z}]
        # β₂ below Adam's usual: the first gradients dwarf the later ones and should be forgotten sooner
        self.optimizer = torch.optim.Adam(
            [g for g in groups if g["params"]], betas=(0.9, 0.95), fused=self.device.type == "cuda"
        )
        self._rates = [group["lr"] for group in self.optimizer.param_groups]
        self.curve: list[EpochReport] = []
        self._generator = torch.Generator(self.device)  # seeded anew in every epoch
        self._before_last: Callable[[], None] | None = None  # puts the last epoch's beginning back
        fixed = isinstance(predictor, SubgraphPredictor) and repeats == 1 and self.objective.wants_parents
        self._captures = self.device.type == "cuda" and fixed
        self._batch_size = config.batch_size
        self._sampled = np.arange(len(predictor.graphs))  # the instances from which trajectories are sampled
        if self.exact is not None and self.locator is None:  # a locator learns from what is sampled everywhere
            self._sampled = np.setdiff1d(self._sampled, self.exact.instances)
        self._only_exact = not len(self._sampled)
        if self._only_exact:
            self._sampled = np.random.RandomState(config.seed).permutation(len(predictor.graphs))[:WATCHED]
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
        """Remember the weights, Adam's state and what the objective remembers; returns what puts them back."""
        weights, adam = copy.deepcopy((self.modules.state_dict(), self.optimizer.state_dict()))

        def restore() -> None:
            self.modules.load_state_dict(weights)
            self.optimizer.load_state_dict(adam)

        return restore

    def _pass(self, cancelled: Callable[[], bool] | None) -> bool:
        started = time.perf_counter()
        config, number = self.config, self.epoch + 1
        cosine = 0.5 * (1 + math.cos(math.pi * (number - 1) / config.epochs))
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * (0.05 + 0.95 * cosine)
        share = self._set_heat(number)
        rng = np.random.RandomState([config.seed, number])
        self._generator.manual_seed(config.seed * 1_000_003 + number)
        losses, watched = [], []
        for episodes in self._shuffled(rng):
            for turn in range(config.learning.steps_per_batch):
                if cancelled is not None and cancelled():
                    return False
                if turn and self._only_exact:
                    losses.append(self._descend(self._exact_loss()))
                    continue
                if not turn:
                    seen = Seen(*self.sample(episodes, self._generator), share)
                    self._replay.keep(id(episodes), seen)
                    length = seen.trajectories.length.float().mean()
                else:
                    seen = self._replay.pick(id(episodes), rng).at(share)
                batch = self.step(seen.trajectories, seen.parents)
                losses.append(batch.loss.detach())
                if not turn:
                    watched.append(torch.stack([batch.residual.detach(), batch.log_reward.mean(), length]))
        loss = float(torch.stack(losses).mean())
        residual, log_reward, size = torch.stack(watched).mean(0).tolist()
        if not math.isfinite(loss):
            raise _NoNumber(from_the_start=not bool(losses[0].isfinite()))
        seconds = time.perf_counter() - started
        eta = seconds * (config.epochs - number)
        self.curve.append(EpochReport(number, config.epochs, loss, residual, log_reward, size, seconds, eta))
        return True

    def sample(self, episodes: Episodes, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """Trajectories from each episode, and the parents of its states, where they play a part. bool [B, K, m]"""
        config = self.config
        if self._captures:
            captured = self._captured.get(id(episodes))
            if captured is None:
                captured = CapturedSampler(self.policy, episodes, self.reward, config.epsilon, config.parents)
                self._captured[id(episodes)] = captured
            return captured(generator)
        each = torch.arange(len(episodes), device=self.device).repeat_interleave(self.repeats)
        trajectories = sample(self.policy, episodes, each, self.reward, epsilon=config.epsilon, generator=generator)
        if not self.objective.wants_parents:
            return trajectories, torch.empty(0, dtype=torch.bool, device=self.device)
        return trajectories, parent_nodes(trajectories, config.parents)

    def step(self, trajectories: Trajectories, parents: Tensor) -> LossTerms:
        """One step of gradient descent on all visited states of some trajectories, and on some listed states."""
        with torch.set_grad_enabled(not self._only_exact):  # then they are only to be watched
            batch = self.loss(trajectories, parents)
        if self.exact is not None:
            exact = self._exact_loss()
            batch = replace(batch, loss=exact if self._only_exact else batch.loss + exact)
        self._descend(batch.loss)
        return batch

    def _descend(self, loss: Tensor) -> Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.modules.parameters(), 10.0)
        self.optimizer.step()
        return loss.detach()

    def _exact_loss(self) -> Tensor:
        assert self.exact is not None
        return self.exact.loss(self.policy, self.exact.draw(self.config.learning.exact_states, self._generator))

    def loss(self, trajectories: Trajectories, parents: Tensor, room: Room | None = None) -> LossTerms:
        """The objective of every visited state and, where there is a locator, its part.

        Args:
            trajectories: What was sampled.
            parents: Which nodes' removal counts as a parent of each prefix. bool [B, K, m]
            room: For how many rows; with it the device is asked nothing.
        """
        room_for = () if room is None else (room,)
        terms: LossTerms = self.objective(self.policy, trajectories, parents, self.reward, *room_for)
        if self.locator is None:
            return terms
        episodes = trajectories.episodes
        omega = self.locator(self.predictor, episodes.instance, episodes.start).view(-1, STARTS_PER_GRAPH)
        reached = terms.log_reward.view(len(episodes), -1).mean(1)  # [E]
        return replace(terms, loss=terms.loss + locator_loss(omega, reached.view_as(omega)))

    def _set_heat(self, epoch: int) -> float:
        """Let β rise to where it is in this epoch; returns the share of it that holds."""
        ramp, epochs = self.config.learning.ramp, self.config.epochs
        if not isinstance(self.reward, RampedReward):
            return 1.0
        now = heat(epoch, epochs, ramp)
        self.reward.scale.fill_(now)
        if epoch > 1:
            self.objective.scale_rewards(now / heat(epoch - 1, epochs, ramp))
        return now

    def _list_states(self) -> ExactTargets | None:
        """The exact flows of those instances that can be listed, from the nodes at which trajectories start."""
        graphs, rng = self.predictor.graphs, np.random.RandomState(self.config.seed)
        instances = rng.permutation(len(graphs))
        if self.start is not None:
            starts = np.full(len(instances), self.start)
        elif self.predictor.task is Task.NODE:
            starts = graphs.target.cpu().numpy()[instances]
        else:
            starts, instances = self._random_starts(instances, rng), instances.repeat(STARTS_PER_GRAPH)
        pairs = sorted(set(zip(instances.tolist(), starts.tolist(), strict=True)))
        pairs = [pairs[i] for i in rng.permutation(len(pairs))]
        listed = list_states(self.graphs, pairs, self.config.max_nodes, self.config.learning.exact_cap)
        return ExactTargets(self.graphs, listed, self.reward, self.config) if listed else None

    def _make_batches(self) -> None:
        """Put the instances into random parts of at most ``_batch_size`` trajectories; the parts stay the same."""
        self.batches: list[Episodes]
        rng, count = np.random.RandomState(self.config.seed), len(self._sampled)
        starts = STARTS_PER_GRAPH if self.locator is not None else 1
        order = self._sampled[rng.permutation(count)]
        self._parts = np.array_split(order, math.ceil(count / max(1, self._batch_size // starts)))
        self._replay = Replay(self.config.learning.replay)
        self._captured: dict[int, CapturedSampler] = {}
        if self.locator is None:
            starts_at = [None if self.start is None else np.full(len(part), self.start) for part in self._parts]
            self.batches = [Episodes.of(self.graphs, *pair) for pair in zip(self._parts, starts_at, strict=True)]
        else:
            self.batches = [
                Episodes.of(self.graphs, part.repeat(starts), self._random_starts(part, rng)) for part in self._parts
            ]

    def _shuffled(self, rng: np.random.RandomState) -> list[Episodes]:
        """The episodes of one epoch in random order, in graph tasks with new start nodes."""
        if self.locator is not None:
            for part, episodes in zip(self._parts, self.batches, strict=True):
                episodes.start.copy_(torch.from_numpy(self._random_starts(part, rng)))
        return [self.batches[i] for i in rng.permutation(len(self.batches))]

    def _random_starts(self, instances: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """Distinct random nodes of each graph (repeated where a graph is too small). [G · starts]"""
        size = self.predictor.graphs.sizes[instances]
        key = rng.random_sample((len(instances), max(int(size.max()), STARTS_PER_GRAPH)))
        key[np.arange(key.shape[1]) >= size[:, None]] = np.inf
        return (np.argsort(key, axis=1)[:, :STARTS_PER_GRAPH] % size[:, None]).astype(np.int64).ravel()
