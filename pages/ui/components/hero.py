"""One explanation, large: `gfx_core.drawing.hero` makes it, the browser plays it."""

from gfx_core.drawing.export import css
from gfx_core.drawing.hero import story
from gfx_core.drawing.templates import asset
from gfx_core.trace.schema import Trace
from pages.ui.components.mount import component

_hero = component(
    "components/hero", '<div class="kit player hero"></div>', css("player") + asset("components/hero.css")
)


def hero(trace: Trace, *, key: str, seek: bool = False) -> None:
    """Play an explanation.

    Args:
        trace: The explanation.
        key: Widget key; another trace under the same key starts anew.
        seek: Whether the browser scrolls to the picture, where that is out of view, when it begins to play.
    """
    _hero(key=key, data={**story(trace), "seek": seek})
