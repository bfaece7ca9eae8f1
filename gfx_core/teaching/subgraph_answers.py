"""Questions to a GNN about subgraphs of a real instance. This module is imported in workers only: it needs torch."""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import MAX_SUBSET, SubgraphPredictor
from gfx_core.job_context import JobContext
from gfx_core.teaching.known_subgraphs import DATASET, GNNS, Answers, real_instance, real_states


def ask_all(job: JobContext, *, index: int) -> dict[str, Answers]:
    """What each of the GNNs says of every state of an instance, in the order of `real_states`."""
    return _ask(job, index, torch.from_numpy(real_states(index).subsets))


def ask_one(job: JobContext, *, index: int, nodes: list[int]) -> dict[str, Answers]:
    """What each of the GNNs says of one node set, connected or not. The explained node is always in it."""
    instance = real_instance(index)
    others = sorted(set(nodes) - {instance.target})
    if not all(0 <= node < instance.num_nodes for node in others) or len(others) >= MAX_SUBSET:
        raise UserError(f"Choose some of the {instance.num_nodes} nodes of the picture.")
    return _ask(job, index, torch.tensor([[instance.target, *others]]))


def _ask(job: JobContext, index: int, subsets: Tensor) -> dict[str, Answers]:
    return {name: _answers(_model(*which), index, subsets, job.device) for name, which in GNNS.items()}


def _answers(model: GNN, index: int, subsets: Tensor, device: str) -> Answers:
    instance = load_dataset(DATASET).instance(index, hops=model.hops)  # numbers the near nodes as `real_instance` does
    predictor = SubgraphPredictor(model, [instance], device)
    subsets = subsets.to(device)
    terms = ("cross_entropy", "nodes", "size", "similarity")
    values = Reward(predictor, RewardConfig()).measure(subsets, torch.zeros_like(subsets[:, 0]), terms).values

    def plain(values: Tensor) -> np.ndarray:
        return values.double().cpu().numpy()

    return Answers(
        whole=plain(predictor.whole.probabilities[0]),
        probabilities=plain(predictor(subsets).probabilities),
        cross_entropy=plain(values["cross_entropy"]),
        nodes=plain(values["nodes"]),
        edges=plain(values["size"]),
        distance=plain(values["similarity"]),
    )


@lru_cache(maxsize=4)
def _model(kind: str, variant: str) -> GNN:
    return load_model(DATASET, kind, variant)
