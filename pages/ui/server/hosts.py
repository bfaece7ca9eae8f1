"""By which names the server may be asked, and that it asks nobody for its own.

A web page of somebody else's can give its own name the number of this computer, and would then be let in as if it were
ours. Streamlit checks names for its websocket; a page that loads and then stays empty helps nobody, so the same is
checked here for all else, and answered with a sentence.
"""

from typing import TYPE_CHECKING

from streamlit import net_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

REFUSED = (
    "This explorer does not answer to that name. Whoever started it can allow it: "
    "streamlit run app.py --server.allowedHosts NAME\n"
)
_ALWAYS = "/_stcore/health"  # is asked by whatever watches over the server, under any name; it tells nothing


class AllowedHosts:
    """Refuses what is asked under a name that is not allowed, by ``server.allowedHosts``."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http" and not scope["path"].endswith(_ALWAYS) and not is_host_allowed(_host(scope)):
            headers = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 421, "headers": headers})
            await send({"type": "http.response.body", "body": REFUSED.encode()})
            return
        await self.app(scope, receive, send)


def _host(scope: "Scope") -> str | None:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), None)


def ask_nobody() -> None:
    """Streamlit would ask a service on the web under which address this computer is seen there.

    It does so at its start, and whenever a websocket is opened from a page of another name.
    """
    net_util.get_external_ip = lambda: None
