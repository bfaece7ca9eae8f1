"""How large what somebody brings along may be: stated here, asked before memory is spent.

Pages print these numbers as they are, so a visitor knows them before the first file.
"""

import time
from dataclasses import dataclass, field

from gfx_core.errors import UserError

MAX_BYTES = 16 * 2**20
"""Of one file, or of what is pasted."""
MAX_FILES = 4
"""In one go: an edge list and a table of nodes are two."""
MAX_UNPACKED = 64 * 2**20
"""Of all files in an archive together."""
MAX_MEMBERS = 100
"""Files in an archive."""
MAX_NODES = 20_000
"""Of one graph."""
MAX_ALL_NODES = 200_000
"""Of all graphs of a data set together."""
MAX_EDGES = 500_000
MAX_GRAPHS = 10_000
MAX_FEATURES = 512
"""Columns of node features, one for each word of a column of words."""
MAX_COLUMNS = 600
"""Columns of a table, before any is chosen."""
MAX_CELLS = 4_000_000
"""Nodes times columns, of a table and of the features made from it."""
MAX_CLASSES = 20
MAX_WORDS = 32
"""Different words of a column that is made into features."""
MAX_TEXT = 60
"""Letters of a name; the rest is cut off."""
MAX_DEPTH = 32
"""Brackets or elements within each other."""
MAX_ELEMENTS = 1_000_000
"""Elements of an XML file: more than the nodes, edges and values that a file of the largest size has room for."""
MAX_ENTRIES = 2_000_000
"""Words with a value in a GML file."""
MAX_SECONDS = 20.0
"""A file that takes longer to be read is given up."""
MAX_HELD = 6
"""Data sets that a visitor has at a time; the oldest goes first."""
MAX_ALL_BYTES = 2 * 2**30
"""What all visitors together have on disk."""
LEAST_LABELLED = 10
"""Nodes or graphs with a class, so that there is something to learn from, to choose by and to test on."""


def in_words() -> str:
    """The limits as a visitor wants to know them."""
    return (
        f"At most {MAX_BYTES // 2**20} MB a file, {MAX_NODES:,} nodes a graph ({MAX_ALL_NODES:,} in all graphs), "
        f"{MAX_EDGES:,} edges, {MAX_FEATURES} features, {MAX_CLASSES} classes and {MAX_SECONDS:.0f} s to read it; "
        f"{MAX_HELD} data sets at a time."
    )


def check_count(count: int, most: int, noun: str) -> None:
    """Refuse more of something than there may be."""
    if count > most:
        raise UserError(f"There are more than {most:,} {noun}: bring a part of it.")


def check_bytes(size: int, name: str) -> None:
    """Refuse a file that is too large."""
    if size > MAX_BYTES:
        raise UserError(f"{name} has {size / 2**20:.0f} MB, more than the {MAX_BYTES // 2**20} MB that are read.")


@dataclass
class Clock:
    """Gives up what takes too long. Readers ask it again and again."""

    until: float = field(default_factory=lambda: time.monotonic() + MAX_SECONDS)

    def check(self) -> None:
        """``UserError`` once the time is over."""
        if time.monotonic() > self.until:
            raise UserError(f"Reading this took longer than {MAX_SECONDS:.0f} s: bring a smaller part of it.")
