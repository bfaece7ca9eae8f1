"""The words of Home, Explain, Compare and Data sets, from assets/content/explorer.toml."""

from gfx_core.config import read_content
from gfx_core.teaching.glossary import term

WORDS = read_content("explorer")


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
