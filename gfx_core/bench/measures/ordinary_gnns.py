"""GNNs of ``torch_geometric.nn``, trained in the ordinary way, on whole graphs, and what explainers find in them.

Nothing of them was made with explanations in mind: the architecture is PyG's, the labels are the data set's, and no
fragment is ever seen. Each is explained by GFlowExplainer as it is and through a student, by the other explainers, and
by controls that never ask it.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles, Ints, spread
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Learner
from gfx_core.baselines.registry import make_method
from gfx_core.bench.reasons import answers_right, probability_alone
from gfx_core.bench.study import Cell
from gfx_core.bench.subjects import accuracies, ordinary_config, ordinary_gnn
from gfx_core.config import FragmentModel
from gfx_core.datasets.graph import half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.explanation.answer import inside, main_modes, marginals_of
from gfx_core.explanation.flows import flows_for
from gfx_core.explanation.loading import load
from gfx_core.explanation.question import Question, UserPrediction
from gfx_core.explanation.result import scores_on_edges
from gfx_core.explanation.samplers import Distribution, ExactSampler, SubgraphSource
from gfx_core.job_context import JobContext
from gfx_core.metrics.edges import best_edges, pooled_auc, truth_edges, undirected_scores
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.student import TrainedStudent, teach

STUDENT, AS_IS, AUTO = "student", "as_is", "auto"
_RESAMPLED = 200  # bootstraps of an interval


def score_ordinary(cell: Cell, explainers: Sequence[str], prices: Sequence[float] = ()) -> dict[str, Any]:
    """Train the GNN of a cell and explain it by everybody.

    Options: ``device``; ``half``; ``limit``, so many instances, evenly spread; ``epochs``, another length of training.

    Args:
        cell: Its method is the architecture.
        explainers: Names in the registry, beside GFlowExplainer.
        prices: Of a node, with which GFlowExplainer is tried too.
    """
    dataset, device = load_dataset(cell.dataset), cell.device
    config = ordinary_config(dataset.task, cell.method, cell.seed, cell.options.get("epochs"))
    model = ordinary_gnn(dataset, config, device)
    accuracy = accuracies(model, dataset, device)
    subject = ModelInstances(model, dataset, device=device)
    chosen = spread(half_of(dataset.explainable, cell.options["half"]), cell.options.get("limit"))
    every = [subject.instance(int(index)) for index in chosen]
    instances = [one for one, good in zip(every, answers_right(model, every), strict=True) if good]
    values: dict[str, Any] = {"accuracy": accuracy, "instances": len(instances), "wrong": len(every) - len(instances)}
    if not instances:
        return values
    values["motif_alone"] = float(probability_alone(model, instances).mean())
    share = np.bincount(dataset.y, minlength=dataset.num_classes) / len(dataset.y)
    values["prior"] = float(np.mean([share[instance.y] for instance in instances]))
    try:
        teacher = subject.teacher()
    except UserError as error:  # it has learnt nothing, and says the same of everything
        return values | {"unexplained": str(error)}
    taught = teach(teacher, device=device)
    known = ("agreement", "divergence", "as_is", "constant")
    values["student"] = {name: getattr(taught, name) for name in known} | {"seconds": taught.made["seconds"]}
    values["student"]["chosen"] = taught.is_better
    found = {
        name: _ours(model, subject, instances, student, prices) for name, student in ((STUDENT, taught), (AS_IS, None))
    }
    found[AUTO] = found[STUDENT if taught.is_better else AS_IS]
    for name in explainers:
        method = make_method(name, model, seed=cell.seed, device=device)
        if isinstance(method, Learner):
            method.fit(instances)
        began = time.perf_counter()
        masks = [one.edge_mask for one in method.explain_many(instances)]
        seconds = (time.perf_counter() - began) / len(instances)
        found[name] = measured(instances, masks) | {"seconds": seconds}
    return values | {"explainers": found}


def _ours(
    model: nn.Module,
    subject: ModelInstances,
    instances: Sequence[Instance],
    taught: TrainedStudent | None,
    prices: Sequence[float],
) -> dict[str, Any]:
    """GFlowExplainer as it is, or through a student, as `explain` does it without a limit of time."""
    masks: dict[float | None, list[Scores]] = {price: [] for price in (None, *prices)}
    answers: dict[float | None, list[np.ndarray]] = {price: [] for price in (None, *prices)}
    listed, reasons, seconds = 0, 0, 0.0
    for instance in instances:
        began = time.perf_counter()
        user = UserPrediction(model, instance, subject=subject)
        question = Question(user=user, seconds=None, fragments=FragmentModel.AS_IS)
        ready = flows_for(replace(load(question), taught=taught), JobContext(str(subject.adapter.device)))
        source = ready.source
        listed += isinstance(source, ExactSampler)
        drawn = source.draw(question.samples, question.seed, ready.start)
        for price in masks:
            known = _distribution(source, ready.start, price)
            modes = main_modes(source.instance, drawn, known)
            ends = source.instance.nodes[source.instance.edge_index]
            given = torch.from_numpy(instance.nodes[instance.edge_index])
            held = np.any([inside(source.instance, mode.order) for mode in modes], axis=0).astype(np.float64)
            masks[price].append(_on(source.instance, marginals_of(source.instance, drawn, known), ends, given))
            answers[price].append(_on(source.instance, held, ends, given))
            if price is None:
                reasons += len(modes)
                seconds += time.perf_counter() - began
    found = {price: measured(instances, masks[price], answers[price]) for price in masks}
    tried = {f"{price:g}": values for price, values in found.items() if price is not None}
    extra = {"prices": tried} if tried else {}
    sums = {"seconds": seconds, "listed": listed, "reasons": reasons}
    return found[None] | {name: total / len(instances) for name, total in sums.items()} | extra


def _on(part: Instance, values: Doubles, ends: Ints, edge_index: Tensor) -> Scores:
    """Values of the edges of a part of an instance, on the edges of all of it."""
    return scores_on_edges(ends, part.both_directions(values), edge_index).double().numpy()


def _distribution(source: SubgraphSource, start: int | None, price: float | None) -> Distribution | None:
    """Of what is sampled, or of what would be under another price of a node."""
    known = source.distribution(start)
    if known is None or price is None:
        return known
    reward, space = source.config.reward, known.space
    space = space.with_reward(space.log_reward + reward.beta * (reward.price("nodes") - price) * space.size)
    return Distribution(space, space.log_target)


def measured(
    instances: Sequence[Instance], masks: Sequence[Scores], answers: Sequence[np.ndarray] | None = None
) -> dict[str, Any]:
    """AUC of the own motif with its interval over motifs, and the F1 of the answer.

    Args:
        instances: What was explained.
        masks: A score for each directed edge.
        answers: 1 on the edges of the answer; by default as many of the highest-scored edges as the motif has.
    """
    wanted = [truth_edges(instance, "own") for instance in instances]
    scores = [undirected_scores(instance, mask) for instance, mask in zip(instances, masks, strict=True)]
    if answers is None:
        held = [best_edges(score, int(truth.sum())) for score, truth in zip(scores, wanted, strict=True)]
    else:
        held = [undirected_scores(instance, one) > 0 for instance, one in zip(instances, answers, strict=True)]
    f1 = [2 * (h & w).sum() / max(1, h.sum() + w.sum()) for h, w in zip(held, wanted, strict=True)]
    values = {"auc": pooled_auc(instances, masks), "f1": float(np.mean(f1))}
    low, high = _interval(instances, masks)
    return values | {"auc_low": low, "auc_high": high}


def _interval(instances: Sequence[Instance], masks: Sequence[Scores]) -> tuple[float | None, float | None]:
    """The middle 95 % of the AUC over motifs that are drawn with replacement."""
    owner = [
        instance.index if instance.target is None else int(instance.motif[instance.target]) for instance in instances
    ]
    motifs = {motif: [at for at, own in enumerate(owner) if own == motif] for motif in dict.fromkeys(owner)}
    rng, names, found = np.random.RandomState(0), list(motifs), []
    for _ in range(_RESAMPLED):
        drawn = [at for number in rng.randint(len(names), size=len(names)) for at in motifs[names[number]]]
        auc = pooled_auc([instances[at] for at in drawn], [masks[at] for at in drawn])
        found += [] if auc is None else [auc]
    return (None, None) if not found else tuple(np.percentile(found, [2.5, 97.5]).round(4).tolist())
