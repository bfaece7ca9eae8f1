"""What GFlowExplainer and RGExplainer have in common: a policy that grows subgraphs, and two ways to score edges by it.

**Draws** are subgraphs sampled from the policy, whose edge marginals are one rule for scores (as drawn, or as expected,
STOP averaged over). The **greedy order** takes the most likely action at each step; its order weights are another.
Tables that compare the two methods show all rules for both.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles, first_best
from gfx_core.baselines.edge_scores import expected_marginals, order_weights
from gfx_core.baselines.method import Cancelled, CancelledError, Explanation, Learner, Method, Progress
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation import run
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.result import scores_on_edges
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import DEFAULT_PRESET, GFNConfig, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import JobContext
from gfx_core.user_models.predictor import predictor_on

_TRAJECTORIES = 2048  # sampled in lockstep


@dataclass(frozen=True)
class ManyDraws:
    """N subgraphs of each of I instances.

    Attributes:
        orders: Their nodes in order of addition, padded with -1. [I, N, K]
        log_reward: log R of each. [I, N]
        grown: What trajectories become that never stop, padded with -1. [I, N, K]
        reach: The chance that one which may stop comes as far as each prefix of these. [I, N, K]
    """

    orders: Ints
    log_reward: Doubles
    grown: Ints
    reach: Doubles


def draw_many(trained: TrainedPolicy, predictor: Predictor, count: int, seed: int) -> ManyDraws:
    """Draw subgraphs of every instance of a predictor.

    In a node task they start at the explained node, in a graph task at nodes drawn from the locator.

    Args:
        trained: The policy.
        predictor: The GNN on the instances.
        count: N, how many to draw of each.
        seed: Of what is drawn.
    """
    trained.to(predictor.device)
    graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
    rng = np.random.RandomState(seed)
    generator = torch.Generator(predictor.device).manual_seed(seed)
    batches: list[list[np.ndarray]] = []
    by_size = np.argsort(predictor.graphs.sizes, kind="stable")  # instances of like size share their padding
    for part in np.array_split(by_size, max(1, min(len(by_size), len(by_size) * count // _TRAJECTORIES))):
        if trained.locator is None:
            episodes = Episodes.of(graphs, part)
            episode = torch.arange(len(part), device=predictor.device).repeat_interleave(count)
        else:
            chances = [trained.locator.probabilities(predictor, int(i)).double().cpu().numpy() for i in part]
            starts = np.concatenate([rng.choice(len(p), count, p=p / p.sum()) for p in chances])
            pairs, which = np.unique(np.stack([part.repeat(count), starts]), axis=1, return_inverse=True)
            episodes = Episodes.of(graphs, *pairs)  # each start node once
            episode = torch.from_numpy(which.ravel()).to(predictor.device)
        order, log_reward, grown, log_reach = _draw(trained.policy, episodes, episode, reward, generator)
        tensors = (order, log_reward.double(), grown, log_reach.double().exp())
        batches.append([values.cpu().numpy().reshape(len(part), count, *values.shape[1:]) for values in tensors])
    back = np.argsort(by_size, kind="stable")
    return ManyDraws(*(np.concatenate(parts)[back] for parts in zip(*batches, strict=True)))


def _draw(
    policy: FlowPolicy, episodes: Episodes, episode: Tensor, reward: Reward, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """For each entry of ``episode`` what :class:`ManyDraws` tells of it, the chance as its logarithm."""
    drawn = sample(policy, episodes, episode, reward, generator=generator, share=True)
    way = drawn
    if drawn.grown is None:
        way = sample(policy, episodes, episode, reward, generator=generator, stops=False)
    assert way.grown is not None
    assert way.log_reach is not None
    return drawn.order, drawn.final_log_reward(reward), way.grown, way.log_reach


class Generator(Learner):
    """A learner whose policy grows subgraphs node by node.

    Attributes:
        samples: How many subgraphs of each instance are drawn.
        trained: The policy that it draws from, once there is one.
    """

    samples: int = 64
    trained: TrainedPolicy | None = None

    def generating_policy(self) -> TrainedPolicy:
        """The policy that it draws from."""
        if self.trained is None:
            raise UserError("No policy is trained yet: call fit, or load one.")
        return self.trained

    def keep(self, trained: TrainedPolicy) -> None:
        """Draw from this policy."""
        self.trained = trained
        parts = {"policy": trained.policy} | ({} if trained.locator is None else {"locator": trained.locator})
        self.network = nn.ModuleDict(parts).to(self.device)

    @abstractmethod
    def trainer(self, predictor: Predictor, dataset: str) -> Trainer:
        """What trains the policy on some instances of a data set."""

    def pretrain(self, trainer: Trainer, progress: Progress, stop: Cancelled) -> int:
        """Train in another way before; returns for how many epochs."""
        return 0

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        if not instances:
            raise UserError("There is nothing to train on: name at least one node or graph.")
        dataset = instances[0].dataset
        trainer = self.trainer(predictor_on(self.model, instances, self.device), dataset)

        def stop() -> bool:
            if cancelled():
                raise CancelledError
            return False

        before = self.pretrain(trainer, progress, stop)
        epochs = before + trainer.config.epochs
        trainer.fit(
            lambda report: progress(
                (before + report.epoch) / epochs,
                f"epoch {report.epoch} of {report.epochs}, mean reward {report.log_reward:.3f}",
            ),
            stop,
        )
        self.keep(TrainedPolicy.of(trainer, dataset, getattr(self.model, "name", "")))

    def draw(self, instances: Sequence[Instance]) -> ManyDraws:
        """Subgraphs of each instance."""
        predictor = predictor_on(self.model, instances, self.device)
        return draw_many(self.generating_policy(), predictor, self.samples, self.seed)

    def greedy(self, instances: Sequence[Instance]) -> Ints:
        """The order of the most likely action at each step, for each instance. [I, K], padded with -1

        In a graph task it starts at the node that the locator finds most influential.
        """
        trained = self.generating_policy().to(self.device)
        predictor = predictor_on(self.model, instances, self.device)
        graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
        numbers, starts = np.arange(len(instances)), None
        if trained.locator is not None:
            chances = (trained.locator.probabilities(predictor, int(i)).cpu().numpy() for i in numbers)
            starts = np.array([first_best(p) for p in chances])
        episodes = Episodes.of(graphs, numbers, starts)
        return sample(trained.policy, episodes, torch.from_numpy(numbers).to(self.device), reward).order.cpu().numpy()

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        """The order weights of one greedy trajectory for each instance, in lockstep."""
        return [Explanation(order_weights(*each)) for each in zip(instances, self.greedy(instances), strict=True)]


@dataclass(frozen=True)
class NodePrice:
    """The recipe of the data set's policy with another price of a node: what is chosen of GFlowExplainer."""

    node_price: float


class GFlowMethod(Generator):
    """GFlowExplainer with a policy for all instances of a data set: the edge marginals that are to be expected.

    Its configuration is how the policy is trained, or another price of a node; by default as the shipped one.
    """

    preset = DEFAULT_PRESET

    @classmethod
    def config_of(cls, settings: Mapping[str, Any]) -> NodePrice:
        return NodePrice(**settings)

    def recipe(self, dataset: str) -> GFNConfig:
        """How the policy of a data set is trained."""
        config = policy_config(dataset, self.preset, str(self.device)) if self.config is None else self.config
        if isinstance(config, NodePrice):
            usual = policy_config(dataset, self.preset, str(self.device))
            prices = {**usual.reward.prices, "nodes": config.node_price}
            config = replace(usual, reward=replace(usual.reward, prices=prices))
        return config.with_options(seed=self.seed, epochs=self.epochs)

    def trainer(self, predictor: Predictor, dataset: str) -> Trainer:
        return Trainer(predictor, self.recipe(dataset))

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        """What is drawn depends on which instances are drawn for together."""
        drawn = self.draw(instances)
        return [
            Explanation(expected_marginals(*each)) for each in zip(instances, drawn.grown, drawn.reach, strict=True)
        ]

    def save(self, path: Path) -> None:
        save_policy(self.generating_policy(), path)

    def load(self, path: Path) -> None:
        trained = load_policy(path)
        self.keep(trained)
        self.fit_seconds = sum(report.seconds for report in trained.curve)


class GFlowAsPrinted(GFlowMethod):
    """GFlowExplainer as the paper prints it, but for the reward's sign; edges have order weights."""

    preset = "paper"
    explain_many = Generator.explain_many


class SpotMethod(Method):
    """GFlowExplainer where no policy serves all predictions: each is explained by itself, as by `explain`.

    Args:
        model: The GNN, ours or any other.
        seed: Of what is drawn.
        device: Where to compute.
        question: What is asked, where it has a name; by default about each instance as it is.
        job: Told how far it is.
    """

    any_model = True

    def __init__(
        self,
        model: nn.Module,
        seed: int = 0,
        device: str | torch.device = "cpu",
        question: Question | None = None,
        job: JobContext | None = None,
    ) -> None:
        super().__init__(model, seed=seed, device=device)
        self._question, self._job = question, job or JobContext(str(device))

    def explain(self, instance: Instance) -> Explanation:
        """The edge marginals of the trace; a part of the instance may have been looked at."""
        question = self._question or Question(seed=self.seed, user=UserPrediction(self.model, instance))
        trace = run.explain(question, self._job)
        ends = np.array([[trace.nodes[end].id for end in (edge.source, edge.target)] for edge in trace.edges]).T
        marginals = np.array(trace.edge_marginals or np.zeros(len(trace.edges)))
        both = np.concatenate([ends, ends[::-1]], axis=1) if len(trace.edges) else np.zeros((2, 0), dtype=np.int64)
        edge_index = torch.from_numpy(instance.nodes[instance.edge_index])
        return Explanation(scores_on_edges(both, np.tile(marginals, 2), edge_index).double().numpy())
