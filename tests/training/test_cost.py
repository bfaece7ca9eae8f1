"""What a live training takes, about."""

from dataclasses import replace

from gfx_core.question import Question
from gfx_core.training.setting import SOON_S, defaults_for, shorter, step_seconds


def test_more_nodes_and_more_trajectories_take_longer() -> None:
    setting = defaults_for(Question("tree_cycles", "511"))
    assert step_seconds(setting, 10) < step_seconds(setting, 800) / 5
    assert step_seconds(replace(setting, batch=128), 800) == 2 * step_seconds(setting, 800)


def test_a_shorter_one_is_done_soon() -> None:
    assert shorter(0.42) == 100
    assert shorter(SOON_S / 5000) == 5000
    assert shorter(1000.0) == 10
