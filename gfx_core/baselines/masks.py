"""Masks of any explainer for one prediction, with time and metrics, as traces hold them. Needs torch.

What takes long to learn is kept by the process.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from gfx_core.baselines.generators import SpotMethod
from gfx_core.baselines.method import Method
from gfx_core.baselines.registry import METHODS, OWN, learns_first, method_info, ready_method
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.explanation.run import explain
from gfx_core.explanation.subject import load
from gfx_core.files import stamp
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext
from gfx_core.metrics.summary import BY_TRUTH, COUNTED_EDGES, outcomes, summarise, undirected_scores
from gfx_core.storage import Recent
from gfx_core.trace import serialize
from gfx_core.trace.schema import COLLAPSED, MethodMask


def mask_of(name: str, method: Method, instance: Instance) -> MethodMask:
    """One method's answer on one instance as traces hold it; measured against the truth only where that is known.

    Args:
        name: The method's name in the registry.
        method: The method, ready to explain.
        instance: The instance.
    """
    began = time.perf_counter()
    explanation = method.explain(instance)
    seconds, scores = time.perf_counter() - began, explanation.edge_mask
    metrics, most = summarise(method.model, instance, scores), min(COUNTED_EDGES, len(instance.undirected))
    fidelity = outcomes(method.model, instance, scores, range(1, most + 1))
    if not instance.has_reason(fidelity.explained_class):
        metrics |= dict.fromkeys(BY_TRUTH)
    numbers = {key: float(value) for key, value in metrics.items() if value is not None}
    if explanation.collapsed:
        numbers[COLLAPSED] = 1.0
    return MethodMask(
        method=name,
        scores=tuple(undirected_scores(instance, scores).tolist()),
        seconds=seconds,
        metrics=numbers,
        plus=tuple(fidelity.plus.tolist()),
        minus=tuple(fidelity.minus.tolist()),
    )


_ready: Recent[tuple[object, ...], Method] = Recent(8)  # some take minutes to learn


def score_edges(question: Question, method: str, job: JobContext | None = None) -> MethodMask:
    """Score the edges of an instance by any method, in the order of a trace's edges; one that learns learns first."""
    job, name, dataset = job or JobContext(), method_info(method).name, question.dataset
    job.report(0.0, "loading the GNN")
    if learns_first(name, dataset, question.gnn, question.seed):
        job.take_long()
    subject = load(question)
    model = subject.model
    assert isinstance(model, GNN)
    if name == OWN:
        spot = SpotMethod(model, replace(question, flows=None))
        spot.job = job
        return mask_of(name, spot, subject.instance)
    key = (name, dataset, question.gnn, question.seed, stamp(model_path(dataset, question.gnn)))
    ready = _ready.find(key, lambda: ready_method(name, model, dataset, seed=question.seed, job=job))
    job.report(0.0, "explaining")
    return mask_of(name, ready, subject.instance)


def record_shipped(folder: Path | None = None, device: str = "cpu") -> Iterator[Path]:
    """Record the shipped traces: 64 samples, seed 0, and the masks of all methods that need not learn any more."""
    job = JobContext(device)
    for question in SHIPPED:
        methods = [name for name in METHODS if not learns_first(name, question.dataset, question.gnn)]
        masks = tuple(score_edges(question, name, job) for name in methods)
        path = (folder or question.shipped_trace.parent) / question.shipped_trace.name
        serialize.save(structs.replace(explain(question, job), masks=masks), path)
        yield path
