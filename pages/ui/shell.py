"""Which pages there are, and the first paint: their navigation in its place, before Streamlit's own scripts are there.

Streamlit answers every address of a page with the same empty file, and draws nothing for a second or two. Here it has
our style sheet, the titles of the navigation, and a script that takes them away once the page itself is drawn.
"""

import re
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import HTMLResponse
from streamlit import file_util

from gfx_core.config import ASSETS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PAGES = (
    ("home", "Home", "home"),
    ("explain", "Explain", "play_circle"),
    ("compare", "Compare", "compare"),
    ("train", "Train", "model_training"),
    ("results", "Results", "leaderboard"),
    ("datasets", "Data sets", "hub"),
    ("own", "Own data", "upload_file"),
    ("learn", "Learn", "school"),
    ("lab", "Cut-vertex lab", "content_cut"),
    ("glossary", "Glossary", "dictionary"),
    ("classroom", "Class", "groups"),
    ("plans", "Lesson plans", "assignment"),
)
"""File, title and icon of each page, the first one for those who ask for none."""
ASIDE = ("classroom", "plans")
"""Pages that other pages and links lead to, and the navigation does not."""

TITLE = "GFlowExplainer explorer"
LOGO = ASSETS / "logo.svg"
_HERE = Path(__file__).parent
_PAGE = re.compile(r"/[a-z_]*")  # an address of a page: no file, and nothing of the server's own
_FONT = re.compile(r'href="([^"]*/SourceSans[^"]*)"')
_ROOT = '<div id="root">'


class FirstPaint:
    """Answers whoever opens a page."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        opens = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and _PAGE.fullmatch(scope["path"])
        if not opens:
            await self.app(scope, receive, send)
            return
        known = next((file for file, _, _ in PAGES if scope["path"] == f"/{file}"), PAGES[0][0])
        await HTMLResponse(first_paint(known), headers={"cache-control": "no-cache"})(scope, receive, send)


@cache
def first_paint(page: str) -> str:
    """Streamlit's file for a page, with what is seen until the page is drawn."""
    index = (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")
    logo = LOGO.read_text(encoding="utf-8") if LOGO.is_file() else ""
    font = _FONT.search(index)
    shell = Template((_HERE / "shell.html").read_text(encoding="utf-8")).substitute(
        style=(_HERE / "style.css").read_text(encoding="utf-8"),
        font=font[1] if font else "",
        logo=logo,
        titles="".join(
            f"<b{' class=current' * (file == page)}>{escape(title)}</b>"
            for file, title, _ in PAGES
            if file not in ASIDE
        ),
    )
    return (
        index.replace("<title>Streamlit</title>", f"<title>{TITLE}</title>")
        .replace("./favicon.png", f"data:image/svg+xml,{quote(logo)}" if logo else "./favicon.png")
        .replace(_ROOT, f"{shell}{_ROOT}")
    )
