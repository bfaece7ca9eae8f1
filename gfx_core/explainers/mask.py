"""One method's answer on one instance as it stands in a trace: scores, time and metrics."""

import time

import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.explainers.method import Method
from gfx_core.metrics.edges import undirected_scores
from gfx_core.metrics.fidelity import COUNTED_EDGES, outcomes
from gfx_core.metrics.summary import BY_TRUTH, explanation_size, summarise
from gfx_core.trace.schema import COLLAPSED, MethodMask


def mask_of(name: str, method: Method, instance: Instance) -> MethodMask:
    """Explain one instance and measure the answer; against the truth only where a true reason is known.

    Args:
        name: The method's name in the registry.
        method: The method, ready to explain.
        instance: The instance.
    """
    began = time.perf_counter()
    found = method.explain(instance)
    seconds = time.perf_counter() - began
    counts = np.arange(1, min(COUNTED_EDGES, len(instance.undirected)) + 1)
    asked, fidelity = None, None
    if len(counts):  # all that the GNN is asked, at once
        both = outcomes(method.model, instance, found.edge_mask, [explanation_size(instance), *counts])
        asked, fidelity = both.at(slice(1)), both.at(slice(1, None))
    metrics = summarise(method.model, instance, found.edge_mask, asked=asked)
    if fidelity is not None and not instance.has_reason(fidelity.explained_class):
        metrics |= dict.fromkeys(BY_TRUTH)
    return MethodMask(
        method=name,
        scores=tuple(undirected_scores(instance, found.edge_mask).tolist()),
        seconds=seconds,
        metrics={key: float(value) for key, value in metrics.items() if value is not None}
        | ({COLLAPSED: 1.0} if found.note else {}),
        plus=() if fidelity is None else tuple(fidelity.plus.tolist()),
        minus=() if fidelity is None else tuple(fidelity.minus.tolist()),
    )
