"""Find something by what people call it, or say what there is."""

import difflib
from collections.abc import Mapping

from gfx_core.errors import UserError


def look_up(given: str, titles: Mapping[str, str], missing: str) -> str:
    """The name that is meant, by name (``ba_shapes``) or title (``BA-Shapes``).

    Args:
        given: What somebody wrote.
        titles: The title of each name.
        missing: What to say where it is none of these, such as “There is no data set”.
    """
    key = _plain(given)
    for name, title in titles.items():
        if key in (_plain(name), _plain(title)):
            return name
    close = difflib.get_close_matches(key, titles, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise UserError(f"{missing} “{given[:60]}”.{hint} Choose one of: {', '.join(titles)}.")


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_").replace(",", "")
