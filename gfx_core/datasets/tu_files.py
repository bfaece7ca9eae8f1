"""Data sets of the TU Dortmund collection: fetched as one archive, read from its text files. Needs no torch.

What is read is what PyG's reader makes of the same files. PyG's own copy of them would be read with a pickle fallback.
"""

import os
import shutil
import tempfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gfx_core.arrays import Floats, Ints

URL = "https://www.chrsmrrs.com/graphkerneldatasets"
_PATIENCE_S = 30.0  # without a word from the server


@dataclass(frozen=True)
class TUData:
    """Many graphs, one after the other.

    Attributes:
        x: The label of each node, one-hot. [N, labels]
        edge_index: Both directions, sorted, without loops; nodes are numbered through. [2, E]
        edge_label: From 0. [E]
        y: The class of each graph, from 0. [G]
        ptr: Where each graph's nodes begin. [G + 1]
    """

    x: Floats
    edge_index: Ints
    edge_label: Ints
    y: Ints
    ptr: Ints


def fetch(name: str, folder: Path) -> None:
    """Download a data set; its text files are in the folder all at once, or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        archive = Path(made) / "archive.zip"
        with urllib.request.urlopen(f"{URL}/{name}.zip", timeout=_PATIENCE_S) as answer, archive.open("wb") as file:
            shutil.copyfileobj(answer, file)
        unpacked = Path(made) / "files"
        unpacked.mkdir()
        with zipfile.ZipFile(archive) as held:
            for member in held.namelist():
                if member.endswith(".txt"):
                    (unpacked / Path(member).name).write_bytes(held.read(member))
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(unpacked, folder)


def read(name: str, folder: Path) -> TUData:
    """Read the text files of a data set; whatever is wrong with them raises."""

    def part(kind: str) -> Ints:
        return numbers((folder / f"{name}_{kind}.txt").read_text(encoding="utf-8"))

    graph, label = part("graph_indicator") - 1, part("node_labels")
    edge_index, edge_label = part("A").reshape(-1, 2).T - 1, part("edge_labels")
    if len(graph) != len(label) or edge_index.shape[1] != len(edge_label):
        raise ValueError("the files are not of the same length")
    edge_label = edge_label - edge_label.min()
    keys = edge_index[0] * len(graph) + edge_index[1]
    _, first = np.unique(keys, return_index=True)  # sorted by source, then target
    first = first[edge_index[0, first] != edge_index[1, first]]
    label = label - label.min()
    x = np.zeros((len(label), int(label.max()) + 1), dtype=np.float32)
    x[np.arange(len(label)), label] = 1
    return TUData(
        x,
        edge_index[:, first],
        edge_label[first],
        np.unique(part("graph_labels"), return_inverse=True)[1],
        np.concatenate([[0], np.cumsum(np.bincount(graph))]),
    )


def numbers(text: str) -> Ints:
    """The whole numbers of a text file, line after line."""
    return np.array(text.replace(",", " ").split(), dtype=np.int64)
