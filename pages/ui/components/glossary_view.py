"""The list of terms: searched and scrolled in the browser. Links reach a term by ``#anchor`` or ``?term=anchor``."""

from gfx_core.site.markup import glossary_html
from pages.ui.components.mount import component, style

_view = component("components/glossary_view", glossary_html("learn?lesson={}", linked=True), style("glossary_view"))


def glossary_view(opened: str | None) -> None:
    """Show all terms.

    Args:
        opened: Anchor of the term to go to.
    """
    _view(key="glossary", data={"opened": opened})
