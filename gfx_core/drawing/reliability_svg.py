"""How often a classifier is right against how sure it is, as a small standalone picture."""

from collections.abc import Sequence

from gfx_core.drawing.colours import PARENT, PLAIN

_SIDE, _PAD = 120.0, 14.0


def reliability_svg(bins: Sequence[tuple[int, float, float]]) -> str:
    """Dots for the bins of a reliability diagram; on the dotted line being sure is being right.

    Args:
        bins: Of each: how many predictions, how sure they are, how often they are right.
    """
    most = max((count for count, _, _ in bins), default=1)
    size = _SIDE + 2 * _PAD

    def at(sure: float, right: float) -> tuple[float, float]:
        return _PAD + sure * _SIDE, _PAD + (1 - right) * _SIDE

    dots = []
    for count, sure, right in bins:
        x, y = at(sure, right)
        radius = 2.5 + 6 * (count / most) ** 0.5
        tip = f"{count} cases: {100 * sure:.0f} % sure, {100 * right:.0f} % right"
        dots.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{PARENT.colour}" fill-opacity="0.75">'
            f"<title>{tip}</title></circle>"
        )
    (x, y), (u, v) = at(0, 0), at(1, 1)
    words = f'font-family="sans-serif" font-size="9" fill="{PLAIN.colour}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size:g} {size:g}" role="img"'
        ' aria-label="How often it is right, against how sure it is">'
        f'<rect x="{_PAD:g}" y="{_PAD:g}" width="{_SIDE:g}" height="{_SIDE:g}" fill="none" stroke="{PLAIN.colour}"/>'
        f'<path d="M{x:g} {y:g}L{u:g} {v:g}" stroke="{PLAIN.colour}" stroke-dasharray="2 3"/>{"".join(dots)}'
        f'<text x="{size / 2:g}" y="{size - 3:g}" text-anchor="middle" {words}>how sure it is</text>'
        f'<text x="9" y="{size / 2:g}" text-anchor="middle" transform="rotate(-90 9 {size / 2:g})" {words}>'
        "how often right</text></svg>"
    )
