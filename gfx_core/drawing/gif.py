"""The trajectory as a GIF: one frame for each step, the last one over the true motif, with the answer in a sentence.

A frame is an SVG, rasterised by resvg with the font in assets/fonts: the same picture wherever it is made.
"""

import io
import re
import textwrap

from gfx_core.config import ASSETS
from gfx_core.drawing.colours import ACTION
from gfx_core.drawing.masks import state_picture
from gfx_core.drawing.svg import STYLE
from gfx_core.drawing.templates import render
from gfx_core.errors import UserError
from gfx_core.text.answers import counted_truth, things, trace_title
from gfx_core.trace.schema import Step, Trace

SIZE = (720, 640)
STEP_MS = 1000
"""How long a step is shown; the last picture stays three times as long."""
_STRIP = 104  # height of the caption
_TEXT, _FEW, _LINE = 17, 62, 1.3  # size of the caption's text, characters in a line of it, distance of lines
_ROOM = (SIZE[0] - 40.0, SIZE[1] - _STRIP - 40.0)  # for the picture above it
_ENLARGED = 1.5  # how far a small picture grows
_STYLE = re.sub(r"var\(--[\w-]+, ([^()]+)\)", r"\1", STYLE.partition("}")[2])
"""Without variables, which only browsers know: the light theme's."""


def gif(trace: Trace) -> bytes:
    """A looping GIF of a trace."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:  # they are optional extras of the library
        raise UserError("A GIF needs resvg and Pillow: pip install resvg-py pillow.") from error

    frames = []
    for step in (*trace.steps, None):
        png = resvg_py.svg_to_bytes(
            svg_string=frame_svg(trace, step),
            background="#ffffff",
            skip_system_fonts=True,
            font_files=[str(ASSETS / "fonts" / "DejaVuSans.ttf")],
            font_family="DejaVu Sans",
            sans_serif_family="DejaVu Sans",
        )
        with Image.open(io.BytesIO(png)) as image:
            frames.append(image.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[STEP_MS] * len(trace.steps) + [3 * STEP_MS],
        loop=0,
        disposal=1,
        **({} if trace.answer is None else {"comment": trace.answer.sentence.encode()}),
    )
    return buffer.getvalue()


def frame_svg(trace: Trace, step: Step | None) -> str:
    """One picture with its caption: a step, or (None) the result over the motif."""
    marks = state_picture(trace, step, size=_ROOM, unit=max(SIZE)).marks()
    scale = min(_ROOM[0] / marks.width, _ROOM[1] / marks.height, _ENLARGED)
    size, lines = _wrapped(_caption(trace, step))
    return render(
        "pages/frame.svg",
        width=SIZE[0],
        height=SIZE[1],
        style=_STYLE,
        marks=marks,
        left=(SIZE[0] - scale * marks.width) / 2,
        top=(SIZE[1] - _STRIP - scale * marks.height) / 2,
        scale=scale,
        ink=ACTION.colour,
        size=size,
        lines=lines,
        middle=SIZE[1] - _STRIP / 2,
    )


def _caption(trace: Trace, step: Step | None) -> str:
    """What a frame shows."""
    noun = f"{things(trace).node}s"
    if step is None:
        result = f"{len(trace.final.nodes)} {noun}, log R {trace.final.log_reward:.2f}"
        result = f"{trace_title(trace)}: {'; '.join(filter(None, [result, counted_truth(trace)]))}"
        return result if trace.answer is None else f"{trace.answer.sentence}\n{result}"
    residual = "" if step.residual is None else f", flow residual {step.residual:+.3f}"
    action = "STOP" if step.chosen is None else f"adds {trace.nodes[step.chosen].label}"
    chances = {None: step.stop.probability} | {action.node: action.probability for action in step.frontier}
    chance = chances.get(step.chosen, 0.0)
    return f"{step.size} of {len(trace.steps)} {noun}{residual}; next: {action} ({100 * chance:.1f} %)"


def _wrapped(text: str) -> tuple[float, list[str]]:
    """The largest size of text at which it fits into the caption, and its lines."""
    for size in range(_TEXT, 5, -1):
        width = round(_FEW * _TEXT / size)
        solid = text.replace(" %", "\u00a0%")  # no line begins with a percent sign
        lines = [line.replace("\u00a0", " ") for part in solid.splitlines() for line in textwrap.wrap(part, width)]
        if len(lines) * size * _LINE <= _STRIP - 6:
            break
    return size, lines
