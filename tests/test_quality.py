"""The linter, the formatter, the type checker and the direction of imports are part of the tests."""

import subprocess
import sys
from pathlib import Path

import grimp
import networkx as nx
import pytest

from gfx_core.config import data_root

ROOT = Path(__file__).resolve().parent.parent


CACHE = data_root() / "mypy"
"""What the type checker knows of other packages outlives a checkout: reading them takes it half a minute."""


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy", "--cache-dir", str(CACHE))],
    ids=["ruff check", "ruff format", "mypy"],
)
def test_tool_finds_nothing(command: tuple[str, ...]) -> None:
    result = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_linter_bans_streamlit_in_the_core() -> None:
    source = "import streamlit\n"
    command = [sys.executable, "-m", "ruff", "check", "--stdin-filename", "gfx_core/datasets/x.py", "-"]
    result = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True)
    assert "TID251" in result.stdout


def test_imports_run_one_way() -> None:
    """The layers are written down in pyproject.toml."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_no_module_imports_itself_in_a_circle() -> None:
    """Imports inside functions count too."""
    found = grimp.build_graph("gfx_core", "pages", cache_dir=None)
    arrows = nx.DiGraph(
        (module, other) for module in found.modules for other in found.find_modules_directly_imported_by(module)
    )
    assert len(arrows.edges) > 500
    assert [circle for circle in nx.strongly_connected_components(arrows) if len(circle) > 1] == []
