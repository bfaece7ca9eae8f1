"""A trained policy under another β or a smaller K_M."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.gfn.checkpoint import TrainedPolicy, changed_policy, load_policy
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import PolicyConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor


@pytest.fixture
def trained() -> TrainedPolicy:
    return load_policy(policy_path("tree_cycles"))


@torch.no_grad()
def flows(policy: FlowPolicy, config: PolicyConfig) -> torch.Tensor:
    """Log-flows out of the first three sets of a path. [3, m]"""
    instance = load_dataset("tree_cycles").instance(600)
    graphs = FlowGraphs(SubgraphPredictor(load_model("tree_cycles"), [instance]), config)
    episodes = Episodes.of(graphs, np.zeros(1, np.int64))
    order = torch.tensor([[int(episodes.start[0]), -1, -1]])
    for t in range(2):
        frontier = States.along(episodes, torch.zeros(1, dtype=torch.long), order, policy.max_nodes)[
            torch.tensor([t])
        ].frontier
        order[0, t + 1] = int(frontier[0].nonzero()[0])
    states = States.along(episodes, torch.zeros(1, dtype=torch.long), order, policy.max_nodes)
    return policy(policy.encode(episodes), states).log_out


@pytest.mark.parametrize("context", [True, False])
def test_a_smaller_k_m_gives_smaller_sets_the_same_flows(trained: TrainedPolicy, context: bool) -> None:
    if not context:
        config = replace(trained.config, policy=PolicyConfig(context=False))
        trained = replace(trained, config=config, policy=FlowPolicy(10, config.policy, Stop.REWARD, 10))
    before = {name: value.clone() for name, value in trained.policy.state_dict().items()}
    smaller = changed_policy(trained, max_nodes=4)
    assert (smaller.config.max_nodes, smaller.policy.max_nodes) == (4, 4)
    expected = flows(trained.policy, trained.config.policy)
    assert torch.allclose(flows(smaller.policy, trained.config.policy), expected, atol=1e-5)
    for name, value in trained.policy.state_dict().items():  # the given one is left as it is
        assert torch.equal(value, before[name])
    assert trained.policy.max_nodes == 10


def test_another_beta_or_price_changes_the_reward_alone(trained: TrainedPolicy) -> None:
    milder, dearer = changed_policy(trained, beta=3), changed_policy(trained, node_price=0.25)
    assert milder.config == replace(trained.config, reward=replace(trained.config.reward, beta=3.0))
    assert dearer.config.reward.price("nodes") == 0.25
    assert dearer.config.reward.beta == trained.config.reward.beta
    assert milder.policy is dearer.policy is trained.policy
    assert changed_policy(trained, beta=trained.config.reward.beta, max_nodes=10) == trained
    assert changed_policy(dearer, node_price=trained.config.reward.price("nodes")).config == trained.config


def test_what_cannot_be_changed(trained: TrainedPolicy) -> None:
    learned = replace(trained, config=replace(trained.config, stop=Stop.LEARNED))
    with pytest.raises(UserError, match="has learnt when to stop"):
        changed_policy(learned, beta=3.0)
    for beta in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(UserError, match="β must be a number above 0"):
            changed_policy(trained, beta=beta)
    for price in (-0.1, float("inf"), float("nan")):
        with pytest.raises(UserError, match="price per node must be"):
            changed_policy(trained, node_price=price)
    for max_nodes in (1, 11):
        with pytest.raises(UserError, match="between 2 and 10"):
            changed_policy(trained, max_nodes=max_nodes)
