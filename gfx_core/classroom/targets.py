"""Where a class can be sent: to a page of this explorer, opened by a link; never anywhere else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from gfx_core.errors import UserError

MOST = 2000
"""Letters in a link; the longest that the pages write are shorter."""
PRIVATE = ("class", "key", "screen")
"""Parameters of a link that are about who has it, not about what it shows."""


@dataclass(frozen=True)
class Target:
    """A page and what is set on it.

    Attributes:
        page: Its name, as in the address.
        query: Its parameters, as in the address.
    """

    page: str
    query: str = ""

    @property
    def link(self) -> dict[str, str]:
        """The parameters by name."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @classmethod
    def of(cls, page: str, link: Mapping[str, str]) -> "Target":
        """A page with these parameters, without those about who has the link."""
        shown = {name: text for name, text in link.items() if name not in PRIVATE}
        return cls(page, urlencode(shown, errors="replace"))


def read_target(text: str, pages: Collection[str]) -> Target:
    """The page that a link leads to, copied from the address bar or typed.

    Where the link says on which computer, that is left out: students go to a page of the server that they are on.

    Args:
        text: The link.
        pages: The names of all pages.

    Raises:
        UserError: It leads to none of them.
    """
    words = text.strip()
    if len(words) > MOST:
        raise UserError(f"This link is too long: at most {MOST} letters.")
    try:
        parts = urlsplit(words)
    except ValueError:
        parts = urlsplit("")
    page = parts.path.strip("/").rsplit("/", 1)[-1]
    if page not in pages:
        raise UserError("This link leads to no page of the explorer. Copy it from the address bar of a page here.")
    return Target.of(page, dict(parse_qsl(parts.query, keep_blank_values=True)))
