"""A picture of a link that phones can read."""

from functools import lru_cache
from html import escape

MOST = 900
"""Letters: beyond that the squares are too small to be read from a wall."""


@lru_cache(maxsize=64)
def qr_html(link: str) -> str:
    """The picture for a page, dark on white whatever the page's colours are; empty where the link is too long."""
    import segno

    if len(link) > MOST:
        return ""
    picture = segno.make(link, error="m", micro=False)
    address = picture.svg_data_uri(border=3, dark="#111", light="#fff", omitsize=True)  # SVG itself would be taken out
    return f'<img src="{escape(address)}" alt="QR code of {escape(link)}">'
