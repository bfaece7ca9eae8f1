"""Lessons' trainings show themselves while they learn."""

from typing import Any

import numpy as np

from gfx_core.job_context import JobContext
from gfx_core.teaching.balance import Objective, compare_balance
from gfx_core.teaching.snapshots import all_so_far, so_far
from gfx_core.teaching.table_training import train_practice


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def test_a_table_emits_every_snapshot_of_its_answer() -> None:
    events: list[dict[str, Any]] = []
    shown: list[int] = []

    def tell(_share: float, _words: str) -> None:
        learning = so_far(events)
        shown.append(0 if learning is None else len(learning["steps"]))

    job = JobContext(tell=tell, emit=events.append)
    answer = train_practice(job, practice="toy", lr=0.3, epsilon=0.1, beta=1.0, seed=0)
    assert so_far([]) is None
    whole = so_far(events)
    assert whole is not None
    assert same(whole, answer)
    part = so_far(events[:5])
    assert part is not None
    assert part["probability"].shape == (5, 8)
    assert 0 < shown[0] < len(answer["steps"])  # there was something to be seen before the end


def test_three_tables_learn_in_turn() -> None:
    events: list[dict[str, Any]] = []
    answer = compare_balance(JobContext(emit=events.append), starts=[0, 4], lr=0.3, seed=0, epochs=6)
    names = [str(each) for each in Objective]
    assert all_so_far(events[:3], names) is None
    early = all_so_far(events[:6], names)
    assert early is not None
    assert {len(part["steps"]) for part in early.values()} == {1}
    whole, truth = all_so_far(events, names), so_far(events, "truth")
    assert whole is not None
    assert truth is not None
    assert all(same(whole[name], answer[name]) for name in names)
    assert np.array_equal(truth["log_partition"][0], answer["log_partition"])
