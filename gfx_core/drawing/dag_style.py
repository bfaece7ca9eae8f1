"""How a state DAG looks, wherever it stands."""

from functools import cache

from gfx_core.config import ASSETS
from gfx_core.drawing import colours


@cache
def dag_css() -> str:
    """The style sheet; the colours of roles come from the one table."""
    roles = (
        f".dag {{ --water: {colours.PARENT.colour}; --stop: {colours.MOTIF.colour}; --start: {colours.START.colour}; "
        f"--plain: {colours.PLAIN.colour}; }}\n"
    )
    return roles + (ASSETS / "dag" / "dag.css").read_text(encoding="utf-8")
