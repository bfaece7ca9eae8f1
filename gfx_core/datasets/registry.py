"""The list of data sets: what each is, how to load it, and what its motif looks like."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.motifs import AMINO, FIVE_CYCLE, GRID, HOUSE, NITRO, SIX_CYCLE, Motif
from gfx_core.errors import UserError


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is loaded.

    Attributes:
        name: Key in the registry, in URLs and on the command line.
        title: What people call it.
        task: Node or graph classification.
        description: One sentence.
        motifs: The motifs to find, drawable.
        classes: A name for each class.
        loader: ``module:function`` that takes a seed and returns the data set.
        source: Where the recipe or the data come from.
    """

    name: str
    title: str
    task: Task
    description: str
    motifs: tuple[Motif, ...]
    classes: tuple[str, ...]
    loader: str
    source: str

    def load(self, seed: int = 0) -> GraphDataset:
        module, function = self.loader.split(":")
        load: Callable[[int], GraphDataset] = getattr(import_module(f"gfx_core.datasets.{module}"), function)
        return load(seed)


_HOUSE_ROLES = ("base", "house middle", "house bottom", "house top")
_GNNEXPLAINER = "Ying et al., GNNExplainer, NeurIPS 2019"

DATASETS: dict[str, DatasetInfo] = {
    info.name: info
    for info in (
        DatasetInfo(
            "ba_shapes",
            "BA-Shapes",
            Task.NODE,
            "A scale-free graph with 80 five-node houses attached; each node's class is its place in the house.",
            (HOUSE,),
            _HOUSE_ROLES,
            "synthetic:ba_shapes",
            _GNNEXPLAINER,
        ),
        DatasetInfo(
            "ba_community",
            "BA-Community",
            Task.NODE,
            "Two BA-Shapes graphs joined at random; a node's class is its place in the house and its community.",
            (HOUSE,),
            tuple(f"{role}, {side}" for side in ("left", "right") for role in _HOUSE_ROLES),
            "synthetic:ba_community",
            _GNNEXPLAINER,
        ),
        DatasetInfo(
            "tree_cycles",
            "Tree-Cycles",
            Task.NODE,
            "A binary tree with 60 six-node cycles attached; the question is whether a node lies on a cycle.",
            (SIX_CYCLE,),
            ("tree", "cycle"),
            "synthetic:tree_cycles",
            _GNNEXPLAINER,
        ),
        DatasetInfo(
            "tree_grid",
            "Tree-Grid",
            Task.NODE,
            "A binary tree with 80 three-by-three grids attached; the question is whether a node lies in a grid.",
            (GRID,),
            ("tree", "grid"),
            "synthetic:tree_grid",
            _GNNEXPLAINER,
        ),
        DatasetInfo(
            "ba_2motifs",
            "BA-2motifs",
            Task.GRAPH,
            "A thousand small graphs, each a scale-free tree with either a house or a five-cycle: which one is it?",
            (HOUSE, FIVE_CYCLE),
            ("house", "five-cycle"),
            "synthetic:ba_2motifs",
            "Luo et al., PGExplainer, NeurIPS 2020",
        ),
        DatasetInfo(
            "mutagenicity",
            "Mutagenicity",
            Task.GRAPH,
            "Molecules, some of which damage DNA; nitro and amino groups are chemists' best-known reasons why.",
            (NITRO, AMINO),
            ("mutagen", "non-mutagen"),
            "mutagenicity:mutagenicity",
            "Kazius et al., J. Med. Chem. 2005; TU Dortmund graph collection",
        ),
    )
}


def dataset_info(name: str) -> DatasetInfo:
    """Look a data set up by name (``ba_shapes``) or title (``BA-Shapes``)."""
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    if key in DATASETS:
        return DATASETS[key]
    close = difflib.get_close_matches(key, DATASETS, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise UserError(f"There is no data set “{name[:60]}”.{hint} Choose one of: {', '.join(DATASETS)}.")


@lru_cache(maxsize=16)
def _load(name: str, seed: int) -> GraphDataset:
    return DATASETS[name].load(seed)


def load_dataset(name: str, seed: int = 0) -> GraphDataset:
    """Load a data set by name. Loaded ones are kept; they are immutable."""
    return _load(dataset_info(name).name, seed)
