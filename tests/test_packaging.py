"""`pip install .` gives a package that works where there is no checkout."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest

from gfx_core.packaging import CARRIED

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

_TRY = """
import sys
from pathlib import Path
import gfx_core
from gfx_core.config import ASSETS
assert Path(gfx_core.__file__).is_relative_to(sys.argv[1])
assert ASSETS == Path(sys.argv[1]) / "gfx_core" / "assets"
from gfx_core.gfn.own_policies import policy_path
dataset, model = gfx_core.load_dataset("tree_cycles"), gfx_core.load_model("tree_cycles")
shipped = gfx_core.GFlowExplainer.load(policy_path("tree_cycles"), samples=4)
shipped.explain(model, dataset, 600).save("offline.html")
print(gfx_core.explain(model, dataset, 600).sentence)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as pip builds it, from a copy of the checkout and without a network."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for folder in ("gfx_core", "assets"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source / name)
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    done = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = out.glob("*.whl")
    return made


def test_it_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    zipfile.ZipFile(wheel).extractall(site)
    assert {path.name for path in site.iterdir() if not path.name.endswith(".dist-info")} == {"gfx_core"}
    assert {path.name for path in (site / "gfx_core" / "assets").iterdir()} == set(CARRIED)
    command = [sys.executable, "-c", _TRY, str(site)]
    done = subprocess.run(command, cwd=elsewhere, env={"PYTHONPATH": str(site)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The GNN predicts")
    assert (elsewhere / "offline.html").stat().st_size > 50_000


def test_every_module_is_in_it(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "gfx_core").rglob("*.py")} <= held


def test_every_folder_of_assets_that_is_read_goes_along() -> None:
    read = {
        name
        for path in (ROOT / "gfx_core").rglob("*.py")
        for name in re.findall(r'ASSETS / "(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert read <= set(CARRIED)


def test_versions_are_ranges_that_hold_the_tested_ones() -> None:
    from packaging.requirements import Requirement
    from packaging.version import Version

    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    ranges = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    for text in ranges:
        wanted = Requirement(text)
        assert not any(each.operator == "==" for each in wanted.specifier)
        if wanted.name in tested:
            assert Version(tested[wanted.name]) in wanted.specifier
    assert tested.keys() <= {Requirement(text).name for text in ranges}
