"""The bundles are made of our JavaScript as it is, and the kit does what it says."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from assets import bundle
from gfx_core.drawing.export import PLAYER_STYLES, TRAIN_STYLES

ROOT = bundle.ROOT
TABLE: dict[str, dict[str, Any]] = json.loads(bundle.SOURCES.read_text(encoding="utf-8"))
MODULES = sorted((ROOT / "assets").rglob("*.js"))
TESTS = sorted((ROOT / "tests" / "js").glob("*.test.js"))
COMPONENTS = ROOT / "assets" / "components"
IMPORT = re.compile(r'^(?:import|export)[^"]*? from "(\.[^"]+)";|^import "(\.[^"]+)";', re.MULTILINE)


def reached(entries: Iterable[Path]) -> set[Path]:
    """Modules and style sheets that begin with these, by their imports."""
    paths: set[Path] = set()
    waiting = [path.resolve() for path in entries]
    while waiting:
        path = waiting.pop()
        if path not in paths:
            paths.add(path)
            names = IMPORT.findall(path.read_text(encoding="utf-8")) if path.suffix == ".js" else ()
            waiting += [(path.parent / (name or other)).resolve() for name, other in names]
    return paths


def components() -> list[Path]:
    """The modules that Python names as components."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py")]
    names = {name for text in texts for name in re.findall(r'component\(\s*"([^"]+)"', text)}
    return [ROOT / "assets" / f"{name}.js" for name in names]


def test_the_bundles_are_made_of_the_modules_as_they_are() -> None:
    again = "run: python assets/bundle.py"
    assert {path.stem for path in bundle.BUNDLES.glob("*.mjs")} == TABLE.keys() == bundle.ENTRIES.keys(), again
    changed = [name for name, made in TABLE.items() if bundle.digest(name, made["sources"]) != made["digest"]]
    assert not changed, again


def test_every_module_is_used() -> None:
    bundled = [ROOT / entry for entry in bundle.ENTRIES.values()]
    used = {path for path in reached([*components(), *bundled]) if path.suffix == ".js"}
    assert used == set(MODULES)


def test_scripts_are_files() -> None:
    """No JavaScript hides in Python, where nobody checks it."""
    for path in [*(ROOT / "pages").rglob("*.py"), *(ROOT / "gfx_core").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert "export default function" not in text, path
        assert "querySelector(" not in text, path


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_the_kit(path: Path, browser: Browser) -> None:
    """The cases of a file, in a page that may load the modules as they are and nothing else."""

    def serve(route: Route) -> None:
        name = route.request.url.removeprefix("http://modules.test/")
        if (ROOT / name).is_file():
            route.fulfill(path=ROOT / name, content_type="text/javascript")
        elif name:
            route.abort()  # what is missing fails at once
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    page = browser.new_page()
    try:
        page.route("**", lambda route: route.abort())
        page.route("http://modules.test/**", serve)
        page.goto("http://modules.test/")
        page.evaluate("async (name) => { window.run = (await import(name)).default; }", f"/tests/js/{path.name}")
        cases = page.evaluate("window.run()")  # at once: a case clicks on a link that leads elsewhere
    finally:
        page.close()
    assert len(cases) >= 5
    wrong = [f"{name}: {error}" for name, error in cases if error]
    assert not wrong, "\n".join(wrong)


PLAYERS = (
    "player/component",
    "player/standalone_states",
    "lessons/puzzles",
    "components/lab_view",
)  # they all have the player's looks
SHEETS = {
    "assets/state_graph/state_graph.css": ("player/component", "train/standalone"),
    "assets/lessons/lesson.css": ("lessons/water", "lessons/orders", "lessons/sequences", "lessons/puzzles"),
    "assets/lessons/sequences.css": ("lessons/sequences",),
    "assets/lessons/table.css": ("lessons/water", "lessons/sequences"),
    **{f"assets/{name}.css": PLAYERS for name in PLAYER_STYLES[1:]},
    **{f"assets/{name}.css": ("train/standalone",) for name in TRAIN_STYLES[2:]},
    **{path.relative_to(ROOT).as_posix(): (f"components/{path.stem}",) for path in COMPONENTS.glob("*.css")},
    "assets/components/graph_view.css": PLAYERS,
}


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_class_of_a_style_sheet_is_given_to_something(sheet: str) -> None:
    """In the modules, or in the Python that shows them or draws pictures for them."""
    wanted = [f'component("{name}",' for name in SHEETS[sheet]]
    python = [path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py")]
    modules = reached(path for name in SHEETS[sheet] if (path := ROOT / "assets" / f"{name}.js").is_file())
    texts = [path.read_text(encoding="utf-8") for path in modules if path.suffix == ".js"]
    texts += [text for text in python if any(call in text for call in wanted)]
    drawn = ("gfx_core/drawing/svg.py", "assets/site/terms.html")
    core = [(ROOT / name).read_text(encoding="utf-8") for name in drawn]
    words = "\n".join([*texts, *core])
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", (ROOT / sheet).read_text(encoding="utf-8"), flags=re.DOTALL)
    classes = set(re.findall(r"\.([a-zA-Z][\w-]*)", rules))
    made = {name for name in classes if f"{name.rpartition('-')[0]}-${{" in words}  # e.g. total-${side}
    assert not {name for name in classes - made if not re.search(rf"(?<![\w-]){name}(?![\w-])", words)}
