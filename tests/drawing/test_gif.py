"""The GIF of a trace: its frames, how long they last, and any label or sentence can be drawn."""

import io
import re
from xml.sax.saxutils import escape

import pytest
from msgspec.structs import replace
from PIL import Image

from gfx_core.config import ASSETS
from gfx_core.drawing.colours import CUT_VERTEX, FOUND, MISTAKE, MOTIF, START
from gfx_core.drawing.gif import SIZE, _wrapped, frame_svg, gif
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import load
from tests.toys.traces import make_trace


def frames(trace: Trace) -> list[Image.Image]:
    image = Image.open(io.BytesIO(gif(trace)))
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
        assert contains(image, START.colour)
        assert contains(image, CUT_VERTEX.colour) == bool(step.cut_vertices)
    assert contains(images[-1], MOTIF.colour) == trace.has_truth
    assert contains(images[-1], MISTAKE.colour) == any(
        trace.edges[edge].in_motif is False for edge in trace.final.edges
    )


def test_without_a_motif_nothing_is_right_or_wrong_and_the_answer_is_in_the_file() -> None:
    trace = make_trace()
    assert trace.answer is not None
    short = replace(trace, steps=trace.steps[:1], edges=tuple(replace(e, in_motif=None) for e in trace.edges))
    last = frames(short)[-1]
    assert [contains(last, role.colour) for role in (FOUND, MOTIF, MISTAKE)] == [True, False, False]
    assert Image.open(io.BytesIO(gif(short))).info["comment"].decode() == trace.answer.sentence
    first = f">{escape(trace.answer.sentence.split()[0])}"
    assert first in frame_svg(trace, None)
    assert first not in frame_svg(replace(trace, answer=None), None)
    assert not re.search(r"var\(|color-mix", frame_svg(trace, None))  # only browsers know these


def test_labels_are_only_text_and_one_node_is_enough() -> None:
    trace = make_trace()
    strange = replace(trace.nodes[0], label="<b>\n&😀", position=(0.0, 0.0))
    step = replace(trace.steps[0], members=(0,), frontier=(), cut_vertices=(), parents=(), chosen=None)
    final = replace(trace.final, nodes=(0,), edges=())
    assert len(frames(replace(trace, nodes=(strange,), edges=(), start=0, steps=(step,), final=final))) == 2


@pytest.mark.parametrize("words", [1, 20, 60, 100])
def test_any_sentence_fits(words: int) -> None:
    text = " ".join(["words"] * words)[:600]
    size, lines = _wrapped(f"{text}\nand a line")
    assert (" ".join(lines[:-1]), lines[-1]) == (text, "and a line")
    assert 7 <= size <= 17
    _, lines = _wrapped(f"{'x' * words} {'a little 99 % of it ' * 12}")
    assert not [line for line in lines if line.startswith("%")]
