"""The trajectory as a GIF: one frame for each step, the last one over the true motif, with the answer in a sentence.

A frame is an SVG, rasterised by resvg with the font in assets/fonts: the same picture wherever it is made.
"""

import io
import re
import textwrap

from gfx_core.config import ASSETS
from gfx_core.drawing.colours import ROLES
from gfx_core.drawing.masks import state_picture
from gfx_core.drawing.svg import STYLE
from gfx_core.errors import UserError
from gfx_core.text.answers import counted_truth, things, trace_title
from gfx_core.trace.schema import Step, Trace

SIZE = (720, 640)
STEP_MS = 1000
"""How long a step is shown; the last picture stays three times as long."""
_STRIP = 104  # height of the caption
_LETTERS, _LINE = 15, 76  # largest size of the caption's text, and characters in a line of it
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
            sans_serif_family="DejaVu Sans",
        )
        frames.append(Image.open(io.BytesIO(png)).convert("RGB"))
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[STEP_MS] * len(trace.steps) + [3 * STEP_MS],
        loop=0,
        comment=b"" if trace.answer is None else trace.answer.sentence.encode(),
    )
    return buffer.getvalue()


def frame_svg(trace: Trace, step: Step | None) -> str:
    """One picture with its caption: a step, or (None) the result over the motif."""
    text = _caption(trace, step).replace(" %", "\u00a0%")  # no line begins with a percent sign
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, _LINE)]
    picture = state_picture(trace, step, size=(SIZE[0] - 40.0, SIZE[1] - _STRIP - 40.0), unit=max(SIZE))
    return picture.svg(
        "pages/frame.svg",
        frame=SIZE,
        strip=_STRIP,
        style=_STYLE,
        ink=ROLES["action"],
        lines=lines,
        letters=min(_LETTERS, _STRIP / (1.35 * len(lines))),
    )


def _caption(trace: Trace, step: Step | None) -> str:
    """What a frame shows."""
    if step is None:
        size = f"{len(trace.final.nodes)} {things(trace).node}s, log R {trace.final.log_reward:.2f}"
        result = f"{trace_title(trace)}: {'; '.join(filter(None, [size, counted_truth(trace)]))}"
        return result if trace.answer is None else f"{trace.answer.sentence}\n{result}"
    action = "STOP" if step.chosen is None else f"adds {trace.nodes[step.chosen].label}"
    return f"{step.size} of {len(trace.steps)} {things(trace).node}s; next: {action} ({step.action.probability:.1%})"
