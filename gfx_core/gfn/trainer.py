"""Trainer: samples trajectories and makes an objective small on the states they visit."""

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.config import Task
from gfx_core.device import seeded
from gfx_core.errors import UserError
from gfx_core.gfn.cuda_graphs import Recorder
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.instances import STARTS_PER_GRAPH, Episodes, FlowGraphs, Parts
from gfx_core.gfn.objectives import OBJECTIVES, FlowObjective, LossTerms, Objective
from gfx_core.gfn.policy import FlowPolicy, StartLocator, locator_loss
from gfx_core.gfn.replay import Replay
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, parent_nodes, sample
from gfx_core.gfn.settings import GFNConfig, Loss
from gfx_core.gnn.predict import Predictor, SubgraphPredictor

# What a training says of itself while it goes on. Who listens to nothing pays nothing.


@dataclass(frozen=True)
class EpochReport:
    """What one epoch did; the event that it is done.

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


@dataclass(frozen=True, eq=False)
class BatchLearned:
    """A batch of trajectories was sampled, and the first step on it taken.

    It holds the trainer's own tensors, so a listener copies what it wants to keep.

    Attributes:
        epoch: In which epoch, from 1.
        trajectories: What was sampled.
        parents: Which nodes' removal counts as a parent of each prefix; empty where parents play no part. [B, K, m]
        log_reward: Of where each trajectory ended. [B]
    """

    epoch: int
    trajectories: Trajectories
    parents: Tensor
    log_reward: Tensor


TrainingEvent: TypeAlias = BatchLearned | EpochReport


# GradientSteps: Adam on the weights of a training, with all that it remembers kept in one place of the memory.


LARGEST = 10.0
"""Gradients of a larger norm are scaled down to it."""
LAST = 0.05
"""What the learning rates fall to, as a share of those at the beginning."""


class GradientSteps:
    """Adam with clipped gradients and learning rates that fall along a cosine.

    On a GPU nothing of it waits for the device and everything changes in place: a step can be recorded in a CUDA graph.

    Args:
        modules: What is trained; what belongs to ``objective`` has a learning rate of its own.
        config: The learning rates, and the number of epochs in which they fall.
        device: Where the modules are.
    """

    def __init__(self, modules: nn.ModuleDict, config: GFNConfig, device: torch.device) -> None:
        self.modules, self.epochs = modules, config.epochs
        on_gpu = device.type == "cuda"
        slow = [p for name, module in modules.items() if name != "objective" for p in module.parameters()]
        fast = list(modules["objective"].parameters())
        groups = [(slow, config.lr), (fast, config.lr_log_z)]
        self._rates = [rate for weights, rate in groups if weights]
        # β₂ below Adam's usual: the first gradients dwarf the later ones and should be forgotten sooner
        self.optimizer = torch.optim.Adam(
            [
                {"params": weights, "lr": torch.tensor(rate, device=device) if on_gpu else rate}
                for weights, rate in groups
                if weights
            ],
            betas=(0.9, 0.95),
            fused=True,
            capturable=on_gpu,
        )

    def set_rates(self, epoch: int) -> None:
        """The learning rates of an epoch, counted from 1."""
        share = LAST + (1 - LAST) * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / self.epochs))
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate * share)
            else:
                group["lr"] = rate * share

    def change_rate(self, rate: float) -> None:
        """Another learning rate of the policy from the next epoch on; it goes on falling as before."""
        self._rates[0] = rate

    def descend(self, loss: Tensor) -> Tensor:
        """One step that makes a loss smaller; returns the loss without its history."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.modules.parameters(), LARGEST)
        self.optimizer.step()
        return loss.detach()

    def snapshot(self) -> Callable[[], None]:
        """Remember the weights, Adam's state and what the objective remembers; returns what puts them back."""
        weights = {name: value.clone() for name, value in self.modules.state_dict().items()}
        state = self.optimizer.state
        adam = {of: {name: value.clone() for name, value in kept.items()} for of, kept in state.items()}

        @torch.no_grad()
        def restore() -> None:
            self.modules.load_state_dict(weights)
            for of, now in self.optimizer.state.items():
                for name, value in now.items():  # in place: what was recorded on a GPU knows them by their address
                    if of in adam:
                        value.copy_(adam[of][name])
                    else:
                        value.zero_()

        return restore


_log = logging.getLogger(__name__)

WATCHED = 32
"""Where the policy learns from listed states alone, so many of the instances are sampled to see how it goes."""


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

    Attributes:
        listeners: Called with every `TrainingEvent`.
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
        if config.loss is Loss.FIRST_CHILD:
            raise UserError("“First child only” is a control for predictions whose states are all listed.")
        self.predictor, self.config = predictor, config
        self.start, self.repeats = start, repeats
        self.device = predictor.device
        self.graphs = FlowGraphs(predictor, config.policy)
        self.reward = reward or Reward(predictor, config.reward)
        self.exact: ExactTargets | None = None
        if config.learning.exact_cap:
            self.exact = ExactTargets.listing(self.graphs, self.reward, config, start)
        with seeded(config.seed):
            width = self.graphs.features.shape[1]
            self.policy = FlowPolicy(width, config.policy, config.stop, config.max_nodes)
            if self.exact is not None:
                self.policy.begin_at(self.graphs.features.cpu(), *self.exact.beginning())
            self.locator: StartLocator | None = None
            if predictor.task is Task.GRAPH and start is None:
                self.locator = StartLocator(predictor.whole.embedding.shape[1], predictor.node_embedding.shape[1])
            self.objective = objective or OBJECTIVES[config.loss](config, width, len(self.graphs.features))
        self.modules = nn.ModuleDict({"policy": self.policy, "objective": self.objective})
        if self.locator is not None:
            self.modules["locator"] = self.locator
        self.modules.to(self.device)
        self.steps = GradientSteps(self.modules, config, self.device)
        self.optimizer = self.steps.optimizer
        self.curve: list[EpochReport] = []
        self.listeners: list[Callable[[TrainingEvent], None]] = []
        self.generator = torch.Generator(self.device)  # seeded anew in every epoch
        self.replay: Replay | None = None  # made when it is first wanted
        self._before_last: Callable[[], None] | None = None  # puts the last epoch's beginning back
        self._batch_size = config.batch_size
        self._sampled = np.arange(len(predictor.graphs))  # the instances from which trajectories are sampled
        if self.exact is not None and self.locator is None:  # a locator learns from what is sampled everywhere
            alone = config.learning.exact_alone
            self._sampled = self._sampled[:0] if alone else np.setdiff1d(self._sampled, self.exact.instances)
        self._only_exact = not len(self._sampled)
        if self._only_exact:
            assert self.exact is not None
            self._sampled = np.random.RandomState(config.seed).permutation(self.exact.instances)[:WATCHED]
        self._make_batches()
        if self.device.type == "cuda" and isinstance(predictor, SubgraphPredictor):
            Recorder(self)

    @property
    def batches(self) -> list[Episodes]:
        """What trajectories are sampled from, batch by batch."""
        return self._parts.batches

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
            on_epoch: Called after each epoch; listeners are told more.
            cancelled: Asked before each batch; training stops, keeping what it has, when it says yes.
        """
        while self.epoch < self.config.epochs and self.run_epoch(cancelled):
            if on_epoch is not None:
                on_epoch(self.curve[-1])

    def run_epoch(self, cancelled: Callable[[], bool] | None = None) -> bool:
        """One pass over the instances; False if it was cancelled half-way (and then not counted).

        Where the device's memory does not suffice, the epoch begins again with batches of half the size.
        """
        restore = self.steps.snapshot()
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
                continue
            if done is None:
                restore()
                return False
            report, first = done
            if not math.isfinite(report.loss):
                if self._before_last is not None and not bool(first.isfinite()):  # the last epoch broke the weights
                    restore, self._before_last = self._before_last, None
                    self.curve.pop()
                restore()
                raise NotANumberError(
                    f"The loss stopped being a number in epoch {report.epoch}; the weights of epoch {self.epoch} were "
                    "kept. Try a smaller learning rate or β."
                )
            self._before_last = restore
            self.curve.append(report)
            self._tell(report)
            return True

    def _tell(self, event: TrainingEvent) -> None:
        for listener in self.listeners:
            listener(event)

    def _pass(self, cancelled: Callable[[], bool] | None) -> tuple[EpochReport, Tensor] | None:
        """One epoch, and its first loss; None if it was cancelled."""
        started = time.perf_counter()
        config, number = self.config, self.epoch + 1
        learning = config.learning
        self.steps.set_rates(number)
        rng = np.random.RandomState([config.seed, number])
        self.generator.manual_seed(config.seed * 1_000_003 + number)
        losses, watched = [], []
        for episodes in self._parts.shuffled(rng)[: learning.parts or None]:
            for turn in range(learning.steps_per_batch + (0 if self.exact is None else learning.exact_steps)):
                if cancelled is not None and cancelled():
                    return None
                if turn and (self._only_exact or turn >= learning.steps_per_batch):
                    losses.append(self.regress())
                    continue
                if not turn:
                    trajectories, parents = self.sample(episodes, self.generator)
                    length = trajectories.length.float().mean()
                if not turn:
                    learnt = self._with_replay(trajectories, parents) if config.replay else (trajectories, parents)
                batch = self.step(*learnt)
                losses.append(batch.loss)
                if not turn:
                    watched.append(torch.stack([batch.residual, batch.log_reward.mean(), length]))
                    self._tell(BatchLearned(number, trajectories, parents, batch.log_reward))
        loss = float(torch.stack(losses).mean())
        residual, log_reward, size = torch.stack(watched).mean(0).tolist()
        seconds = time.perf_counter() - started
        eta = seconds * (config.epochs - number)
        return EpochReport(number, config.epochs, loss, residual, log_reward, size, seconds, eta), losses[0]

    def sample(self, episodes: Episodes, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """Trajectories from each episode, and the parents of its states, where they play a part. bool [B, K, m]"""
        config = self.config
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
        self.steps.descend(batch.loss)
        return replace(batch, loss=batch.loss.detach(), residual=batch.residual.detach())

    def regress(self) -> Tensor:
        """One step of gradient descent on some listed states alone; returns the loss."""
        return self.steps.descend(self._exact_loss())

    def _exact_loss(self) -> Tensor:
        """On some listed states."""
        assert self.exact is not None
        learning = self.config.learning
        states = self.exact.draw(learning.exact_states, self.generator, learning.exact_instances)
        return self.exact.loss(self.policy, states)

    def loss(self, trajectories: Trajectories, parents: Tensor) -> LossTerms:
        """The objective of every visited state and, where there is a locator, its part.

        Args:
            trajectories: What was sampled.
            parents: Which nodes' removal counts as a parent of each prefix. bool [B, K, m]
        """
        sampled = len(trajectories.episodes) * self.repeats  # others are replayed
        terms: LossTerms = self.objective(self.policy, trajectories, parents, self.reward)
        terms = replace(terms, log_reward=terms.log_reward[:sampled])
        if self.locator is None:
            return terms
        episodes = trajectories.episodes
        omega = self.locator(self.predictor, episodes.instance, episodes.start).view(-1, STARTS_PER_GRAPH)
        reached = terms.log_reward.view(len(episodes), -1).mean(1)  # [E]
        return replace(terms, loss=terms.loss + locator_loss(omega, reached.view_as(omega)))

    def _with_replay(self, trajectories: Trajectories, parents: Tensor) -> tuple[Trajectories, Tensor]:
        """Some trajectories, and so many to good subgraphs that they have their share of all."""
        if self.replay is None:
            self.replay = Replay(self.graphs, self.config.max_nodes)
        self.replay.add(trajectories, trajectories.final_log_reward(self.reward))
        share = self.config.replay
        count = min(len(trajectories), math.ceil(len(trajectories) * share / (1 - share)))
        which = torch.randperm(len(trajectories), generator=self.generator, device=self.device)[:count]
        again = self.replay.draw(trajectories.episodes, trajectories.episode[which], self.reward, self.generator)
        if not len(again):
            return trajectories, parents
        return trajectories.and_also(again), torch.cat([parents, parent_nodes(again, self.config.parents)])

    @torch.no_grad()
    def begin_high(self, walks: int) -> None:
        """Let all flows begin at the best reward of so many random walks from each start node, on average."""
        generator, best = torch.Generator(self.device).manual_seed(0), []
        for episodes in self.batches:
            each = torch.arange(len(episodes), device=self.device).repeat_interleave(walks)
            met = sample(self.policy, episodes, each, self.reward, epsilon=1.0, generator=generator)
            best.append(self.reward(met.order, met.instance).view(len(episodes), walks).amax(1))
        self.policy.begin_high(self.graphs.features, float(torch.cat(best).mean()))

    def set_reward(self, reward: Reward) -> None:
        """Go on under another reward: what was good under the one before counts no more."""
        self.reward = reward
        if isinstance(self.objective, FlowObjective):
            self.objective.forget_rewards()
        self.replay = None

    def _make_batches(self) -> None:
        """Put the instances into parts of at most ``_batch_size`` trajectories."""
        self._parts = Parts(
            self.graphs,
            self._sampled,
            self._batch_size,
            self.config.seed,
            start=self.start,
            anywhere=self.locator is not None,
        )
