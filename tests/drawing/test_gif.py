"""The GIF of a trace: its frames, how long they last, and that any label can be drawn."""

import io
import re
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from PIL import Image

from gfx_core.config import ASSETS
from gfx_core.drawing.colours import CUT_VERTEX, FOUND, MISTAKE, MOTIF, START
from gfx_core.drawing.gif import SIZE, _wrapped, frame_svg, gif
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import load
from tests.toys.traces import make_trace

TRACES = sorted((ASSETS / "traces").glob("*.json"))


def frames(trace: Trace) -> list[Image.Image]:
    image = Image.open(io.BytesIO(gif(trace)))
    found = []
    for number in range(image.n_frames):
        image.seek(number)
        found.append(image.convert("RGB"))
        found[-1].info["duration"] = image.info["duration"]
    return found


def holds(image: Image.Image, colour: str) -> bool:
    """Whether some pixels have about this colour."""
    wanted = tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
    colours = image.getcolors(SIZE[0] * SIZE[1]) or []
    near = sum(count for count, found in colours if max(abs(a - b) for a, b in zip(found, wanted, strict=True)) < 24)
    return near > 12


@pytest.mark.parametrize("path", [TRACES[0], TRACES[-1]], ids=lambda path: path.stem)
def test_a_frame_for_each_step_and_one_for_the_result(path: Path) -> None:
    trace = load(path)
    found = frames(trace)
    assert len(found) == len(trace.steps) + 1
    assert {image.size for image in found} == {SIZE}
    assert [image.info["duration"] for image in found] == [1000] * len(trace.steps) + [3000]
    for step, image in zip(trace.steps, found, strict=False):
        assert holds(image, START.colour)
        assert holds(image, CUT_VERTEX.colour) == bool(step.cut_vertices)
    assert holds(found[-1], MOTIF.colour) == bool(trace.hits or trace.missed)
    assert holds(found[-1], MISTAKE.colour) == bool(trace.extra)


def test_labels_are_only_text_and_one_node_is_enough() -> None:
    trace = load(TRACES[0])
    strange = replace(trace.nodes[0], label="<b>\n&😀", position=(0.0, 0.0))
    alone = replace(
        trace,
        nodes=(strange,),
        edges=(),
        start=0,
        steps=(replace(trace.steps[0], members=(0,), frontier=(), cut_vertices=(), parents=(), chosen=None),),
        final=replace(trace.final, nodes=(0,), edges=()),
    )
    assert len(frames(alone)) == 2


def test_where_nothing_is_known_to_be_true_nothing_is_right_or_wrong() -> None:
    trace = make_trace()
    unknown = replace(trace, edges=tuple(replace(edge, in_motif=None) for edge in trace.edges))
    last = frames(unknown)[-1]
    assert holds(last, FOUND.colour)
    assert not holds(last, MOTIF.colour)
    assert not holds(last, MISTAKE.colour)


def test_the_answer_is_in_the_last_picture_and_in_the_file() -> None:
    trace = make_trace()
    assert trace.answer is not None
    short = replace(trace, steps=trace.steps[:1])
    assert Image.open(io.BytesIO(gif(short))).info["comment"].decode() == trace.answer.sentence
    assert "comment" not in Image.open(io.BytesIO(gif(replace(short, answer=None)))).info
    words = escape(trace.answer.sentence.split()[0])
    assert f">{words}" in frame_svg(trace, None)
    assert f">{words}" not in frame_svg(replace(trace, answer=None), None)
    assert not re.search(r"var\(|color-mix", frame_svg(trace, None))  # which only browsers know


def test_any_sentence_fits_and_no_line_begins_with_a_percent_sign() -> None:
    for words in (1, 20, 60, 100):
        text = " ".join(["words"] * words)[:600]
        size, lines = _wrapped(f"{text}\nand a line")
        assert (" ".join(lines[:-1]), lines[-1]) == (text, "and a line")
        assert 7 <= size <= 17
    for words in range(40):
        _, lines = _wrapped(f"{'x' * words} {'a little 99 % of it ' * 12}")
        assert not [line for line in lines if line.startswith("%")]
