"""The words of pages, from assets/content: of Home, Explain, Compare and Data sets, and of the widgets of all pages."""

from typing import Any

from gfx_core.config import read_content
from gfx_core.teaching.glossary import term, tooltip

WORDS = read_content("explorer")
_WIDGETS = read_content("widgets")


def widget(name: str, /, **values: object) -> dict[str, Any]:
    """The key, label, icon, help and looks of a widget.

    Args:
        name: Of its table in the file; its key, unless the table has one.
        values: What stands in braces in its texts.
    """
    texts = {"key": name} | _WIDGETS[name]
    texts = {argument: text.format(**values) if isinstance(text, str) else text for argument, text in texts.items()}
    if entry := texts.pop("glossary", ""):
        texts["help"] = f"{texts['help']} {term(entry, 'Glossary')}" if "help" in texts else tooltip(entry)
    return texts
