"""Sentences as graphs of words: those of Graph-SST2, a dozen of our own, and typed ones.

The sentences of Graph-SST2 come from film reviews, and are not shipped. Where the file of the data folder is there
(`find_file`), they can be picked by number, and the GNN can be trained again. It is text, one sentence a line, five
columns between tabs, the first line naming them:

    split   label5   tokens                     head          deprel
    train   0        It is not funny .          1 -1 1 1 1    nsubj ROOT neg acomp punct

``split`` is train, dev or test; ``label5`` is from 0, very negative, to 4, very positive, and sentences of 2, neutral,
are left out; tokens, heads (from 0, -1 for the root) and relations stand one after the other between spaces, the
relations may be missing. The file may be packed by gzip.

A word has a vector: the mean of what a table holds for its letters' n-grams, found by a hash. No list of words is
needed, and a word that training did not hold shares n-grams with those that were seen. The table is learned together
with a GNN (`gfx_core.gnn.word_vectors`) and kept in that GNN's file. What the words of a typed sentence hang on is
found by spaCy where it is installed; else each hangs on the word before it.
"""

import csv
import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.arrays import Floats, Ints, edge_array
from gfx_core.config import ASSETS, data_root, read_content
from gfx_core.datasets.graph import DEFAULT_HOPS, GraphDataset
from gfx_core.datasets.info import INFOS
from gfx_core.datasets.instance import UNKNOWN_CLASS, Instance
from gfx_core.datasets.source import Listed, Typed, examples
from gfx_core.errors import UserError
from gfx_core.files import read_once

ROOT = -1
"""The head of a word that hangs on no other."""
MAX_WORDS = 80
MAX_LETTERS = 45
"""Of a word."""


@dataclass(frozen=True)
class Sentence:
    """A sentence as a graph of its words.

    Attributes:
        words: In reading order, punctuation among them.
        heads: For each word the position of the word that it hangs on, :data:`ROOT` for none.
        relations: What each word is to its head (``nsubj``, ``neg``); empty where they are unknown.

    Raises:
        UserError: The heads do not fit the words.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.words)
        fitting = all(ROOT <= head < count and head != position for position, head in enumerate(self.heads))
        if len(self.heads) != count or len(self.relations) not in (0, count) or not fitting:
            raise UserError(f"A sentence of {count} words needs a head for each: another one, or {ROOT}.")

    @property
    def links(self) -> Ints:
        """Each word with its head; where a text is several sentences, their roots follow each other. [2, e]"""
        roots = [position for position, head in enumerate(self.heads) if head == ROOT]
        pairs = [(position, head) for position, head in enumerate(self.heads) if head != ROOT]
        pairs += pairwise(roots)
        return edge_array(pairs)

    @property
    def notes(self) -> tuple[str, ...]:
        """For each word, what it hangs on and as what: ``neg of funny``."""
        names = self.relations or ("linked",) * len(self.words)
        joined = "of" if self.relations else "to"
        return tuple(
            f"{name} {joined} {self.words[head]}" if head != ROOT else "root" if self.relations else "the first word"
            for name, head in zip(names, self.heads, strict=True)
        )


_NO_SPACE_BEFORE = frozenset(".,;:!?)]…%")


def spelled(words: Sequence[str]) -> str:
    """Words as people write them: no space before a full stop, none inside ``does n't``.

    >>> spelled(["It", "is", "n't", "bad", "."])
    "It isn't bad."
    """
    text = ""
    for word in words:
        tight = word in _NO_SPACE_BEFORE or word.lower() == "n't" or (word[:1] in "'’" and len(word) > 1)
        text += word if tight or not text or text[-1] in "([" else f" {word}"
    return text


def visible(text: str) -> str:
    """A text without what cannot be seen: control and formatting characters. Any space is one."""
    return " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())


def check_letters(word: str) -> None:
    """Refuse a word that is too long to be drawn."""
    if len(word) > MAX_LETTERS:
        raise UserError(f"The word “{word[:20]}…” has {len(word)} letters; at most {MAX_LETTERS} can be shown.")


# Vectors of words


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
    counts = np.array([len(row) for row in rows], dtype=int)
    return np.array([at for row in rows for at in row], dtype=int), counts


def embedded(words: Sequence[str], table: Floats) -> Floats:
    """A vector for each word: the sum of its rows over the root of their number. [n, width]"""
    rows = {word: table[hashed(word, len(table))].astype(np.float32) for word in {*words}}
    vectors = {word: np.add.reduceat(part, [0])[0] / np.sqrt(len(part)) for word, part in rows.items()}
    return np.array([vectors[word] for word in words], dtype=np.float32).reshape(-1, table.shape[1])


@read_once(2)
def read_table(path: Path) -> Floats:
    """The table in the file of a GNN; zeros where there is none."""
    from safetensors import SafetensorError, safe_open

    with suppress(SafetensorError, OSError), safe_open(path, framework="numpy") as file:
        table = file.get_tensor(TABLE).astype(np.float32)
        if table.ndim == 2 and np.isfinite(table).all():
            return table
    return np.zeros((1, WIDTH), dtype=np.float32)


# Words that were never seen


SEEN = ASSETS / "content" / "seen_words.npy"
"""The `_checksum` of each word of the sentences that the shipped GNN was trained on, in ascending order, by numpy."""


def is_word(text: str) -> bool:
    """Whether it has a letter: punctuation and numbers are no words."""
    return any(map(str.isalpha, text))


def _checksum(word: str) -> int:
    """Of a word in whatever case it is written."""
    return zlib.crc32(word.lower().encode("utf-8", "replace"))


def unseen_words(words: Sequence[str]) -> list[str]:
    """Those of some words that the shipped GNN was not trained on: it has their letters alone."""
    return [word for word in words if is_word(word) and _checksum(word) not in _seen()]


@cache
def _seen() -> frozenset[int]:
    return frozenset(np.load(SEEN, allow_pickle=False).tolist())


# The data set


GRAPH_SST2 = INFOS["graph_sst2"]
NEUTRAL = "2"
CLASSES = {"0": 0, "1": 0, "3": 1, "4": 1}
"""What the file calls its labels, but the neutral one: very negative to very positive."""
PARTS = {"train": "train", "dev": "validation", "test": "test"}
"""What the file calls its parts, and what they are for."""
WORD_VECTORS = ASSETS / "models" / f"{GRAPH_SST2.name}-sum.safetensors"
"""The GNN whose file holds the vectors of all words."""
_NAMES = ("sst_dep.tsv.gz", "sst_dep.tsv")


def find_file() -> Path | None:
    """The file, where it is."""
    paths = (data_root() / folder / name for folder in ("Graph-SST2", "") for name in _NAMES)
    return next(filter(Path.is_file, paths), None)


def on_disk() -> bool:
    """Whether the data set can be read."""
    return find_file() is not None


def graph_of(sentences: Sequence[Sentence], labels: Sequence[int], **more: Any) -> GraphDataset:
    """Sentences as one data set, with the word vectors of the shipped GNN.

    Args:
        sentences: At least one.
        labels: The class of each; :data:`UNKNOWN_CLASS` where it is unknown.
        more: Further attributes of the data set.
    """
    words = tuple(word for sentence in sentences for word in sentence.words)
    ptr = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    links = [sentence.links + first for sentence, first in zip(sentences, ptr, strict=False)]
    return GraphDataset.from_edges(
        GRAPH_SST2,
        embedded(words, read_table(WORD_VECTORS)),
        np.concatenate(links, axis=1),
        np.array(labels),
        ptr=ptr,
        node_texts=words,
        node_notes=tuple(note for sentence in sentences for note in sentence.notes),
        **more,
    )


def graph_sst2() -> GraphDataset:
    """Read the data set."""
    file = find_file()
    if file is None:
        raise UserError(
            f"The sentences of Graph-SST2 are not on this computer: put {_NAMES[0]} into {data_root() / 'Graph-SST2'}, "
            "or set GFX_DATA to its folder (gfx_core/datasets/sentences.py describes the format)."
        )
    import pandas as pd

    columns = ["split", "label5", "tokens", "head", "deprel"]
    sentences, labels, parts = [], [], []
    try:
        rows = pd.read_csv(
            file, sep="\t", header=0, names=columns, quoting=csv.QUOTE_NONE, dtype=str, keep_default_na=False
        ).fillna("")
        for part, label, tokens, heads, relations in rows.itertuples(index=False):
            if label != NEUTRAL:
                parts.append(PARTS[part])
                labels.append(CLASSES[label])
                words = tuple(visible(word)[:MAX_LETTERS] or "?" for word in tokens.split(" "))
                sentences.append(Sentence(words, tuple(map(int, heads.split(" "))), tuple(relations.split())))
        which = np.array(parts)
        return graph_of(sentences, labels, parts={name: np.flatnonzero(which == name) for name in PARTS.values()})
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise UserError(
            f"The file {file} cannot be read: it is cut off, empty, or not in the expected format, which "
            "gfx_core/datasets/sentences.py describes."
        ) from error


# Reading what is typed


MODEL = "en_core_web_sm"
"""spaCy's model of English."""

_SHORT = re.compile(r"(?i)(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))\b")  # written apart, as in the training data
_TOKEN = re.compile(r"(?i)n't|'(?:s|re|ve|ll|d|m)\b|\w+(?:[-/.]\w+)*|[^\w\s]")


def parsed(text: str) -> Sentence:
    """Read a typed text: by spaCy, else each word is linked to the one before it.

    Raises:
        UserError: It is no sentence, or too long.
    """
    clean = visible(text)
    if not clean:
        raise UserError("Type a sentence, for example “A warm and funny film.”")
    sentence = _by_spacy(clean)
    if sentence is None:
        words = tuple(tokens(clean))
        sentence = Sentence(words, tuple(range(ROOT, len(words) - 1)))
    count = len(sentence.words)
    if count < 2:
        raise UserError("A sentence has at least two words: type one more.")
    if count > MAX_WORDS:
        raise UserError(f"This sentence has {count} words; at most {MAX_WORDS} can be read.")
    check_letters(max(sentence.words, key=len))
    return sentence


def tokens(text: str) -> list[str]:
    """Words and punctuation, as the training data write them: ``does n't``, ``film 's``.

    >>> tokens("It isn't well-made, is it?")
    ['It', 'is', "n't", 'well-made', ',', 'is', 'it', '?']
    """
    apart = _SHORT.sub(lambda match: " " + match[0].replace("’", "'"), text)
    return _TOKEN.findall(apart)


def _installed() -> bool:
    return find_spec("spacy") is not None and find_spec(MODEL) is not None


@cache
def _reader() -> Any:
    """spaCy with its English model, ready to read."""
    import spacy

    return spacy.load(MODEL, exclude=["ner", "lemmatizer"])


def _by_spacy(text: str) -> Sentence | None:
    """A sentence as spaCy reads it; ``None`` where it is not installed, or cannot."""
    if not _installed():
        return None
    try:
        read = [token for token in _reader()(text) if token.text.strip()]
    except Exception:  # an old model or a broken installation can fail in any way; neighbours serve as well
        return None
    number = {token.i: position for position, token in enumerate(read)}
    heads = [ROOT if token.head.i == token.i else number.get(token.head.i, ROOT) for token in read]
    return Sentence(tuple(token.text for token in read), tuple(heads), tuple(token.dep_ for token in read))


# Sources of instances


SENTENCES: dict[str, tuple[int, Sentence]] = {}
"""Our own sentences as people read them, with their class and what hangs on what."""
for _row in read_content("sentences")["sentences"]:
    _sentence = Sentence(tuple(_row["words"].split()), tuple(map(int, _row["heads"].split())))
    SENTENCES[spelled(_sentence.words)] = (_row["label"], _sentence)

MAX_TYPED = 400
"""Characters of a typed sentence."""


class OwnSentences(Listed):
    """The sentences that we wrote."""

    parameter = "example"
    title = "Examples"
    noun = "example"
    names = tuple(SENTENCES)
    width = 480
    first = examples(GRAPH_SST2.name, parameter)[0].name

    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        label, sentence = SENTENCES[self.checked(name)]
        return graph_of([sentence], [label]).instance(0)

    def called(self, name: str) -> str:
        return "-".join(re.findall(r"\w+", name.lower()))


class TypedSentence(Typed):
    """Any sentence, typed."""

    parameter = "sentence"
    title = "Own sentence"
    noun = "Your sentence"
    placeholder = OwnSentences.first
    help = "Any English sentence, preferably about a film. Press Enter to read it."
    width = 400
    first = OwnSentences.first

    def note(self, name: str) -> str:
        by_spacy = f"Typed sentences are parsed by spaCy ({MODEL})."
        return by_spacy if _installed() else "Each word is linked to its neighbours."

    def checked(self, name: str) -> str:
        text = name.strip()
        if len(text) > MAX_TYPED:
            raise UserError(f"This sentence has {len(text)} characters; at most {MAX_TYPED} can be read.")
        return text

    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        text = self.checked(name)
        sentence = SENTENCES[text][1] if text in SENTENCES else parsed(text)
        return graph_of([sentence], [UNKNOWN_CLASS]).instance(0)

    def called(self, name: str) -> str:
        return "sentence"
