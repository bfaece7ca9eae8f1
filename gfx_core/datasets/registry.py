"""The list of data sets: what each is, and where its instances come from."""

import re
from pathlib import Path

from gfx_core.config import data_root
from gfx_core.datasets import sentences, synthetic, uploads
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import INFOS, DatasetInfo
from gfx_core.datasets.molecules import COMPOUNDS, MOLECULES, Compounds, Smiles
from gfx_core.datasets.mutagenicity import benzene, mutagenicity, on_disk
from gfx_core.datasets.sentences import OwnSentences, TypedSentence
from gfx_core.datasets.source import Numbered, Source
from gfx_core.errors import UserError, look_up

DATASETS: dict[str, DatasetInfo] = {}
"""What is known of each data set, by name."""

_SOURCES: dict[str, dict[str, Source]] = {}


def register(info: DatasetInfo, *sources: Source) -> None:
    """Make a data set known by its name: to links, to the command line and to all pages.

    Args:
        info: What it is.
        sources: Where its instances come from; the first one that is ready is the default.
    """
    DATASETS[info.name] = info
    _SOURCES[info.name] = {source.parameter: source for source in sources}


_MOLECULES = "about 1 MB", "4,337 molecules"
_READ: dict[str, tuple[Source, ...]] = {
    "mutagenicity": (Numbered(mutagenicity, on_disk, *_MOLECULES), Compounds(), Smiles()),
    "benzene": (Numbered(benzene, on_disk, *_MOLECULES),),
    "graph_sst2": (Numbered(sentences.graph_sst2, sentences.on_disk), OwnSentences(), TypedSentence()),
}
for _name, _info in INFOS.items():  # all others are generated, each by the function of its name
    register(_info, *(_READ.get(_name) or (Numbered(getattr(synthetic, _name)),)))


def listed() -> dict[str, DatasetInfo]:
    """The data sets that pages offer, by name."""
    return {name: info for name, info in DATASETS.items() if info.listed}


def dataset_info(name: str) -> DatasetInfo:
    """Look a data set up by name (``ba_shapes``) or title (``BA-Shapes``), or an uploaded one by its name."""
    if name in DATASETS:
        return DATASETS[name]
    if uploads.is_own(name):
        return uploads.info(name)
    titles = {key: info.title for key, info in DATASETS.items()}
    return DATASETS[look_up(name, titles, "There is no data set")]


def sources_of(dataset: str) -> dict[str, Source]:
    """Where the instances of a data set come from, by what links call their names."""
    name = dataset_info(dataset).name
    if uploads.is_own(name):
        return {Numbered.parameter: uploads.UploadSource(lambda: uploads.load(name))}
    return _SOURCES[name]


def source_of(dataset: str, parameter: str) -> Source:
    """One of a data set's sources; ``UserError`` if it has none of that kind."""
    sources = sources_of(dataset)
    if parameter not in sources:
        info = dataset_info(dataset)
        having = [other.title for name, other in DATASETS.items() if parameter in _SOURCES[name]]
        raise UserError(
            f"{info.title} has no instances by {parameter}: name one by {' or '.join(sources)}"
            + (f", or choose {' or '.join(having)}." if having else ".")
        )
    return sources[parameter]


def load_dataset(name: str) -> GraphDataset:
    """Load a data set by name. Loaded ones are kept; they are immutable."""
    source = source_of(name, Numbered.parameter)
    assert isinstance(source, Numbered)
    return source.dataset()


def same_dataset(one: str, other: str) -> bool:
    """Whether two names mean the same data set, also if it was uploaded in two visits."""
    return one == other or (uploads.is_own(one) and one.split("-")[:2] == other.split("-")[:2])


def folder_of(dataset: str, kind: str) -> Path:
    """Where a kind of thing that is made here for a data set is kept: with it, where it is an upload."""
    return (uploads.home_of(dataset) or data_root()) / kind


def file_of(dataset: str, shipped: Path, noun: str, *parts: str) -> Path:
    """Where a file of tensors of a data set is: among those that are shipped, or with an uploaded data set.

    Args:
        dataset: The data set.
        shipped: The folder of those that are shipped; there the file is called after the data set.
        noun: What it is called after where it lies with its data set.
        parts: The rest of what it is called; empty ones are left out.
    """
    home = uploads.home_of(dataset)
    folder, begin = (shipped, dataset) if home is None else (home, noun)
    return folder / f"{'-'.join(filter(None, (begin, *parts)))}.safetensors"


_WORD = re.compile(r"\S*[^\W\d_]\S*")  # something with a letter in it


def find_typed(text: str) -> tuple[str, str, str]:
    """The data set, the source's parameter and the name of what a visitor typed without saying what it is.

    SMILES has no spaces, so whatever has several words and is no known molecule is a sentence. Whether all else is a
    molecule at all, only RDKit decides. Loads nothing.

    >>> find_typed("Not a bad film.")
    ('graph_sst2', 'sentence', 'Not a bad film.')
    >>> find_typed("aspirin")
    ('mutagenicity', 'compound', 'Aspirin')
    """
    typed = text.strip()
    molecule = MOLECULES.get(typed.lower())
    if molecule in COMPOUNDS:
        return "mutagenicity", Compounds.parameter, molecule
    if molecule or len(_WORD.findall(typed)) < 2:
        return "mutagenicity", Smiles.parameter, typed
    ours = {name.lower(): name for name in OwnSentences.names}
    if typed.lower() in ours:
        return "graph_sst2", OwnSentences.parameter, ours[typed.lower()]
    return "graph_sst2", TypedSentence.parameter, typed
