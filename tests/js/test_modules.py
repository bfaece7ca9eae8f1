"""The bundles are made of our JavaScript as it is, and the kit does what it says."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from assets import bundle

ROOT = bundle.ROOT
TABLE: dict[str, dict[str, Any]] = json.loads(bundle.SOURCES.read_text(encoding="utf-8"))
MODULES = sorted((ROOT / "assets").rglob("*.js"))
TESTS = sorted((ROOT / "tests" / "js").glob("*.test.js"))
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
