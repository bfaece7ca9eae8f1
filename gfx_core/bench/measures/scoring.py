"""What one explainer is worth on one data set, with one seed: a cell of Table 1 and of the fidelity curves."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import subject_of
from gfx_core.bench.measures.controls import method_of, settings_of
from gfx_core.bench.measures.faithful import control, faithfulness
from gfx_core.bench.measures.reasons import answers_right, probability_alone, reason_values
from gfx_core.bench.measures.scoring_rules import Draws, by_rules, of_policy
from gfx_core.bench.measures.stopwatch import timed
from gfx_core.bench.measures.truth import ground_truth, parts_of, truth_by_part
from gfx_core.datasets.graph import Half
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.draw_many import ManyDraws
from gfx_core.explainers.explanation import Explanation
from gfx_core.explainers.generator import Generator
from gfx_core.explainers.gflow_method import GFlowMethod
from gfx_core.explainers.method import Learner, Method
from gfx_core.explainers.registry import METHODS, learnt_path
from gfx_core.metrics.edges import pooled_auc


def score(cell: Cell) -> dict[str, Any]:
    """Explain the explainable instances of a half and score the answers.

    Explainers that learn do so on the instances of both halves: learning uses no ground truth. What the GNN gets wrong
    is not scored against the motif, because the GNN's answer is what is explained; the AUC with those instances is told
    apart (``auc_own_with_wrong``).

    Options: ``device``; ``half``; ``limit``, only so many instances, evenly spread; ``epochs``, another length of
    training.
    """
    dataset, model, every = subject_of(cell)
    method = method_of(cell, model)
    fit_s = learn(method, cell)
    found, drawn, seconds = answers(method, every)
    greedy = method.greedy(every) if isinstance(method, Generator) else None
    model.to(cell.device)  # a control has a GNN of its own there
    right = answers_right(model, every)
    values: dict[str, Any] = {"fit_s": fit_s, "explain_many_s": seconds / len(every), "instances": len(every)}
    values |= {"wrong": int((~right).sum()), "collapsed": sum(bool(one.note) for one in found)}
    for truth in ("own", "all"):
        values[f"auc_{truth}_with_wrong"] = pooled_auc(every, [one.edge_mask for one in found], truth)
    chosen = np.flatnonzero(right)
    instances, scores = [every[i] for i in chosen], [found[i].edge_mask for i in chosen]
    if not instances:
        return values
    values |= ground_truth(instances, scores) | truth_by_part(parts_of(dataset, instances), instances, scores)
    values |= reason_values(dataset, instances, probability_alone(model, instances))
    if drawn is not None:
        values |= by_rules(instances, drawn[chosen], None if greedy is None else greedy[chosen])
    values |= settings_of(cell, str(model.kind))
    values |= of_policy(method) | faithfulness(model, instances, scores)
    return values | control(cell, model, instances)


def answers(method: Method, instances: Sequence[Instance]) -> tuple[list[Explanation], ManyDraws | None, float]:
    """Explanations; what was drawn, if the method draws; and the seconds that the explanations took."""
    started = time.perf_counter()
    if isinstance(method, GFlowMethod):
        drawn = method.draw(instances)
        found = method.found_in(instances, drawn)
        return found, drawn, time.perf_counter() - started
    found = method.explain_many(instances)
    seconds = time.perf_counter() - started
    return found, method.draw(instances) if isinstance(method, Draws) else None, seconds


def learn(method: Method, cell: Cell) -> float | None:
    """Let a method learn, or load what is shipped: `train` made it on the same instances with seed 0.

    Returns:
        Seconds of learning; None if there is nothing to learn, or the shipped file does not tell.
    """
    if not isinstance(method, Learner):
        return None
    if cell.method in METHODS and cell.seed == 0 and not {"limit", "epochs"} & set(cell.options):
        path = learnt_path(cell.method, cell.dataset, str(method.model.kind))
        if path.is_file():
            method.load(path)
            return method.fit_seconds
    return timed(lambda: method.fit(subject_of(cell, half=Half.ALL).instances))[0]
