"""Small curves and bars: whole pictures, whatever the numbers are."""

import xml.etree.ElementTree as ElementTree

import pytest

from gfx_core.drawing.small_curves import bars_svg, curve_svg


@pytest.mark.parametrize("values", [[], [None], [1.0], [1.0, 1.0], [3.0, None, 2.0, 1.0]])
def test_curves_are_whole_pictures(values: list[float | None]) -> None:
    picture = ElementTree.fromstring(curve_svg(values, 'Loss <&"'))
    assert picture.get("aria-label") == 'Loss <&"'
    lines = picture.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert sum(len((line.get("points") or "").split()) for line in lines) == sum(value is not None for value in values)


def test_bars_begin_with_the_largest() -> None:
    picture = ElementTree.fromstring(bars_svg([1.0, 3.0, 2.0], "Residuals"))
    heights = [float(bar.get("height") or 0) for bar in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert heights == sorted(heights, reverse=True)
    assert len(heights) == 3
