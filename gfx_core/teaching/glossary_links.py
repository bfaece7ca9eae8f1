"""Find a term of the explorer, and link to it."""

from gfx_core.teaching.terms import ENTRIES, Entry

GLOSSARY = "/glossary"
"""Address of the page."""


def _simple(name: str) -> str:
    return name.strip().lower().replace(" ", "-").replace("_", "-")


_BY_NAME: dict[str, Entry] = {
    _simple(name): entry for entry in reversed(ENTRIES) for name in (*entry.also, entry.name, entry.anchor)
} | {entry.anchor: entry for entry in ENTRIES}


def find(name: str) -> Entry | None:
    """The entry with this anchor or name."""
    return _BY_NAME.get(_simple(name))


def term(name: str, text: str | None = None) -> str:
    """A Markdown link to an entry, e.g. ``[flow](/glossary#flow)``.

    Args:
        name: Its anchor or name.
        text: What the link says; the name by default.

    Raises:
        KeyError: if the glossary has no such entry.
    """
    entry = _BY_NAME[_simple(name)]
    return f"[{text or name}]({GLOSSARY}#{entry.anchor})"


def tooltip(name: str) -> str:
    """What an entry means, with a link to it: the text of a tooltip.

    Raises:
        KeyError: if the glossary has no such entry.
    """
    entry = _BY_NAME[_simple(name)]
    return f"{entry.meaning} [More in the glossary]({GLOSSARY}#{entry.anchor})"
