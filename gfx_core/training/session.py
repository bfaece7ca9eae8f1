"""Session: a training on one prediction that can be watched and changed while it goes on.

`session_of` a training takes a step at a time, shows what it does (`scene`, `frame`), and gives the policy (`save`).
This module is imported in workers: it needs torch.
"""

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, TooManyStates, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.listing import start_of
from gfx_core.explanation.question import Question
from gfx_core.explanation.subject import Subject, load
from gfx_core.gfn import exact_targets
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.objectives import FlowObjective, log_out_flow, masked_logsumexp
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Begin, FlowModel, GFNConfig, LearnsFrom, Parents, RewardConfig
from gfx_core.gfn.states import States
from gfx_core.gfn.tabular import TableTrainer
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs
from gfx_core.json_files import Json
from gfx_core.metrics.edges import pooled_auc
from gfx_core.training.frames import ListedFrames, VisitedFrames, as_json, balance, instance_part
from gfx_core.training.lesson_graphs import FIRST_FLOW, LessonGraph, Practice, practice_rewards
from gfx_core.training.training import Training

FRAME_BYTES = 40_000.0
"""The most that a frame of all states may weigh: larger DAGs are not listed."""
MOST_STATES = 4000
"""No more are listed, however little a frame may weigh."""
STATE_BYTES, LINK_BYTES = 8.0, 8 / 3
"""What a state and a link take in a frame: three numbers, and one."""
MOST_EXACT = 20_000
"""Instances with more states are not learned from exact flows."""


class NoGnn(Predictor):
    """A lesson's graph for a policy network: its nodes are known by their names alone, and there is one class."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(Task.NODE, [instance], "cpu")

    @cached_property
    def node_embedding(self) -> Tensor:
        return self.graphs.x

    @cached_property
    def whole(self) -> Predictions:
        return Predictions(torch.zeros(1, 1), torch.zeros(1, 1))

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        raise NotImplementedError


class ListedReward(Reward):
    """log R of states that are all listed, from the list.

    Args:
        predictor: The GNN.
        config: The reward.
        space: All states with their rewards.
    """

    def __init__(self, predictor: Predictor, config: RewardConfig, space: StateSpace) -> None:
        self.predictor, self.config, self.space = predictor, config, space

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        nodes, dag = subsets.numpy(), self.space.dag
        members = (nodes[..., None] == np.arange(dag.num_nodes)).any(1)
        return torch.from_numpy(self.space.log_reward[dag.indices_of(members)]).float()


class Session:
    """One training.

    Args:
        config: How.
        predictor: The GNN, on the instance alone.
        start: The node that all subgraphs contain.
        subject: What the instance is called, and its policy; ``None`` where a trainer is only watched.
        trainer: What trains already.

    Attributes:
        trainer: What trains.
        states: What is shown of states.

    Raises:
        UserError: There can be no such training; the sentence says why.
    """

    def __init__(
        self,
        config: GFNConfig,
        predictor: Predictor,
        start: int,
        subject: Subject | LessonGraph | None = None,
        trainer: Trainer | None = None,
    ) -> None:
        self.predictor, self.start, self.subject, self.instance = predictor, start, subject, predictor.instances[0]
        self.states: ListedFrames | VisitedFrames = VisitedFrames(self.instance, start, config.max_nodes)
        if predictor.device.type == "cpu":
            with suppress(TooManyStates):
                dag = enumerate_states(self.instance, start, config.max_nodes, cap=MOST_STATES)
                if dag.num_states * STATE_BYTES + dag.num_edges * LINK_BYTES <= FRAME_BYTES:
                    self.states = ListedFrames(self._listed(config.reward, dag), self.instance)
        self.trainer: TableTrainer | Trainer = trainer or self._trainer(config)
        if isinstance(self.trainer, Trainer) and isinstance(self.states, VisitedFrames):
            generator = torch.Generator(self.trainer.device).manual_seed(config.seed + 1)
            self._see(self.trainer.trajectories(0, generator))  # so that there is something to be seen
        if isinstance(self.states, VisitedFrames) or config.learns_from is LearnsFrom.TRAJECTORIES:
            self.trainer.watch = self._see

    def _listed(self, config: RewardConfig, dag: StateDag) -> StateSpace:
        """All states with log R of each."""
        if not isinstance(self.subject, LessonGraph):
            return exact_targets.listed_space(Reward(self.predictor, config), [dag])
        log_reward = np.log(practice_rewards(Practice(self.subject.name), self.instance, dag))
        return StateSpace(dag, config.beta * (log_reward - config.price("nodes") * dag.size))

    def _reward(self, config: RewardConfig) -> Reward:
        """What makes a subgraph good: looked up where all states are listed."""
        space = self.space
        return Reward(self.predictor, config) if space is None else ListedReward(self.predictor, config, space)

    def _trainer(self, config: GFNConfig) -> TableTrainer | Trainer:
        space, subject = self.space, self.subject
        from_all = config.learns_from is LearnsFrom.ALL
        if config.flow_model is FlowModel.TABLE:
            if space is None:
                raise TooManyStates(
                    "There are too many states for a table: lower K_M, choose a smaller instance, or train a network."
                )
            table = TableTrainer(space, replace(config, delta=None))
            if isinstance(subject, LessonGraph) and not from_all:
                nn.init.constant_(table.table.score, np.log(FIRST_FLOW))  # as lesson 4 begins
            return table
        shipped = None
        if config.begin is Begin.SHIPPED and isinstance(subject, Subject):
            shipped = subject.policy
        if shipped is not None:
            config = replace(config, policy=shipped.config.policy, delta=shipped.config.delta)
            if config.max_nodes > shipped.policy.max_nodes:
                raise UserError(
                    f"The shipped policy was trained on sets of at most {shipped.policy.max_nodes} nodes: choose a "
                    "smaller K_M."
                )
        if from_all:
            config = replace(config, learning=replace(config.learning, exact_cap=MOST_EXACT, exact_alone=True))
        start = None if self.instance.target is not None else self.start
        reward = self._reward(config.reward)
        trainer = Trainer(self.predictor, config, reward=reward, start=start, repeats=config.batch_size)
        if from_all and trainer.exact is None and (space is None or space.num_edges):
            raise UserError("There are too many states to list: let it learn from trajectories, or lower K_M.")
        if shipped is not None:
            trainer.policy.load_state_dict(shipped.policy.smaller(config.max_nodes).state_dict())
        elif trainer.exact is None and space is not None:  # at the best reward, where a table begins too
            trainer.policy.begin_high(trainer.graphs.features, float(space.log_reward.max()))
        elif trainer.exact is None:
            trainer.begin_high(walks=32)
        return trainer

    @property
    def config(self) -> GFNConfig:
        """As it is now."""
        return self.trainer.config

    @property
    def space(self) -> StateSpace | None:
        """All states, where they are listed."""
        return self.states.space if isinstance(self.states, ListedFrames) else None

    @property
    def step_number(self) -> int:
        """Steps so far."""
        return self.trainer.epoch

    @property
    def done(self) -> bool:
        """Whether all steps are taken."""
        return self.step_number >= self.config.epochs

    def advance(self, steps: int) -> None:
        """Take some steps, at most as many as are left.

        Raises:
            DivergedError: The loss ran away or stopped being a number; the last good flows were put back.
        """
        for _ in range(min(steps, self.config.epochs - self.step_number)):
            self.trainer.run_epoch()

    def change(self, config: GFNConfig) -> None:
        """Go on under another configuration, of which only what is live differs.

        Under another reward it takes as many steps as were planned once more.
        """
        before, trainer = self.config, self.trainer
        rewards_differ = config.reward != before.reward
        epochs = self.step_number + config.epochs if rewards_differ else before.epochs
        trainer.config = replace(
            config, epochs=epochs, policy=before.policy, delta=before.delta, learning=before.learning
        )
        if isinstance(trainer, Trainer):
            trainer.repeats = config.batch_size
            trainer.replays.forget()
        if not rewards_differ:
            return
        if isinstance(self.states, ListedFrames):
            space = self._listed(config.reward, self.states.space.dag)
            self.states.set_reward(space)
            if isinstance(trainer, TableTrainer):
                trainer.set_reward(space)
        if isinstance(trainer, Trainer):
            trainer.set_reward(self._reward(config.reward))
            if isinstance(self.states, VisitedFrames):
                nodes = torch.from_numpy(self.states.nodes[: len(self.states)]).to(trainer.device)
                log_reward = trainer.reward(nodes, torch.zeros_like(nodes[:, 0]))
                self.states.log_reward[: len(nodes)] = log_reward.double().cpu().numpy()

    # What is shown

    def _see(self, sampled: Any) -> None:
        if isinstance(self.trainer, TableTrainer):
            sampled = self.trainer.table.paths.orders(sampled, self.config.max_nodes), None, None
        else:
            trajectories, removable = sampled
            values = trajectories.order, trajectories.log_reward.double(), removable
            sampled = [value.cpu().numpy() for value in values]
        if isinstance(self.states, ListedFrames):
            self.states.see(sampled[0])
        else:
            self.states.see(*sampled)

    def scene(self, first: int = 0) -> Json:
        """The instance, its states and what is exactly true of them, from a frame on; see `Scene`."""
        probabilities = self.predictor.whole.probabilities[0]
        atoms = bool(self.instance.node_names) and not isinstance(self.subject, LessonGraph)
        about = {
            "start": self.start,
            "classes": list(self.instance.info.class_names(len(probabilities))),
            "predicted": int(probabilities.argmax()),
            "probability": round(float(probabilities.max()), 4),
            "has_truth": self._has_truth,
        }
        graph = instance_part(self.instance, self._has_truth, atoms)
        return {"from": first} | graph | about | as_json(self.states.scene_part())

    @property
    def _has_truth(self) -> bool:
        """Whether it is known which edges are the reason for the prediction."""
        return self.instance.has_reason(int(self.predictor.whole.predicted[0]))

    @torch.no_grad()
    def frame(self, scene: int = 0) -> Json:
        """What the policy does now; see `Frame`."""
        trainer, states, instance, auc = self.trainer, self.states, self.instance, None
        if isinstance(states, ListedFrames):
            flows = self.flows()
            sequence = self.config.parents is Parents.SEQUENCE
            part = states.frame_part(states.space.walk(*flows), *balance(states.space, *flows, sequence))
        else:
            part = self._visited_part(states)
        assert isinstance(trainer.objective, FlowObjective)
        features = torch.ones(1, 1)
        if isinstance(trainer, Trainer):
            features = trainer.graphs.features[[self.start]]
        log_z = trainer.objective.log_z(features)
        if log_z is not None:
            part["log_z"] = float(log_z)
        if self._has_truth:
            auc = pooled_auc([instance], [instance.both_directions(part["marginals"])])
        curve = trainer.curve
        seconds = round(sum(report.seconds for report in curve), 3)
        head = {"step": self.step_number, "seconds": seconds, "scene": scene, "loss": curve[-1].loss if curve else None}
        return as_json(head | part | {"auc": auc})

    def flows(self) -> tuple[Doubles, Doubles]:
        """The log-flow along each edge, and from each state to STOP, where all states are listed. [E], [S]"""
        assert self.space is not None
        if isinstance(self.trainer, TableTrainer):
            return self.trainer.table.flows()
        return exact_targets.ListedStates(self.trainer.graphs, self.space).flows(self.trainer.policy)

    def _visited_part(self, states: VisitedFrames) -> Json:
        """P_F of each link that was seen, and in-flow and out-flow of each state."""
        trainer = self.trainer
        assert isinstance(trainer, Trainer)
        policy, episodes, device = trainer.policy, trainer.batches[0], trainer.device
        count = len(states)
        nodes, parents = (torch.from_numpy(rows[:count]).to(device) for rows in (states.nodes, states.parents))
        visited = States(episodes, torch.zeros_like(nodes[:, 0]), nodes)
        actions = visited.frontier(policy.max_nodes)
        flows = policy(policy.encode(episodes), visited, actions, parents)
        assert flows.log_in is not None
        log_stop = torch.from_numpy(states.log_reward[:count]).to(device) if flows.log_stop is None else flows.log_stop
        log_out = log_out_flow(flows.log_out, log_stop)
        parent, _, node = torch.tensor(states.links, dtype=torch.long, device=device).view(-1, 3).unbind(1)
        log_taken = flows.log_out[parent].masked_fill(actions[parent] != node[:, None], 0.0).sum(1)
        numbers = ((log_taken - log_out[parent]).exp(), masked_logsumexp(flows.log_in), log_out)
        part = states.frame_part(*(values.double().cpu().numpy() for values in numbers))
        return part | {"residual": trainer.curve[-1].residual if trainer.curve else None}

    # What comes of it

    def save(self) -> TrainedPolicy | None:
        """The policy, where it is a network."""
        subject = self.subject
        if isinstance(self.trainer, TableTrainer) or subject is None:
            return None
        named: Question | LessonGraph = subject.question if isinstance(subject, Subject) else subject
        policy = subject.policy if isinstance(subject, Subject) else None
        names = (named.dataset, named.gnn) if isinstance(named, Question) else ("", "")
        trained = TrainedPolicy.of(self.trainer, *names)
        made = trained.made | {"epochs": self.step_number, "trained_on": named.title}
        # the locator points to where the reward is that it learned
        locator = policy.locator if policy is not None and policy.config.reward == self.config.reward else None
        return replace(trained, locator=locator, made=made)


def session_of(training: Training) -> Session:
    """The session of a training."""
    named = training.question
    if isinstance(named, LessonGraph):
        instance = named.instance()
        return Session(training.config, NoGnn(instance), instance.target or 0, named)
    subject = load(named)
    return Session(training.config, subject.predictor("cpu"), start_of(subject), subject)
