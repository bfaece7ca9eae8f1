"""What GFlowExplainer and RGExplainer have in common: a policy that grows subgraphs, and two ways to ask it.

Both can be asked for **draws**, subgraphs sampled from the policy, whose edge marginals are one rule for scores (as
drawn, or as expected, STOP averaged over), and for their **greedy order**, the most likely action at each step, whose
order weights are another. Tables that compare the two methods show all rules for both.
"""

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
from gfx_core.gfn.policy import FlowPolicy, StartLocator
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import DEFAULT_PRESET, GFNConfig, policy_config
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictor, SubgraphPredictor
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

    def __getitem__(self, which: Ints) -> "ManyDraws":
        """Those of some instances."""
        return ManyDraws(self.orders[which], self.log_reward[which], self.grown[which], self.reach[which])


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
    found: list[list[np.ndarray]] = []
    by_size = np.argsort(predictor.graphs.sizes, kind="stable")  # instances of like size share their padding
    parts = max(1, min(len(by_size), len(by_size) * count // _TRAJECTORIES))
    for part in np.array_split(by_size, parts):
        if trained.locator is None:
            episodes = Episodes.of(graphs, part)
            episode = torch.arange(len(part), device=predictor.device).repeat_interleave(count)
        else:
            starts = np.concatenate([_starts(trained, predictor, int(i), count, rng) for i in part])
            pairs, which = np.unique(np.stack([part.repeat(count), starts]), axis=1, return_inverse=True)
            episodes = Episodes.of(graphs, *pairs)  # each start node once
            episode = torch.from_numpy(which.ravel()).to(predictor.device)
        order, log_reward, grown, log_reach = _draw(trained.policy, episodes, episode, reward, generator)
        tensors = (order, log_reward.double(), grown, log_reach.double().exp())
        found.append([values.cpu().numpy().reshape(len(part), count, *values.shape[1:]) for values in tensors])
    back = np.argsort(by_size, kind="stable")
    return ManyDraws(*(np.concatenate(parts)[back] for parts in zip(*found, strict=True)))


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


def _starts(
    trained: TrainedPolicy, predictor: Predictor, instance: int, count: int, rng: np.random.RandomState
) -> Ints:
    assert trained.locator is not None
    probabilities = trained.locator.probabilities(predictor, instance).double().cpu().numpy()
    return rng.choice(len(probabilities), count, p=probabilities / probabilities.sum()).astype(np.int64)


_TOGETHER = 256  # instances that grow in lockstep


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

    def _keep(self, trained: TrainedPolicy) -> None:
        self.trained = trained
        parts = {"policy": trained.policy} | ({} if trained.locator is None else {"locator": trained.locator})
        self.network = nn.ModuleDict(parts).to(self.device)

    def draw(self, instances: Sequence[Instance]) -> ManyDraws:
        """Subgraphs of each instance."""
        predictor = predictor_on(self.model, instances, self.device)
        return draw_many(self.generating_policy(), predictor, self.samples, self.seed)

    def greedy(self, instances: Sequence[Instance]) -> Ints:
        """The order of the most likely action at each step, for each instance. [I, K], padded with -1"""
        trained = self.generating_policy().to(self.device)
        orders = np.full((len(instances), trained.config.max_nodes), -1, dtype=np.int64)
        by_size = np.argsort([instance.num_nodes for instance in instances], kind="stable")  # shares their padding
        for first in range(0, len(by_size), _TOGETHER):
            part = by_size[first : first + _TOGETHER]
            predictor = predictor_on(self.model, [instances[i] for i in part], self.device)
            orders[part] = _greedy_orders(trained, predictor)
        return orders

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        """The order weights of one greedy trajectory for each instance, in lockstep."""
        return [
            Explanation(order_weights(instance, order), order[order >= 0])
            for instance, order in zip(instances, self.greedy(instances), strict=True)
        ]


def _greedy_orders(trained: TrainedPolicy, predictor: Predictor) -> Ints:
    """One greedy trajectory of each instance of a predictor. [I, K], padded with -1"""
    graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
    starts = None if trained.locator is None else _likely_starts(trained.locator, predictor)
    count = len(predictor.graphs)
    each = torch.arange(count, device=predictor.device)
    return sample(trained.policy, Episodes.of(graphs, np.arange(count), starts), each, reward).order.cpu().numpy()


@torch.no_grad()
def _likely_starts(locator: StartLocator, predictor: Predictor) -> Ints:
    """The node of each graph that the locator finds most influential. [I]"""
    graphs = predictor.graphs
    node = torch.arange(len(graphs.owner), device=predictor.device) - graphs.offset[graphs.owner]
    omega = locator(predictor, graphs.owner, node).cpu()
    return np.array([first_best(part.softmax(0).numpy()) for part in omega.split(graphs.sizes.tolist())])


@dataclass(frozen=True)
class NodePrice:
    """The recipe of the data set's policy with another price of a node: what is chosen of GFlowExplainer."""

    node_price: float


class GFlowMethod(Generator):
    """GFlowExplainer as one method among others: edge marginals of subgraphs drawn from a trained policy.

    It draws subgraphs from a policy; an edge scores the share of them that is to be expected to hold it.

    Args:
        model: The GNN.
        seed: Of the training and of what is drawn.
        device: Where to compute.
        config: How the policy is trained, or another price of a node; by default as the shipped one of the data set.
        epochs: Another length of training.
        samples: How many subgraphs are drawn.
    """

    preset = DEFAULT_PRESET

    def __init__(
        self,
        model: GNN,
        *,
        seed: int = 0,
        device: str | torch.device = "cpu",
        config: GFNConfig | NodePrice | None = None,
        epochs: int | None = None,
        samples: int = 64,
    ) -> None:
        super().__init__(model, config, seed=seed, device=device)
        self.epochs, self.samples = epochs, samples

    @classmethod
    def config_of(cls, settings: Mapping[str, Any]) -> NodePrice:
        return NodePrice(**settings)

    def recipe(self, dataset: str, device: str) -> GFNConfig:
        """How the policy of a data set is trained."""
        if isinstance(self.config, GFNConfig):
            return self.config
        config = policy_config(dataset, self.preset, device)
        if self.config is None:
            return config
        prices = {**config.reward.prices, "nodes": self.config.node_price}
        return replace(config, reward=replace(config.reward, prices=prices))

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        if not instances:
            raise UserError("There is nothing to train on: name at least one node or graph.")
        dataset = instances[0].dataset
        config = self.recipe(dataset, str(self.device)).with_options(seed=self.seed, epochs=self.epochs)
        trainer = Trainer(SubgraphPredictor(self.model, instances, self.device), config)

        def after(report: EpochReport) -> None:
            progress(report.epoch / report.epochs, f"epoch {report.epoch} of {report.epochs}")

        trainer.fit(after, cancelled)
        if trainer.epoch < config.epochs:
            raise CancelledError
        self._keep(TrainedPolicy.of(trainer, dataset, self.model.name))

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        """Edge marginals as they are to be expected, and the order of the drawn subgraph with the highest reward.

        What is drawn depends on which instances are drawn for together.
        """
        return self.found_in(instances, self.draw(instances))

    def found_in(self, instances: Sequence[Instance], drawn: ManyDraws) -> list[Explanation]:
        """What was drawn as explanations."""
        best = [
            orders[first_best(log_reward)] for orders, log_reward in zip(drawn.orders, drawn.log_reward, strict=True)
        ]
        return [
            Explanation(expected_marginals(instance, grown, reach), order[order >= 0])
            for instance, grown, reach, order in zip(instances, drawn.grown, drawn.reach, best, strict=True)
        ]

    def save(self, path: Path) -> None:
        save_policy(self.generating_policy(), path)

    def load(self, path: Path) -> None:
        trained = load_policy(path)
        self._keep(trained)
        self.fit_seconds = sum(report.seconds for report in trained.curve)


class GFlowAsPrinted(GFlowMethod):
    """GFlowExplainer as the paper prints it, but for the reward's sign; edges have order weights."""

    preset = "paper"
    explain_many = Generator.explain_many


class SpotMethod(Method):
    """GFlowExplainer as one method among others where no policy serves all predictions: each is explained by itself.

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
        """The edge marginals of the trace."""
        question = self._question or Question(seed=self.seed, user=UserPrediction(self.model, instance))
        trace = run.explain(question, self._job)
        local = {int(node): number for number, node in enumerate(instance.nodes)}
        number = np.array([local[node.id] for node in trace.nodes])  # a part of the instance may have been looked at
        one_way = number[
            np.array([(edge.source, edge.target) for edge in trace.edges], dtype=np.int64).reshape(-1, 2).T
        ]
        marginals = np.array(trace.edge_marginals or np.zeros(one_way.shape[1]))
        both = np.concatenate([one_way, one_way[::-1]], axis=1)
        scores = scores_on_edges(both, np.concatenate([marginals, marginals]), torch.from_numpy(instance.edge_index))
        return Explanation(scores.double().numpy(), number[list(trace.steps[-1].members)])
