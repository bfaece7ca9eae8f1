"""What one explainer is worth on one data set, with one seed: a cell of Table 1 and of the fidelity curves.

Its edge scores against the true motif, of all instances and of parts of them; what the edges are to the GNN; what a
generator draws, by every scoring rule, so that all methods that draw are judged by the same ones.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gfx_core.arrays import spread
from gfx_core.baselines.edge_scores import Scores, best_of, edge_marginals, expected_marginals, order_weights
from gfx_core.baselines.generators import Generator, GFlowMethod, ManyDraws
from gfx_core.baselines.method import Cancelled, Explanation, Learner, Method, Progress, answer_nodes
from gfx_core.baselines.registry import METHODS, chosen_settings, learnt_path, make_method
from gfx_core.bench.measures.gnn_answers import Parts, load_subject, parts_of, reason_values
from gfx_core.bench.reasons import answers_right, probability_alone
from gfx_core.bench.study import Cell
from gfx_core.bench.tables import CONSTANT, UNTRAINED
from gfx_core.bench.time import timed
from gfx_core.datasets.graph import Half, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.settings import policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN, constant_gnn
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc, topk_accuracy, topk_nodes
from gfx_core.metrics.fidelity import SPARSITIES, fidelity_curve, robust_fidelity
from gfx_core.metrics.summary import explanation_size, summarise

_LAST = 20  # epochs whose mean residual is the training's last one

SUBSET = 100
"""Instances, evenly spread, on which the metrics that ask the GNN are computed."""

CONTROL = "random"
"""The method whose first cell also holds what the true motif itself comes to: once for each data set."""


def score(cell: Cell) -> dict[str, Any]:
    """Explain the explainable instances of a half and score the answers.

    Explainers that learn do so on the instances of both halves: learning uses no ground truth. What the GNN gets wrong
    is not scored against the motif, because the GNN's answer is what is explained; the AUC with those instances is told
    apart (``auc_own_with_wrong``).

    Options: ``device``; ``half``; ``limit``, only so many instances, evenly spread; ``epochs``, another length of
    training.
    """
    dataset, model, every = load_subject(cell)
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
    if cell.method in METHODS and (settings := chosen_settings(cell.method, cell.dataset, model.name)):
        values["settings"] = settings
    values |= of_policy(method) | faithfulness(model, instances, scores)
    if (cell.method, cell.seed) == (CONTROL, 0):
        motifs = [instance.own_edges.astype(np.float64) for instance in instances]
        values["truth"] = faithful_means(model, instances, motifs)  # of the true motif, as if an explainer had found it
    return values


def answers(method: Method, instances: Sequence[Instance]) -> tuple[list[Explanation], ManyDraws | None, float]:
    """Explanations; what was drawn, if the method draws; and the seconds that the explanations took."""
    started = time.perf_counter()
    if isinstance(method, GFlowMethod):
        drawn = method.draw(instances)
        found = method.found_in(instances, drawn)
        return found, drawn, time.perf_counter() - started
    found = method.explain_many(instances)
    seconds = time.perf_counter() - started
    draw = getattr(method, "draw", None)
    return found, draw(instances) if draw else None, seconds


def learn(method: Method, cell: Cell) -> float | None:
    """Let a method learn, or load what is shipped: `train` made it on the same instances with seed 0.

    Returns:
        Seconds of learning; None if there is nothing to learn, or the shipped file does not tell.
    """
    if not isinstance(method, Learner):
        return None
    if cell.method in METHODS and cell.seed == 0 and not {"limit", "epochs"} & set(cell.options):
        path = learnt_path(cell.method, cell.dataset, method.model.name)
        if path.is_file():
            method.load(path)
            return method.fit_seconds
    return timed(lambda: method.fit(load_subject(cell, half=Half.ALL)[2]))[0]


class Untrained(GFlowMethod):
    """A policy with the weights that are drawn for this seed, before anything is known of what it is to learn."""

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        config = (self.config or policy_config(instances[0].dataset)).sampled
        config = config.with_options(seed=self.seed)
        trainer = Trainer(SubgraphPredictor(self.model, instances[:1], self.device), config)  # weights need no more
        self._keep(TrainedPolicy.of(trainer, instances[0].dataset, self.model.name))


def method_of(cell: Cell, model: GNN) -> Method:
    """The explainer or the control that a cell names; one that learns has learnt nothing yet."""
    epochs = cell.options.get("epochs")
    if cell.method == UNTRAINED:
        return Untrained(model, seed=cell.seed, device=cell.device)
    if cell.method == CONSTANT:
        return GFlowMethod(constant_gnn(model), seed=cell.seed, device=cell.device, epochs=epochs)
    settings = chosen_settings(cell.method, cell.dataset, model.name)
    return make_method(cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=epochs)


def one_of_each_motif(instances: Sequence[Instance]) -> list[int]:
    """Positions of the first instance of each motif; in graph tasks, of every instance."""
    first: dict[int, int] = {}
    for position, instance in enumerate(instances):
        first.setdefault(instance.index if instance.target is None else int(instance.motif[instance.target]), position)
    return list(first.values())


def ground_truth(instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, Any]:
    """AUC and top-k accuracy on all instances, and AUC on one of each motif."""
    few = one_of_each_motif(instances)
    values: dict[str, Any] = {}
    for truth in ("own", "all"):
        values[f"auc_{truth}"] = pooled_auc(instances, scores, truth)
        values[f"auc_{truth}_benchmark"] = pooled_auc([instances[i] for i in few], [scores[i] for i in few], truth)
        pairs = list(zip(instances, scores, strict=True))
        values[f"topk_{truth}"] = mean_of(topk_accuracy(i, s, truth) for i, s in pairs)
        values[f"topk_nodes_{truth}"] = mean_of(topk_nodes(i, s, truth) for i, s in pairs)
    return values


def truth_by_part(parts: Parts, instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, Any]:
    """``auc_own_by_class`` and ``auc_own_by_group``, where there are any, and of how many instances."""
    values: dict[str, Any] = {}
    for kind, named in parts.items():
        chosen = {name: np.flatnonzero(members).tolist() for name, members in named.items()}
        values[f"auc_own_by_{kind}"] = {
            name: pooled_auc([instances[i] for i in some], [scores[i] for i in some]) for name, some in chosen.items()
        }
        values[f"instances_by_{kind}"] = {name: len(some) for name, some in chosen.items()}
    return values


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of those that there are."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def faithfulness(model: GNN, instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, Any]:
    """Means over some instances of what needs the GNN, and the fidelity curves."""
    chosen = spread(np.arange(len(instances)), SUBSET)
    curves = [fidelity_curve(model, instances[i], scores[i]) for i in chosen]
    plus, minus = np.mean(curves, axis=0).round(5).tolist()
    curve = {"plus": plus, "minus": minus, "sparsity": list(SPARSITIES), "instances": len(chosen)}
    return faithful_means(model, instances, scores) | {"curve": curve}


def faithful_means(model: GNN, instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, float | None]:
    """Means of fidelity, robust fidelity and the other metrics that need no truth, over some instances."""
    each = []
    for i in spread(np.arange(len(instances)), SUBSET):
        one = summarise(model, instances[i], scores[i])
        k = explanation_size(instances[i])
        one |= zip(("robust_plus", "robust_minus"), robust_fidelity(model, instances[i], scores[i], k), strict=True)
        each.append(one)
    names = [name for name in each[0] if not name.startswith(("auc", "topk"))]
    return {name: mean_of(one[name] for one in each) for name in names}


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
    for rule, masks in scores.items():
        for truth in ("own", "all"):
            values[f"auc_{truth}_{rule}"] = pooled_auc(instances, masks, truth)
    return values | {"log_reward": float(log_reward.mean()), "best_log_reward": float(log_reward.max(1).mean())}


def of_policy(method: Method) -> dict[str, Any]:
    """How a GFlowExplainer was trained and how well its flows match at the end; nothing of other methods."""
    if not isinstance(method, GFlowMethod) or method.trained is None:
        return {}
    values: dict[str, Any] = {"training": method.trained.config.as_dict()}
    if method.trained.curve:
        values["residual"] = float(np.mean([report.residual for report in method.trained.curve[-_LAST:]]))
    return values
