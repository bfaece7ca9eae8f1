"""Vectors of words by hashed subwords."""

import zlib
from pathlib import Path

import numpy as np
import pytest
import torch

from gfx_core.datasets.sentences import TABLE, WIDTH, embedded, hashed, read_table
from gfx_core.files import write_tensors


def slowly(word: str, table: np.ndarray) -> np.ndarray:
    """The definition, one letter after the other."""
    text, rows = f"<{word.lower()}>", []
    rows.append(zlib.crc32(f"word {text}".encode()) % len(table))
    for size in (3, 4, 5):
        for start in range(len(text)):
            if start + size <= len(text) and size < len(text):
                rows.append(zlib.crc32(text[start : start + size].encode()) % len(table))
    return sum(table[row] for row in rows) / np.sqrt(len(rows))


def test_a_word_is_the_sum_of_its_parts() -> None:
    table = np.random.RandomState(0).normal(size=(97, 5)).astype(np.float32)
    words = ["Funny", "a", "funny", "nevertheless", "é", ".", "unfunny"]
    found = embedded(words, table)
    assert found == pytest.approx(np.stack([slowly(word, table) for word in words]), abs=1e-5)
    assert (found[0] == found[2]).all()
    assert embedded([], table).shape == (0, 5)


def test_the_hash_is_the_same_everywhere() -> None:
    assert hashed("fun", 1 << 15) == [
        zlib.crc32(part) % (1 << 15) for part in (b"word <fun>", b"<fu", b"fun", b"un>", b"<fun", b"fun>")
    ]


def test_a_table_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "gnn.safetensors"
    assert read_table(path).shape == (1, WIDTH)
    write_tensors(path, {TABLE: torch.ones(3, 2, dtype=torch.float16)}, {})
    assert read_table(path).tolist() == [[1, 1]] * 3
    write_tensors(path, {"other": torch.ones(3, 2)}, {})
    assert not read_table(path).any()
    path.write_bytes(b"junk")
    assert not read_table(path).any()
