"""How much of everything there may be: anybody can open a class, and nobody may fill the disk or keep others out.

A class room behind one router has one address: what an address may have is enough for a whole class.
"""

from gfx_core.errors import UserError

LONGEST_H = 12.0
MOST_ROOMS = 40
"""Classes at a time."""
ROOMS_OF_VISITOR = 3
"""Of these, classes in use that one visitor opened."""
ROOMS_OF_ADDRESS = MOST_ROOMS // 2
"""Of these, classes in use that were opened from one address."""
ABANDONED_S = 900.0
"""A class that nobody was in for so long makes room for a new one, once all are taken."""
MOST_SEATS = 300
"""Students in a class."""
SEATS_OF_ADDRESS = 2 * MOST_SEATS
"""Students at one address, in all classes together."""
OPENINGS_OF_VISITOR, OPENINGS_OF_ADDRESS = 6, 20
"""Classes that may be opened within a minute."""
JOININGS_OF_VISITOR, JOININGS_OF_ADDRESS = 30, 2 * MOST_SEATS
"""Attempts to join a class within a minute; a code is not guessed by trying."""
PRESENT_S = 25.0
"""Who was not heard of for so long has left."""
HEARD_S = 8.0
"""Who stays in one place is noted this often."""
LARGEST = 10**9
"""An answer that is a number."""


class FullError(UserError):
    """There is no seat left in a class."""


def checked_hours(hours: float) -> float:
    """How long a class lasts; ``UserError`` where that is too long."""
    if not 0 < hours <= LONGEST_H:
        raise UserError(f"A class lasts at most {LONGEST_H:g} hours.")
    return hours


def present(now: float) -> tuple[float, float]:
    """Between which times somebody who is there was last heard of; the other server's clock may be ahead a little."""
    return now - PRESENT_S, now + PRESENT_S
