"""GFlowExplainer as a method: marginals of what it draws, training, cancelling, the paper's recipe."""

from pathlib import Path

import numpy as np
import pytest

from gfx_core import GFNConfig, UserError, load_dataset, load_model
from gfx_core.baselines.edge_scores import expected_marginals, order_weights
from gfx_core.baselines.generators import GFlowMethod
from gfx_core.baselines.method import CancelledError
from gfx_core.baselines.registry import METHODS, make_method
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.settings import Loss, Parents, PolicyConfig, Stop

CONFIG = GFNConfig(max_nodes=6, epochs=3)


def some(name: str, count: int = 5) -> list:
    data = load_dataset(name)
    return [data.instance(int(index)) for index in data.explainable[:count]]


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_scores_are_the_marginals_to_be_expected_of_what_is_drawn(name: str) -> None:
    method = GFlowMethod(load_model(name), seed=3, config=CONFIG, samples=16)
    instances = some(name)
    told: list[float] = []
    method.fit(instances, progress=lambda share, _: told.append(share))
    assert told == pytest.approx([1 / 3, 2 / 3, 1])
    assert method.trained is not None
    assert method.trained.config.seed == 3
    drawn = method.draw(instances)
    for i, (instance, found) in enumerate(zip(instances, method.explain_many(instances), strict=True)):
        assert np.array_equal(found.edge_mask, expected_marginals(instance, drawn.grown[i], drawn.reach[i]))
        best = drawn.orders[i, drawn.log_reward[i].argmax()]
        assert found.order is not None
        assert np.array_equal(found.order, best[best >= 0])


def test_the_shipped_policy_is_loaded_and_saved(tmp_path: Path) -> None:
    instance = some("tree_cycles", 1)[0]
    method = GFlowMethod(load_model("tree_cycles"))
    with pytest.raises(UserError, match="No policy is trained"):
        method.explain(instance)
    method.load(policy_path("tree_cycles"))
    method.save(tmp_path / "policy.safetensors")
    again = GFlowMethod(load_model("tree_cycles"))
    again.load(tmp_path / "policy.safetensors")
    assert np.array_equal(method.explain(instance).edge_mask, again.explain(instance).edge_mask)
    assert method.network.state_dict().keys() == again.network.state_dict().keys()


def test_cancelling_and_nothing_to_learn_from() -> None:
    method = GFlowMethod(load_model("tree_cycles"), config=CONFIG)
    with pytest.raises(CancelledError):
        method.fit(some("tree_cycles"), cancelled=lambda: True)
    assert method.trained is None
    with pytest.raises(UserError, match="nothing to train on"):
        method.fit([])


def test_as_printed_is_the_papers_own_recipe() -> None:
    """β = 1, linear loss, its network, learned STOP, K_M = 20, batches of 64, and order weights for edges."""
    method = make_method("GFlowExplainer as printed", load_model("tree_cycles"), epochs=2)
    instances = some("tree_cycles")
    assert isinstance(method, GFlowMethod)
    method.fit(instances)
    assert method.trained is not None
    config = method.trained.config
    assert (config.loss, config.stop, config.parents) == (Loss.FLOW_MATCHING_LINEAR, Stop.LEARNED, Parents.VALID)
    assert (config.max_nodes, config.batch_size, config.lr, config.delta, config.epochs) == (20, 64, 1e-2, None, 2)
    assert config.policy == PolicyConfig(hidden=64, steps=3, teleport=0.85, context=False)
    assert config.reward.as_dict() == {"beta": 1.0}
    for instance, order, found in zip(instances, method.greedy(instances), method.explain_many(instances), strict=True):
        assert np.array_equal(found.edge_mask, order_weights(instance, order))
    assert "gflow_paper" not in METHODS  # pages do not offer it
