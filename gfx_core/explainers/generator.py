"""What GFlowExplainer and RGExplainer have in common: a policy that grows subgraphs, and two ways to ask it.

Both can be asked for **draws**, subgraphs sampled from the policy, whose edge marginals are one rule for scores (as
drawn, or as expected, STOP averaged over), and for their **greedy order**, the most likely action at each step, whose
order weights are another. Tables that compare the two methods show all rules for both.
"""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
import torch

from gfx_core.arrays import first_best
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.draw_many import ManyDraws, draw_many
from gfx_core.explainers.method import Learner
from gfx_core.explainers.subject import predictor_on
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.locator import StartLocator
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gnn.predict import Predictor

_TOGETHER = 256  # instances that grow in lockstep


class Generator(Learner):
    """A learner whose policy grows subgraphs node by node.

    Attributes:
        samples: How many subgraphs of each instance are drawn.
    """

    samples: int = 64

    @abstractmethod
    def generating_policy(self) -> TrainedPolicy:
        """The policy that it draws from."""

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
