"""Sentences: what hangs on what, our own ones, typed ones, and the file of the data set."""

import gzip
import sys
import zlib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.config import Drawing
from gfx_core.datasets import sentences
from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.sentences import (
    MAX_LETTERS,
    MAX_TYPED,
    MAX_WORDS,
    SENTENCES,
    TABLE,
    WIDTH,
    OwnSentences,
    Sentence,
    TypedSentence,
    embedded,
    read_table,
    spelled,
    unseen_words,
    visible,
)
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.weights import write_tensors

LINES = """split\tlabel5\ttokens\thead\tdeprel
train\t0\tIt is not funny .\t1 -1 1 1 1\tnsubj ROOT neg acomp punct
dev\t4\tA joy .\t1 -1 1\tdet ROOT punct
test\t2\tIt is a film .\t1 -1 3 1 1\tnsubj ROOT det attr punct
test\t3\tGood . Very good .\t-1 0 3 -1 3\t
"""


@pytest.fixture(autouse=True)
def no_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "_installed", lambda: False)
    sentences._reader.cache_clear()


@pytest.fixture
def spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for spaCy: every word hangs on the last one."""

    def read(text: str) -> list[SimpleNamespace]:
        tokens = [SimpleNamespace(text=word, i=at, dep_="dep") for at, word in enumerate(text.split(" "))]
        for token in tokens:
            token.head = tokens[-1]
        return tokens

    module = ModuleType("spacy")
    module.load = lambda name, exclude: read
    monkeypatch.setitem(sys.modules, "spacy", module)
    monkeypatch.setattr(sentences, "_installed", lambda: True)
    sentences._reader.cache_clear()


def test_links_and_notes() -> None:
    sentence = Sentence(("Not", "bad", ".", "Good", "!"), (1, -1, 1, -1, 3), ("neg", "ROOT", "punct", "ROOT", "punct"))
    assert sorted(map(tuple, sentence.links.T.tolist())) == [(0, 1), (1, 3), (2, 1), (4, 3)]
    assert sentence.notes == ("neg of bad", "root", "punct of bad", "root", "punct of Good")
    assert spelled(sentence.words) == "Not bad. Good!"
    assert spelled(("It", "does", "n't", "bore", "'em", "(", "much", ")")) == "It doesn't bore'em (much)"
    for heads in ((1,), (0, -1), (2, -1)):
        with pytest.raises(UserError, match="needs a head for each"):
            Sentence(("a", "b"), heads)


def test_our_own_sentences_are_trees_of_both_classes() -> None:
    assert len(SENTENCES) == 16
    assert {label for label, _ in SENTENCES.values()} == {0, 1}
    source = OwnSentences()
    for text, (label, sentence) in SENTENCES.items():
        instance = source.instance(text)
        assert nx.is_tree(nx.Graph(instance.edge_index.T.tolist()))
        assert (instance.y, instance.node_texts) == (label, sentence.words)
        assert instance.info.drawing is Drawing.SENTENCE
        assert source.checked(source.called(text)) == text
        assert Question("graph_sst2", text, "example").shipped_trace.name == f"graph_sst2-{source.called(text)}.json"


def test_typed_sentences_of_ours_keep_our_heads() -> None:
    typed, listed = (source.instance(OwnSentences.first) for source in (TypedSentence(), OwnSentences()))
    assert (typed.edge_index == listed.edge_index).all()
    assert typed.y == -1


def test_without_a_parser_words_are_linked_to_their_neighbours() -> None:
    instance = TypedSentence().instance("It isn't well-made, is it?")
    assert instance.node_texts == ("It", "is", "n't", "well-made", ",", "is", "it", "?")
    assert nx.is_isomorphic(nx.Graph(instance.edge_index.T.tolist()), nx.path_graph(8))
    assert "neighbours" in TypedSentence().note("")


def test_with_a_parser_it_is_parsed_and_one_that_fails_costs_nothing(
    spacy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = TypedSentence().instance("Not a bad film")
    assert sorted(map(tuple, instance.edge_index[:, instance.undirected].T.tolist())) == [(0, 3), (1, 3), (2, 3)]
    assert instance.node_notes == ("dep of film", "dep of film", "dep of film", "root")
    assert "spaCy" in TypedSentence().note("")
    sentences._reader.cache_clear()
    monkeypatch.delattr(sys.modules["spacy"], "load")
    assert TypedSentence().instance("Not bad").num_nodes == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Type a sentence"),
        (" \u200b\t ", "Type a sentence"),
        ("Great", "at least two words"),
        ("a " * (MAX_WORDS + 1), f"at most {MAX_WORDS}"),
        ("so " + "o" * (MAX_LETTERS + 1), f"at most {MAX_LETTERS} can be shown"),
        ("good " * 100, f"at most {MAX_TYPED} can be read"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        TypedSentence().instance(text)


def test_hostile_text_is_text() -> None:
    instance = TypedSentence().instance("<b>\x00bad\u202e</b> ![x](http://x.y) \ud800 '; DROP 𝒵 😀")
    assert {"<", "b", ">", "bad", "DROP", "😀"} <= set(instance.node_texts)
    assert all(word == visible(word) and word for word in instance.node_texts)


@pytest.mark.parametrize("packed", [True, False])
def test_the_file(packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    assert not sentences.on_disk()
    with pytest.raises(UserError, match="not on this computer: put"):
        sentences.graph_sst2()
    (tmp_path / "Graph-SST2").mkdir()
    data = LINES.encode()
    path = tmp_path / "Graph-SST2" / ("sst_dep.tsv.gz" if packed else "sst_dep.tsv")
    path.write_bytes(gzip.compress(data) if packed else data)
    dataset = sentences.graph_sst2()
    assert dataset.y.tolist() == [0, 1, 1]  # the neutral one is left out
    assert {name: part.tolist() for name, part in dataset.parts.items()} == {
        "train": [0],
        "validation": [1],
        "test": [2],
    }
    assert dataset.instance(0).node_notes[2] == "neg of is"
    assert dataset.instance(2).node_texts == ("Good", ".", "Very", "good", ".")
    assert nx.is_connected(nx.Graph(dataset.instance(2).edge_index.T.tolist()))
    assert dataset.explainable.tolist() == [0, 1, 2]
    assert sources_of("graph_sst2")["index"].ready


def test_a_broken_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    lines = (b"train\t0\tIt is\t1", b"train\tx\tIt is\t1 -1\t", b"train\t9\tIt is\t1 -1\t", b"train\t0", b"\x00\x01")
    for line in (*lines, b"rest\t0\tIt is\t1 -1\t", b"", b"\xff\xfe", b"a\tb\tc\td\te\tf\tg"):
        (tmp_path / "sst_dep.tsv").write_bytes(b"head\n" + line + b"\n")
        with pytest.raises(UserError, match="not in the expected format"):
            sentences.graph_sst2()
    packed = gzip.compress(LINES.encode())
    (tmp_path / "sst_dep.tsv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(UserError, match="it is cut off"):
        sentences.graph_sst2()


# Vectors of words by hashed subwords.


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


def test_a_file_without_a_table_gives_zeros(tmp_path: Path) -> None:
    path = tmp_path / "gnn.safetensors"
    assert read_table(path).shape == (1, WIDTH)
    write_tensors(path, {TABLE: torch.ones(3, 2, dtype=torch.float16)}, {})
    assert read_table(path).tolist() == [[1, 1]] * 3
    for damage in (b"junk", b""):
        path.write_bytes(damage)
        assert not read_table(path).any()


def test_words_that_were_never_seen_in_training() -> None:
    assert unseen_words(["This", "blorptic", "FILM", "is", "10", ",", "Snorfle"]) == ["blorptic", "Snorfle"]
    assert not [text for text, (_, sentence) in SENTENCES.items() if unseen_words(sentence.words)]
