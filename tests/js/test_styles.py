"""Style sheets speak of nothing that their components do not have."""

import re
from pathlib import Path

import pytest

from gfx_core.drawing import train_html
from gfx_core.drawing.modules import joined
from gfx_core.drawing.script_tokens import tokens
from gfx_core.drawing.standalone import PLAYER, STYLES
from tests.js.lint import ROOT, entries

COMPONENTS = ROOT / "pages" / "ui" / "components"
DAG = ROOT / "assets" / "dag" / "dag.css"
TRAIN = [train_html.TRAIN / f"{name}.css" for name in train_html.STYLES[1:]]
SHEETS = sorted([DAG, *TRAIN, *COMPONENTS.glob("*.css"), *(PLAYER / f"{name}.css" for name in STYLES[1:])])
PLAYERS = ("component.js", "graph_view.js", "lab_view.js")  # they all have the player's looks


def said(names: tuple[str, ...]) -> str:
    """All strings of some scripts and of the Python that shows them, where elements get their classes."""
    scripts = [joined(entry) for entry in entries() if entry.name in names]
    texts = [token.text for script in scripts for token in tokens(script) if token.kind in ("string", "template")]
    wanted = tuple(f'script("{name}")' for name in names)
    for path in [*(ROOT / "pages").rglob("*.py"), ROOT / "gfx_core" / "drawing" / "svg.py"]:
        text = path.read_text(encoding="utf-8")
        if path.name == "svg.py" or any(call in text for call in wanted):
            texts.append(text)
    return "\n".join(texts)


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_every_class_is_given_to_something(path: Path) -> None:
    shared = path.parent == PLAYER or path.name == "graph_view.css"
    others = {DAG: "dag_view.js", **dict.fromkeys(TRAIN, "standalone.js")}
    words = said(PLAYERS if shared else (others.get(path, f"{path.stem}.js"),))
    sheet = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    classes = set(re.findall(r"\.([a-zA-Z][\w-]*)", sheet))
    made = {name for name in classes if f"{name.rpartition('-')[0]}-${{" in words}  # e.g. total-${side}
    unsaid = {name for name in classes - made if not re.search(rf"(?<![\w-]){name}(?![\w-])", words)}
    assert not unsaid
