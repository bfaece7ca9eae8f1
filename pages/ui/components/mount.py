"""Components: modules of ``assets`` that browsers import by their address, and what Python sends them and hears."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gfx_core.config import ASSETS
from gfx_core.drawing.export import css
from gfx_core.drawing.templates import asset

_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}  # another content has another address


@cache
def modules() -> tuple[str, dict[str, str]]:
    """A digest of all modules, and each by its path; a style sheet is a module that exports its text."""
    texts: dict[str, str] = {}
    for path in sorted([*ASSETS.rglob("*.js"), *ASSETS.rglob("*.css")]):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ASSETS).as_posix()
        texts[name] = text if path.suffix == ".js" else f"export default {json.dumps(text)};"
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16], texts


def routes() -> list[Route]:
    """The addresses of modules, also below ``server.baseUrlPath``, which Streamlit does not add to routes."""
    digest, texts = modules()

    def answer(request: Request) -> Response:
        text = texts.get(request.path_params["path"])
        return Response(text, 404 if text is None else 200, _FOREVER, "text/javascript")

    return [Route(f"{base}/modules/{digest}/{{path:path}}", answer) for base in ("", "/{base:path}")]


def component(module: str, html: str = "", css: str = "") -> Callable[..., None]:
    """A component, as a function that shows it.

    It takes the widget's ``key``, the ``data`` for the browser, and under ``heard``, by the names of what the browser
    reports, what is called with each value that has come; nothing is called for ``None``.

    Args:
        module: Its path in ``assets``, without its ending; its default export is what Streamlit calls.
        html: What it starts with.
        css: Its looks.
    """
    # Streamlit takes a single line for a path; the script itself has no address that one of ours could be relative to
    loader = f"""const url = new URL("modules/{modules()[0]}/{module}.js", document.baseURI);
export default (component) => import(url).then((module) => module.default(component));
"""
    draw = st.components.v2.component(module.replace("/", "_"), html=html, css=css, js=loader)

    def show(
        *, key: str, data: Any = None, heard: Mapping[str, Callable[[Any], object] | None] | None = None, **layout: Any
    ) -> None:
        def listener(event: str, call: Callable[[Any], object]) -> Callable[[], None]:
            def hear() -> None:
                # a page that was left takes its components along: what they still report is not there any more
                value = st.session_state.get(key, {}).get(event)
                if value is not None:
                    call(value)

            return hear

        calls = {f"on_{event}_change": listener(event, call) for event, call in (heard or {}).items() if call}
        # in a dictionary Streamlit looks for data frames, and loads pandas: half a second before the first picture
        draw(key=key, data=[data], **calls, **layout)

    return show


def report(key: str, name: str, value: object) -> None:
    """Note where the browser says that it stands."""
    st.session_state.setdefault(f"{key}:reported", {})[name] = value


def opening(key: str, token: object, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Where a component opens: as was sent before, as long as the page only repeats what the browser reported.

    So the payload stays the same between reruns: it is sent once, and the browser is not asked to do anything.

    Args:
        key: Widget key.
        token: What is shown; another one opens where it is wanted.
        wanted: Where that is, by names as in `report`; ``None`` is anywhere.
    """
    memory, reported = f"{key}:opened", st.session_state.get(f"{key}:reported", {})
    before, sent = st.session_state.get(memory, (None, {}))
    if before != token or any(at not in (None, sent[name], reported.get(name)) for name, at in wanted.items()):
        sent = dict(wanted)
        st.session_state[memory] = (token, sent)
    return sent


def style(name: str) -> str:
    """The kit's style sheet and one of ``assets/components``."""
    return asset("kit/kit.css") + asset(f"components/{name}.css")


def graph_style(name: str) -> str:
    """The looks of a component around a small graph whose nodes are buttons, like those of the player's graph."""
    return css("player") + asset("components/graph_view.css") + asset(f"components/{name}.css")
