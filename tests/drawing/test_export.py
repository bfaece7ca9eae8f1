"""Files that play a trace or a training on their own: whole, without any request, and no text becomes markup."""

import json
import re
from dataclasses import asdict
from html.parser import HTMLParser

import pytest
from msgspec import structs

from gfx_core.config import ASSETS
from gfx_core.drawing import export
from gfx_core.drawing.export import player_html, train_html, train_parts
from gfx_core.text.theorem import theorem_words
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import from_json, load, to_json
from tests.toys.traces import make_trace, states_along
from tests.training.toy_recording import Toy, toy_recording

EVIL = "<img src=x onerror=alert(1)>"


class Elements(HTMLParser):
    """The start tags of a page, and the text of its JSON."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.data = ""
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside = ("id", "data") in attrs

    def handle_data(self, data: str) -> None:
        self.data += data if self._inside else ""


def check_offline(page: str) -> None:
    """It can fetch nothing: no address, no way to load one, and a policy that forbids all."""
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`]*", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not a place
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|import\(|<link|<iframe| src=", page)
    assert "default-src 'none'" in page


@pytest.fixture(scope="module")
def trace() -> Trace:
    return load(ASSETS / "traces" / "ba_shapes-423.json")


def test_the_page_contains_the_trace_and_nothing_is_fetched(trace: Trace) -> None:
    page = player_html(trace)
    data = json.loads(Elements(page).data)
    assert from_json(data["trace"]) == trace
    assert data["theorem"] == theorem_words(trace)
    assert len(page.encode()) - len(to_json(trace).encode()) < 170_000
    check_offline(page)


def test_the_answer_is_there_without_the_script() -> None:
    trace = make_trace()
    assert trace.answer is not None
    answer = structs.replace(trace.answer, sentence="Because of <b>this</b> & that.")
    page = player_html(structs.replace(trace, answer=answer))
    escaped = "Because of &lt;b&gt;this&lt;/b&gt; &amp; that."
    assert f'<meta name="description" content="{escaped}">' in page
    assert f"<noscript><p>{escaped}</p></noscript>" in page


def test_the_states_are_there_unless_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace()
    picture = states_along(trace)
    page = player_html(trace, (picture, f"Seven states. {EVIL}"))
    states = json.loads(Elements(page).data)["options"]["states"]
    assert states == {"words": f"Seven states. {EVIL}", "picture": json.loads(json.dumps(asdict(picture)))}
    assert "img" not in Elements(page).tags
    assert json.loads(Elements(player_html(trace)).data)["options"]["states"] == {"words": export.UNLISTED}
    monkeypatch.setattr(export, "MOST_STATES", 100)
    small = player_html(trace, (picture, "Seven states."))
    assert json.loads(Elements(small).data)["options"]["states"] == {"words": export.TOO_LARGE}
    assert len(small) < len(page)  # nor the code that draws them


@pytest.mark.parametrize("text", [EVIL, "</script><script>alert(1)</script>", "<!--<script>", "]]>&lt;"])
def test_hostile_texts_add_no_elements(text: str, trace: Trace) -> None:
    nodes = tuple(structs.replace(node, label=text, features=((text, text),)) for node in trace.nodes)
    evil = structs.replace(trace, nodes=nodes, classes=(text,) * len(trace.classes), dataset_title=text, model=text)
    parsed = Elements(player_html(evil))
    assert parsed.tags == Elements(player_html(trace)).tags
    assert from_json(json.loads(parsed.data)["trace"]) == evil
    recording = toy_recording(Toy(frames=2))
    harmless = Elements(train_html(recording)).tags
    recording["title"] = recording["lanes"][0]["name"] = recording["lanes"][0]["scenes"][0]["nodes"][0]["label"] = text
    assert Elements(train_html(recording)).tags == harmless


# Trainings


def test_a_recording_is_whole_in_its_file() -> None:
    recording = toy_recording(Toy(lanes=2, frames=3))
    page = train_html(recording)
    data = json.loads(Elements(page).data)
    for part in ("frames", "scenes"):
        assert [lane[part] for lane in data["lanes"]] == [lane[part] for lane in recording["lanes"]]
    assert data["live"] is None
    check_offline(page)


def test_only_new_frames_are_sent() -> None:
    recording = toy_recording(Toy(lanes=2, frames=5, changed=3))
    whole = train_parts(recording, "a")
    assert [(lane["from"], len(lane["scenes"])) for lane in whole["lanes"]] == [(0, 2), (0, 2)]
    since = train_parts(recording, "a", [3, 4])
    assert [[scene["from"] for scene in lane["scenes"]] for lane in since["lanes"]] == [[3], []]
    some = train_parts(recording, "a", [4, 9])
    assert [(lane["from"], len(lane["frames"])) for lane in some["lanes"]] == [(4, 1), (5, 0)]  # no more than there are
    assert train_parts(recording, "a", [4])["lanes"] == whole["lanes"]  # of other lanes: all
