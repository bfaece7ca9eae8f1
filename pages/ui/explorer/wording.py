"""The words of Home, Explain, Compare and Data sets, from assets/content/explorer.toml."""

import tomllib
from typing import Any

from gfx_core.drawing.templates import asset
from gfx_core.teaching.glossary import term

WORDS: dict[str, Any] = tomllib.loads(asset("content/explorer.toml"))


def widget(key: str, **values: object) -> dict[str, str]:
    """The key, label, icon and help of a widget.

    Args:
        key: Of the widget, and of its table in the file.
        values: What stands in braces in its texts.
    """
    texts = {name: text.format(**values) for name, text in WORDS["widgets"][key].items()}
    if entry := texts.pop("glossary", ""):
        texts["help"] += f" {term(entry, 'Glossary')}"
    return {"key": key, **texts}
