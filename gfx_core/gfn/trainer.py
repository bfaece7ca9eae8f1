"""Trainer: samples trajectories and makes an objective small on the states they visit."""

import copy
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.config import Task
from gfx_core.device import seeded
from gfx_core.errors import UserError
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.instances import STARTS_PER_GRAPH, FlowGraphs, move_starts, training_batches
from gfx_core.gfn.objectives import OBJECTIVES, FlowObjective, LossTerms, Objective
from gfx_core.gfn.policy import FlowPolicy, StartLocator, locator_loss
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, removable_nodes, sample
from gfx_core.gfn.settings import GFNConfig, Loss
from gfx_core.gnn.predict import Predictor


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


class DivergedError(UserError, FloatingPointError):
    """The loss ran away or stopped being a number; the last good weights were put back."""


RUNAWAY = 1e6
"""A loss beyond this will not come back: flows are a thousand nats from where they should be."""
SANE = 100.0
"""The weights before an epoch are good to go back to if its loss is less than so many times the smallest so far."""
LAST = 0.05
"""What the learning rates fall to, as a share of those at the beginning."""


class FlowTrainer(ABC):
    """Adam with clipped gradients and learning rates that fall along a cosine, epoch by epoch.

    Everything random comes from the configuration's seed and the epoch's number, so a training that is stopped goes on
    exactly as if it had not been.

    Args:
        modules: What is trained; what belongs to ``objective`` has a learning rate of its own.
        config: How.
        device: Where the modules are.

    Attributes:
        curve: What each epoch did.
        watch: Called with each batch that was sampled: the trainer's own tensors.
        turns: Steps of gradient descent for each batch that is sampled.
        largest: Gradients of a larger norm are scaled down to it.
    """

    turns = 1
    largest = 10.0
    watch: Callable[[Any], None] | None = None

    def __init__(self, modules: nn.ModuleDict, config: GFNConfig, device: torch.device) -> None:
        self.modules, self.config, self.device = modules.to(device), config, device
        self.curve: list[EpochReport] = []
        self.generator, self.rng = torch.Generator(device), np.random.RandomState()  # seeded anew in every epoch
        self.forget_losses()
        groups = []
        for rate, names in (("lr", set(modules) - {"objective"}), ("lr_log_z", {"objective"})):
            parameters = [p for name, module in modules.items() if name in names for p in module.parameters()]
            groups.append({"params": parameters, "rate": rate})
        # β₂ below Adam's usual: the first gradients dwarf the later ones and should be forgotten sooner
        self.optimizer = torch.optim.Adam(groups, betas=(0.9, 0.95), fused=True)

    @abstractmethod
    def sample(self, number: int, generator: torch.Generator) -> Any:
        """The trajectories of a batch."""

    @abstractmethod
    def terms(self, sampled: Any) -> LossTerms:
        """The loss of these, and what is reported of them."""

    def step(self, sampled: Any, turn: int) -> LossTerms:
        """A step of gradient descent on a batch; what is reported is that of turn 0."""
        terms = self.terms(sampled)
        return replace(terms, loss=self.descend(terms.loss))

    def batch_numbers(self) -> Sequence[int]:
        """The batches of an epoch."""
        return [0]

    @property
    def epoch(self) -> int:
        """Epochs done so far."""
        return len(self.curve)

    def forget_losses(self) -> None:
        """Losses and weights of before count no more."""
        self._smallest = math.inf
        self._good: tuple[int, Callable[[], None]] | None = None  # an epoch, and what puts its beginning back

    def fit(
        self,
        on_epoch: Callable[[EpochReport], None] = lambda report: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Train until ``config.epochs`` are done, or it is cancelled, or the loss diverges.

        Args:
            on_epoch: Called after each epoch.
            cancelled: Called before each epoch; training stops, keeping what it has, when it returns True.

        Raises:
            DivergedError: The last good weights were put back.
        """
        while self.epoch < self.config.epochs and not cancelled():
            self.run_epoch()
            on_epoch(self.curve[-1])

    def run_epoch(self) -> None:
        """One pass over all batches; errors as in :meth:`fit`."""
        restore, epoch = self.snapshot(), self.epoch
        try:
            report = self._pass(epoch + 1)
        except torch.OutOfMemoryError as error:
            restore()
            raise UserError("The device’s memory is full: choose a smaller batch size.") from error
        sane = report.loss < SANE * self._smallest
        if sane or self._good is None:
            self._good = epoch, restore
        if not sane and not report.loss <= RUNAWAY:  # or it is no number
            good, restore = self._good
            restore()
            del self.curve[good:]
            raise DivergedError(
                f"The loss diverged in step {epoch + 1}; the flows of step {good} were kept. "
                "Try a smaller learning rate or β."
            )
        self._smallest = min(self._smallest, report.loss)
        self.curve.append(report)

    def _pass(self, epoch: int) -> EpochReport:
        started, config = time.perf_counter(), self.config
        share = LAST + (1 - LAST) * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / config.epochs))
        for group in self.optimizer.param_groups:
            group["lr"] = getattr(config, group["rate"]) * share
        self.rng.seed([config.seed, epoch])
        self.generator.manual_seed(config.seed * 1_000_003 + epoch)
        losses, reported = [], []
        for number in self.batch_numbers():
            sampled = self.sample(number, self.generator)
            if self.watch is not None:
                self.watch(sampled)
            steps = [self.step(sampled, turn) for turn in range(self.turns)]
            losses += [terms.loss for terms in steps]
            first = steps[0]
            reported.append(torch.stack([first.residual, first.log_reward.mean(), first.size.float().mean()]))
        loss = float(torch.stack(losses).mean())
        residual, log_reward, size = torch.stack(reported).mean(0).tolist()
        seconds = time.perf_counter() - started
        eta = seconds * (config.epochs - epoch)
        return EpochReport(epoch, config.epochs, loss, residual, log_reward, size, seconds, eta)

    def descend(self, loss: Tensor) -> Tensor:
        """One step that makes a loss smaller; returns the loss without its history."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.modules.parameters(), self.largest)
        self.optimizer.step()
        return loss.detach()

    def snapshot(self) -> Callable[[], None]:
        """Remember the weights, Adam's state and what the objective remembers; returns what puts them back."""
        weights, moments = copy.deepcopy((self.modules.state_dict(), self.optimizer.state_dict()))

        def restore() -> None:
            self.modules.load_state_dict(weights)
            self.optimizer.load_state_dict(copy.deepcopy(moments))  # Adam writes into what it loads

        return restore


WATCHED = 32
"""Where the policy learns from listed states alone, so many of the instances are sampled to see how it goes."""

Sampled: TypeAlias = tuple[Trajectories, Tensor]
"""Trajectories, and which nodes' removal counts as a parent of each prefix. bool [B, K, K]"""


class Trainer(FlowTrainer):
    """Trains a policy (and, in graph tasks, a locator) on some instances.

    Args:
        predictor: The GNN on the instances.
        config: How.
        reward: What makes a subgraph good; by default the configuration's reward of what the GNN itself predicts.
        objective: What is made small; by default that of the configuration's loss.
        start: A node where all trajectories start. By default they start at the explained node or, in graph tasks, at
            random nodes, from which the locator learns.
        repeats: How many trajectories start there in an epoch.

    Attributes:
        batches: What trajectories are sampled from, batch by batch.
        exact: The exact flows of listed instances, where they are learned.
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
            raise UserError("“First child only” is a control for tables: choose another loss.")
        learning, device = config.learning, predictor.device
        self.predictor, self.start, self.repeats = predictor, start, repeats
        self.graphs = FlowGraphs(predictor, config.policy)
        self.reward = reward or Reward(predictor, config.reward)
        self.exact = ExactTargets.listing(self.graphs, self.reward, config, start) if learning.exact_cap else None
        self.locator: StartLocator | None = None
        with seeded(config.seed):
            width = self.graphs.features.shape[1]
            self.policy = FlowPolicy(width, config.policy, config.stop, config.max_nodes)
            if self.exact is not None:
                self.policy.begin_at(self.graphs.features.cpu(), *self.exact.space.flow_scale)
            if predictor.task is Task.GRAPH and start is None:
                self.locator = StartLocator(predictor.whole.embedding.shape[1], predictor.node_embedding.shape[1])
            self.objective = objective or OBJECTIVES[config.loss](config, width, len(self.graphs.features))
        modules = nn.ModuleDict({"policy": self.policy, "objective": self.objective})
        if self.locator is not None:
            modules["locator"] = self.locator
        super().__init__(modules, config, device)
        instances = np.arange(len(predictor.graphs))  # those whose trajectories are learned from
        self.turns = learning.steps_per_batch
        if self.exact is not None:
            self.turns += learning.exact_steps
            if self.locator is None:  # a locator learns from what is sampled everywhere
                instances = np.setdiff1d(instances, self.exact.instances)[: 0 if learning.exact_alone else None]
        self.learns_from_samples = len(instances) > 0
        if self.exact is not None and not self.learns_from_samples:
            instances = np.random.RandomState(config.seed).permutation(self.exact.instances)[:WATCHED]
        anywhere = self.locator is not None
        self.batches = training_batches(self.graphs, instances, config.batch_size, config.seed, start, anywhere)

    def batch_numbers(self) -> Sequence[int]:
        if self.locator is not None:
            move_starts(self.batches, self.rng)
        numbers: list[int] = self.rng.permutation(len(self.batches)).tolist()
        return numbers[: self.config.learning.parts or None]

    def sample(self, number: int, generator: torch.Generator) -> Sampled:
        episodes, epsilon = self.batches[number], self.config.epsilon
        episode = torch.arange(len(episodes), device=self.device).repeat_interleave(self.repeats)
        trajectories = sample(self.policy, episodes, episode, self.reward, epsilon=epsilon, generator=generator)
        return trajectories, removable_nodes(trajectories, self.objective.parents)

    def step(self, sampled: Sampled, turn: int) -> LossTerms:
        if self.learns_from_samples and turn < self.config.learning.steps_per_batch:
            terms = self.terms(sampled)
            loss = terms.loss
            if self.exact is not None:
                loss = loss + self._exact_loss(self.exact)
            return replace(terms, loss=self.descend(loss))
        assert self.exact is not None
        with torch.no_grad():  # trajectories are only to be watched
            report = None if turn else self.terms(sampled)
        loss = self.descend(self._exact_loss(self.exact))
        return LossTerms(loss, loss, loss, loss) if report is None else replace(report, loss=loss)

    def _exact_loss(self, exact: ExactTargets) -> Tensor:
        """On some listed states."""
        learning, episodes = self.config.learning, None
        noise = torch.rand(learning.exact_states, dtype=torch.float64, device=self.device, generator=self.generator)
        if 0 < learning.exact_instances < len(exact):
            episodes = np.sort(self.rng.permutation(len(exact))[: learning.exact_instances])
        return exact.loss(self.policy, *exact.draw(noise, episodes))

    def terms(self, sampled: Sampled) -> LossTerms:
        """The objective of every visited state and, where there is a locator, its part."""
        terms: LossTerms = self.objective(self.policy, *sampled)
        if self.locator is None:
            return terms
        episodes = sampled[0].episodes
        omega = self.locator(self.predictor, episodes.instance, episodes.start).view(-1, STARTS_PER_GRAPH)
        log_reward = terms.log_reward.view(len(episodes), -1).mean(1)  # [E]
        return replace(terms, loss=terms.loss + locator_loss(omega, log_reward.view_as(omega)))

    @torch.no_grad()
    def begin_high(self, walks: int) -> None:
        """Let all flows begin at the best reward of so many random walks from each start node, on average."""
        generator, best = torch.Generator(self.device).manual_seed(0), []
        for episodes in self.batches:
            episode = torch.arange(len(episodes), device=self.device).repeat_interleave(walks)
            drawn = sample(self.policy, episodes, episode, self.reward, epsilon=1.0, generator=generator)
            best.append(drawn.final_log_reward.view(len(episodes), walks).amax(1))
        self.policy.begin_high(self.graphs.features, float(torch.cat(best).mean()))

    def set_reward(self, reward: Reward) -> None:
        """Go on under another reward: what was good under the one before counts no more."""
        self.reward = reward
        self.forget_losses()
        if isinstance(self.objective, FlowObjective):
            self.objective.forget_rewards()
