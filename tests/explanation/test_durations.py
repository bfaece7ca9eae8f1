"""What a training on one instance takes, told before it is begun."""

from gfx_core.explanation.question import BUDGET_S, EPOCHS, LEAST, tuning_plan


def test_small_ones_are_trained_to_the_end_and_large_ones_are_cut() -> None:
    (small, seconds), (large, cut_s), (huge, _) = (tuning_plan(nodes) for nodes in (10, 800, 100_000))
    assert small == EPOCHS > large > LEAST == huge
    assert max(seconds, cut_s) <= BUDGET_S
