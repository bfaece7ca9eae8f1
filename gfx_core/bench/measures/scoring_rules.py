"""Edge scores of what a generator draws, by every rule: all methods that draw are judged by the same ones."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.draw_many import ManyDraws
from gfx_core.explainers.edge_scores import best_of, edge_marginals, expected_marginals, order_weights
from gfx_core.explainers.gflow_method import GFlowMethod
from gfx_core.explainers.method import Method
from gfx_core.explainers.size_rule import answer_nodes
from gfx_core.metrics.edges import pooled_auc

_LAST = 20  # epochs whose mean residual is the training's last one


@runtime_checkable
class Draws(Protocol):
    """A method that can draw subgraphs."""

    def draw(self, instances: Sequence[Instance]) -> ManyDraws:
        """Subgraphs of each instance."""


def by_rules(instances: Sequence[Instance], drawn: ManyDraws, greedy: Ints | None = None) -> dict[str, Any]:
    """AUC by rule: marginals as expected and as drawn, the best draw, order weights of one draw and of a greedy one.

    The best one is the best of those that the rule for the size of an answer allows.

    Args:
        instances: What was explained.
        drawn: N samples of each.
        greedy: The order that a method grows if it always takes the likeliest action, if it can. [I, K]
    """
    orders, log_reward = drawn.orders, drawn.log_reward
    each = list(zip(instances, orders, log_reward, strict=True))
    scores = {
        "expected": [expected_marginals(*of) for of in zip(instances, drawn.grown, drawn.reach, strict=True)],
        "marginals": [edge_marginals(instance, some) for instance, some, _ in each],
        "best": [best_of(instance, some, log_r, answer_nodes(instance.info)) for instance, some, log_r in each],
        "order": [order_weights(instance, some[0]) for instance, some, _ in each],
    }
    if greedy is not None:
        scores["greedy"] = [order_weights(instance, order) for instance, order in zip(instances, greedy, strict=True)]
    values: dict[str, Any] = {"samples": orders.shape[1]}
    for rule, given in scores.items():
        for truth in ("own", "all"):
            values[f"auc_{truth}_{rule}"] = pooled_auc(instances, given, truth)
    return values | {"log_reward": float(log_reward.mean()), "best_log_reward": float(log_reward.max(1).mean())}


def of_policy(method: Method) -> dict[str, Any]:
    """How a GFlowExplainer was trained and how well its flows match at the end; nothing of other methods."""
    if not isinstance(method, GFlowMethod) or method.trained is None:
        return {}
    values: dict[str, Any] = {"training": method.trained.config.as_dict()}
    if method.trained.curve:
        values["residual"] = float(np.mean([report.residual for report in method.trained.curve[-_LAST:]]))
    return values
