"""Graph-SST2: sentences from film reviews as graphs of words, and whether they praise or not.

The sentences are not shipped. Where the file of the data folder is there (`path`), they can be picked by number, and
the GNN can be trained again. It is text, one sentence a line, five columns between tabs, the first line naming them:

    split   label5   tokens                     head          deprel
    train   0        It is not funny .          1 -1 1 1 1    nsubj ROOT neg acomp punct

``split`` is train, dev or test; ``label5`` is from 0, very negative, to 4, very positive, and sentences of 2, neutral,
are left out; tokens, heads (from 0, -1 for the root) and relations stand one after the other between spaces, the
relations may be missing. The file may be packed by gzip.
"""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from gfx_core.config import ASSETS, Drawing, Task, data_root
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo, Vocabulary
from gfx_core.datasets.sentence import MAX_LETTERS, Sentence, visible
from gfx_core.datasets.subwords import embedded, read_table
from gfx_core.errors import UserError

GRAPH_SST2 = DatasetInfo(
    "graph_sst2",
    Task.GRAPH,
    "Graph-SST2",
    "Sentences from film reviews: which of the words make the GNN call one positive or negative?",
    classes=("negative", "positive"),
    citation="Socher et al., EMNLP 2013 (sentences); Yuan et al., TPAMI 2022 (as graphs)",
    words=Vocabulary("sentence", "word", "link", "reason"),
    drawing=Drawing.SENTENCE,
)

UNKNOWN_CLASS = -1
NEUTRAL = 2
PARTS = {"train": "train", "dev": "validation", "test": "test"}
"""What the file calls its parts, and what they are for."""
WORD_VECTORS = ASSETS / "models" / f"{GRAPH_SST2.name}-sum.safetensors"
"""The GNN whose file holds the vectors of all words."""
_NAMES = ("sst_dep.tsv.gz", "sst_dep.tsv")


def paths() -> tuple[Path, ...]:
    """Where the file may be."""
    return tuple(data_root() / folder / name for folder in ("Graph-SST2", "") for name in _NAMES)


def path() -> Path | None:
    """Where the file is."""
    return next((file for file in paths() if file.is_file()), None)


def on_disk() -> bool:
    """Whether the data set can be read."""
    return path() is not None


def graph_of(sentences: Sequence[Sentence], labels: Sequence[int]) -> GraphDataset:
    """Sentences as one data set, with the word vectors of the shipped GNN.

    Args:
        sentences: At least one.
        labels: The class of each; :data:`UNKNOWN_CLASS` where nobody knows it.
    """
    words = tuple(word for sentence in sentences for word in sentence.words)
    ptr = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    links = [sentence.links + first for sentence, first in zip(sentences, ptr, strict=False)]
    return GraphDataset.from_edges(
        GRAPH_SST2,
        embedded(words, read_table(WORD_VECTORS)),
        np.concatenate(links, axis=1),
        np.array(labels, dtype=np.int64),
        ptr=ptr,
    ).named(words, tuple(note for sentence in sentences for note in sentence.notes))


def graph_sst2(seed: int = 0) -> GraphDataset:
    """Read the data set.

    Args:
        seed: Not used, the data are what they are; every loader takes one.
    """
    file = path()
    if file is None:
        raise UserError(
            f"The sentences of Graph-SST2 are not on this computer: put {_NAMES[0]} into {paths()[0].parent}, or set "
            "GFX_DATA to the folder that holds it (the format is told in gfx_core/datasets/graph_sst2.py)."
        )
    sentences, labels, parts = [], [], []
    try:
        for part, label, sentence in _rows(file):
            if label != NEUTRAL:
                sentences.append(sentence)
                labels.append(int(label > NEUTRAL))
                parts.append(part)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"The file {file} cannot be read: it is cut off, or no text in UTF-8.") from error
    if not sentences:
        raise UserError(f"The file {file} holds no sentences: its first line names the columns, one sentence a line.")
    which = np.array(parts)
    return graph_of(sentences, labels).parted({name: np.flatnonzero(which == name) for name in PARTS.values()})


def _rows(file: Path) -> Iterator[tuple[str, int, Sentence]]:
    """Part, label from 0 to 4, and sentence of each line."""
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        next(lines, None)
        for number, line in enumerate(lines, 2):
            if not line.strip():
                continue
            try:
                part, label, tokens, heads, *rest = line.rstrip("\r\n").split("\t")
                words = tuple(visible(word)[:MAX_LETTERS] or "?" for word in tokens.split(" "))
                relations = tuple(rest[0].split(" ")) if rest and rest[0] else ()
                if int(label) not in range(5):
                    raise ValueError
                yield PARTS[part], int(label), Sentence(words, tuple(map(int, heads.split(" "))), relations)
            except (KeyError, ValueError, UserError) as error:
                raise UserError(f"Line {number} of {file} is no sentence of the format that is expected.") from error
