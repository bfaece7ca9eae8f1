"""Generate explanations of one instance with a trained policy."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from gfx_core.arrays import Doubles, first_best
from gfx_core.config import FlowSource, Task
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.exact_sampler import ExactSampler
from gfx_core.explainers.subgraph_source import Generated, Listing, PathFlows, SubgraphSource
from gfx_core.gfn.distinct import sample_distinct
from gfx_core.gfn.growth import can_share
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, parent_nodes, sample
from gfx_core.gfn.settings import Stop
from gfx_core.gfn.state_dag import StateDag
from gfx_core.gfn.states import States
from gfx_core.gnn.predict import Predictor


class SubgraphSampler(SubgraphSource):
    """A trained policy at work on one instance.

    Args:
        trained: The policy.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        explained_class: The class whose prediction is explained; the GNN's own answer by default.
        listings: See `SubgraphSource`.
    """

    flows = FlowSource.LEARNED

    def __init__(
        self,
        trained: TrainedPolicy,
        predictor: Predictor,
        instance: Instance,
        explained_class: int | None = None,
        listings: dict[int, Listing] | None = None,
    ) -> None:
        config = trained.config
        super().__init__(config, predictor, instance, Reward(predictor, config.reward, explained_class), listings)
        self.trained = trained.to(predictor.device)
        self.graphs = FlowGraphs(predictor, config.policy)
        if self.graphs.features.shape[1] != trained.policy.num_features:
            raise UserError(
                f"This policy reads {trained.policy.num_features} numbers per node, the instance has "
                f"{self.graphs.features.shape[1]}: it was trained for another data set or GNN."
            )

    def locate(self) -> int:
        """The start node: the explained node, or the one that the locator finds most influential."""
        if self.instance.target is not None:
            return self.instance.target
        return first_best(self.start_probabilities())

    def start_probabilities(self) -> Doubles:
        """The locator's distribution over start nodes (graph tasks). [m]"""
        if self.trained.locator is None:
            raise UserError("This policy was trained on a node task: it has no locator for whole graphs.")
        return self.trained.locator.probabilities(self.predictor, 0).double().cpu().numpy()

    def draw(self, count: int, seed: int, start: int | None = None, greedy: bool = False) -> Generated:
        """Draw subgraphs from one start node."""
        start = self.locate() if start is None else start
        orders, *numbers = self._sample(np.array([start]), np.zeros(count, np.int64), seed, greedy)
        log_reward, log_forward = torch.stack(numbers).double().cpu().numpy()
        return Generated(start, orders.cpu().numpy(), log_reward, log_forward)

    def draw_anywhere(self, count: int, seed: int) -> Ints:
        """Draw subgraphs; in a graph task each from a start node of its own, drawn from the locator. [N, K]"""
        if self.instance.task is Task.NODE:
            return self.draw(count, seed).orders
        probabilities = self.start_probabilities()
        starts = np.random.RandomState(seed).choice(len(probabilities), count, p=probabilities / probabilities.sum())
        chosen, which = np.unique(starts, return_inverse=True)
        return self._sample(chosen, which, seed, greedy=False)[0].cpu().numpy()

    def _sample(self, starts: Ints, which: Ints, seed: int, greedy: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Subgraphs in order of addition [N, K], log R of each [N], log-probability of its trajectory [N]."""
        episodes = Episodes.of(self.graphs, np.zeros(len(starts), np.int64), starts)
        generator = None if greedy else torch.Generator(self.device).manual_seed(seed)
        episode = torch.from_numpy(which).to(self.device)
        if generator is not None and can_share(self.trained.policy):
            found = sample_distinct(self.trained.policy, episodes, episode, self.reward, generator)
            return found.order, found.log_reward, found.log_forward
        drawn = sample(self.trained.policy, episodes, episode, self.reward, generator=generator)
        return drawn.order, self.reward(drawn.order, drawn.instance), drawn.log_forward

    @torch.no_grad()
    def flows_on(self, dag: StateDag, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        """What the policy has learnt: the log-flow along each edge of a DAG of states, and to STOP. [E], [S]"""
        policy, device = self.trained.policy, self.device
        episodes = Episodes.of(self.graphs, np.zeros(1, np.int64), np.array([dag.start]))
        encoded = policy.encode(episodes)
        log_out, log_stop = [], []
        for members in torch.from_numpy(dag.members).to(device).split(4096):
            episode = torch.zeros(len(members), dtype=torch.long, device=device)
            flows = policy(encoded, States.of_sets(episodes, episode, members, policy.max_nodes))
            log_out.append(flows.log_out)
            if flows.log_stop is not None:
                log_stop.append(flows.log_stop)
        stop = log_reward if policy.stop is Stop.REWARD else torch.cat(log_stop).double().cpu().numpy()
        return torch.cat(log_out).double().cpu().numpy()[dag.parent, dag.node], stop

    @torch.no_grad()
    def flows_along(self, path: Ints, log_reward: Doubles) -> PathFlows:
        policy, device = self.trained.policy, self.device
        episodes = Episodes.of(self.graphs, np.zeros(1, np.int64), path[:1])
        episode = torch.zeros(1, dtype=torch.long, device=device)
        nodes = torch.from_numpy(path)[None].to(device)  # [1, T]
        trajectory = Trajectories(episodes, episode, nodes, None, torch.zeros(1, device=device))
        states = States.along(episodes, episode, nodes, self.config.max_nodes)  # one state for each prefix
        parents = parent_nodes(trajectory, self.config.parents, where="cpu")[0]  # [T, m]
        flows = policy(policy.encode(episodes), states, parents)
        return PathFlows(
            states.frontier.cpu().numpy(),
            parents.cpu().numpy(),
            flows.log_out.double().cpu().numpy(),
            flows.log_in.double().cpu().numpy(),
            log_reward if flows.log_stop is None else flows.log_stop.double().cpu().numpy(),
        )

    def counterpart(self, start: int) -> SubgraphSource | None:
        return None if self.listed(start) is None else ExactSampler.beside(self)

    def policy_made(self) -> dict[str, Any] | None:
        return {"epochs": len(self.trained.curve), **self.trained.made}
