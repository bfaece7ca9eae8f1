"""Small shared choices: the kinds of task and of GNN, and where files live."""

import os
from enum import StrEnum
from pathlib import Path

ASSETS = Path(__file__).resolve().parent.parent / "assets"
TRACES = ASSETS / "traces"

NUM_LAYERS = 3
"""Layers of every shipped GNN, and so the hops that a node's prediction can see."""


class Task(StrEnum):
    """What the GNN predicts: the class of one node, or of a whole graph."""

    NODE = "node"
    GRAPH = "graph"


class GNNKind(StrEnum):
    """How a GNN layer gathers from the neighbours.

    ``SUM`` is GNNExplainer's convolution: a plain sum over neighbours, each layer's output L2-normalised.
    ``GCN`` is the symmetric-normalised convolution with self-loops; on constant features it cannot tell an
    isolated node from a cycle.
    """

    SUM = "sum"
    GCN = "gcn"


def data_root() -> Path:
    """The folder for downloaded data: ``GFX_DATA``, or a folder in the user's cache."""
    override = os.environ.get("GFX_DATA")
    if override:
        return Path(override).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "gfx"
