"""A vector for any word: the mean of what a table holds for its letters' n-grams, found by a hash.

No list of words is needed, and a word that nobody saw in training shares n-grams with those that were seen. The table
is learned together with a GNN (`gfx_core.gnn.words`) and kept in that GNN's file.
"""

import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from gfx_core.arrays import Floats, Ints
from gfx_core.files import stamp

TABLE = "words"
"""What the tensor is called in the file of a GNN. [buckets, width]"""
WIDTH = 32
"""Of a word's vector, where no table has been learned yet."""
GRAMS = (3, 4, 5)
"""Letters of an n-gram; the whole word counts as one more."""


def hashed(word: str, buckets: int) -> list[int]:
    """The rows of a table that a word is made of: the word itself first, then its n-grams. The same everywhere.

    >>> hashed("Funny", 1000) == hashed("funny", 1000)
    True
    """
    text = f"<{word.lower()}>"
    grams = [text[at : at + size] for size in GRAMS for at in range(len(text) - size + 1) if size < len(text)]
    return [zlib.crc32(part.encode("utf-8", "replace")) % buckets for part in (f"word {text}", *grams)]


def bags(words: Sequence[str], buckets: int) -> tuple[Ints, Ints]:
    """The rows of some words one after the other, and how many each has. [sum of counts], [n]"""
    rows = [hashed(word, buckets) for word in words]
    counts = np.array([len(row) for row in rows], dtype=np.int64)
    return np.array([at for row in rows for at in row], dtype=np.int64), counts


def embedded(words: Sequence[str], table: Floats) -> Floats:
    """A vector for each word: the sum of its rows over the root of their number. [n, width]"""
    if not len(words):
        return np.zeros((0, table.shape[1]), dtype=np.float32)
    different = sorted(set(words))
    rows, counts = bags(different, len(table))
    first = np.cumsum(counts) - counts
    vectors = np.add.reduceat(table[rows].astype(np.float32), first, axis=0) / np.sqrt(counts)[:, None]
    number = {word: at for at, word in enumerate(different)}
    return vectors[[number[word] for word in words]].astype(np.float32)


def read_table(path: Path) -> Floats:
    """The table in the file of a GNN; zeros where there is none. A replaced file is read again."""
    return _read_table(path, stamp(path))


@lru_cache(maxsize=2)
def _read_table(path: Path, version: tuple[int, int]) -> Floats:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            table = file.get_tensor(TABLE).astype(np.float32)
    except (SafetensorError, OSError):
        return np.zeros((1, WIDTH), dtype=np.float32)
    return table if table.ndim == 2 and np.isfinite(table).all() else np.zeros((1, WIDTH), dtype=np.float32)
