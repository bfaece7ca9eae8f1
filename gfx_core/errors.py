"""The error whose message is written for a person and shown to them as it stands, and names that are not found."""

import difflib
from collections.abc import Mapping, Sequence

_COMPARED = 5000  # names among which one that is nearly right is looked for


class UserError(ValueError):
    """Something the user gave or asked for cannot work; the message says what is wrong and what to do."""


def look_up(wanted: str, titles: Mapping[str, str], missing: str) -> str:
    """The name that is meant, by name (``ba_shapes``) or title (``BA-Shapes``).

    Args:
        wanted: What was written.
        titles: The title of each name.
        missing: What to say where it is none of these, such as “There is no data set”.
    """
    if wanted in titles:
        return wanted
    key = _plain(wanted)
    for name, title in titles.items():
        if key in (_plain(name), _plain(title)):
            return name
    close = difflib.get_close_matches(key, titles, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise UserError(f"{missing} “{wanted[:60]}”.{hint} Choose one of: {', '.join(titles)}.")


def node_by_name(names: Sequence[str], wanted: str, title: str) -> int:
    """The number of the node of that name; small letters stand for large ones where that is clear.

    Args:
        names: Of all nodes.
        wanted: One of them.
        title: What the data set is called, for people.

    Raises:
        UserError: None is called so, or more than one.
    """
    name = wanted.strip()
    found = [number for number, known in enumerate(names) if known == name] or [
        number for number, known in enumerate(names) if known.casefold() == name.casefold()
    ]
    if not found:
        known = {known.casefold(): known for known in names[:_COMPARED]}
        close = difflib.get_close_matches(name[:60].casefold(), known, n=1)
        hint = f" Did you mean “{known[close[0]]}”?" if close else ""
        raise UserError(f"{title} has no node “{name[:60]}”.{hint}")
    if len(found) > 1:
        some = ", ".join(map(str, found[:5])) + (" …" if len(found) > 5 else "")
        raise UserError(f"{len(found):,} nodes are called “{name[:60]}”: choose one by its number ({some}).")
    return found[0]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_").replace(",", "")
