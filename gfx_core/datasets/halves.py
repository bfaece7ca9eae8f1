"""The two halves of a data set's explainable instances: one to choose settings on, one to report.

Whoever sees the AUC while choosing a setting has fitted that setting to what was seen. So settings are chosen on the
tuning half, and tables come from the reporting half, which nobody looked at before.
"""

from enum import StrEnum

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.errors import UserError


class Half(StrEnum):
    """Which of the explainable instances are meant."""

    REPORTING = "reporting"
    TUNING = "tuning"
    ALL = "all"

    @property
    def words(self) -> str:
        """What titles of tables call it."""
        return "all instances" if self is Half.ALL else f"{self} half"


def half_of(explainable: Ints, half: str = Half.REPORTING) -> Ints:
    """The instances of a half, in their usual order.

    The first half of one fixed shuffle is for tuning, the rest for reporting; no seed of a run changes it.

    Args:
        explainable: ``dataset.explainable``. [n]
        half: ``reporting``, ``tuning`` or ``all``.
    """
    return explainable if half == Half.ALL else np.sort(shuffled_half(explainable, half))


def shuffled_half(explainable: Ints, half: str) -> Ints:
    """The instances of a half in the order of the shuffle: the first few of them stand for all.

    The arguments are those of :func:`half_of`.
    """
    if half not in list(Half):
        raise UserError(f"There is no half “{half}”: choose one of {', '.join(Half)}.")
    shuffled = np.random.RandomState(0).permutation(explainable)
    middle = len(shuffled) // 2
    parts = {Half.TUNING: shuffled[:middle], Half.REPORTING: shuffled[middle:], Half.ALL: shuffled}
    return parts[Half(half)]
