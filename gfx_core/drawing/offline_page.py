"""An HTML file that stands alone: it asks nobody for anything, and only its own scripts may run in it."""

import base64
import hashlib
import html
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OfflinePage:
    """What such a file holds.

    Attributes:
        title: Its title, as text.
        style: Its looks, as CSS.
        body: Its markup; texts in it are escaped by whoever makes it.
        data: What its scripts read, from the element ``data``; none by default.
        scripts: They run in this order, after the body; no others may.
        images: Where pictures may come from, as its policy spells it: nowhere by default.
        description: For whoever looks for it or links to it, as text.
    """

    title: str
    style: str
    body: str
    data: Any = None
    scripts: tuple[str, ...] = ()
    images: str = ""
    description: str = ""

    def __str__(self) -> str:
        """The file."""
        told = f'<meta name="description" content="{html.escape(self.description)}">\n' if self.description else ""
        scripts = "".join(f"<script>{script}</script>\n" for script in self.scripts)
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{self._policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(self.title)}</title>
{told}<style>{self.style}</style>
</head>
<body>
{self.body}
{self._data}{scripts}</body>
</html>
"""

    @property
    def _policy(self) -> str:
        parts = ["default-src 'none'"]
        parts += [f"img-src {self.images}"] * bool(self.images)
        parts += ["style-src 'unsafe-inline'"]
        hashes = " ".join(f"'sha256-{_hash(script)}'" for script in self.scripts)
        return "; ".join([*parts, *[f"script-src {hashes}"] * bool(hashes)])

    @property
    def _data(self) -> str:
        """No "<" is left in it, so nothing in it can end the script element."""
        if self.data is None:
            return ""
        texts = json.dumps(self.data, ensure_ascii=False).replace("<", "\\u003c")
        return f'<script type="application/json" id="data">{texts}</script>\n'


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
