"""One explainer on one GNN, scored: its masks and answers against the motif, and its answers against the GNN.

Every method explains the same predictions, those of the reporting half that are right. Its answer keeps as many edges
as GFlowExplainer's answer to the same prediction. Methods that learn do so on the tuning half. A student
(`gfx_core.user_models.student`) may stand between the GNN and any of them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, Ints
from gfx_core.baselines.edge_scores import Scores, best_of, edge_marginals, order_weights
from gfx_core.baselines.generators import Generator
from gfx_core.baselines.method import Learner, Method, answer_nodes
from gfx_core.baselines.registry import chosen_settings, make_method
from gfx_core.bench.cells import CONSTANT, OWN, SHIPPED, Cell, stored
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.studies import STUDIES
from gfx_core.config import FragmentModel
from gfx_core.datasets.graph import Half
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.answer import inside, main_modes, marginals_of
from gfx_core.explanation.flows import flows_for
from gfx_core.explanation.loading import load
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.result import scores_on_edges
from gfx_core.gnn.models import GNN, constant_gnn
from gfx_core.job_context import JobContext
from gfx_core.metrics.edges import best_edges, pooled_auc, truth_edges, undirected_scores
from gfx_core.metrics.fidelity import outcomes
from gfx_core.metrics.intervals import motif_of, resampled_aucs, resampling
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.student import as_student_reads

T = TypeVar("T")
Bools = NDArray[np.bool_]
FLOWS = (OWN, CONSTANT, SHIPPED)
"""GFlowExplainer as a user's GNN is explained, on a GNN whose answer never changes, and by the shipped policy."""


@dataclass(frozen=True)
class Explanations:
    """What an explainer says of some instances.

    Attributes:
        masks: A score for each directed edge, by the rule that is the same for all methods. [e] each
        answers: The edges of each answer, where the method itself chooses how many, else none. [E] each
        rules: Masks by other rules, of methods that sample subgraphs.
        values: What else is recorded: seconds, the share that was listed, collapsed masks.
    """

    masks: list[Scores]
    answers: list[Bools] = field(default_factory=list)
    rules: dict[str, list[Scores]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


def measure(cell: Cell) -> dict[str, Any]:
    """Explain the instances of a cell by its method and score masks and answers; lists have a number for each instance.

    Options, besides those of `ExplainedGNN`: ``trained_on``, the most instances that a method learns from; ``epochs``,
    another length of learning.
    """
    gnn = ExplainedGNN(cell)
    instances, student = gnn.scored, gnn.student
    owners = [motif_of(instance) for instance in gnn.instances]
    values: dict[str, Any] = {"accuracy": gnn.accuracy, "owners": owners, "right": gnn.right.astype(int).tolist()}
    values |= {"instances": len(owners), "wrong": len(owners) - len(instances)}
    if not instances:
        return values
    if student is not None:
        for name in ("agreement", "divergence", "as_is", "constant"):
            values[f"student_{name}"] = getattr(student, name)
        values["student_chosen"] = student.is_better
    explanations = explain(gnn, instances, lambda: gnn.instances_of(Half.TUNING, cell.options["trained_on"]))
    scores = list(map(undirected_scores, instances, explanations.masks))
    truth = [truth_edges(instance, "own") for instance in instances]
    answers = explanations.answers or list(map(best_edges, scores, answer_sizes(gnn)))
    aucs = resampled_aucs(truth, scores, resampling(owners)[:, gnn.right])
    f1 = [2 * (a & t).sum() / max(1, a.sum() + t.sum()) for a, t in zip(answers, truth, strict=True)]
    fidelity = [
        outcomes(gnn.model, instance, instance.both_directions(answer.astype(np.float64)), [int(answer.sum())])
        for instance, answer in zip(instances, answers, strict=True)
    ]
    values |= {f"auc_{rule}": pooled_auc(instances, masks) for rule, masks in explanations.rules.items()}
    return (
        values
        | explanations.values
        | {
            "auc": pooled_auc(instances, explanations.masks),
            "auc_resampled": plain(aucs),
            "f1": np.round(f1, 4).tolist(),
            "alone": [round(float(outcome.only[0, outcome.explained_class]), 4) for outcome in fidelity],
            "needed": [round(float(outcome.plus[0]), 4) for outcome in fidelity],
            "sizes": [int(answer.sum()) for answer in answers],
        }
    )


def plain(resampled: Doubles) -> list[float | None]:
    """Resampled numbers as JSON."""
    return [round(value, 4) if np.isfinite(value) else None for value in resampled.tolist()]


def answer_sizes(gnn: ExplainedGNN) -> list[int]:
    """How many edges GFlowExplainer's answers have: from its record of these instances, else computed now."""
    options = {**gnn.cell.options, "limit": STUDIES["explainers"].options["limit"]}
    own = replace(gnn.cell, method=OWN, seed=0, options=options)
    sizes = list((stored(own) or {}).get("sizes", ()))[: len(gnn.scored)]
    if len(sizes) < len(gnn.scored):
        settings = chosen_settings(OWN, own.dataset, "sum")
        sizes = [int(answer.sum()) for answer in by_flows(gnn, own, gnn.scored, settings).answers]
    return sizes


def explain(
    gnn: ExplainedGNN,
    instances: Sequence[Instance],
    tuning: Callable[[], Sequence[Instance]],
    settings: Mapping[str, Any] | None = None,
) -> Explanations:
    """What the method of a cell says of some instances.

    Args:
        gnn: What is explained.
        instances: Instances of the GNN.
        tuning: Gives those that a method which learns learns from.
        settings: Of the method; by default those that were chosen for the data set.
    """
    cell, model, student = gnn.cell, gnn.model, gnn.student
    if settings is None:
        settings = chosen_settings(OWN if cell.method in FLOWS else cell.method, cell.dataset, "sum")
    if cell.method in FLOWS:
        return by_flows(gnn, cell, instances, settings)
    if student is not None:
        model, instances = student.student.to(cell.device), list(map(as_student_reads, instances))
    epochs = cell.options.get("epochs")
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=epochs)
    values: dict[str, Any] = {"settings": dict(settings)} if settings else {}
    if isinstance(method, Learner):
        method.fit(tuning() if student is None else list(map(as_student_reads, tuning())))
        values["fit_s"] = method.fit_seconds
    explanations = by_method(method, instances)
    return replace(explanations, values=values | explanations.values)


def by_method(method: Method, instances: Sequence[Instance]) -> Explanations:
    """What a method says; one that samples subgraphs is scored by the same rule as GFlowExplainer."""
    started = time.perf_counter()
    explanations = method.explain_many(instances)
    seconds = (time.perf_counter() - started) / len(instances)
    values = {"seconds": seconds, "collapsed": sum(bool(explanation.note) for explanation in explanations)}
    masks = [explanation.edge_mask for explanation in explanations]
    if not isinstance(method, Generator):
        return Explanations(masks, values=values)
    draws = method.draw(instances)
    rules = transposed(list(map(by_rules, instances, draws.orders, draws.log_reward))) | {"own": masks}
    return Explanations(rules.pop("marginals"), rules=rules, values=values)


def transposed(rows: Sequence[Mapping[str, T]]) -> dict[str, list[T]]:
    """The values of rows by name."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean over rows by name."""
    return {name: fmean(values) for name, values in transposed(rows).items()}


def by_rules(instance: Instance, orders: Ints, log_reward: Doubles) -> dict[str, Scores]:
    """Masks of sampled subgraphs by each rule: marginals as sampled, order weights of one, the best by reward."""
    return {
        "marginals": edge_marginals(instance, orders),
        "order": order_weights(instance, orders[0]),
        "best": best_of(instance, orders, log_reward, answer_nodes(instance.info)),
    }


def by_flows(gnn: ExplainedGNN, cell: Cell, instances: Sequence[Instance], settings: Mapping[str, Any]) -> Explanations:
    """GFlowExplainer without a limit of time, as a user's GNN is explained or by the policy that is shipped.

    Args:
        gnn: What is explained.
        cell: One of `FLOWS`, and the seed of what is sampled.
        instances: Instances of the GNN.
        settings: The price of a node.
    """
    model, data, job = gnn.model, gnn.data, JobContext(cell.device)
    if cell.method == CONSTANT:
        assert isinstance(model, GNN)
        model = constant_gnn(model)
        data = ModelInstances(model, gnn.dataset, device=cell.device)
    rows, masks, answers = [], [], []
    for instance in instances:
        started = time.perf_counter()
        if cell.method == SHIPPED:
            question = Question(cell.dataset, str(instance.index), seed=cell.seed, seconds=None)
        else:
            user = UserPrediction(model, instance, subject=data)
            question = Question(user=user, seconds=None, seed=cell.seed, fragments=FragmentModel.AS_IS, **settings)
        flows = flows_for(replace(load(question), taught=gnn.student), job)
        part = flows.source.instance  # flows may be on a part of the instance
        samples = flows.source.draw(question.samples, question.seed, flows.start)
        distribution = flows.source.distribution(flows.start)
        modes = main_modes(part, samples, distribution)
        seconds = time.perf_counter() - started
        rows.append({"seconds": seconds, "listed": distribution is not None, "reasons": len(modes)})
        answer = np.any([inside(part, mode.order) for mode in modes], axis=0).astype(np.float64)
        by_rule = by_rules(part, samples.orders, samples.log_reward) | {
            "own": part.both_directions(marginals_of(part, samples, distribution)),
            "answer": part.both_directions(answer),
        }
        edges, wanted = part.nodes[part.edge_index], torch.from_numpy(instance.nodes[instance.edge_index])
        masks.append({rule: scores_on_edges(edges, mask, wanted).double().numpy() for rule, mask in by_rule.items()})
        answers.append(undirected_scores(instance, masks[-1].pop("answer")) > 0)
    rules = transposed(masks)
    return Explanations(rules.pop("marginals"), answers, rules, means(rows))
