"""A training as a GIF: for each lane the instance with its edge marginals, and where trajectories stop against R/Z."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.drawing.colours import ACTION, ELEMENTS, MISTAKE, MOTIF, PARENT, PLAIN, START, text_on
from gfx_core.training.codes import decode
from gfx_core.training.recording import Frame, Lane, Recording, Scene

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

WIDE, HIGH = 440, 520
"""Of one lane."""
_FINE = 2  # drawn so many times larger, then shrunk: smooth edges
_HEAD, _GRAPH, _MARGIN = 64, 290, 24
_BARS = 24  # states that have a bar: the most wanted ones
_MOST = 40  # frames
_PAPER = "#ffffff"
_GLYPHS = str.maketrans({"₀": "0", "–": "-", "−": "-", "’": "'", "ε": "eps", "β": "beta", "∝": "~", "\u00a0": " "})


def train_gif(recording: Recording, seconds: float = 8.0) -> bytes:
    """A looping GIF of a recording.

    Args:
        recording: One or two lanes; all are shown at the same steps.
        seconds: How long it takes; the last picture stays for three more.
    """
    steps = _steps(recording)
    frames = [_picture(recording, step) for step in steps]
    duration = max(40, round(1000 * seconds / len(frames)))
    buffer = io.BytesIO()
    durations = [duration] * (len(frames) - 1) + [duration + 3000]
    frames[0].save(
        buffer, format="GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, disposal=1
    )
    return buffer.getvalue()


def _steps(recording: Recording) -> list[int]:
    """Some of the steps of which there are frames: the first, the last, and early ones rather than late ones."""
    every = sorted({frame.step for lane in recording.lanes for frame in lane.frames})
    if len(every) <= _MOST:
        return every
    chosen = (np.linspace(0, 1, _MOST) ** 1.5 * (len(every) - 1)).round().astype(int)
    return [every[at] for at in sorted(set(chosen.tolist()))]


def _picture(recording: Recording, step: int) -> Any:
    from PIL import Image, ImageDraw

    size = (WIDE * len(recording.lanes), HIGH)
    image = Image.new("RGB", (size[0] * _FINE, size[1] * _FINE), _PAPER)
    draw = ImageDraw.Draw(image)
    for number, lane in enumerate(recording.lanes):
        before = [frame for frame in lane.frames if frame.step <= step] or list(lane.frames[:1])
        if before:
            _lane(draw, number * WIDE * _FINE, lane, before[-1])
    return image.reduce(_FINE).quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _lane(draw: "ImageDraw", left: float, lane: Lane, frame: Frame) -> None:
    scene = lane.scenes[frame.scene]
    figures = [f"step {frame.step}"]
    if frame.total_variation is not None:
        figures.append(f"total variation {100 * frame.total_variation:.1f} %")
    if frame.auc is not None:
        figures.append(f"AUC {frame.auc:.2f}")
    _text(draw, (left + _MARGIN * _FINE, 16 * _FINE), lane.name[:44], 17)
    _text(draw, (left + _MARGIN * _FINE, 40 * _FINE), ", ".join(figures), 13)
    _graph(draw, left, scene, frame.marginals)
    if scene.target is not None and frame.stop is not None:
        _bars(draw, left, decode(scene.target), decode(frame.stop))


def _graph(draw: "ImageDraw", left: float, scene: Scene, marginals: Sequence[float]) -> None:
    """The instance: an edge is as wide as it is probable."""
    xs, ys = ([float(node[axis]) for node in scene.nodes] for axis in ("x", "y"))
    wide, high = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    scale = min((WIDE - 2 * _MARGIN) / wide, (_GRAPH - 2 * _MARGIN) / high) * _FINE
    middle = (left + WIDE * _FINE / 2 - scale * wide / 2, (_HEAD + _GRAPH / 2) * _FINE - scale * high / 2)
    points = [
        (middle[0] + scale * (x - min(xs)), middle[1] + scale * (max(ys) - y)) for x, y in zip(xs, ys, strict=True)
    ]
    for (source, target, *_), share in zip(scene.edges, marginals, strict=True):
        ends = [points[source], points[target]]
        draw.line(ends, fill=PLAIN.colour, width=2 * _FINE // 2)
        if share > 0.01:
            draw.line(ends, fill=PARENT.colour, width=max(1, round(9 * share * _FINE)))
    radius = (11 if len(points) <= 40 else 6) * _FINE
    for number, ((x, y), node) in enumerate(zip(points, scene.nodes, strict=True)):
        fill = START.colour if number == scene.start else ELEMENTS.get(node.get("element") or "", "#e3e7ee")
        rim = MOTIF.colour if node.get("motif") else PLAIN.colour
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill, outline=rim, width=2 * _FINE)
        if len(points) <= 40:
            _text(draw, (x, y), str(node["label"])[:4], 9, text_on(fill), "mm")


def _bars(draw: "ImageDraw", left: float, target: Doubles, stop: Doubles) -> None:
    """P(stop) as a bar and R/Z as a mark, for the most wanted states and the rest together."""
    order = np.argsort(-target, kind="stable")[:_BARS]
    rest = [float(1 - target[order].sum()), float(1 - stop[order].sum())] if len(target) > _BARS else []
    wanted, found = ([*map(float, each[order]), *rest[k : k + 1]] for k, each in enumerate((target, stop)))
    top, bottom = (_HEAD + _GRAPH + 24) * _FINE, (HIGH - 16) * _FINE
    highest = max(*wanted, *found, 0.05)
    each = (WIDE - 2 * _MARGIN) * _FINE / len(wanted)
    _text(draw, (left + _MARGIN * _FINE, top - 14 * _FINE), "P(stop): bars. R/Z: marks.", 11)
    for number, (aim, share) in enumerate(zip(wanted, found, strict=True)):
        x = left + _MARGIN * _FINE + number * each
        y = bottom - (bottom - top) * max(0.0, share) / highest
        fill = MISTAKE.colour if share > aim + 0.02 else MOTIF.colour
        draw.rectangle((x + 0.15 * each, y, x + 0.85 * each, bottom), fill=fill)
        mark = bottom - (bottom - top) * max(0.0, aim) / highest
        draw.line([(x, mark), (x + each, mark)], fill=ACTION.colour, width=2 * _FINE)


def _text(
    draw: "ImageDraw", at: tuple[float, float], words: str, size: float, colour: str = ACTION.colour, anchor: str = "lm"
) -> None:
    from PIL import ImageFont

    draw.text(at, words.translate(_GLYPHS), fill=colour, font=ImageFont.load_default(size * _FINE), anchor=anchor)
