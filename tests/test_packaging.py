"""`pip install .` gives a package that works where there is no checkout, and says what it is."""

import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

import gfx_core
from gfx_core.packaging import EXPLORER, LEFT
from tests.conftest import ROOT
from tests.load.server import running
from tests.load.visitor import Visitor
from tests.loops import run_alone

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
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with ours, built without a network: an archive of the source, and the package from that."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    unwanted = shutil.ignore_patterns("__pycache__", ".git", ".*_cache", "tests")
    shutil.copytree(ROOT, source, dirs_exist_ok=True, ignore=unwanted)
    for kind in ("sdist", "wheel"):
        build = f"from setuptools import build_meta; build_meta.build_{kind}({str(out)!r})"
        done = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for archive in out.glob("*.tar.gz"):
            shutil.unpack_archive(archive, out, filter="data")
            source = out / archive.name.removesuffix(".tar.gz")
    (wheel,) = out.glob("*.whl")
    folder = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.fixture(scope="module")
def about(site: Path) -> Message:
    """What the package says of itself."""
    (metadata,) = site.glob("*.dist-info/METADATA")
    return message_from_string(metadata.read_text(encoding="utf-8"))


def names(folder: Path) -> set[str]:
    """Files and folders of a folder, but for what Python leaves."""
    return {path.name for path in folder.iterdir()} - {"__pycache__"}


def test_the_library_works_outside_the_checkout(site: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _TRY, str(site)]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(site)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The GNN predicts")
    assert (tmp_path / "offline.html").stat().st_size > 50_000


def test_the_explorer_starts_from_any_folder(site: Path, tmp_path: Path) -> None:
    """With the settings of the package; its pages show shipped traces, and its workers find their modules."""
    (scripts,) = site.glob("*.dist-info/entry_points.txt")
    assert "gfx-explorer = gfx_core.__main__:explorer\n" in scripts.read_text(encoding="utf-8")

    async def visit(address: str) -> list[str]:
        async with Visitor(address) as visitor:
            await visitor.open("explain", "dataset=tree_cycles&index=612")
            shown = [visitor.components]
            await visitor.open("datasets", "dataset=tree_cycles&index=601")
            return [*shown, visitor.html]

    with running(tmp_path, installed=site) as server:
        explain, datasets = run_alone(visit(server.address))
        assert {each.laddr.ip for each in server.process.net_connections("inet")} == {"127.0.0.1"}
    assert "player" in explain
    assert "Class probabilities" in datasets


def test_it_contains_all_that_is_read_and_nothing_else(site: Path) -> None:
    assert {name for name in names(site) if not name.endswith(".dist-info")} == {"gfx_core"}
    assert names(site / "gfx_core" / "assets") == names(ROOT / "assets") - set(LEFT)
    assert names(site / "gfx_core" / "explorer") == set(EXPLORER)
    assert (site / "gfx_core" / "py.typed").is_file()
    for folder, inside in ((ROOT / "gfx_core", site / "gfx_core"), (ROOT / "pages", site / "gfx_core/explorer/pages")):
        ours = {path.relative_to(folder) for path in folder.rglob("*.*") if path.suffix in {".py", ".js", ".css"}}
        assert ours <= {path.relative_to(inside) for path in inside.rglob("*.*")}


def test_no_asset_that_is_read_stays_behind() -> None:
    code = "".join(
        path.read_text(encoding="utf-8") for folder in ("gfx_core", "pages") for path in (ROOT / folder).rglob("*.py")
    )
    assert not set(re.findall(r'ASSETS / "([\w.]+)"', code)) & set(LEFT)


def test_it_needs_what_requirements_txt_lists(about: Message) -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    listed = {line for line in lines if line and not line.startswith("#")}
    assert {each for each in about.get_all("Requires-Dist", []) if "extra ==" not in each} == listed


def test_it_says_who_made_it_and_what_one_may_do(about: Message) -> None:
    assert (about["Version"], about["License-Expression"]) == (gfx_core.__version__, "MIT")
    assert "2026 the GFlowExplainer explorer authors" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {gfx_core.__version__}\n" in citation
    for address in (url.rpartition(", ")[2] for url in about.get_all("Project-URL", [])):
        assert address.rpartition("/")[2].rpartition("=")[2] in citation
