"""Tabs that tests take in turn: in a fresh one the browser starts a process and reads all scripts of a page anew."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page, Request, WebSocket

from tests.browser.settling import LISTEN
from tests.patience import PATIENCE_S

_FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"


@dataclass
class Tab:
    """One tab of a visitor of its own.

    Attributes:
        page: The page in it.
        outside: Requests that left this computer.
        wrong: What went wrong on the page.
        alone: Whether not even this computer may be asked for anything.
    """

    page: Page
    alone: bool = False
    outside: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.context.on("request", self._watch)
        self._listen()

    def _listen(self) -> None:
        self.page.set_default_timeout(1000 * PATIENCE_S)
        self.page.on("websocket", self._watch)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda told: self.wrong.append(told.text) if told.type == "error" else None)

    def renew(self) -> None:
        """Have no history; what the browser has read of the app it need not read again."""
        old, self.page = self.page, self.page.context.new_page()
        old.close()
        self._listen()

    def _watch(self, request: Request | WebSocket) -> None:  # the browser itself resolves no other names
        local = not self.alone and urlsplit(request.url).hostname in ("127.0.0.1", "localhost")
        if not local and not request.url.startswith(("data:", "blob:", "file:", "about:")):
            self.outside.append(request.url)


class Tabs:
    """All tabs with the same settings.

    Args:
        browser: Where they are opened.
        height: Of the window.
        settings: Of the contexts.
    """

    def __init__(self, browser: Browser, height: int, **settings: Any) -> None:
        self._browser, self._height, self._settings = browser, height, settings
        self._free: list[Tab] = []

    def take(self, width: int, theme: str, motion: str = "no-preference", fresh: bool = False) -> Tab:
        """A tab that nobody uses, as if it were new, but for the length of its history.

        Args:
            width: Of the window.
            theme: ``light`` or ``dark``.
            motion: ``reduce`` for less.
            fresh: Whether its history must be empty.
        """
        tab = self._free.pop() if self._free else self._new()
        if fresh:
            tab.renew()
        tab.page.set_viewport_size({"width": width, "height": self._height})
        tab.page.emulate_media(color_scheme=theme, reduced_motion=motion)  # type: ignore[arg-type]
        return tab

    def _new(self) -> Tab:
        context = self._browser.new_context(**self._settings)
        context.add_init_script(LISTEN)
        return Tab(context.new_page(), alone=bool(self._settings.get("offline")))

    def give_back(self, tab: Tab) -> None:
        """Leave a tab to others; what the page had kept is forgotten."""
        context = tab.page.context
        try:
            for other in context.pages:
                if other is not tab.page:
                    other.close()
            if tab.page.url.startswith("http"):
                tab.page.evaluate(_FORGET)
            tab.page.goto("about:blank")
            context.clear_cookies()
        except Error:  # a test has failed, and left a page that does not answer
            context.close()
            return
        tab.outside.clear()
        tab.wrong.clear()
        self._free.append(tab)
