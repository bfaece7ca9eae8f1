"""How well settings serve an explainer by what it itself is after. The ground truth plays no part.

Losses with different prices cannot be compared as such: a mask for which nothing is charged always costs less. So each
kind of explainer has a cost in which no price occurs; lower is better:

* **soft masks** (`mask_cost`): what the prediction loses, as a share of what it loses without any edge, plus the share
  of the edges that the mask keeps. The empty mask and the full one both cost 1 (nothing left, nothing left out), so a
  mask that has collapsed, or that keeps all, is dear, and one that keeps the prediction by few edges is cheap. Only
  instances whose prediction needs edges count: for the others the empty mask is right;
* **orders of nodes** (`order_cost`): the mean cross-entropy of the subgraphs that an order passes through, up to K_M
  nodes. An order that comes early to what the prediction rests on is cheap, and nothing is gained by stopping;
* **subgraphs** (`subgraph_cost`): minus the Shapley value of the answer, the reward of the search.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch_geometric.explain.algorithm.utils import clear_masks

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.collapse import collapse_note
from gfx_core.explainers.edge_scores import Scores
from gfx_core.explainers.gradients import log_probability
from gfx_core.explainers.subgraphx import SubgraphX
from gfx_core.explainers.union import GNNUnion, in_unions, private_copy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

_NEEDED = 0.1  # nats that a prediction must lose without any edge, if it is to count


def mask_cost(
    model: GNN, instances: Sequence[Instance], masks: Sequence[Scores], device: torch.device | str = "cpu"
) -> tuple[float, float]:
    """What soft masks cost, and the share of them that have collapsed.

    Args:
        model: The GNN.
        instances: What was explained; only those count whose prediction needs edges.
        masks: A value between 0 and 1 for each edge of each. [e_i] each
        device: Where to compute.
    """
    device, gnn = torch.device(device), private_copy(model).to(device).double()
    of_instance = {id(instance): mask for instance, mask in zip(instances, masks, strict=True)}
    log_p, given = [], []

    @torch.no_grad()
    def measure(part: list[Instance]) -> list[Scores]:
        union, here = GNNUnion(gnn, part, device), [of_instance[id(instance)] for instance in part]
        weight = torch.from_numpy(np.concatenate(here)).to(device)
        ways = (weight, torch.ones_like(weight), torch.zeros_like(weight))
        log_p.append(torch.stack([log_probability(union, way) for way in ways], dim=1).cpu().numpy())  # [I, 3]
        given.extend(here)
        clear_masks(gnn)
        return here

    in_unions(instances, measure)
    values = np.concatenate([np.zeros((0, 3)), *log_p])
    needed = values[:, 1] - values[:, 2] > _NEEDED
    if not needed.any():
        return 0.0, 0.0
    masked, full, empty = values[needed].mean(0)
    kept = [mask for mask, counts in zip(given, needed, strict=True) if counts]
    lost, share = float((full - masked) / (full - empty)), float(np.mean([mask.mean() for mask in kept]))
    return lost + share, float(np.mean([bool(collapse_note(mask)) for mask in kept]))


def order_cost(model: GNN, instances: Sequence[Instance], orders: Ints, device: torch.device | str = "cpu") -> float:
    """What orders of nodes cost.

    Args:
        model: The GNN.
        instances: What was explained.
        orders: Nodes in order of addition, padded with -1. [I, K]
        device: Where to compute.
    """
    if not len(orders):
        return 0.0
    reward = Reward(SubgraphPredictor(model, instances, device), RewardConfig())  # −CE and nothing else
    count, K = orders.shape
    upto = np.tril(np.ones((K, K), dtype=bool))
    prefixes = torch.from_numpy(np.where(upto, orders[:, None, :], -1).reshape(count * K, K)).to(device)
    instance = torch.arange(count, device=prefixes.device).repeat_interleave(K)
    parts = zip(prefixes.split(4096), instance.split(4096), strict=True)
    return float(torch.cat([-reward(*part) for part in parts]).double().mean())


def subgraph_cost(method: SubgraphX, instances: Sequence[Instance]) -> float:
    """What SubgraphX's answers cost."""
    return -float(np.mean([method.search(instance).best().value for instance in instances])) if instances else 0.0
