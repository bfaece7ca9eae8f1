"""How much visitors may have on the server that no page has read yet, asked before a file's bytes are taken.

Streamlit takes any number of files of any visit, each up to ``server.maxUploadSize``, and holds them in memory.
"""

import contextlib
from typing import TYPE_CHECKING

from streamlit import config, runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_FILES, MOST_BYTES = 4, 64 * 2**20
"""What one visit may have."""
MOST_BYTES_OF_ALL = 512 * 2**20
"""What all visits together may have."""
REFUSED = "There are too many files here already: remove one, or try again in a while.\n"
_PLACE = "/_stcore/upload_file/"


class UploadLimits:
    """Refuses a file for which there is no room: what is on its way counts as if it were there."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app
        self._coming: list[tuple[str, int]] = []  # visits and bytes of files on their way

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or _PLACE not in scope["path"]:
            await self.app(scope, receive, send)
            return
        one = (scope["path"].partition(_PLACE)[2].partition("/")[0], _size(scope))
        if not self._has_room(*one):
            headers = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 413, "headers": headers})
            await send({"type": "http.response.body", "body": REFUSED.encode()})
            return
        self._coming.append(one)
        try:
            await self.app(scope, receive, send)
        finally:
            self._coming.remove(one)

    def _has_room(self, visit: str, size: int) -> bool:
        there = [*_held(), *self._coming]
        theirs = [each for owner, each in there if owner == visit]
        everybodys = sum(each for _, each in there)
        enough = len(theirs) < MOST_FILES and sum(theirs) + size <= MOST_BYTES
        return enough and everybodys + size <= MOST_BYTES_OF_ALL


def _size(scope: "Scope") -> int:
    """How large a file may turn out to be: as it says, or as large as any may be."""
    told = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    with contextlib.suppress(ValueError):
        return max(0, int(told))
    return int(config.get_option("server.maxUploadSize")) * 2**20


def _held() -> list[tuple[str, int]]:
    """Visits and bytes of the files that are there."""
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if not isinstance(manager, MemoryUploadedFileManager):
        return []
    held = list(manager.file_storage.items())
    return [(visit, len(file.data)) for visit, files in held for file in list(files.values())]
