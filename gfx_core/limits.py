"""All limits: how much a visitor, an address, a class and a computation may have, so that nobody keeps others out.

They are asked before memory is spent. Pages print those of a visitor's own data as they are, so that a visitor knows
them before the first file.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from gfx_core.errors import UserError

# This process

OPEN_FILES = 8192
"""Files and connections: each visitor takes a few, and each worker some more. No system refuses so many."""
_VISIT, _ITSELF = 3, 60  # what a visit takes, for two minutes after it has ended too, and what a server needs anyway

# Computations

LEAST_MEMORY = 4 * 2**30
"""What a worker may have on any computer: to train a GNN for the largest data set that may be brought takes 1.4 GB."""

MAX_ROWS = 100
"""Predictions that one has explained at once, in a table."""
MAX_EDITS = 50
"""Edits of an instance, in one link."""

# What a visitor uploads and no page has read yet: Streamlit holds it in memory

UPLOAD_FILES, UPLOAD_BYTES = 4, 64 * 2**20
"""What one visitor may have."""
UPLOAD_BYTES_PER_ADDRESS = 256 * 2**20
"""What all visitors at one address may have: a class room behind one router has one."""
UPLOAD_BYTES_IN_ALL = 512 * 2**20
"""What all visitors together may have."""
UPLOAD_CLOSED_S = 30.0
"""Files that no page has read are given back when their page was closed so long ago: a short loss costs nothing."""

TRACE_MB, RECORDING_MB, GNN_MB = 20, 40, 16
"""Of one file of such a kind that a page takes."""
POLICY_BYTES = 16 * 2**20
"""Of a policy that is kept."""

# Headers of files with weights

HEADER_LETTERS = 4 * 2**20
"""The longest of ours tell a training's curve."""

# Data sets of a visitor's own

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
MAX_ELEMENTS = 2_000_000
"""Tags of an XML file, or brackets of a GML or JSON file."""
MAX_SECONDS = 20.0
"""A worker that needs longer to read files is ended."""
MAX_HELD = 6
"""Data sets that a visitor has at a time; the oldest goes first."""
MAX_ALL_BYTES = 2 * 2**30
"""What all visitors together have on disk."""
LEAST_LABELLED = 10
"""Nodes or graphs with a class, so that there is something to learn from, to choose by and to test on."""

# Classes. A class room behind one router has one address: what an address may have is enough for a whole class.

MAX_CLASS_HOURS = 12.0
"""So long may a class last."""
MAX_CLASSROOMS = 40
"""Classes at a time."""
CLASSROOMS_PER_USER = 3
"""Of these, classes in use that one visitor opened."""
CLASSROOMS_PER_ADDRESS = MAX_CLASSROOMS // 2
"""Of these, classes in use that were opened from one address."""
ABANDONED_S = 900.0
"""A class that nobody was in for so long makes room for a new one, once all are taken."""
MAX_SEATS = 300
"""Students in a class."""
SEATS_PER_ADDRESS = 2 * MAX_SEATS
"""Students at one address, in all classes together."""
OPENINGS_PER_USER, OPENINGS_PER_ADDRESS = 6, 20
"""Classes that may be opened within a minute."""
JOINS_PER_USER, JOINS_PER_ADDRESS = 30, 2 * MAX_SEATS
"""Attempts to join a class within a minute; a code is not guessed by trying."""
PRESENT_S = 25.0
"""Who was not heard of for so long has left."""
MAX_ANSWER = 10**9
"""An answer that is a number."""


def raise_open_files(wanted: int = OPEN_FILES) -> str:
    """Allow this process as many as it may allow itself; a sentence on what that means if it is fewer than wanted."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return ""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return ""
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    except (ValueError, OSError):
        pass
    if soft >= wanted:
        return ""
    return (
        f"This server may open only {soft:,} files and connections, enough for about "
        f"{max(0, soft - _ITSELF) // _VISIT:,} visitors at a time. For more, run “ulimit -n {wanted}” before you "
        "start it."
    )


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine_memory() -> int:
    """The bytes of memory that this computer has, or that a container lets this process have; 0 if nobody knows."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system tells
        return 0
    with suppress(OSError, ValueError):  # no container, or one without a limit
        found = min(found, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return found


def memory_each() -> int:
    """The most bytes that a worker may have: a quarter of all, and never less than is needed.

    So one that goes wrong leaves room for the server and the other workers.
    """
    return max(LEAST_MEMORY, machine_memory() // 4)


@dataclass(frozen=True)
class JobLimits:
    """How much a pool of workers may use, hold and let wait; what is left as it is suits a server of pages.

    Attributes:
        workers: How many jobs compute at a time, by device: on the CPU one or two, so that a core is left for the
            pages; on a GPU one.
        spare: So many more on the CPU for short jobs, so that nobody waits minutes for a second's work.
        threads: How many the numerical libraries of a worker may use; by default the cores are shared out, less one.
        memory: The most bytes that a worker on the CPU may have of its own, on systems that can hold it to that; a job
            that wants more fails. 0: as many as there are.
        nice: How far workers stand back for others: where cores are few, the server that sends the pages goes first.
        waiting: The most long jobs in the queue.
        waiting_short: The most short ones.
        each_long: The most long jobs that one visitor may have at a time, running and waiting together.
        each_short: The most short ones.
        overtaken_s: Where short jobs have no place of their own, they overtake long ones that wait no longer than this.
        short_s: A short job that takes longer than this is ended; None: it may take as long as it wants.
        long_s: So is a long one that takes longer than this while somebody else waits for its place.
        stop_s: A live job whose time is up may finish what it does for so long.
        cached: The most answers that are kept.
        cached_s: For so long are they kept after the last request for them.
        warmup_s: A worker without work gets ready for more after so long.
        idle_s: It ends after so long.
        grace_s: A cancelled job may end by itself for so long; then its process is killed.
    """

    workers: Mapping[str, int] = field(default_factory=lambda: {"cpu": min(2, max(1, cores() - 1)), "cuda": 1})
    spare: int = 1
    threads: int | None = None
    memory: int = field(default_factory=memory_each)
    nice: int = 5
    waiting: int = 100
    waiting_short: int = 300
    each_long: int = 3
    each_short: int = 24
    overtaken_s: float = 20.0
    short_s: float | None = 120.0
    long_s: float | None = 1200.0
    stop_s: float = 15.0
    cached: int = 64
    cached_s: float = 120.0
    warmup_s: float = 3.0
    idle_s: float = 600.0
    grace_s: float = 0.3

    def max_workers(self, device: str) -> int:
        """The most workers on a device."""
        return self.workers[device] + (self.spare if device == "cpu" else 0)

    @property
    def threads_each(self) -> int:
        return self.threads or max(1, (cores() - 1) // self.workers.get("cpu", 1))


def in_words() -> str:
    """The limits as a visitor wants to know them."""
    return (
        f"A file may have {MAX_BYTES // 2**20} MB, a graph {MAX_NODES:,} nodes ({MAX_ALL_NODES:,} in all graphs) and "
        f"{MAX_EDGES:,} edges. At most {MAX_FEATURES} features, {MAX_CLASSES} classes and {MAX_SECONDS:.0f} s to read "
        f"it. At most {MAX_HELD} data sets at a time."
    )


def check_count(count: int, most: int, noun: str) -> None:
    """Refuse more of something than there may be."""
    if count > most:
        raise UserError(f"There are more than {most:,} {noun}: upload a part of them.")


def check_bytes(size: int, name: str) -> None:
    """Refuse a file that is too large."""
    if size > MAX_BYTES:
        raise UserError(f"{name} has {size / 2**20:.0f} MB; at most {MAX_BYTES // 2**20} MB can be read.")
