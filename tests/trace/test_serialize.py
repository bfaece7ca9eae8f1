"""Traces as JSON and as files: whole ones come back equal, and nothing is written that could not be read."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.trace.serialize import from_json, load, save, to_json
from tests.conftest import ROOT
from tests.toys.traces import changed, make_trace, plain


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number of nested JSON with its path, and whatever else is no list or object."""
    if not isinstance(value, list | dict):
        yield path, value
    for key, part in enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ():
        yield from numbers(part, f"{path}.{key}")


@pytest.mark.parametrize("path", sorted((ASSETS / "traces").glob("*.json")), ids=lambda path: path.stem)
def test_shipped_files_come_out_as_they_are(path: Path) -> None:
    """What is derived when one is read is what was recorded, but for the last digits."""
    stored, read = (dict(numbers(json.loads(text))) for text in (path.read_bytes(), to_json(load(path))))
    assert stored.keys() == read.keys()
    for place, value in stored.items():
        assert read[place] == (pytest.approx(value, rel=1e-6, abs=1e-6) if isinstance(value, float) else value), place


def test_there_and_back() -> None:
    trace = make_trace()
    text = to_json(trace)
    assert from_json(text) == trace
    assert from_json(text.encode()) == trace
    assert from_json(b"\xef\xbb\xbf" + text.encode()) == trace
    assert to_json(from_json(text)) == text
    assert text.startswith('{"schema":7,"dataset":"tree_cycles"')
    assert to_json(replace(trace, made=dict(reversed(trace.made.items())))) == text
    assert plain()["steps"][3]["frontier"][0]["log_flow"] == "-Infinity"  # which JavaScript understands
    assert from_json(text).samples[2].log_probability == -math.inf
    position = from_json(changed("nodes", 1, "position", value=[2, 1])).nodes[1].position
    assert [type(value) for value in position] == [float, float]


@pytest.mark.parametrize(
    "label", ["</script><b>", "-Infinity", "NaN", ":NaN,", '"log_flow":-Infinity', "[-Infinity]", "\\n"]
)
def test_texts_stay_texts_and_cannot_end_a_script(label: str) -> None:
    trace = make_trace()
    trace = replace(trace, nodes=(replace(trace.nodes[0], label=label), *trace.nodes[1:]))
    assert "<" not in to_json(trace)
    assert from_json(to_json(trace)) == trace


def test_too_large_to_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.trace.serialize.MAX_BYTES", 2**10)
    with pytest.raises(UserError, match="too large for a trace"):
        to_json(make_trace())


@pytest.mark.parametrize(
    "change",
    [
        {"index": np.int64(3)},
        {"log_z_exact": math.nan},
        {"log_z_exact": math.inf},
        {"log_z_exact": np.float32(1)},
        {"classes": ["tree", "cycle"]},
        {"made": {"shape": (1, 2)}},
        {"made": {"least": -math.inf}},
        {"made": {"path": Path()}},
        {"made": {1: "one"}},
        {"target": 1},
    ],
)
def test_nothing_is_written_that_could_not_be_read(change: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"^trace: .*\.$"):
        to_json(replace(make_trace(), **change))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "new" / "square.json"
    save(make_trace(), path)
    save(make_trace(), path)
    assert load(path) == make_trace()
    assert [file.name for file in path.parent.iterdir()] == ["square.json"]
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(UserError, match=r"^square\.json: .*cut off"):
        load(path)
    with pytest.raises(UserError, match="no trace"):
        load(tmp_path / "nothing.json")
    for folder in (tmp_path, tmp_path / "a\0b"):
        with pytest.raises(UserError, match="cannot be read"):
            load(folder)
    with pytest.raises(UserError, match="cannot be written"):
        save(make_trace(), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["new"]


_AT_ONCE = """
import threading, time, typing
from pathlib import Path

from gfx_core.json_files import convert, parse
from gfx_core.trace.schema import Trace

quick, pauses = typing._AnnotatedAlias.__hash__, iter([0.001] * 100)
typing._AnnotatedAlias.__hash__ = lambda self: time.sleep(next(pauses, 0)) or quick(self)  # others come in between
values = parse(next(Path("assets/traces").glob("*.json")).read_bytes())
threads = [threading.Thread(target=convert, args=(values, Trace)) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_the_first_traces_are_read_by_several_threads_at_once() -> None:
    """msgspec looks at a type when it is first read, and what is half looked at ended the server."""
    assert subprocess.run([sys.executable, "-c", _AT_ONCE], cwd=ROOT, check=False).returncode == 0
