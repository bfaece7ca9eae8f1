"""The file that plays a trace on its own."""

import dataclasses
import json
import re
from html.parser import HTMLParser

import pytest

from gfx_core.config import ASSETS
from gfx_core.drawing import colours, export
from gfx_core.drawing.export import player_css, player_html
from gfx_core.text.answers import flow_words
from gfx_core.text.theorem import theorem_words
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import from_json, load, to_json
from tests.toys.traces import make_trace, states_along

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


@pytest.fixture(scope="module")
def trace() -> Trace:
    return load(ASSETS / "traces" / "ba_shapes-423.json")


def test_the_page_holds_the_trace(trace: Trace) -> None:
    data = json.loads(Elements(player_html(trace)).data)
    assert from_json(data["trace"]) == trace
    assert data["theorem"] == theorem_words(trace)


def test_the_answer_is_there_without_the_script() -> None:
    trace = make_trace()
    assert trace.answer is not None
    sentence = "Because of <b>this</b> & that."
    page = player_html(dataclasses.replace(trace, answer=dataclasses.replace(trace.answer, sentence=sentence)))
    escaped = "Because of &lt;b&gt;this&lt;/b&gt; &amp; that."
    assert f'<meta name="description" content="{escaped}">' in page
    assert f"<noscript><p>{escaped}</p></noscript>" in page
    assert "Why does the GNN predict" in player_html(dataclasses.replace(trace, answer=None))


def test_nothing_is_fetched(trace: Trace) -> None:
    page = player_html(trace)
    assert len(page.encode()) - len(to_json(trace).encode()) < 170_000
    assert f"<p>{flow_words(trace)}</p>" in page
    molecule = load(ASSETS / "traces" / "mutagenicity-nitrobenzene.json")
    assert "<title>Mutagenicity · C₆H₅NO₂</title>" in player_html(dataclasses.replace(molecule, made={}))
    named = dataclasses.replace(molecule, made={"name": "Nitrobenzene"})
    assert "<title>Mutagenicity Nitrobenzene</title>" in player_html(named)
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`]*", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not a place
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|import\(|<link|<iframe| src=", page)
    assert "default-src 'none'" in page


def test_the_page_holds_the_states_where_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace()
    picture = states_along(trace)
    page = player_html(trace, (picture, f"Seven states. {EVIL}"))
    states = json.loads(Elements(page).data)["options"]["states"]
    assert states["words"] == f"Seven states. {EVIL}"
    assert states["picture"] == json.loads(json.dumps(dataclasses.asdict(picture)))
    assert "img" not in Elements(page).tags
    without = json.loads(Elements(player_html(trace)).data)["options"]["states"]
    assert without == {"words": export.UNLISTED}
    monkeypatch.setattr(export, "MOST_STATES", 100)
    small = player_html(trace, (picture, "Seven states."))
    assert json.loads(Elements(small).data)["options"]["states"] == {"words": export.TOO_LARGE}
    assert len(small) < len(page)  # nor the code that draws them


@pytest.mark.parametrize("text", [EVIL, "</script><script>alert(1)</script>", "<!--<script>", "\u2028]]>&lt;"])
def test_hostile_texts_add_no_elements(text: str, trace: Trace) -> None:
    text = text.replace("\u2028", "")  # the trace itself refuses line separators
    harmless = Elements(player_html(trace)).tags
    nodes = tuple(dataclasses.replace(node, label=text, features=((text, text),)) for node in trace.nodes)
    evil = dataclasses.replace(trace, nodes=nodes, classes=(text,) * len(trace.classes), dataset_title=text, model=text)
    page = player_html(evil)
    parsed = Elements(page)
    assert parsed.tags == harmless
    assert from_json(json.loads(parsed.data)["trace"]) == evil


def test_colours_come_from_the_one_table() -> None:
    css = player_css()
    for role in (colours.START, colours.ACTION, colours.FRONTIER, colours.CUT_VERTEX, colours.PARENT, colours.MOTIF):
        assert css.count(role.colour) >= 1
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b", (ASSETS / "bundles" / "player.mjs").read_text(encoding="utf-8"))
