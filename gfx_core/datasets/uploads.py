"""Data sets that visitors upload: what their names mean, where their files are, and how these are read. Without torch.

A data set is named by its content and by its visit: ``own-<content>-<visit>``. Both are digits that cannot be guessed,
and a name leads into the folder of its own visit only. `gfx_core.user_data.store` writes the files.
"""

import os
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.source import Numbered
from gfx_core.errors import UserError, node_by_name
from gfx_core.files import stamp

FOLDER = "GFX_OWN"
"""The environment variable with the server's folder, for workers."""
NAME = re.compile(r"own-([0-9a-f]{16})-([0-9a-f]{16})")
"""The name of a data set: its content, and its visit."""
MISSING = (
    "This link needs a data set that is not here: it was removed, or another visitor uploaded it. Uploads are private "
    "and are deleted when a visit ends. Upload the same file under Own data, and the link works."
)
DATA, ABOUT = "data.safetensors", "about.json"
"""The files of a data set: its arrays, and all else."""


class About(msgspec.Struct, frozen=True):
    """All of a data set but its arrays; `understood` and `dropped` are sentences on how its files were read."""

    info: DatasetInfo
    node_texts: tuple[str, ...]
    node_notes: tuple[str, ...]
    node_attributes: tuple[tuple[tuple[str, str], ...], ...]
    understood: tuple[str, ...]
    dropped: tuple[str, ...]


def root() -> Path | None:
    """The folder of this server, in it or in one of its workers; ``None`` where there is none."""
    folder = os.environ.get(FOLDER)
    return Path(folder) if folder and Path(folder).is_dir() else None


def is_own(name: str) -> bool:
    """Whether a data set of this name is an upload."""
    return bool(NAME.fullmatch(name))


def visit_of(name: str) -> str:
    """The visit that a data set belongs to; empty for one that is shipped."""
    return name.split("-")[2] if is_own(name) else ""


def home_of(name: str) -> Path | None:
    """The folder of an uploaded data set, with all that is made for it; ``None`` for any other name."""
    base, match = root(), NAME.fullmatch(name)
    return base / match[2] / match[1] if base and match else None


def home(name: str) -> Path:
    """The folder of a data set whose files are there."""
    folder = home_of(name)
    if folder is None or not (folder / DATA).is_file():
        raise UserError(MISSING)
    return folder


def about(name: str) -> About:
    """All of a data set but its arrays."""
    try:
        return msgspec.json.decode((home(name) / ABOUT).read_bytes(), type=About)
    except (OSError, ValueError) as error:
        raise UserError(MISSING) from error


def info(name: str) -> DatasetInfo:
    """A data set in words."""
    return replace(about(name).info, name=name, owner=visit_of(name))


def load(name: str) -> GraphDataset:
    """A data set; the latest ones are kept in memory for as long as their files are there."""
    return read(name, stamp(home(name) / ABOUT))


@lru_cache(maxsize=8)
def read(name: str, version: tuple[int, int]) -> GraphDataset:
    """Read a data set; `load` calls this with the `stamp` of its files."""
    from safetensors.numpy import load_file

    record, arrays = about(name), load_file(home(name) / DATA)
    return GraphDataset(
        info=info(name),
        node_texts=record.node_texts,
        node_notes=record.node_notes,
        node_attributes=record.node_attributes,
        edge_order=np.ones_like(arrays["edge_motif"]),
        **arrays,
    )


@dataclass(frozen=True)
class UploadSource(Numbered):
    """The nodes or graphs of an uploaded data set, by number or by the names of its nodes."""

    title = "Own data"
    most_learnt = 200

    def dataset(self) -> GraphDataset:
        return self.make()  # not kept: nothing of it outlives its files

    def checked(self, name: str) -> str:
        """A number, or the name of a node as its file spells it; digits are always a number."""
        dataset = self.dataset()
        if name.strip().isdecimal() or not dataset.names:
            return super().checked(name)
        return str(node_by_name(dataset.names, name, dataset.info.title))
