"""The trajectory as a GIF: one frame for each step, the last one over the true motif, with the answer in a sentence."""

import io
import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gfx_core.drawing.colours import (
    ACTION,
    CUT_VERTEX,
    ELEMENTS,
    FOUND,
    FRONTIER,
    MISTAKE,
    MOTIF,
    PARENT,
    PLAIN,
    START,
    text_on,
)
from gfx_core.drawing.gif_words import WordShapes
from gfx_core.text.answers import trace_title
from gfx_core.trace.schema import Step, Trace

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SIZE = (720, 640)
_STRIP = 104  # height of the caption
_TEXT, _FEW, _LINE = 17, 66, 1.3  # size of the caption's text, characters in a line of it, distance of lines
_GLYPHS = str.maketrans("₀₁₂₃₄₅₆₇₈₉–−", "0123456789--")  # those that the font has
_MARGIN = 40
_FINE = 2  # drawn so many times larger, then shrunk: smooth edges
_LABELLED = 80  # pictures of more nodes than this carry no text
_PAPER = "#ffffff"


@dataclass(frozen=True)
class _Canvas:
    """A picture in the making, and where the trace's nodes are on it."""

    draw: "ImageDraw"
    points: list[tuple[float, float]]
    radius: float
    labels: bool
    words: WordShapes | None = None


def gif(trace: Trace, seconds_a_step: float = 1.0) -> bytes:
    """A looping GIF of a trace.

    Args:
        trace: What to show.
        seconds_a_step: How long a step is shown; the last picture stays three times as long.
    """
    frames = [_frame(trace, step) for step in trace.steps] + [_frame(trace, None)]
    duration = max(20, round(1000 * seconds_a_step))
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[duration] * (len(frames) - 1) + [3 * duration],
        loop=0,
        disposal=1,
        **({} if trace.answer is None else {"comment": trace.answer.sentence.encode()}),
    )
    return buffer.getvalue()


def _frame(trace: Trace, step: Step | None) -> Any:
    """One picture: a step, or (None) the result over the motif."""
    from PIL import Image, ImageDraw

    width, height = SIZE[0] * _FINE, SIZE[1] * _FINE
    image = Image.new("RGB", (width, height), _PAPER)
    canvas = _canvas(ImageDraw.Draw(image), trace)
    if step is None:
        _result(canvas, trace)
    else:
        _state(canvas, trace, step)
    _caption(canvas, _sentence(trace, step))
    return image.resize(SIZE, Image.Resampling.LANCZOS).quantize(256, dither=Image.Dither.NONE)


def _canvas(draw: "ImageDraw", trace: Trace) -> _Canvas:
    if trace.is_sentence:
        room = _MARGIN, _MARGIN, SIZE[0] - _MARGIN, SIZE[1] - _MARGIN - _STRIP
        left, top, right, bottom = (float(edge * _FINE) for edge in room)
        words = WordShapes(trace, (left, top, right, bottom))
        return _Canvas(draw, words.points, words.letters, True, words)
    return _Canvas(draw, *_places(trace), len(trace.nodes) <= _LABELLED)


def _places(trace: Trace) -> tuple[list[tuple[float, float]], float]:
    """Pixels of every node, y downwards, and a radius that leaves neighbours apart."""
    xs, ys = zip(*(node.position for node in trace.nodes), strict=True)
    wide, high = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    room = ((SIZE[0] - 2 * _MARGIN) * _FINE, (SIZE[1] - 2 * _MARGIN - _STRIP) * _FINE)
    scale = min(room[0] / wide, room[1] / high)
    left = (SIZE[0] * _FINE - scale * wide) / 2
    top = (_MARGIN * _FINE) + (room[1] - scale * high) / 2
    points = [(left + scale * (x - min(xs)), top + scale * (max(ys) - y)) for x, y in zip(xs, ys, strict=True)]
    radius = max(4.0, min(16.0, 9 * math.sqrt(40 / max(1, len(points))))) * _FINE
    return points, radius


def _state(canvas: _Canvas, trace: Trace, step: Step) -> None:
    """The set, its frontier, its cut vertices and the nodes that may be taken out."""
    inside, chances = set(step.members), {action.node: action.probability for action in step.frontier}
    for edge in trace.edges:
        held = edge.source in inside and edge.target in inside
        _line(canvas, edge.source, edge.target, ACTION.colour if held else PLAIN.colour, 5 if held else 2)
    cut, parents = set(step.cut_vertices), {parent.removed for parent in step.parents}
    for node in range(len(trace.nodes)):
        fill = _tone(trace, node)
        if node in inside:
            fill = START.colour if node == trace.start else ACTION.colour
            _disc(canvas, node, fill, PARENT.colour if node in parents else fill, 4)
            if node in cut:
                _ring(canvas, node, CUT_VERTEX.colour, 1.5)
        elif node in chances:
            _disc(canvas, node, fill, FRONTIER.colour, 3 + round(5 * chances[node]))
        else:
            _disc(canvas, node, fill, PLAIN.colour, 1)
        _text(canvas, trace, node, fill)


def _result(canvas: _Canvas, trace: Trace) -> None:
    """The found subgraph: hits, what was missed, and what should not be there."""
    hits, missed, extra = set(trace.hits), set(trace.missed), set(trace.extra)
    held = set(trace.final.edges)
    for number, edge in enumerate(trace.edges):
        colour, width = PLAIN.colour, 2
        if number in hits:
            colour, width = MOTIF.colour, 6
        elif number in extra:
            colour, width = MISTAKE.colour, 6
        elif number in held:
            colour, width = FOUND.colour, 6
        elif number in missed:
            _line(canvas, edge.source, edge.target, MOTIF.colour, 3, dashed=True)
            continue
        _line(canvas, edge.source, edge.target, colour, width)
    inside = set(trace.final.nodes)
    for node in range(len(trace.nodes)):
        fill = START.colour if node == trace.start else ACTION.colour if node in inside else _tone(trace, node)
        _disc(canvas, node, fill, fill if node in inside else PLAIN.colour, 2)
        _text(canvas, trace, node, fill)
    if canvas.words is not None:
        for line in canvas.words.underlines(trace.final.nodes if trace.answer is None else trace.answer.nodes):
            canvas.draw.line(line, fill=FOUND.colour, width=4 * _FINE)


def _sentence(trace: Trace, step: Step | None) -> str:
    """What a frame shows."""
    if step is None:
        found = (
            f"{len(trace.final.nodes)} {'words' if trace.is_sentence else 'nodes'}, log R {trace.final.log_reward:.2f}"
        )
        if trace.has_truth:
            found += f"; motif edges found {len(trace.hits)}, missed {len(trace.missed)}, extra {len(trace.extra)}"
        found = f"{trace_title(trace)}: {found}"
        return found if trace.answer is None else f"{trace.answer.sentence}\n{found}"
    residual = "" if step.residual is None else f", flow residual {step.residual:+.3f}"
    what = "STOP" if step.chosen is None else f"adds {trace.nodes[step.chosen].label}"
    chance = step.stop.probability if step.chosen is None else _chance(step, step.chosen)
    noun = "words" if trace.is_sentence else "nodes"
    return f"{step.size} of {len(trace.steps)} {noun}{residual}; next: {what} ({100 * chance:.1f} %)"


def _chance(step: Step, node: int) -> float:
    return next((action.probability for action in step.frontier if action.node == node), 0.0)


def _tone(trace: Trace, node: int) -> str:
    """The colour of a node outside: its element's, or light grey; a word is on paper."""
    if trace.is_sentence:
        return _PAPER
    return ELEMENTS.get(trace.nodes[node].element or "", "#e3e7ee")


def _line(canvas: _Canvas, source: int, target: int, colour: str, width: int, dashed: bool = False) -> None:
    if canvas.words is not None:
        canvas.draw.line(canvas.words.line(source, target), fill=colour, width=width * _FINE // 2, joint="curve")
        return
    (x0, y0), (x1, y1) = canvas.points[source], canvas.points[target]
    pieces = max(2, round(math.hypot(x1 - x0, y1 - y0) / (9 * _FINE))) if dashed else 1
    for piece in range(0, pieces, 2):
        a, b = piece / pieces, (piece + 1) / pieces
        ends = [(x0 + a * (x1 - x0), y0 + a * (y1 - y0)), (x0 + b * (x1 - x0), y0 + b * (y1 - y0))]
        canvas.draw.line(ends, fill=colour, width=width * _FINE // 2)


def _disc(canvas: _Canvas, node: int, fill: str, rim: str, width: int) -> None:
    if canvas.words is not None:
        plain = rim == PLAIN.colour  # a word that has no part is text, without a box
        box, rim_width = canvas.words.box(node), 0 if plain else width * _FINE // 2 + 1
        canvas.draw.rounded_rectangle(box, 0.4 * canvas.radius, fill=fill, outline=rim, width=rim_width)
        return
    (x, y), r = canvas.points[node], canvas.radius
    canvas.draw.ellipse((x - r, y - r, x + r, y + r), fill=fill, outline=rim, width=width * _FINE // 2 + 1)


def _ring(canvas: _Canvas, node: int, colour: str, factor: float) -> None:
    if canvas.words is not None:
        box = canvas.words.box(node, 0.25)
        canvas.draw.rounded_rectangle(box, 0.6 * canvas.radius, outline=colour, width=2 * _FINE)
        return
    (x, y), r = canvas.points[node], canvas.radius * factor
    canvas.draw.ellipse((x - r, y - r, x + r, y + r), outline=colour, width=2 * _FINE)


def _text(canvas: _Canvas, trace: Trace, node: int, behind: str) -> None:
    from PIL import ImageFont

    if canvas.words is not None:
        font = ImageFont.load_default(canvas.words.letters * 0.93)
        canvas.draw.text(canvas.points[node], trace.nodes[node].label, fill=text_on(behind), font=font, anchor="mm")
        return
    label = trace.nodes[node].label[:4]
    if not canvas.labels or not label:
        return
    font = ImageFont.load_default(max(8 * _FINE, canvas.radius * (0.75 if len(label) > 2 else 0.95)))
    canvas.draw.text(canvas.points[node], label, fill=text_on(behind), font=font, anchor="mm")


def _caption(canvas: _Canvas, sentence: str) -> None:
    """Text in as many lines as it takes, the smaller the more there are."""
    from PIL import ImageFont

    size, lines = _wrapped(sentence.translate(_GLYPHS).replace("…", "..."))
    font = ImageFont.load_default(size * _FINE)
    for number, line in enumerate(lines):
        above = (number - (len(lines) - 1) / 2) * size * _LINE
        middle = (SIZE[0] * _FINE / 2, (SIZE[1] - _STRIP / 2 + above) * _FINE)
        canvas.draw.text(middle, line, fill=ACTION.colour, font=font, anchor="mm")


def _wrapped(text: str) -> tuple[float, list[str]]:
    """The largest size of text at which it fits into the caption, and its lines."""
    size = float(_TEXT)
    while True:
        width = round(_FEW * _TEXT / size)
        solid = text.replace(" %", "\u00a0%")  # no line begins with a percent sign
        lines = [line.replace("\u00a0", " ") for part in solid.splitlines() for line in textwrap.wrap(part, width)]
        if len(lines) * size * _LINE <= _STRIP - 6 or size < 7:
            return size, lines
        size -= 1
