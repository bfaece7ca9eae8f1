"""Cached access to what is slow: headers of checkpoints, layouts, traces, recordings; and what pages tell of GNNs.

What never changes is read once for all visitors, until its file is replaced: any visitor can have Streamlit's own cache
cleared. Needs no torch.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from gfx_core.config import Drawing
from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.registry import load_dataset
from gfx_core.drawing.colours import CLASS_SYMBOLS
from gfx_core.drawing.pictures import motif_svg
from gfx_core.drawing.templates import asset
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.files import read_once
from gfx_core.gnn.checkpoint import ModelHeader, model_path, read_header
from gfx_core.gnn.kinds import KINDS, gnn_titles
from gfx_core.layout.instances import overview_layout
from gfx_core.layout.stress import Points
from gfx_core.teaching.glossary import term
from gfx_core.text.numbers import percent
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import load

if TYPE_CHECKING:
    from gfx_core.training.recording import Recording

T = TypeVar("T")
GNN_NAMES = gnn_titles()
GNN_HELP = " ".join([*(f"**{info.title}** {info.summary}" for info in KINDS.values()), term("gnn", "Glossary")])

_header, _trace = read_once(64)(read_header), read_once(64)(load)


def _or_none(read: Callable[[Path], T], path: Path) -> T | None:
    """What is in a file; ``None`` where it is missing or cannot be read."""
    with suppress(UserError):
        return read(path) if path.is_file() else None
    return None


def readable_header(dataset: str, gnn: str) -> ModelHeader | None:
    """The header of a checkpoint, if it can be read."""
    return _or_none(_header, model_path(dataset, gnn))


def trained_gnns(dataset: str) -> list[str]:
    """The GNNs that have a checkpoint, whole or not, by name."""
    return [gnn for gnn in GNN_NAMES if model_path(dataset, gnn).is_file()]


def selected_gnn(dataset: str, wanted: str | None) -> str | None:
    """The GNN that is wanted, or else the first that is trained; ``None`` where none is."""
    gnns = trained_gnns(dataset)
    return wanted if wanted in gnns else next(iter(gnns), None)


def hops(dataset: str, wanted: str | None) -> int:
    """How far an instance goes: as far as the GNN sees, if there is one that can be read."""
    gnn = selected_gnn(dataset, wanted)
    header = None if gnn is None else readable_header(dataset, gnn)
    return DEFAULT_HOPS if header is None else header.hops


def training_hint(info: DatasetInfo) -> str:
    """What to do where there is no checkpoint."""
    if info.owner:
        return "missing: train or upload one under **Own data**."
    return f"not trained yet: `python -m gfx_core train gnn --dataset {info.name}`"


@st.cache_data(show_spinner=False, max_entries=8)
def whole_layout(dataset: str) -> Points:
    """The layout of a node task's whole graph."""
    return overview_layout(load_dataset(dataset))


def trace(question: Question) -> Trace | None:
    """The shipped trace of a prediction, if there is one that can be read."""
    return _or_none(_trace, question.shipped_trace)


def motif_picture(info: DatasetInfo) -> str:
    """The motifs of a data set as a small SVG; where none is known, what its instances look like."""
    if info.drawing is Drawing.SENTENCE:
        return asset("content/sentence.svg")
    return motif_svg(info.motifs, hollow_twin=len(info.classes) > len(CLASS_SYMBOLS))


def accuracy(header: ModelHeader) -> str:
    """Test accuracy in per cent."""
    test = header.accuracy.get("test")
    return "unknown" if test is None else percent(test)


@read_once(64)
def _recording(path: Path) -> "Recording":
    from gfx_core.training.recording import read  # training is loaded by pages that show it

    return read(path)


def shipped_recording(story: str) -> "Recording | None":
    """The recording of a story, if one is shipped and can be read."""
    from gfx_core.training.training import STORIES

    return _or_none(_recording, STORIES[story].path)
