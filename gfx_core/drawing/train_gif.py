"""A recorded training as a GIF: each lane's instance with its edges as likely as they are by then, above its curve."""

import io
import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gfx_core.drawing.colours import ACTION, ELEMENTS, MOTIF, PARENT, PLAIN, START, text_on
from gfx_core.training.recording import Frame, Lane, Recording, Scene

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

LANE_SIZE = (440, 520)
MOST_FRAMES = 40
_FINE = 2  # drawn so many times larger, then shrunk: smooth edges
_MARGIN, _HEAD, _CURVE, _FOOT = 28, 40, 90, 46  # around the graph, title, curve, numbers below it
_LABELLED = 60  # graphs of more nodes than this carry no text
_PAPER = "#ffffff"
_GLYPHS = str.maketrans("₀₁₂₃₄₅₆₇₈₉–−’", "0123456789--'")  # those that the font has


@dataclass(frozen=True)
class _Canvas:
    """A picture in the making and where a lane begins on it, in pixels of the large picture."""

    draw: "ImageDraw"
    left: float


def train_gif(recording: Recording, seconds: float = 8.0) -> bytes:
    """A looping GIF of a recording; the last picture stays longer.

    Args:
        recording: What to show.
        seconds: How long it plays.
    """
    steps = sorted({frame.step for lane in recording.lanes for frame in lane.frames})
    stride = max(1, math.ceil(len(steps) / MOST_FRAMES))
    shown = sorted({*steps[::stride], *steps[-1:]})
    pictures = [_picture(recording, step) for step in shown]
    if not pictures:
        pictures = [_picture(recording, 0)]
    duration = max(20, round(1000 * seconds / len(pictures)))
    buffer = io.BytesIO()
    pictures[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=[duration] * (len(pictures) - 1) + [max(2000, duration)],
        loop=0,
        disposal=1,
        comment=recording.title.encode(),
    )
    return buffer.getvalue()


def _picture(recording: Recording, step: int) -> Any:
    """All lanes after some step."""
    from PIL import Image, ImageDraw

    size = LANE_SIZE[0] * len(recording.lanes), LANE_SIZE[1]
    image = Image.new("RGB", (size[0] * _FINE, size[1] * _FINE), _PAPER)
    draw = ImageDraw.Draw(image)
    for number, lane in enumerate(recording.lanes):
        _draw_lane(_Canvas(draw, number * LANE_SIZE[0] * _FINE), lane, step)
    return image.resize(size, Image.Resampling.LANCZOS).quantize(128, dither=Image.Dither.NONE)


def _draw_lane(canvas: _Canvas, lane: Lane, step: int) -> None:
    frame = _at(lane, step)
    _write(canvas, lane.name, _HEAD / 2, 16)
    if frame is None:
        return
    scene = lane.scenes[frame.scene]
    _graph(canvas, scene, frame)
    _curve(canvas, lane, frame)
    words = f"step {frame.step}"
    if frame.total_variation is not None:
        words += f"; total variation {frame.total_variation:.3f}"
    elif frame.loss is not None:
        words += f"; loss {frame.loss:.3g}"
    if frame.auc is not None:
        words += f"; AUC {frame.auc:.2f}"
    _write(canvas, words, LANE_SIZE[1] - _FOOT / 2, 15)


def _at(lane: Lane, step: int) -> Frame | None:
    """The latest frame that is not after a step."""
    before = [frame for frame in lane.frames if frame.step <= step]
    return before[-1] if before else None


def _graph(canvas: _Canvas, scene: Scene, frame: Frame) -> None:
    """The instance: the likelier an edge is in the subgraph, the wider and darker it is."""
    points, radius = _places(canvas, scene)
    for (a, b, _order, motif), chance in zip(scene.edges, frame.marginals, strict=True):
        ends = [points[a], points[b]]
        canvas.draw.line(ends, fill=MOTIF.colour if motif else PLAIN.colour, width=(5 if motif else 2) * _FINE)
        if chance > 0.004:
            colour = _mixed(PLAIN.colour, PARENT.colour, min(1.0, 0.25 + chance))
            canvas.draw.line(ends, fill=colour, width=max(1, round((1 + 7 * chance) * _FINE)))
    inside: dict[int, float] = {}
    for (a, b, *_), chance in zip(scene.edges, frame.marginals, strict=True):
        inside[a], inside[b] = max(inside.get(a, 0.0), chance), max(inside.get(b, 0.0), chance)
    for node, about in enumerate(scene.nodes):
        fill = ELEMENTS.get(about["element"] or "", "#e3e7ee")
        if node == scene.start:
            fill = START.colour
        elif inside.get(node, 0.0) >= 0.5:
            fill = ACTION.colour
        (x, y), r = points[node], radius
        canvas.draw.ellipse((x - r, y - r, x + r, y + r), fill=fill, outline=PLAIN.colour, width=_FINE)
        if len(scene.nodes) <= _LABELLED:
            _label(canvas, points[node], about["label"][:4], r, fill)


def _places(canvas: _Canvas, scene: Scene) -> tuple[list[tuple[float, float]], float]:
    """Pixels of every node, y downwards, and their radius."""
    xs, ys = [node["x"] for node in scene.nodes], [node["y"] for node in scene.nodes]
    wide, high = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    room = (
        (LANE_SIZE[0] - 2 * _MARGIN) * _FINE,
        (LANE_SIZE[1] - _HEAD - _CURVE - _FOOT - 2 * _MARGIN) * _FINE,
    )
    scale = min(room[0] / wide, room[1] / high)
    left = canvas.left + (LANE_SIZE[0] * _FINE - scale * wide) / 2
    top = (_HEAD + _MARGIN) * _FINE + (room[1] - scale * high) / 2
    points = [(left + scale * (x - min(xs)), top + scale * (max(ys) - y)) for x, y in zip(xs, ys, strict=True)]
    return points, max(3.0, min(13.0, 9 * math.sqrt(30 / max(1, len(points))))) * _FINE


def _curve(canvas: _Canvas, lane: Lane, now: Frame) -> None:
    """The total variation over the steps, or the loss where that is not known, as far as it has come."""
    known = now.total_variation is not None
    values = [(frame.step, frame.total_variation if known else frame.loss) for frame in lane.frames]
    curve = [(step, value) for step, value in values if value is not None]
    if len(curve) < 2:
        return
    last, top = max(step for step, _ in curve) or 1, 1.0 if known else max(value for _, value in curve) or 1.0
    left, right = canvas.left + _MARGIN * _FINE, canvas.left + (LANE_SIZE[0] - _MARGIN) * _FINE
    bottom, high = (LANE_SIZE[1] - _FOOT) * _FINE, (_CURVE - 10) * _FINE
    canvas.draw.line([(left, bottom), (right, bottom)], fill=PLAIN.colour, width=_FINE)
    points = [
        (left + (right - left) * step / last, bottom - high * min(1.0, value / top))
        for step, value in curve
        if step <= now.step
    ]
    if len(points) > 1:
        canvas.draw.line(points, fill=PARENT.colour, width=2 * _FINE, joint="curve")
    x, y = points[-1]
    r = 4 * _FINE
    canvas.draw.ellipse((x - r, y - r, x + r, y + r), fill=ACTION.colour)


def _write(canvas: _Canvas, text: str, down: float, size: int) -> None:
    from PIL import ImageFont

    line, *more = textwrap.wrap(text.translate(_GLYPHS), 52) or [""]
    font = ImageFont.load_default(size * _FINE)
    middle = (canvas.left + LANE_SIZE[0] * _FINE / 2, down * _FINE)
    canvas.draw.text(middle, line + ("..." if more else ""), fill=ACTION.colour, font=font, anchor="mm")


def _label(canvas: _Canvas, at: tuple[float, float], text: str, radius: float, behind: str) -> None:
    from PIL import ImageFont

    if text:
        font = ImageFont.load_default(max(7 * _FINE, radius * (0.75 if len(text) > 2 else 0.95)))
        canvas.draw.text(at, text, fill=text_on(behind), font=font, anchor="mm")


def _mixed(one: str, other: str, share: float) -> str:
    """A colour between two."""
    pairs = [(int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
