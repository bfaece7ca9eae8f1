"""What one takes along of an explanation: a page that plays, a Trace, a GIF; and how it plays inside a notebook."""

import html

from gfx_core.drawing.gif import gif
from gfx_core.drawing.standalone import player_html
from gfx_core.errors import UserError
from gfx_core.trace.io import to_json
from gfx_core.trace.schema import Trace

HEIGHT = 760
"""Of the player in a notebook, in pixels."""


def page(trace: Trace) -> str:
    """One page that plays a trace without a server or a network."""
    return player_html(trace)


def content(trace: Trace, suffix: str) -> bytes:
    """A file by its ending: ``.html``, ``.json`` or ``.gif``."""
    if suffix in (".html", ".htm"):
        return page(trace).encode()
    if suffix == ".json":
        return to_json(trace).encode()
    if suffix == ".gif":
        return gif(trace)
    raise UserError(f"An explanation is saved as .html, .json or .gif (got “{suffix or 'no ending'}”).")


def in_notebook(trace: Trace, words: str) -> str:
    """The player in a frame of its own, shut off from the notebook around it, under the answer in words.

    The frame may run its own script and hand out files, and nothing else: it has no origin, so it can neither read nor
    change the notebook.
    """
    said = "<br>".join(html.escape(line) for line in words.splitlines())
    frame = (
        f'<iframe sandbox="allow-scripts allow-downloads" srcdoc="{html.escape(page(trace), quote=True)}" '
        f'title="{html.escape(words.splitlines()[0] if words else "An explanation", quote=True)}" '
        f'style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
    )
    return f"<p>{said}</p>\n{frame}"
