"""What GFlowExplainer and RGExplainer have in common: a policy that grows subgraphs, and two ways to score edges by it.

**Draws** are subgraphs sampled from the policy, whose edge marginals are one rule for scores (as drawn, or as expected,
STOP averaged over). The **greedy order** takes the most likely action at each step; its order weights are another.
Tables that compare the two methods show all rules for both.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from gfx_core.arrays import Doubles
from gfx_core.baselines.edge_scores import Scores, expected_marginals, on_edges, order_weights
from gfx_core.baselines.method import Learner, Method
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.answer import marginals_of
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.run import flows_of
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.explanation.subject import load
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import DEFAULT_PRESET, GFNConfig, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import JobContext
from gfx_core.user_models.predictor import predictor_on

_TRAJECTORIES = 2048  # sampled in lockstep


class Draws(NamedTuple):
    """N subgraphs of each of I instances.

    Attributes:
        orders: Their nodes in order of addition, padded with -1. [I, N, K]
        grown: The same of trajectories that never stop. [I, N, K]
        reach: The probability that a trajectory which may stop reaches each prefix of these. [I, N, K]
    """

    orders: Ints
    grown: Ints
    reach: Doubles


class Generator(Learner):
    """A learner whose policy grows subgraphs node by node.

    Attributes:
        samples: How many subgraphs of each instance are drawn.
        trained: The `TrainedPolicy`.
    """

    samples: int = 64

    @abstractmethod
    def trainer(self, predictor: Predictor, dataset: str) -> Trainer:
        """The trainer of a policy on some instances of a data set."""

    def pretrain(self, trainer: Trainer, job: JobContext) -> None:
        """Train in another way first."""

    def fit(self, instances: Sequence[Instance], job: JobContext | None = None) -> None:
        job, dataset = job or JobContext(), instances[0].dataset
        trainer = self.trainer(predictor_on(self.model, instances, self.device), dataset)
        self.pretrain(trainer, job)
        trainer.fit(
            lambda report: job.report(
                report.epoch / report.epochs,
                f"epoch {report.epoch} of {report.epochs}, mean reward {report.log_reward:.3f}",
            ),
            job.cancelled,
        )
        job.report(1.0)  # raises where the job was cancelled within an epoch
        self.trained = TrainedPolicy.of(trainer, dataset, getattr(self.model, "name", ""))

    def save(self, path: Path) -> None:
        save_policy(self.learnt, path)

    def load(self, path: Path) -> None:
        self.trained = load_policy(path)

    def draw(self, instances: Sequence[Instance]) -> Draws:
        """Sample subgraphs of each instance; the random numbers depend on which instances are sampled together.

        In a node task subgraphs start at the explained node, in a graph task at nodes drawn from the locator.
        """
        trained, predictor = self.learnt.to(self.device), predictor_on(self.model, instances, self.device)
        graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
        count, targets, rng = self.samples, predictor.graphs.target.cpu().numpy(), np.random.RandomState(self.seed)
        generator = torch.Generator(self.device).manual_seed(self.seed)
        batches = []
        by_size = np.argsort(predictor.graphs.sizes, kind="stable")  # instances of like size share their padding
        for part in np.array_split(by_size, max(1, min(len(by_size), len(by_size) * count // _TRAJECTORIES))):
            starts = targets[part].repeat(count)
            if trained.locator is not None:
                chances = [trained.locator.probabilities(predictor, int(i)).double().cpu().numpy() for i in part]
                starts = np.concatenate([rng.choice(len(p), count, p=p / p.sum()) for p in chances])
            pairs, which = np.unique(np.stack([part.repeat(count), starts]), axis=1, return_inverse=True)
            episodes = Episodes.of(graphs, *pairs)  # each start node once
            episode = torch.from_numpy(which.ravel()).to(self.device)
            trajectories = sample(trained.policy, episodes, episode, reward, generator=generator)
            tensors = (trajectories.order, trajectories.grown, trajectories.log_reach.double().exp())
            batches.append([values.cpu().numpy().reshape(len(part), count, -1) for values in tensors])
        back = np.argsort(by_size)
        return Draws(*(np.concatenate(values)[back] for values in zip(*batches, strict=True)))

    def greedy(self, instance: Instance) -> Ints:
        """The order of the most likely action at each step. [K], padded with -1

        In a graph task it starts at the node that the locator finds most influential.
        """
        sampler = SubgraphSampler(
            self.learnt.to(self.device), predictor_on(self.model, [instance], self.device), instance
        )
        return sampler.draw(1, self.seed, greedy=True).orders[0]

    def scores(self, instance: Instance) -> Scores:
        """The order weights of the greedy trajectory."""
        return order_weights(instance, self.greedy(instance))


class GFlowMethod(Generator):
    """GFlowExplainer with a policy for all instances of a data set; edges score their expected marginals.

    Its configuration is a `GFNConfig`, or knobs that differ from `policy_config`.
    """

    any_model = False
    preset = DEFAULT_PRESET

    def trainer(self, predictor: Predictor, dataset: str) -> Trainer:
        config = self.config
        if not isinstance(config, GFNConfig):
            config = changed(policy_config(dataset, self.preset, str(self.device)), config)
        return Trainer(predictor, replace(config, seed=self.seed))

    def scores(self, instance: Instance) -> Scores:
        draws = self.draw([instance])
        return expected_marginals(instance, draws.grown[0], draws.reach[0])


class GFlowAsPrinted(GFlowMethod):
    """GFlowExplainer as the paper prints it, but for the reward's sign; edges have order weights."""

    preset = "paper"
    scores = Generator.scores


class SpotMethod(Method):
    """GFlowExplainer where no policy serves all predictions: each is explained by itself, as by `explain`.

    Its configuration is the question about the instance; by default about the instance as it is.
    """

    job: JobContext | None = None

    def scores(self, instance: Instance) -> Scores:
        question = self.config or Question(seed=self.seed, user=UserPrediction(self.model, instance))
        flows = flows_of(load(question), self.job or JobContext(str(self.device)))
        part = flows.instance
        marginals = marginals_of(part, flows.sample(question.samples, question.seed))
        return on_whole(instance, part, part.both_directions(marginals))


def on_whole(instance: Instance, part: Instance, mask: Scores) -> Scores:
    """A mask of a part of an instance as one of the whole, 0 outside the part. [e_part] → [e]"""
    return on_edges(instance.nodes[instance.edge_index], part.nodes[part.edge_index], mask)
