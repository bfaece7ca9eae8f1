"""All explainers on models that others wrote: the same answers as on ours, or one sentence."""

import numpy as np
import pytest
import torch

from gfx_core import UserError
from gfx_core.baselines.registry import METHODS, explain
from gfx_core.metrics.fidelity import outcomes
from gfx_core.metrics.summary import summarise
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import ByHand, GraphNet, NodeNet, made, random_data, some_graphs
from tests.toys.gnns import untouched

NEEDS_OURS = {"degree"}


@pytest.mark.parametrize("method", METHODS)
def test_one_call_for_all_explainers(method: str) -> None:
    data, model = random_data(12), made(NodeNet)
    if method in NEEDS_OURS:
        with pytest.raises(UserError, match="reads the layers"):
            explain(method, model, data, index=3)
        return
    with untouched(model):
        found = explain(method, model, data, index=3)
        instance = ModelInstances(model, data).instance(3)
        values = summarise(model, instance, found.edge_mask)
    assert found.edge_mask.shape == (instance.edge_index.shape[1],)
    assert np.isfinite(found.edge_mask).all()
    assert found.target == int(model(data.x, data.edge_index)[3].argmax())
    assert values["fidelity_minus"] is not None


def test_metrics_ask_the_model_itself() -> None:
    """Fidelity of an explanation that holds all edges: nothing is lost with it, and the rest has no edge."""
    graph, model = some_graphs()[1], made(GraphNet)
    instance = ModelInstances(model, graph).instance()
    found = outcomes(model, instance, np.ones(instance.edge_index.shape[1]), [10_000])
    out = model(graph.x, graph.edge_index)[0].softmax(-1)
    bare = model(graph.x, torch.zeros(2, 0, dtype=torch.long))[0].softmax(-1)
    assert found.minus[0] == pytest.approx(0, abs=1e-5)
    assert found.plus[0] == pytest.approx((out.max() - bare[out.argmax()]).item(), abs=1e-5)


def test_a_model_without_message_passing_says_so() -> None:
    with pytest.raises(UserError, match="ByHand has none"):
        explain("saliency", made(ByHand), random_data(12), index=3)
