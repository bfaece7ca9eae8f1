"""Which pages there are, and the first paint: their navigation in its place, before Streamlit's own scripts are there.

Streamlit answers every address of a page with the same empty file, and draws nothing for a second or two. Here it has
our style sheet, the titles of the navigation, and a script that takes them away once the page itself is drawn.
"""

import re
from functools import cache
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from gfx_core.drawing.templates import asset, render
from pages.ui.streamlit_private import index_html

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
STYLE = Path(__file__).with_name("style.css")
_FONT = re.compile(r'href="([^"]*/SourceSans[^"]*)"')
_ROOT = '<div id="root">'


def routes() -> list[Route]:
    """Whoever opens a page is answered with its first paint."""

    async def answer(request: Request) -> HTMLResponse:
        page = request.url.path.strip("/") or PAGES[0][0]
        return HTMLResponse(first_paint(page), headers={"cache-control": "no-cache"})

    return [Route(f"/{path}", answer) for path in ("", *(file for file, _, _ in PAGES))]


@cache
def first_paint(page: str) -> str:
    """Streamlit's file for a page, with what is seen until the page is drawn."""
    index = index_html()
    values = {
        "style": STYLE.read_text(encoding="utf-8"),
        "logo": asset("logo.svg"),
        "font": _FONT.findall(index),
        "pages": PAGES,
        "aside": ASIDE,
        "current": page,
    }
    return (
        index.replace("<title>Streamlit</title>", f"<title>{TITLE}</title>")
        .replace("./favicon.png", f"data:image/svg+xml,{quote(values['logo'])}")
        .replace(_ROOT, f"{render('html/shell.html', **values)}{_ROOT}")
    )
