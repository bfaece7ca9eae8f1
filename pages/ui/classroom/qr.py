"""A picture of a link that phones can read."""

from functools import lru_cache
from html import escape
from urllib.parse import quote

MOST = 900
"""Letters: beyond that the squares are too small to be read from a wall."""


@lru_cache(maxsize=64)
def qr_svg(link: str) -> str:
    """A link as an SVG picture, dark on white whatever the page's colours are; empty where it is too long."""
    import segno

    if len(link) > MOST:
        return ""
    made = segno.make(link, error="m", micro=False)
    return str(made.svg_inline(border=3, dark="#111", light="#fff", omitsize=True))


def qr_html(link: str) -> str:
    """The picture as part of a page; empty where there is none."""
    picture = qr_svg(link)
    # SVG itself would be taken out
    return f'<img src="data:image/svg+xml,{quote(picture)}" alt="QR code of {escape(link)}">' if picture else ""
