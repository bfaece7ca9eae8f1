"""Read what a page shows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]

Open = Callable[..., AppTest]
"""The fixture ``open_page``: a page's file name and URL parameters in, the page out."""


def component(at: AppTest, key: str) -> Any:
    """What a component was given."""
    found = [c.proto for c in at.get("bidi_component") if key in c.proto.id]
    assert found, f"there is no {key}"
    data = json.loads(found[0].json)
    return data[0] if isinstance(data, list) and len(data) == 1 else data


def texts(at: AppTest) -> str:
    """Everything that is written on the page."""
    return "\n".join(str(element.value) for element in (*at.markdown, *at.caption, *at.subheader))
