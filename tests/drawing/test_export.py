"""Files that play a trace or a training on their own: whole, without any request, and no text becomes markup."""

import io
import json
import re
from dataclasses import asdict
from html.parser import HTMLParser
from xml.sax.saxutils import escape

import pytest
from msgspec import structs
from msgspec.structs import replace
from PIL import Image

from gfx_core.config import ASSETS
from gfx_core.drawing import export
from gfx_core.drawing.colours import ROLES
from gfx_core.drawing.export import SIZE, content, frame_svg, gif, player_html, train_html, train_parts
from gfx_core.site.build import figure_row
from gfx_core.text.answers import prediction_words
from gfx_core.text.theorem import theorem_words
from gfx_core.trace.schema import MethodMask, Trace
from gfx_core.trace.serialize import from_json, load, to_json
from tests.toys.traces import make_trace, sentence_trace, states_along
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
    assert [story["theorem"] for story in data["words"]["stories"]] == 2 * [theorem_words(trace)]
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
    assert json.loads(Elements(player_html(trace)).data)["options"]["states"] is None
    monkeypatch.setattr(export, "MOST_STATES", 100)
    small = player_html(trace, (picture, "Seven states."))
    assert json.loads(Elements(small).data)["options"]["states"] is None
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


def test_only_new_frames_are_sent() -> None:
    recording = toy_recording(Toy(lanes=2, frames=5, changed=3))
    whole = train_parts(recording, "a")
    assert [(lane["from"], len(lane["scenes"])) for lane in whole["lanes"]] == [(0, 2), (0, 2)]
    since = train_parts(recording, "a", [3, 4])
    assert [[scene["from"] for scene in lane["scenes"]] for lane in since["lanes"]] == [[3], []]
    some = train_parts(recording, "a", [4, 9])
    assert [(lane["from"], len(lane["frames"])) for lane in some["lanes"]] == [(4, 1), (5, 0)]  # no more than there are
    assert train_parts(recording, "a", [4])["lanes"] == whole["lanes"]  # of other lanes: all
    assert whole["changes"] == [(150, " in both lanes: β = 2")]


def test_nodes_and_states_have_names_and_states_without_an_instance_columns() -> None:
    recording = toy_recording(Toy(frames=2))
    (scene,) = train_parts(recording, "a")["lanes"][0]["scenes"]
    assert ([node["name"] for node in scene["nodes"]], scene["names"]) == (list("01234567"), None)
    nodes = recording["lanes"][0]["scenes"][0]["nodes"]
    for node, letter in zip(nodes, "abcdefgh", strict=True):
        node["label"] = letter
    assert train_parts(recording, "a")["lanes"][0]["scenes"][0]["names"][:3] == ["a", "ab", "ad"]
    nodes[1]["element"] = "C"
    (scene,) = train_parts(recording, "a")["lanes"][0]["scenes"]
    assert (scene["nodes"][1]["name"], scene["names"]) == ("C1", None)
    grid = {"nodes": [], "states": [[]] * 4, "links": [[0, 2, 0], [1, 3, 0], [0, 1, 0], [2, 3, 0]]}
    recording["lanes"][0]["scenes"] = [{**scene, **grid}]
    (scene,) = train_parts(recording, "a")["lanes"][0]["scenes"]
    assert (scene["labels"][3], scene["column"]) == ("state 3", [0, 1, 1, 2])


# The GIF


def frames(trace: Trace) -> list[Image.Image]:
    image = Image.open(io.BytesIO(content(trace, ".gif")))
    images = []
    for number in range(image.n_frames):
        image.seek(number)
        images.append(image.convert("RGB"))
        images[-1].info["duration"] = image.info["duration"]
    return images


def contains(image: Image.Image, colour: str) -> bool:
    """Whether some pixels have about this colour."""
    wanted = tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
    pixels = image.getcolors(SIZE[0] * SIZE[1]) or []
    return sum(n for n, pixel in pixels if max(abs(a - b) for a, b in zip(pixel, wanted, strict=True)) < 24) > 12


def test_a_frame_for_each_step_and_one_for_the_result() -> None:
    trace = load(ASSETS / "traces" / "ba_2motifs-0.json")
    images = frames(trace)
    assert {image.size for image in images} == {SIZE}
    assert [image.info["duration"] for image in images] == [1000] * len(trace.steps) + [3000]
    for step, image in zip(trace.steps, images, strict=False):
        assert contains(image, ROLES["start"])
        assert contains(image, ROLES["cut"]) == bool(step.cut_vertices)
    assert contains(images[-1], ROLES["motif"]) == trace.has_truth
    assert contains(images[-1], ROLES["extra"]) == any(
        trace.edges[edge].in_motif is False for edge in trace.final.edges
    )


def test_without_a_motif_nothing_is_right_or_wrong_and_the_answer_is_in_the_file() -> None:
    trace = make_trace()
    assert trace.answer is not None
    short = replace(trace, steps=trace.steps[:1], edges=tuple(replace(e, in_motif=None) for e in trace.edges))
    last = frames(short)[-1]
    assert [contains(last, ROLES[role]) for role in ("found", "motif", "extra")] == [True, False, False]
    assert Image.open(io.BytesIO(gif(short))).info["comment"].decode() == trace.answer.sentence
    first = f">{escape(trace.answer.sentence.split()[0])}"
    assert first in frame_svg(trace, None)
    assert first not in frame_svg(replace(trace, answer=None), None)
    assert not re.search(r"var\(|color-mix", frame_svg(trace, None))  # only browsers know these


def test_labels_are_only_text_and_one_node_is_enough() -> None:
    trace = make_trace()
    strange = replace(trace.nodes[0], label="<b>\n&😀", position=(0.0, 0.0))
    step = replace(trace.steps[0], members=(0,), frontier=(), cut_vertices=(), parents=(), chosen=None)
    lone = replace(trace, nodes=(strange,), edges=(), start=0, answer=None)
    assert len(frames(replace(lone, steps=(step,), final=replace(trace.final, nodes=(0,), edges=())))) == 2


@pytest.mark.parametrize("words", [1, 20, 60, 100])
def test_any_sentence_fits(words: int) -> None:
    trace = make_trace()
    sentence = f"{'word ' * words}{'a little 99 % of it ' * 12}"[:600].strip()
    assert trace.answer is not None
    svg = frame_svg(replace(trace, answer=replace(trace.answer, sentence=sentence)), None)
    lines = re.findall(r'<text x="360.0" y="([\d.]+)">([^<]*)</text>', svg)
    assert " ".join(text.replace("\u00a0", " ") for _, text in lines).startswith(sentence)
    assert all(SIZE[1] - 104 < float(y) < SIZE[1] and not text.startswith("%") for y, text in lines)


# A prediction under several explainers


def test_a_row_has_a_picture_for_each_mask_and_marks_wrong_predictions() -> None:
    masks = (
        MethodMask("gflowexplainer", (0.1, 0.2, 0.9, 0.8), 0.1),
        MethodMask("subgraphx", (0.9, 0.2, 0.1, 0.1), 0.1),
    )
    review = replace(sentence_trace(), masks=masks)
    assert ["<svg" in picture for picture in figure_row(review)["pictures"]] == [True, False, False, True]
    predicted = review.prediction.predicted
    right, wrong = (
        replace(review, prediction=replace(review.prediction, true=true)) for true in (predicted, 1 - predicted)
    )
    assert "wrong" not in prediction_words(right)
    assert prediction_words(wrong).endswith(f"wrong: it is {review.classes[1 - predicted]}")
