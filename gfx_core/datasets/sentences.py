"""Sentences as graphs of words: those of Graph-SST2, a dozen of our own, and whatever somebody types.

The sentences of Graph-SST2 come from film reviews, and are not shipped. Where the file of the data folder is there
(`path`), they can be picked by number, and the GNN can be trained again. It is text, one sentence a line, five columns
between tabs, the first line naming them:

    split   label5   tokens                     head          deprel
    train   0        It is not funny .          1 -1 1 1 1    nsubj ROOT neg acomp punct

``split`` is train, dev or test; ``label5`` is from 0, very negative, to 4, very positive, and sentences of 2, neutral,
are left out; tokens, heads (from 0, -1 for the root) and relations stand one after the other between spaces, the
relations may be missing. The file may be packed by gzip.

A word has a vector: the mean of what a table holds for its letters' n-grams, found by a hash. No list of words is
needed, and a word that nobody saw in training shares n-grams with those that were seen. The table is learned together
with a GNN (`gfx_core.gnn.word_vectors`) and kept in that GNN's file. What the words of a typed sentence hang on is
found by spaCy where it is installed; else each hangs on the word before it.
"""

import gzip
import re
import tomllib
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Floats, Ints
from gfx_core.config import ASSETS, Drawing, Task, data_root
from gfx_core.datasets.chosen_examples import examples
from gfx_core.datasets.graph import DEFAULT_HOPS, GraphDataset
from gfx_core.datasets.info import DatasetInfo, Vocabulary
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.source import Listed, Typed
from gfx_core.errors import UserError
from gfx_core.files import read_once
from gfx_core.text.typesetting import spelled

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
        relations: What each word is to its head (``nsubj``, ``neg``); empty where nobody said it.

    Raises:
        UserError: The heads do not fit the words.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.words)
        if len(self.heads) != count or len(self.relations) not in (0, count):
            raise UserError(f"A sentence of {count} words has {len(self.heads)} heads; each word needs one.")
        for position, head in enumerate(self.heads):
            if not ROOT <= head < count or head == position:
                raise UserError(f"Word {position} of a sentence of {count} words cannot depend on word {head}.")

    @classmethod
    def chain(cls, words: Sequence[str]) -> "Sentence":
        """Words of which nobody knows what they hang on: each is linked to the one before it."""
        return cls(tuple(words), tuple(range(-1, len(words) - 1)))

    @property
    def links(self) -> Ints:
        """Each word with its head; where a text is several sentences, their roots follow each other. [2, e]"""
        roots = [position for position, head in enumerate(self.heads) if head == ROOT]
        pairs = [(position, head) for position, head in enumerate(self.heads) if head != ROOT]
        pairs += pairwise(roots)
        return np.array(pairs, dtype=np.int64).reshape(-1, 2).T

    @property
    def notes(self) -> tuple[str, ...]:
        """For each word, what it hangs on and as what: ``neg of funny``."""
        names = self.relations or ("linked",) * len(self.words)
        joined = "of" if self.relations else "to"
        return tuple(
            f"{name} {joined} {self.words[head]}" if head != ROOT else "root" if self.relations else "the first word"
            for name, head in zip(names, self.heads, strict=True)
        )

    @property
    def text(self) -> str:
        """As people write it: no space before a full stop, none inside ``does n't``."""
        return spelled(self.words)


def visible(text: str) -> str:
    """A text without what cannot be seen: control and formatting characters become spaces, or nothing."""
    kept = []
    for letter in text:
        kind = unicodedata.category(letter)
        kept.append(" " if kind in ("Cc", "Zl", "Zp") else "" if kind in ("Cf", "Cs", "Co", "Cn") else letter)
    return " ".join("".join(kept).split())


def check_size(words: Sequence[str]) -> None:
    """Refuse what could not be drawn."""
    if len(words) < 2:
        raise UserError("A sentence has at least two words: type one more.")
    if len(words) > MAX_WORDS:
        raise UserError(f"This sentence has {len(words)} words; at most {MAX_WORDS} can be read.")
    check_letters(max(words, key=len))


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


@read_once(2)
def read_table(path: Path) -> Floats:
    """The table in the file of a GNN; zeros where there is none."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            table = file.get_tensor(TABLE).astype(np.float32)
    except (SafetensorError, OSError):
        return np.zeros((1, WIDTH), dtype=np.float32)
    return table if table.ndim == 2 and np.isfinite(table).all() else np.zeros((1, WIDTH), dtype=np.float32)


# Words that were never seen


SEEN = ASSETS / "content" / "seen_words.npy"
"""The words that the shipped GNN was trained on: ``np.save(SEEN, seen_words(graph_sst2()))``."""


def is_word(text: str) -> bool:
    """Whether it has a letter: punctuation and numbers are no words."""
    return any(map(str.isalpha, text))


def checksums(words: Iterable[str]) -> NDArray[np.uint32]:
    """A number for each word, in whatever case it is written. [n]"""
    return np.array([zlib.crc32(word.lower().encode("utf-8", "replace")) for word in words], dtype=np.uint32)


def seen_words(dataset: GraphDataset) -> NDArray[np.uint32]:
    """The words of its part for training, as `checksums` has them, each once. [n]"""
    graphs = [range(dataset.ptr[graph], dataset.ptr[graph + 1]) for graph in dataset.parts["train"]]
    words = {dataset.node_texts[node].lower() for nodes in graphs for node in nodes}
    return np.unique(checksums(filter(is_word, words)))


def unseen_words(words: Sequence[str]) -> list[str]:
    """Those of some words that the shipped GNN was not trained on: it knows them by their letters alone."""
    known = np.isin(checksums(words), _seen())
    return [word for word, seen in zip(words, known, strict=True) if is_word(word) and not seen]


@cache
def _seen() -> NDArray[np.uint32]:
    found: NDArray[np.uint32] = np.load(SEEN, allow_pickle=False)
    return found


# The data set


GRAPH_SST2 = DatasetInfo(
    "graph_sst2",
    Task.GRAPH,
    "Graph-SST2",
    "Sentences from film reviews: which words make the GNN predict positive or negative?",
    classes=("negative", "positive"),
    citation="Socher et al., EMNLP 2013 (sentences); Yuan et al., TPAMI 2022 (as graphs)",
    words=Vocabulary("sentence", "word", "link", "reason"),
    drawing=Drawing.SENTENCE,
    paper={"graphs": 70_042, "accuracy": 0.887},
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


def graph_of(sentences: Sequence[Sentence], labels: Sequence[int], **more: Any) -> GraphDataset:
    """Sentences as one data set, with the word vectors of the shipped GNN.

    Args:
        sentences: At least one.
        labels: The class of each; :data:`UNKNOWN_CLASS` where nobody knows it.
        more: Further attributes of the data set.
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
        node_texts=words,
        node_notes=tuple(note for sentence in sentences for note in sentence.notes),
        **more,
    )


def graph_sst2() -> GraphDataset:
    """Read the data set."""
    file = path()
    if file is None:
        raise UserError(
            f"The sentences of Graph-SST2 are not on this computer: put {_NAMES[0]} into {paths()[0].parent}, or set "
            "GFX_DATA to its folder (gfx_core/datasets/sentences.py describes the format)."
        )
    sentences, labels, parts = [], [], []
    try:
        for part, label, sentence in _rows(file):
            if label != NEUTRAL:
                sentences.append(sentence)
                labels.append(int(label > NEUTRAL))
                parts.append(part)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"The file {file} cannot be read: it is cut off, or not text in UTF-8.") from error
    if not sentences:
        raise UserError(
            f"The file {file} contains no sentences: its first line names the columns, each other line is a sentence."
        )
    which = np.array(parts)
    return graph_of(sentences, labels, parts={name: np.flatnonzero(which == name) for name in PARTS.values()})


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
                raise UserError(f"Line {number} of {file} is not a sentence in the expected format.") from error


# Reading what is typed


MODELS = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg")
"""The English models that are looked for, in this order."""

_SHORT = re.compile(r"(?i)(?<=\w)(n['’]t|['’](?:s|re|ve|ll|d|m))\b")  # written apart, as in the training data
_TOKEN = re.compile(r"(?i)n't|'(?:s|re|ve|ll|d|m)\b|\w+(?:[-/.]\w+)*|[^\w\s]")


def parsed(text: str) -> Sentence:
    """Read what somebody typed.

    Raises:
        UserError: It is no sentence, or too long.
    """
    clean = visible(text)
    if not clean:
        raise UserError("Type a sentence, for example “A warm and funny film.”")
    reader = _reader()
    sentence = _by_spacy(reader, clean) if reader is not None else None
    if sentence is None:
        sentence = Sentence.chain(tokens(clean))
    check_size(sentence.words)
    return sentence


def tokens(text: str) -> list[str]:
    """Words and punctuation, as the training data write them: ``does n't``, ``film 's``.

    >>> tokens("It isn't well-made, is it?")
    ['It', 'is', "n't", 'well-made', ',', 'is', 'it', '?']
    """
    apart = _SHORT.sub(lambda found: " " + found[0].replace("’", "'"), text)
    return _TOKEN.findall(apart)


def _installed() -> str | None:
    """The model that spaCy would read with; ``None`` where there is none."""
    try:
        if find_spec("spacy") is None:
            return None
        return next((name for name in MODELS if find_spec(name) is not None), None)
    except (ImportError, ValueError):
        return None


@cache
def _reader() -> Any:
    """spaCy with its English model, ready to read; ``None`` where it is not installed or cannot be loaded."""
    model = _installed()
    if model is None:
        return None
    try:
        import spacy

        return spacy.load(model, exclude=["ner", "lemmatizer"])
    except Exception:  # an old model or a broken installation can fail in any way; neighbours serve as well
        return None


def _by_spacy(reader: Any, text: str) -> Sentence | None:
    try:
        read = [token for token in reader(text) if token.text.strip()]
    except Exception:  # whatever goes wrong in a foreign parser, the sentence can be read without it
        return None
    place = {token.i: number for number, token in enumerate(read)}
    heads = [ROOT if token.head.i == token.i else place.get(token.head.i, ROOT) for token in read]
    return Sentence(tuple(token.text for token in read), tuple(heads), tuple(token.dep_ for token in read))


# Sources of instances


SENTENCES: dict[str, tuple[int, Sentence]] = {
    sentence.text: (each["label"], sentence)
    for each in tomllib.loads((ASSETS / "content" / "sentences.toml").read_text(encoding="utf-8"))["sentences"]
    for sentence in (Sentence(tuple(each["words"].split()), tuple(map(int, each["heads"].split()))),)
}
"""Our own sentences as people read them, with their class and what hangs on what."""

MAX_TYPED = 400
"""Characters of a sentence that somebody types."""


class OwnSentences(Listed):
    """The sentences that we wrote."""

    parameter: ClassVar[str] = "example"
    title: ClassVar[str] = "Examples"
    noun: ClassVar[str] = "example"
    names: ClassVar[tuple[str, ...]] = tuple(SENTENCES)
    width: ClassVar[int] = 480
    first = examples(GRAPH_SST2.name, parameter)[0].name

    def checked(self, name: str) -> str:
        return next((known for known in self.names if self.called(known) == name), None) or super().checked(name)

    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        label, sentence = SENTENCES[self.checked(name)]
        return graph_of([sentence], [label]).instance(0)

    def typed(self, name: str) -> str:
        return self.checked(name)

    def called(self, name: str) -> str:
        return "-".join(re.findall(r"\w+", name.lower()))


class TypedSentence(Typed):
    """Any sentence that somebody types."""

    parameter: ClassVar[str] = "sentence"
    title: ClassVar[str] = "Own sentence"
    noun: ClassVar[str] = "Your sentence"
    placeholder: ClassVar[str] = OwnSentences.first
    help: ClassVar[str] = "Any English sentence, preferably about a film. Press Enter to read it."
    width: ClassVar[int] = 400
    first = OwnSentences.first

    def note(self, name: str) -> str:
        model = _installed()
        return f"Typed sentences are parsed by spaCy ({model})." if model else "Each word is linked to its neighbours."

    def checked(self, name: str) -> str:
        text = name.strip()
        if len(text) > MAX_TYPED:
            raise UserError(f"This sentence has {len(text)} characters; at most {MAX_TYPED} can be read.")
        return text

    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        text = self.checked(name)
        ours = SENTENCES.get(text)
        sentence = parsed(text) if ours is None else ours[1]  # of our own it is known what hangs on what
        return graph_of([sentence], [UNKNOWN_CLASS]).instance(0)

    def called(self, name: str) -> str:
        return "sentence"
