"""Which pages there are, and the first paint: their navigation in its place, before Streamlit's own scripts are there.

Streamlit answers every address of a page with the same empty file, and draws nothing for a second or two. Here it has
our style sheet, the titles of the navigation, and a script that takes them away once the page itself is drawn.
"""

import re
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from streamlit import file_util

from gfx_core.drawing.templates import asset

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
_HERE = Path(__file__).parent
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
    index = (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")
    logo, font = asset("logo.svg"), _FONT.search(index)
    titles = [
        f"<b{' class=current' * (file == page)}>{escape(title)}</b>" for file, title, _ in PAGES if file not in ASIDE
    ]
    shell = Template((_HERE / "shell.html").read_text(encoding="utf-8")).substitute(
        style=(_HERE / "style.css").read_text(encoding="utf-8"),
        font=font[1] if font else "",
        logo=logo,
        titles="".join(titles),
    )
    return (
        index.replace("<title>Streamlit</title>", f"<title>{TITLE}</title>")
        .replace("./favicon.png", f"data:image/svg+xml,{quote(logo)}")
        .replace(_ROOT, f"{shell}{_ROOT}")
    )
