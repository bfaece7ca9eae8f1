"""GFlowExplainer as a method: marginals of what it draws, training, cancelling, the ablation."""

from pathlib import Path

import numpy as np
import pytest

from gfx_core import GFNConfig, UserError, load_dataset, load_model
from gfx_core.baselines.edge_scores import expected_marginals
from gfx_core.baselines.generators import GFlowMethod, GFlowSequence
from gfx_core.baselines.method import CancelledError
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.settings import Parents

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


def test_the_ablation_counts_one_parent() -> None:
    method = GFlowSequence(load_model("tree_cycles"), config=CONFIG, epochs=1)
    method.fit(some("tree_cycles"))
    assert method.trained is not None
    assert method.trained.config.parents is Parents.SEQUENCE
    assert method.trained.config.epochs == 1
