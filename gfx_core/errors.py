"""The error whose message is written for a person and shown to them as it stands, and names that are not found."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

_COMPARED = 5000  # names among which one that is nearly right is looked for


class UserError(ValueError):
    """Input that cannot work; the message names what is wrong and what to do."""


def look_up(wanted: str, titles: Mapping[str, str], missing: str) -> str:
    """The name that is meant, by name (``ba_shapes``) or title (``BA-Shapes``).

    Args:
        wanted: What was written.
        titles: The title of each name.
        missing: The sentence's beginning where it is none of these, such as “There is no data set”.
    """
    if wanted in titles:
        return wanted
    key = _plain(wanted)
    for name, title in titles.items():
        if key in (_plain(name), _plain(title)):
            return name
    raise UserError(f"{missing} “{wanted[:60]}”.{_hint(wanted, titles)} Choose one of: {', '.join(titles)}.")


def node_by_name(names: Sequence[str], wanted: str, title: str) -> int:
    """The number of the node of that name; small letters are read as large ones where that is clear.

    Args:
        names: Of all nodes.
        wanted: One of them.
        title: What the data set is called, for people.

    Raises:
        UserError: None is called so, or more than one.
    """
    wanted = wanted.strip()
    matches = [number for number, name in enumerate(names) if name == wanted] or [
        number for number, name in enumerate(names) if name.casefold() == wanted.casefold()
    ]
    if not matches:
        raise UserError(f"{title} has no node “{wanted[:60]}”.{_hint(wanted, names[:_COMPARED])}")
    if len(matches) > 1:
        some = ", ".join(map(str, matches[:5])) + (" …" if len(matches) > 5 else "")
        raise UserError(f"{len(matches):,} nodes are called “{wanted[:60]}”: choose one by its number ({some}).")
    return matches[0]


def _hint(wanted: str, names: Iterable[str]) -> str:
    """A question whether the name most like another is meant; empty where none is."""
    plain = {_plain(name): name for name in names}
    close = difflib.get_close_matches(_plain(wanted[:60]), plain, n=1)
    return f" Did you mean {plain[close[0]]}?" if close else ""


def _plain(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_").replace(",", "")
