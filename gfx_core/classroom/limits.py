"""How much of everything there may be: anybody can open a class, and nobody may fill the disk."""

from gfx_core.errors import UserError

LONGEST_H = 12.0
MOST_ROOMS = 40
"""Classes at a time."""
MOST_SEATS = 300
"""Students in a class."""
PRESENT_S = 25.0
"""Who was not heard of for so long has left."""
HEARD_S = 8.0
"""Who stays in one place is noted this often."""
LARGEST = 10**9
"""An answer that is a number."""


def checked_hours(hours: float) -> float:
    """How long a class lasts; ``UserError`` where that is too long."""
    if not 0 < hours <= LONGEST_H:
        raise UserError(f"A class lasts at most {LONGEST_H:g} hours.")
    return hours
