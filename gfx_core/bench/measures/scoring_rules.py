"""Edge scores of what a generator draws, by every rule: all methods that draw are judged by the same ones."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.edge_scores import best_of, edge_marginals, order_weights
from gfx_core.explainers.generate import Doubles
from gfx_core.explainers.gflow_method import GFlowMethod
from gfx_core.explainers.method import Method
from gfx_core.metrics.auc import pooled_auc

_LAST = 20  # epochs whose mean residual is the training's last one


@runtime_checkable
class Draws(Protocol):
    """A method that can draw subgraphs."""

    def draw(self, instances: Sequence[Instance]) -> tuple[Ints, Doubles]:
        """Subgraphs of each instance, in order of addition and padded with -1 [I, N, K], and log R of each [I, N]."""


def by_rules(instances: Sequence[Instance], orders: Ints, log_reward: Doubles) -> dict[str, Any]:
    """AUC by rule: edge marginals of N samples, the best of them, the paper's order weights of the first one.

    Args:
        instances: What was explained.
        orders: Nodes of each sample in order of addition, padded with -1. [I, N, K]
        log_reward: log R of each sample. [I, N]
    """
    marginals = [edge_marginals(i, o) for i, o in zip(instances, orders, strict=True)]
    best = [best_of(i, o, r) for i, o, r in zip(instances, orders, log_reward, strict=True)]
    order = [order_weights(i, o[0]) for i, o in zip(instances, orders, strict=True)]
    best_order = [order_weights(i, o[r.argmax()]) for i, o, r in zip(instances, orders, log_reward, strict=True)]
    values: dict[str, Any] = {"samples": orders.shape[1]}
    for truth in ("own", "all"):
        values[f"auc_{truth}_marginals"] = pooled_auc(instances, marginals, truth)
        values[f"auc_{truth}_best"] = pooled_auc(instances, best, truth)
        values[f"auc_{truth}_order"] = pooled_auc(instances, order, truth)
        values[f"auc_{truth}_best_order"] = pooled_auc(instances, best_order, truth)
    return values | {"log_reward": float(log_reward.mean()), "best_log_reward": float(log_reward.max(1).mean())}


def of_policy(method: Method) -> dict[str, Any]:
    """How a GFlowExplainer was trained and how well its flows match at the end; nothing of other methods."""
    if not isinstance(method, GFlowMethod) or method.trained is None:
        return {}
    values: dict[str, Any] = {"training": method.trained.config.as_dict()}
    if method.trained.curve:
        values["residual"] = float(np.mean([report.residual for report in method.trained.curve[-_LAST:]]))
    return values
