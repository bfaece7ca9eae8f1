"""The configuration: the paper's values, a way to JSON and back, and clear refusals."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gfx_core.config import ASSETS, Task
from gfx_core.errors import UserError
from gfx_core.gfn.own_policies import LOOK_AHEAD
from gfx_core.gfn.settings import (
    USUAL_REWARD,
    GFNConfig,
    LearningConfig,
    Loss,
    Parents,
    PolicyConfig,
    RewardConfig,
    Stop,
    policy_config,
    preset_config,
)
from gfx_core.look_ahead.policy import load_look_ahead

EXAMPLES = [
    GFNConfig(max_nodes=6, reward=RewardConfig(30.0, {"size": 0.1, "radius": 0.2, "similarity": 1.0}), epsilon=0.0),
    GFNConfig(
        policy=PolicyConfig(hidden=16, steps=2, teleport=0.5, context=False), learning=LearningConfig(4, 8, 2000)
    ),
    GFNConfig(loss=Loss.SUB_TRAJECTORY_BALANCE, parents=Parents.SEQUENCE, stop=Stop.LEARNED),
]


@pytest.mark.parametrize("dataset", ["tree_cycles", "ba_2motifs"])
def test_a_cpu_learns_in_smaller_steps_towards_the_same(dataset: str) -> None:
    """What is learnt, and by which network, does not depend on where; how is written in the configuration."""
    gpu, cpu = policy_config(dataset), policy_config(dataset, device="cpu")
    assert policy_config(dataset, device="cuda:0") == gpu
    same = ("reward", "policy", "max_nodes", "loss", "parents", "stop", "delta")
    assert [getattr(gpu, name) for name in same] == [getattr(cpu, name) for name in same]
    assert cpu.learning.exact_states < gpu.learning.exact_states
    assert cpu.learning.exact_instances > 0 == gpu.learning.exact_instances
    assert policy_config(dataset, "paper", "cpu") == policy_config(dataset, "paper")


@pytest.mark.parametrize("task", Task)
def test_the_usual_reward_is_that_of_our_policies(task: Task) -> None:
    """The paper's, β = 1 and no price, has to be written out; a price alone leaves β as it is."""
    assert GFNConfig().reward == USUAL_REWARD == RewardConfig(50.0, {"nodes": 0.12, "similarity": 0.1})
    assert preset_config(Task.GRAPH).reward == GFNConfig().reward
    assert preset_config(task).reward.beta == GFNConfig().reward.beta
    assert preset_config(task, "paper").reward == RewardConfig(1.0) == RewardConfig(1.0, {})
    assert GFNConfig.from_dict({"max_nodes": 6}).reward == GFNConfig().reward
    assert RewardConfig(prices={"radius": 0.1}).beta == RewardConfig.from_dict({"radius": 0.1}).beta == 50


def test_the_shipped_policy_was_trained_as_the_departures_say() -> None:
    """The table of departures has its numbers."""
    text = (ASSETS / "docs" / "departures.md").read_text(encoding="utf-8")
    ahead = load_look_ahead(LOOK_AHEAD).config
    assert ahead.reward == USUAL_REWARD
    for name in ("epochs", "lr"):
        assert f"SOURCES[config][{name}]-->{getattr(ahead, name):g}<!--=-->" in text


def test_to_json_and_back() -> None:
    for config in EXAMPLES:
        again = GFNConfig.from_dict(json.loads(json.dumps(config.as_dict())))
        assert again == config
        assert all(type(getattr(again, name)) is type(value) for name, value in vars(config).items())
    assert GFNConfig.from_dict({}) == GFNConfig()  # missing entries are the defaults
    assert GFNConfig.from_dict({"reward": {"beta": 2.0}}) == GFNConfig(reward=RewardConfig(beta=2.0))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"reward": {"betta": 1.0}}, "betta"),
        ({"policy": 3}, "cannot be read"),
        ({"loss": "flow"}, "loss"),
        ({"parents": "all"}, "parents"),
        ({"stop": "never"}, "stop"),
        ({"max_nodes": "many"}, "max_nodes"),
        ({"max_nodes": 1}, r"from 2 to 64 \(got 1\)"),
        ({"epsilon": float("nan")}, r"from 0 to 1 \(got nan\)"),
        ({"parents": "graph", "learning": {"exact_cap": 10}}, "valid parents"),
        ({"epochs": 0}, "Steps must be"),
        ({"learning": {"steps_per_batch": 0}}, "steps_per_batch"),
        ({"learning": {"parts": -1}}, ">= 0"),
        ({"policy": {"hidden": 4097}}, "hidden"),
        ({"reward": {"beta": float("nan")}}, "β must be"),
        ({"reward": {"sise": 1.0}}, "sise"),
    ],
)
def test_impossible_values(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        GFNConfig.from_dict(values)


def test_prices() -> None:
    config = RewardConfig(prices={"similarity": 1, "size": 0.0, "cross_entropy": 0.0})
    assert [config.price(name) for name in ("cross_entropy", "size", "radius", "similarity")] == [0, 0, 0, 1]
    assert config.as_dict() == {"beta": 50.0, "cross_entropy": 0.0, "similarity": 1.0}
    assert hash(config) == hash(replace(config))
