"""What one explainer is worth on one data set, with one seed: a cell of Table 1 and of the fidelity curves."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import subject_of
from gfx_core.bench.measures.faithful import control, faithfulness
from gfx_core.bench.measures.stopwatch import timed
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.edge_scores import Scores, best_of, order_weights
from gfx_core.explainers.generate import Doubles
from gfx_core.explainers.gflow_method import GFlowMethod
from gfx_core.explainers.method import Learner, Method
from gfx_core.explainers.registry import learnt_path, make_method
from gfx_core.metrics.auc import pooled_auc
from gfx_core.metrics.topk import topk_accuracy


def score(cell: Cell) -> dict[str, Any]:
    """Explain every explainable instance of a data set and score the answers.

    Options: ``device``; ``limit``, only so many instances, evenly spread; ``epochs``, another length of training.
    """
    dataset, model, instances = subject_of(cell)
    epochs = cell.options.get("epochs")
    method = make_method(cell.method, model, seed=cell.seed, device=cell.device, epochs=epochs)
    fit_s = learn(method, cell, instances, shipped=len(instances) == len(dataset.explainable) and epochs is None)
    started = time.perf_counter()
    if isinstance(method, GFlowMethod):
        drawn = method.draw(instances)
        found = method.found_in(instances, *drawn)
    else:
        found = method.explain_many(instances)
    seconds = time.perf_counter() - started
    values: dict[str, Any] = {"fit_s": fit_s, "explain_many_s": seconds / len(instances), "instances": len(instances)}
    scores = [one.edge_mask for one in found]
    values |= ground_truth(instances, scores) | faithfulness(model, instances, scores)
    values |= control(cell, model, instances)
    return values | (other_rules(method, instances, *drawn) if isinstance(method, GFlowMethod) else {})


def learn(method: Method, cell: Cell, instances: Sequence[Instance], shipped: bool) -> float | None:
    """Seconds of learning, or of the training that is shipped; None if there is nothing to learn."""
    if not isinstance(method, Learner):
        return None
    path = learnt_path(cell.method, cell.dataset, str(method.model.kind))
    if isinstance(method, GFlowMethod) and shipped and cell.seed == 0 and path.is_file():
        method.load(path)
        assert method.trained is not None
        return sum(report.seconds for report in method.trained.curve)
    return timed(lambda: method.fit(instances))[0]


def one_of_each_motif(instances: Sequence[Instance]) -> list[int]:
    """Positions of the first instance of each motif; in graph tasks, of every instance."""
    seen: dict[int, int] = {}
    for position, instance in enumerate(instances):
        seen.setdefault(instance.index if instance.target is None else int(instance.motif[instance.target]), position)
    return list(seen.values())


def ground_truth(instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, Any]:
    """AUC and top-k accuracy on all instances, and on one of each motif."""
    few = one_of_each_motif(instances)
    values: dict[str, Any] = {}
    for truth in ("own", "all"):
        values[f"auc_{truth}"] = pooled_auc(instances, scores, truth)
        values[f"auc_{truth}_benchmark"] = pooled_auc([instances[i] for i in few], [scores[i] for i in few], truth)
        values[f"topk_{truth}"] = _mean(topk_accuracy(i, s, truth) for i, s in zip(instances, scores, strict=True))
    return values


def _mean(values: Iterable[float | None]) -> float | None:
    """Of those that there are."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def other_rules(
    method: GFlowMethod, instances: Sequence[Instance], orders: Ints, log_reward: Doubles
) -> dict[str, Any]:
    """AUC of the other two scoring rules, and how well the policy is trained."""
    assert method.trained is not None
    best = [best_of(i, o, r) for i, o, r in zip(instances, orders, log_reward, strict=True)]
    first = [order_weights(i, o[0]) for i, o in zip(instances, orders, strict=True)]
    values: dict[str, Any] = {}
    for truth in ("own", "all"):
        values[f"auc_{truth}_best"] = pooled_auc(instances, best, truth)
        values[f"auc_{truth}_order"] = pooled_auc(instances, first, truth)
    return values | {
        "log_reward": float(log_reward.mean()),
        "best_log_reward": float(log_reward.max(1).mean()),
        "residual": float(np.mean([report.residual for report in method.trained.curve[-20:]])),
        "training": method.trained.config.as_dict(),
    }
