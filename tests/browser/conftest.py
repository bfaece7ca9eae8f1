"""A real browser against a real server. Nothing outside this computer may be asked for anything."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from gfx_core.drawing.export import player_html
from gfx_core.trace.schema import Trace
from tests.browser.tabs import Tab, Tabs
from tests.server import running

if TYPE_CHECKING:
    from gfx_core.drawing.export import States

OpenPage = Callable[..., Page]
Play = Callable[..., Page]


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests, with an empty data folder."""
    with running(tmp_path_factory.mktemp("app")) as server:
        yield server.address


@pytest.fixture(scope="session")
def visitors(browser: Browser) -> Tabs:
    """Tabs in which the app is opened."""
    return Tabs(browser, height=900)


@pytest.fixture(scope="session")
def readers(browser: Browser) -> Tabs:
    """Tabs in which files are opened, with the network off."""
    return Tabs(browser, height=800, offline=True)


@pytest.fixture
def open_page(visitors: Tabs, app: str) -> Iterator[OpenPage]:
    """Open an address of the app as a new visitor; at the end no request may have gone elsewhere.

    Whoever counts the entries of a tab's history asks for a fresh one: that of others may be full.
    """
    taken: list[Tab] = []

    def open_it(
        path: str = "/",
        width: int = 1280,
        theme: str = "light",
        motion: str = "no-preference",
        address: str = app,
        fresh: bool = False,
    ) -> Page:
        tab = visitors.take(width, theme, motion, fresh)
        taken.append(tab)
        tab.page.goto(address + path)
        return tab.page

    yield open_it
    outside = [url for tab in taken for url in tab.outside]
    for tab in taken:
        visitors.give_back(tab)
    assert not outside, f"requests left this computer: {outside}"


@pytest.fixture
def open_file(readers: Tabs, tmp_path: Path) -> Iterator[OpenPage]:
    """Open the text of an HTML file, with the network off; nothing may go wrong on the page."""
    taken: list[Tab] = []

    def open_it(text: str, width: int = 1280, moving: bool = False, theme: str = "light") -> Page:
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        tab = readers.take(width, theme, "no-preference" if moving else "reduce")
        taken.append(tab)
        tab.page.goto(file.as_uri())
        return tab.page

    yield open_it
    wrong = [message for tab in taken for message in (*tab.wrong, *tab.outside)]
    for tab in taken:
        readers.give_back(tab)
    assert not wrong


@pytest.fixture
def play(open_file: OpenPage) -> Play:
    """Open a trace's own HTML file.

    It opens at the start of the trajectory, as a trace without an answer does, unless its answer is asked for.
    """

    def open_it(trace: Trace, *, answer: bool = False, states: "States | None" = None, **settings: Any) -> Page:
        shown = trace if answer else replace(trace, answer=None)
        return open_file(player_html(shown, states), **settings)

    return open_it
