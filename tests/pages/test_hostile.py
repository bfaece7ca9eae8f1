"""Nonsense from outside, drawn from seeds, and names that try to be more than text: no page breaks or obeys them."""

import json
import random
import string
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.classroom.classes import ClassTarget, read_code
from gfx_core.datasets import registry
from gfx_core.datasets.info import Vocabulary
from gfx_core.datasets.molecules import molecule
from gfx_core.errors import UserError
from gfx_core.trace.serialize import from_json
from pages.ui.address import _SENSELESS, Parameter
from pages.ui.text import file_name, plain
from tests.pages.hostile import (
    ALL,
    HOSTILE,
    check_that_nothing_is_markdown,
    hostile_trace,
    parameters,
    read_as_markdown,
)
from tests.pages.page_reading import PAGES, ROOT, Open, by_link, read

LONGEST_S = 2.0
"""Of computing: reading nonsense takes no longer."""
NONSENSE = (
    *("", " ", "0", "-1", "1", "01", "1.0", "1e3", "1e999", "-1e999", "nan", "inf", "1_000", "٣", "１２", "²", "½"),
    *("9" * 11, "9" * 400, "-" + "9" * 400, "0x10", "1,2", "1.2", "1-2", "1_2", "_", ".", ",", "a.b.c", "True", "None"),
    *("\x00", "\n", "a\nb", "\u202e", "é", "\ud83d", "😀", "\\", "'", '"', "%", "%00"),
    *("{}", "[]", "{0}", "{x.__class__}"),
    *("../..", "/etc/passwd", "C:\\x", "__class__", "a" * 5000, "(" * 2000, "1." * 2000, "a-" * 2000, ALL),
)
NAMES = sorted({parameter.name for _, parameter in parameters()} | {"try", "term", "class"})
"""Those of all links; the last ones are not declared in modules that pages share."""
QUOTED = {
    "explain": ("dataset", "index", "source", "policy", "compound", "smiles"),
    "compare": ("methods",),
    "train": ("story", "gnn"),
    "home": ("try",),
    "glossary": ("term",),
}
"""Those that pages quote where they make no sense: one of them hides what would be said of another."""
PICTURE = HOSTILE[1]
SENSIBLE = {"dataset": "tree_cycles", "index": "612", "graph": "path"}


def nonsense(rng: random.Random) -> str:
    """Something that no parameter is made for; also pieces of what some are."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(NONSENSE)
    if kind == 1:
        return "".join(rng.choices(string.printable, k=rng.randrange(1, 30)))
    if kind == 2:
        return "".join(rng.choices("0123456789._-,;:abcdeCNO()[]=#", k=rng.randrange(1, 25)))
    return "".join(chr(rng.randrange(1, 0x2FFF)) for _ in range(rng.randrange(1, 12)))


@pytest.mark.parametrize(("module", "parameter"), parameters(), ids=lambda each: getattr(each, "name", str(each)[9:]))
def test_a_parameter_is_read_refused_or_taken_for_not_given(module: str, parameter: Parameter[Any]) -> None:
    """What is read is written as it is read."""
    if parameter.default is not None and (spelt := parameter.spell(parameter.default)):
        assert parameter.parse(spelt) == parameter.default
    rng = random.Random(f"{module} {parameter.name}")
    for text in (*NONSENSE, *(nonsense(rng) for _ in range(30))):
        began = time.thread_time()
        try:
            value = parameter.parse(text)
        except _SENSELESS:
            value = None
        if value not in (None, parameter.default) and value == value:  # not a number: nobody reads that
            spelt = parameter.spell(value)
            assert not spelt or parameter.parse(spelt) == value, text
        assert time.thread_time() - began < LONGEST_S, text[:50]


def with_link(at: AppTest, link: dict[str, str]) -> AppTest:
    """The same page by another link."""
    return by_link(at, link).run()


@pytest.mark.usefixtures("no_workers", "hostile_data_sets")
@pytest.mark.parametrize(
    ("page", "link"),
    [*((page, {}) for page in PAGES), *(("learn", {"lesson": str(number)}) for number in range(2, 10))],
    ids=lambda each: each if isinstance(each, str) else "".join(each.values()),
)
def test_links_fields_and_uploads(page: str, link: dict[str, str], open_page: Open) -> None:
    """All parameters of a page at once, some sensible: what one allows may be what another trips over."""
    at = open_page(page, **link)
    rng = random.Random(f"{page} {link}")
    made = {name: nonsense(rng).encode("utf-8", "replace").decode() for name in NAMES}
    made |= {name: text for name, text in SENSIBLE.items() if rng.random() < 0.7}
    assert not with_link(at, made | link).exception, made
    if link:  # a lesson, whose own words are Markdown
        return
    others = set(NAMES) - set().union(*QUOTED.values())
    quoted = [{name: PICTURE} for name in QUOTED.get(page, ())]
    for values in (dict.fromkeys(NAMES, ALL), dict.fromkeys(others, PICTURE), *quoted, {}):
        check_that_nothing_is_markdown(with_link(at, values))
    for number, field in enumerate([*at.text_input, *at.text_area]):
        field.set_value(ALL[: field.proto.max_chars or None] if number % 2 else PICTURE).run()
        check_that_nothing_is_markdown(at)
    for number in range(len(at.file_uploader)):
        bring(at, number, *FILES)


@pytest.fixture
def hostile_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every data set says hostile things of itself, of its classes and of its motifs."""
    for name, info in registry.DATASETS.items():
        classes = tuple(f"{HOSTILE[number % len(HOSTILE)]} {known}" for number, known in enumerate(info.classes))
        motifs = tuple(replace(motif, name=f"{motif.name} {ALL}") for motif in info.motifs)
        about = {"title": f"{info.title} {ALL}", "description": ALL, "citation": ALL}
        words = Vocabulary(*(f"{word} {ALL}" for word in ("thing", "dot", "line", "part")))
        changed = replace(info, classes=classes, motifs=motifs, words=words, **about)
        monkeypatch.setitem(registry.DATASETS, name, changed)


# Files


FILES = (b"no JSON", json.dumps({ALL: [ALL]}).encode(), b"\xff\x00" * 50)


def bring(at: AppTest, number: int, *contents: bytes) -> None:
    """Upload some files, whose names are hostile too, and look at what the page makes of each."""
    ending = (list(at.file_uploader[number].proto.type) or [".json"])[0]
    for content in contents:
        at.file_uploader[number].set_value((f"{PICTURE}{ending}", content, "application/json"))
        check_that_nothing_is_markdown(at.run())


def test_traces_that_are_brought_to_explain(open_page: Open) -> None:
    trace = from_json(hostile_trace(), "file")
    at = open_page("explain", dataset="tree_cycles", index="612", tab="files")
    bring(at, 0, *FILES)
    assert PICTURE in read(at.error[0].value)
    at.file_uploader(key="upload").upload(f"{HOSTILE[0]}.json", hostile_trace().encode()).run()
    check_that_nothing_is_markdown(at)
    assert not at.error
    assert HOSTILE[2] in read(at.info[0].value)
    assert any(HOSTILE[int(trace.prediction.predicted)] in read(text) for _, text in read_as_markdown(at))


def only_sentences(read: Callable[[], object]) -> None:
    """Something is read, or refused in one sentence, and soon."""
    began, sentence = time.thread_time(), ""
    try:
        read()
    except UserError as error:
        sentence = str(error) or "\n"
    assert not sentence or 0 < len(sentence.strip()) < 600
    assert time.thread_time() - began < LONGEST_S


# Texts


def test_molecules_classes_and_words() -> None:
    rng = random.Random(0)
    pieces = ["C", "N", "O", "c1", "1", *"()=#[].@H:/\\", "[N+]", "[O-]", "%10"]
    for text in (*NONSENSE, *("".join(rng.choices(pieces, k=rng.randrange(1, 40))) for _ in range(150))):
        only_sentences(lambda text=text: molecule(text))
        only_sentences(lambda text=text: registry.find_typed(text))
    for _ in range(200):
        text = nonsense(rng)
        read_code(text)
        assert 0 <= ClassTarget.of("learn", {"lesson": text, "key": text}).lesson < 100
        assert "\n" not in plain(text)
        assert set(file_name("..", text)) & set("/\\\x00\n\"'<>") == set()


def test_a_reader_sees_what_was_written_in_one_line() -> None:
    for name in HOSTILE:
        assert name not in plain(name)
        assert read(plain(name)) == name
    assert read(plain(" a\n\n# b\t c ")) == "a # b c"
    for start in ("- a", "+ a", "1. a", "2) a", "---", "===", "    code"):
        assert plain(start) != start
        assert read(plain(start)) == start.strip()
    for name in ("Node 301", "BA-Shapes", "a, b (c); 3.5 %", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "C[C@H](O)CC", "[CH3:1]O"):
        assert "\u2060" not in plain(name)


def test_nobody_is_told_where_things_are_on_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "data"))
    for path, shown in (
        (ROOT / "assets" / "models" / "x.safetensors", "assets/models/x.safetensors"),
        (tmp_path / "data", "the data folder"),
        (tmp_path / "data" / "policies" / "x", "policies/x"),
        ("C/C=C/C", "C/C=C/C"),
    ):
        assert read(plain(f"It is {path}: is it?")) == f"It is {shown}: is it?"
    assert plain("Run `python -m gfx_core bench`: *now*") == "Run `python -m gfx_core bench`\\: \\*now\\*"
