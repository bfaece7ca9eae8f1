"""The recipes of assets/docs/adding-things.md, to be followed to the letter."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT


def recipe(name: str) -> str:
    """What the document says under a bold name."""
    text = (ROOT / "assets" / "docs" / "adding-things.md").read_text(encoding="utf-8")
    said = re.split(r"^\*\*(.+?)\*\*: ", text, flags=re.MULTILINE)
    return dict(zip(said[1::2], said[2::2], strict=True))[name]


def added_module(text: str, folder: Path, patch: pytest.MonkeyPatch) -> ModuleType:
    """The file that a recipe names, with the code that it gives, imported under its own name."""
    (file,) = re.findall(r"`(gfx_core/\w+/\w+)\.py`:", text)
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    path = folder / f"{Path(file).name}.py"
    path.write_text(code, encoding="utf-8")
    spec = spec_from_file_location(file.replace("/", "."), path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    patch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def added_line(text: str, file: str) -> str:
    """The line that a recipe has one add to a registry."""
    (line,) = re.findall(rf"`([^`]+)` to\s+`{re.escape(file)}`", text)
    return str(line)
