"""The recipes of assets/docs/adding-things.md, followed to the letter in a copy of the repository.

One file and one line are enough: ``tests/recipe_checks.py`` tests in the copy what was added.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

DOCUMENT = (ROOT / "assets" / "docs" / "adding-things.md").read_text(encoding="utf-8")
PARTS = re.split(r"^\*\*(.+?)\*\*: ", DOCUMENT, flags=re.MULTILINE)
RECIPES = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
"""What the document says under each bold name."""

FILES = {
    "A data set": "gfx_core/datasets/rings.py",
    "A GNN": "gfx_core/gnn/mean.py",
    "An explainer": "gfx_core/baselines/nearest.py",
    "A lesson": "pages/ui/lessons/lesson_10.py",
    "A loss": "gfx_core/gfn/objectives.py",
    "A reward term": "gfx_core/gfn/reward_terms.py",
}
"""Where the code of a recipe is written: a new file, or the end of one of ours."""

LINES = {
    "A GNN": ("gfx_core/gnn/kinds.py", "    )\n}\n", "        {},\n"),
    "A knob": ("gfx_core/gfn/settings.py", "    epochs: int = ", "    {}\n"),
    "A loss": ("gfx_core/gfn/settings.py", "    DETAILED_BALANCE = ", "    {}\n"),
    "An option of a question": ("gfx_core/explanation/question.py", "    seed: int = ", "    {}\n"),
}
"""The file that a recipe has one add a line to, what follows there, and how the line stands before it."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository in which all recipes were followed."""
    for name in ("gfx_core", "pages", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc.*"))  # is being written
    for name in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "assets", tmp_path / "assets")
    for name, file in FILES.items():
        assert f"`{file}`" in RECIPES[name]
        (code,) = re.findall(r"```py(?:thon)?\n(.*?)```", RECIPES[name], re.DOTALL)
        with (tmp_path / file).open("a", encoding="utf-8") as module:
            module.write(f"\n\n{code}")
    for recipe in RECIPES.values():
        for entry in re.findall(r"```toml\n(.*?)```", recipe, re.DOTALL):
            (table,) = re.findall(r"`(assets/content/\w+\.toml)`", recipe)
            with (tmp_path / table).open("a", encoding="utf-8") as content:
                content.write(f"\n{entry}")
    for name, (file, after, form) in LINES.items():
        (line,) = re.findall(rf"`([^`]+)` to\s+(?:`\w+`(?: in|, in)\s+)?`{re.escape(file)}`", RECIPES[name])
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert text.count(after) == 1, after
        (tmp_path / file).write_text(text.replace(after, form.format(line) + after), encoding="utf-8")
    registry = "gfx_core/datasets/registry.py"
    (line,) = re.findall(rf"`([^`]+)` to\s+`{registry}`", RECIPES["A data set"])
    with (tmp_path / registry).open("a", encoding="utf-8") as module:
        module.write(f"\n\nfrom gfx_core.datasets.rings import RINGS, rings\n\n{line}\n")
    return tmp_path


def test_what_a_recipe_adds_is_in_all_places(copy: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "tests/recipe_checks.py"]
    done = subprocess.run(command, cwd=copy, env={"PYTHONPATH": str(copy)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]
