"""What came of the trainings of lessons 4 and 7, in their own numbers. It needs no torch."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gfx_core.exact.exact_flows import Doubles
from gfx_core.teaching.glossary import term
from gfx_core.text.numbers import listed

CLOSE = 0.01
"""A total variation below this counts as learned."""


def table_verdict(names: Sequence[str], target: Doubles, trained: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether a table of flows was learned, and which state is furthest off if not.

    Args:
        names: Of the states. [S]
        target: R/Z of each. [S]
        trained: From `gfx_core.teaching.table_training.watch_training`.
    """
    learned, visits = np.asarray(trained["probability"][-1]), np.asarray(trained["visits"][-1])
    distance = trained["total_variation"][-1]
    if distance < CLOSE:
        return True, (
            f"In the end every state is in balance and the {term('total variation')} "
            f"is {distance:.4f}: walks stop at each state as often as its reward says."
        )
    worst = int((target - learned).argmax())
    seen = {0: "never visited", 1: "visited once"}.get(int(visits[worst]), f"visited {visits[worst]:,} times")
    return False, (
        f"In the end the {term('total variation')} is {distance:.3f}. **{names[worst]}** should get "
        f"{100 * target[worst]:.1f} % of the walks and gets {100 * learned[worst]:.1f} %. It was {seen}."
    )


def comparison_verdict(titles: Mapping[str, str], trained: Mapping[str, Any]) -> str:
    """From which step on each way to train is close, and which never is.

    Args:
        titles: What the ways are called.
        trained: From `gfx_core.teaching.balance.compare_balance`.
    """
    arrived, missed = [], []
    for name, title in titles.items():
        distance = mean_distance(trained[name])
        far = np.flatnonzero(distance >= CLOSE)
        if distance[-1] < CLOSE:
            arrived.append((trained[name]["steps"][far[-1] + 1 if len(far) else 0], title))
        else:
            missed.append(f"**{title}** ends at {distance[-1]:.3f}")
    parts = [f"**{title}** from step {step}" for step, title in sorted(arrived)]
    words = [f"The total variation stays below {CLOSE:g} for {listed(parts)}."] if parts else []
    if missed:
        words.append(f"{listed(missed)} and {'does' if len(missed) == 1 else 'do'} not get there.")
    if len(arrived) == 2:
        words.append("In a table, TB with a log Z for each start node is as right.")
    words.append("(The paper's networks on BA-Shapes: AUC .99 with flow matching, .5 to .8 with TB.)")
    return " ".join(words)


def mean_distance(trained: Mapping[str, Any]) -> Doubles:
    """Total variation to R/Z in each snapshot, mean over the start nodes. [T]"""
    means: Doubles = np.asarray(trained["total_variation"]).mean(axis=1)
    return means
