"""One explainer on one GNN, scored: its masks and answers against the motif, and its answers against the GNN.

Every method explains the same predictions, those of the reporting half that are right. Its answer keeps as many edges
as GFlowExplainer's answer to the same prediction. Methods that learn do so on the tuning half. A student
(`gfx_core.user_models.student`) may stand between the GNN and any of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import torch

from gfx_core.arrays import Doubles, Ints
from gfx_core.baselines.edge_scores import Scores, edge_marginals, order_weights
from gfx_core.baselines.generators import Generator
from gfx_core.baselines.method import Learner
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
from gfx_core.metrics.intervals import resampled_aucs, resampling
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.student import as_student_reads

FLOWS = (OWN, CONSTANT, SHIPPED)
"""GFlowExplainer as a user's GNN is explained, on a GNN whose answer never changes, and by the shipped policy."""
Masks = dict[str, list[Scores]]
"""A mask of each instance by each rule. ``auc`` is the rule that is the same for all methods: edge marginals of samples
where a method samples. Such methods have ``auc_order`` besides, order weights of one sample, and ``auc_own``, their own
rule. ``answer`` is 1 on the edges of an answer whose size the method itself chooses."""


def measure(cell: Cell) -> dict[str, Any]:
    """Explain the instances of a cell by its method and score masks and answers; lists have a number for each instance.

    Options, besides those of `ExplainedGNN`: ``trained_on``, the most instances that a method learns from; ``epochs``,
    another length of learning.
    """
    gnn = ExplainedGNN(cell)
    instances, values = gnn.scored, gnn.values
    if gnn.student is not None:
        values["student_chosen"] = gnn.student.is_better
    if not instances:
        return values
    masks = explain(gnn, instances, gnn.indices(Half.TUNING, cell.options["trained_on"]))
    scores = list(map(undirected_scores, instances, masks["auc"]))
    motifs = [truth_edges(instance) for instance in instances]
    answers = masks.pop("answer", None) or [
        instance.both_directions(best_edges(edge_scores, size))
        for instance, edge_scores, size in zip(instances, scores, answer_sizes(gnn), strict=True)
    ]
    rows = []
    for instance, motif, mask in zip(instances, motifs, answers, strict=True):
        answer = undirected_scores(instance, mask) > 0
        size = answer.sum()
        outcome = outcomes(gnn.model, instance, mask, [size])
        f1 = 2 * (answer & motif).sum() / max(1, size + motif.sum())
        alone = outcome.only[0, outcome.explained_class]
        rows.append({"f1": f1, "alone": alone, "needed": outcome.plus[0], "sizes": size})
    values |= {rule: pooled_auc(instances, of) for rule, of in masks.items()}
    counts = resampling(values["owners"])[:, gnn.right]
    values["auc_resampled"] = plain(resampled_aucs(motifs, scores, counts))
    of_instances: Any = pd.DataFrame(rows).round(4).to_dict("list")
    return values | of_instances


def plain(resampled: Doubles) -> list[float | None]:
    """Resampled numbers as JSON."""
    return [round(value, 4) if np.isfinite(value) else None for value in resampled.tolist()]


def answer_sizes(gnn: ExplainedGNN) -> list[int]:
    """How many edges GFlowExplainer's answers have: from its record of these instances, else computed now."""
    options = {**gnn.cell.options, "limit": STUDIES["explainers"].options["limit"]}
    own = replace(gnn.cell, method=OWN, seed=0, options=options)
    sizes = list((stored(own) or {}).get("sizes", ()))[: len(gnn.scored)]
    if len(sizes) < len(gnn.scored):
        answers = by_flows(gnn, own, gnn.scored, chosen_settings(OWN, own.dataset, "sum"))["answer"]
        sizes = [int(mask.sum()) // 2 for mask in answers]
    return sizes


def explain(
    gnn: ExplainedGNN, instances: Sequence[Instance], trained_on: Ints, settings: Mapping[str, Any] | None = None
) -> Masks:
    """What the method of a cell says of some instances.

    Args:
        gnn: What is explained.
        instances: Instances of the GNN.
        trained_on: Indices of those that a method which learns learns from.
        settings: Of the method; by default those that were chosen for the data set.
    """
    cell, model, learnt = gnn.cell, gnn.model, gnn.instances_at(trained_on)
    if settings is None:
        settings = chosen_settings(OWN if cell.method in FLOWS else cell.method, cell.dataset, "sum")
    if cell.method in FLOWS:
        return by_flows(gnn, cell, instances, settings)
    if gnn.student is not None:
        model = gnn.student.student.to(cell.device)
        instances, learnt = (list(map(as_student_reads, some)) for some in (instances, learnt))
    epochs = cell.options.get("epochs")
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=epochs)
    if isinstance(method, Learner):
        method.fit(learnt)
    masks = [explanation.edge_mask for explanation in method.explain_many(instances)]
    if not isinstance(method, Generator):
        return {"auc": masks}
    orders = method.draw(instances).orders
    marginals, by_order = map(edge_marginals, instances, orders), map(order_weights, instances, orders[:, 0])
    return {"auc": list(marginals), "auc_order": list(by_order), "auc_own": masks}


def by_flows(gnn: ExplainedGNN, cell: Cell, instances: Sequence[Instance], settings: Mapping[str, Any]) -> Masks:
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
    rows = []
    for instance in instances:
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
        masks = {
            "auc": edge_marginals(part, samples.orders),
            "auc_order": order_weights(part, samples.orders[0]),
            "auc_own": part.both_directions(marginals_of(part, samples, distribution)),
            "answer": part.both_directions(np.any([inside(part, mode.order) for mode in modes], axis=0)),
        }
        edges, wanted = part.nodes[part.edge_index], torch.from_numpy(instance.nodes[instance.edge_index])
        rows.append({rule: scores_on_edges(edges, mask, wanted).double().numpy() for rule, mask in masks.items()})
    return {rule: [row[rule] for row in rows] for rule in rows[0]}
