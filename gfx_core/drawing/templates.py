"""The templates of pages and pictures, which are Jinja's in ``assets``, and other text files of that folder."""

import base64
import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from gfx_core.config import ASSETS
from gfx_core.drawing.colours import ELEMENTS, ROLES, text_on

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates() -> "Environment":
    """All templates: texts among the values are escaped, and a value that is missing is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only here: every page loads this file
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # no "<" is left in data, so nothing in it can end the script element
    environment.filters["data"] = lambda value: Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))
    environment.filters["digest"] = lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    environment.globals |= {"roles": ROLES, "elements": ELEMENTS, "text_on": text_on}
    environment.filters["px"] = "{:.1f}".format
    return environment


def render(template: str, **values: Any) -> str:
    """A page or a picture from a template of ``assets``."""
    return templates().get_template(template).render(values)


@cache
def asset(name: str) -> str:
    """A text file of ``assets``."""
    return (ASSETS / name).read_text(encoding="utf-8")
