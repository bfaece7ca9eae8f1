"""The linter, the formatter and the type checker are part of the tests."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    "command", [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",)], ids=" ".join
)
def test_tool_finds_nothing(command: tuple[str, ...]) -> None:
    result = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_linter_bans_streamlit_in_the_core() -> None:
    source = "import streamlit\n"
    command = [sys.executable, "-m", "ruff", "check", "--stdin-filename", "gfx_core/datasets/x.py", "-"]
    result = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True)
    assert "TID251" in result.stdout
