"""What a training on one instance takes, told before it is begun."""

import pytest

from gfx_core.explanation.durations import BUDGET_S, EPOCHS, LEAST, tuning_plan
from gfx_core.explanation.question import Question


def test_small_ones_are_trained_to_the_end_and_large_ones_are_cut() -> None:
    small, large, huge = (tuning_plan(nodes) for nodes in (10, 800, 100_000))
    assert (small.epochs, small.cut) == (EPOCHS, False)
    assert small.seconds == small.whole_s < BUDGET_S
    assert LEAST < large.epochs < EPOCHS
    assert large.cut
    assert large.seconds <= BUDGET_S < large.whole_s
    assert huge.epochs == LEAST
    assert tuning_plan(800, whole=True).epochs == EPOCHS
    assert tuning_plan(800, whole=True).seconds == pytest.approx(large.whole_s)


def test_a_question_that_trains_nothing_trains_nothing_whole() -> None:
    assert Question("tree_cycles", "511", whole=True) == Question("tree_cycles", "511")
    assert Question("tree_cycles", "511", tuned=True, whole=True).whole
