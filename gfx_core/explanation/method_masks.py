"""What any explainer says of one prediction, as it stands in a trace: its mask with time and metrics. Needs torch.

What takes long to learn is kept by the process.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import structs

from gfx_core.baselines.generators import SpotMethod
from gfx_core.baselines.method import Method
from gfx_core.baselines.registry import METHODS, learnt_path, method_info, ready_method
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.explanation.run import explain
from gfx_core.explanation.subject import load
from gfx_core.files import stamp
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext
from gfx_core.metrics.edges import undirected_scores
from gfx_core.metrics.summary import BY_TRUTH, COUNTED_EDGES, outcomes, summarise
from gfx_core.storage import Recent
from gfx_core.trace import serialize
from gfx_core.trace.schema import COLLAPSED, MethodMask


def mask_of(name: str, method: Method, instance: Instance) -> MethodMask:
    """One method's answer on one instance as it stands in a trace: scores, time and metrics.

    It is measured against the truth only where a true reason is known.

    Args:
        name: The method's name in the registry.
        method: The method, ready to explain.
        instance: The instance.
    """
    began = time.perf_counter()
    found = method.explain(instance)
    seconds = time.perf_counter() - began
    counts = np.arange(1, min(COUNTED_EDGES, len(instance.undirected)) + 1)
    fidelity = None
    if len(counts):  # all evaluations of the GNN, at once
        fidelity = outcomes(method.model, instance, found.edge_mask, counts)
    metrics = summarise(method.model, instance, found.edge_mask)
    if fidelity is not None and not instance.has_reason(fidelity.explained_class):
        metrics |= dict.fromkeys(BY_TRUTH)
    return MethodMask(
        method=name,
        scores=tuple(undirected_scores(instance, found.edge_mask).tolist()),
        seconds=seconds,
        metrics={key: float(value) for key, value in metrics.items() if value is not None}
        | ({COLLAPSED: 1.0} if found.collapsed else {}),
        plus=() if fidelity is None else tuple(fidelity.plus.tolist()),
        minus=() if fidelity is None else tuple(fidelity.minus.tolist()),
    )


_ready: Recent[tuple[object, ...], Method] = Recent(8)  # some take minutes to learn


def score_edges(question: Question, method: str, job: JobContext | None = None) -> MethodMask:
    """Score the edges of an instance by any method, in the order of a trace's edges; one that learns learns first."""
    job = job or JobContext()
    info = method_info(method)
    job.report(0.0, "loading the GNN")
    loaded = load(question)
    assert isinstance(loaded.model, GNN)
    if info.name == "gflowexplainer" and loaded.policy is None:
        spot = SpotMethod(loaded.model, replace(question, flows=None))
        spot.job = job
        return mask_of(info.name, spot, loaded.instance)
    about, seed, model = question.dataset, question.seed, loaded.model
    key = (info.name, about, question.gnn, seed, stamp(model_path(about, question.gnn)))
    ready = _ready.find(key, lambda: ready_method(info.name, model, about, seed=seed, job=job))
    job.report(0.0, "explaining")
    return mask_of(info.name, ready, loaded.instance)


def record_shipped(folder: Path | None = None, device: str = "cpu") -> Iterator[Path]:
    """Record the shipped traces: 64 samples, seed 0, and the masks of all methods that need not learn any more."""
    job = JobContext(device)
    for question in SHIPPED:
        about = question.dataset, question.gnn
        ready = [name for name, info in METHODS.items() if not info.learns or learnt_path(name, *about).is_file()]
        masks = tuple(score_edges(question, method, job) for method in ready)
        path = (folder or question.shipped_trace.parent) / question.shipped_trace.name
        serialize.save(structs.replace(explain(question, job), masks=masks), path)
        yield path
