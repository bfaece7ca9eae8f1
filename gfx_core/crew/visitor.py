"""Who asks: a visit, whose jobs end with it, and the one whose visit it is, whose turn it is in the queue."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Visitor:
    """Somebody who asks.

    Attributes:
        visit: Names one visit, such as an open page: what only it waits for ends when it does.
        who: Names who visits, however many pages they have open: turns and caps go by it.
        address: Where they are; empty where that is not known or of no account. Nobody can fill the whole queue from
            one address, whatever names they invent.
    """

    visit: str
    who: str
    address: str = ""


NOBODY = Visitor("", "")
"""Asks where there are no visitors, as in a benchmark; nothing is capped."""
