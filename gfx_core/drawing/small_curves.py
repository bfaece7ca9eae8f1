"""Small pictures of numbers that grow while one looks: curves over epochs, and bars of many instances. SVG."""

from collections.abc import Sequence

from gfx_core.drawing import colours

WIDE, HIGH = 260, 90
_MARGIN = 4


def curve_svg(values: Sequence[float | None], label: str) -> str:
    """A curve over equal steps, from its smallest to its largest value; gaps where nothing is known."""
    known = [value for value in values if value is not None]
    if not known:
        return _svg("", label)
    low, high = min(known), max(known)
    span = (high - low) or 1.0
    across = (WIDE - 2 * _MARGIN) / max(1, len(values) - 1)
    runs: list[list[str]] = [[]]
    for at, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            down = HIGH - _MARGIN - (HIGH - 2 * _MARGIN) * (value - low) / span
            runs[-1].append(f"{_MARGIN + at * across:.1f},{down:.1f}")
    lines = "".join(f'<polyline points="{" ".join(points)}"/>' for points in runs if points)
    style = f'fill="none" stroke="{colours.PARENT.colour}" stroke-width="2" stroke-linejoin="round"'
    return _svg(f"<g {style}>{lines}</g>", label)


def bars_svg(values: Sequence[float], label: str) -> str:
    """A bar for each value, the largest first."""
    largest = max(values, default=0.0) or 1.0
    each = (2 * WIDE - 2 * _MARGIN) / max(1, len(values))
    bars = "".join(
        f'<rect x="{_MARGIN + at * each:.2f}" y="{HIGH - (high := (HIGH - _MARGIN) * value / largest):.1f}" '
        f'width="{max(0.5, 0.85 * each):.2f}" height="{high:.1f}"/>'
        for at, value in enumerate(sorted(values, reverse=True))
    )
    return _svg(f'<g fill="{colours.MISTAKE.colour}">{bars}</g>', label, 2 * WIDE)


def _svg(inside: str, label: str, wide: int = WIDE) -> str:
    said = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {HIGH}" role="img" aria-label="{said}">'
        f"{inside}</svg>"
    )
