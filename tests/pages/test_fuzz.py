"""Nonsense from outside, drawn from seeds: links, SMILES, traces and recordings. A traceback on a page is a failure."""

import json
import random
import string
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gfx_core.classroom.room import read_code, read_target
from gfx_core.config import ASSETS, TRACES
from gfx_core.datasets.molecules import molecule
from gfx_core.datasets.registry import find_typed
from gfx_core.errors import UserError
from gfx_core.trace.serialize import from_json
from gfx_core.training import recording
from pages.ui.address import _SENSELESS, Parameter
from pages.ui.membership import read_membership as read_class
from pages.ui.text import file_name, plain
from tests.pages.hostile import ALL, parameters
from tests.pages.page_reading import ROOT, Open

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py") if path.stem != "__init__")
LONGEST_S = 2.0
"""Of computing: reading nonsense takes no longer."""
NONSENSE = (
    *("", " ", "0", "-1", "1", "01", "1.0", "1e3", "1e999", "-1e999", "nan", "inf", "1_000", "٣", "１２", "²", "½"),
    *("9" * 11, "9" * 400, "-" + "9" * 400, "0x10", "1,2", "1.2", "1-2", "1_2", "_", ".", ",", "a.b.c", "True", "None"),
    *("\x00", "\n", "a\nb", "\u202e", "é", "\ud83d", "😀", "\\", "'", '"', "%", "%00"),
    *("{}", "[]", "{0}", "{x.__class__}"),
    *("../..", "/etc/passwd", "C:\\x", "__class__", "a" * 5000, "(" * 2000, "1." * 2000, "a-" * 2000, ALL),
)


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
def test_parameters(module: str, parameter: Parameter[Any]) -> None:
    """A parameter is read, refused in a sentence, or taken for not given; what is read is written as it is read."""
    if parameter.default is not None and (spelt := parameter.spell(parameter.default)) is not None:
        assert parameter.parse(spelt) == parameter.default
    rng = random.Random(f"{module} {parameter.name}")
    for text in (*NONSENSE, *(nonsense(rng) for _ in range(60))):
        began = time.thread_time()
        try:
            value = parameter.parse(text)
        except _SENSELESS:
            value = None
        if value not in (None, parameter.default) and value == value:  # not a number: nobody reads that
            spelt = parameter.spell(value)
            assert spelt is None or parameter.parse(spelt) == value, text
        assert time.thread_time() - began < LONGEST_S, text[:50]


SENSIBLE = {"dataset": "tree_cycles", "index": "612", "graph": "path"}
OPENED = [*((page, {}) for page in PAGES), *(("learn", {"lesson": str(number)}) for number in range(2, 10))]
OPENED += [("learn", {"lesson": "4", "part": "2"})]


@pytest.mark.parametrize(
    ("page", "link"), OPENED, ids=lambda each: each if isinstance(each, str) else "".join(each.values())
)
def test_links(page: str, link: dict[str, str], open_page: Open) -> None:
    """All parameters of a page at once, some sensible: what one allows may be what another trips over."""
    rng = random.Random(f"{page} {link}")
    names = sorted({parameter.name for _, parameter in parameters()} - link.keys())
    at = open_page(page, **link)
    for _ in range(2):
        made = {name: nonsense(rng).encode("utf-8", "replace").decode() for name in names}
        made |= {name: text for name, text in SENSIBLE.items() if name in names and rng.random() < 0.7}
        at.query_params.clear()
        at.query_params.update(made | link)
        at.run()
        assert not at.exception, made


def only_sentences(read: Callable[[], object]) -> None:
    """Something is read, or refused in one sentence, and soon."""
    began, told = time.thread_time(), "."
    try:
        read()
    except UserError as error:
        told = str(error)
    assert told.strip()
    assert len(told) < 600
    assert time.thread_time() - began < LONGEST_S


def test_molecules() -> None:
    rng = random.Random(0)
    pieces = ["C", "N", "O", "c1", "1", *"()=#[].@H:/\\", "[N+]", "[O-]", "%10"]
    for text in NONSENSE:
        only_sentences(lambda text=text: molecule(text))
        only_sentences(lambda text=text: find_typed(text))
    for _ in range(300):
        text = "".join(rng.choices(pieces, k=rng.randrange(1, 40)))
        only_sentences(lambda text=text: molecule(text))


def test_classes() -> None:
    rng = random.Random(1)
    for _ in range(300):
        text = nonsense(rng)
        read_code(text)
        read_class(text)
        only_sentences(lambda text=text: read_target(text, ("learn",)))
        only_sentences(lambda text=text: read_target(f"/learn?{text}", ("learn",)).link)


def test_words() -> None:
    rng = random.Random(2)
    for _ in range(300):
        text = nonsense(rng)
        assert "\n" not in plain(text)
        assert set(file_name("..", text)) & set("/\\\x00\n\"'<>") == set()


def places(values: Any) -> Iterator[tuple[Any, Any]]:
    """Every position in nested JSON."""
    for key in range(len(values)) if isinstance(values, list) else list(values) if isinstance(values, dict) else ():
        yield values, key
        yield from places(values[key])


JUNK = (None, True, "x", ALL, "a\nb", 1.5, -1, 10**30, 1e308, float("nan"), [], {}, [[]], "\ud800", [None] * 5)


NO_FILES = (b"", b"\xff" * 100, b"[" * 100_000, b"{}", b"1", b'"x"', b"null", b'{"schema": 1e999}')


def spoilt(text: str, rng: random.Random) -> str:
    """A file after somebody changed it in one to three places, or cut it off."""
    if rng.random() < 0.2:
        return text[: rng.randrange(len(text))]
    values = json.loads(text)
    for _ in range(rng.randrange(1, 4)):
        within, key = rng.choice(list(places(values)))
        change = rng.randrange(4)
        if change == 0:
            del within[key]
        elif change == 1 and isinstance(within[key], (int, float)):
            within[key] = within[key] * rng.choice((-1, 0, 2, 1.0001)) + rng.choice((-1, 0, 1))
        elif change == 2 and isinstance(within, list):
            within.append(within[key])
        else:
            within[key] = rng.choice(JUNK)
    return json.dumps(values)


def test_traces(open_page: Open) -> None:
    """A spoilt trace is refused in a sentence; one that is not can be shown."""
    rng, shown = random.Random(3), 0
    text = (TRACES / "ba_2motifs-0.json").read_text(encoding="utf-8")
    at = open_page("explain", tab="files")
    for _ in range(120):
        changed = spoilt(text, rng)
        only_sentences(lambda changed=changed: from_json(changed, "file"))
        try:
            from_json(changed, "file")
        except UserError:
            continue
        if shown < 4:
            shown += 1
            at.file_uploader(key="upload").upload(f"{shown}.json", changed.encode()).run()
            assert not at.exception
            assert at.info[0].value.startswith("This trace was loaded from a file")
    for data in NO_FILES:
        only_sentences(lambda data=data: from_json(data, "file"))


def test_recordings() -> None:
    rng = random.Random(4)
    smallest = min((ASSETS / "trainings").glob("*.json"), key=lambda path: path.stat().st_size)
    text = smallest.read_text(encoding="utf-8")
    for _ in range(12):
        changed = spoilt(text, rng)
        only_sentences(lambda changed=changed: recording.from_json(changed, "file"))
    for data in NO_FILES:
        only_sentences(lambda data=data: recording.from_json(data, "file"))
