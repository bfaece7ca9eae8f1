"""The package works without a checkout, and a container serves it by the files in assets/deploy."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
import zipfile
from email import message_from_string
from pathlib import Path
from string import Template

import pytest
import yaml

import gfx_core
from tests.conftest import ROOT
from tests.patience import PATIENCE_S
from tests.server import running

DEPLOY = ROOT / "assets" / "deploy"
LEFT = {"deploy", "examples", "screenshots"}  # as in setup.py
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
PORT, NAME = "8501", "explorer.example.org"

_TRY = """
import sys
from pathlib import Path
import gfx_core
from gfx_core.config import ASSETS
assert ASSETS == Path(sys.argv[1]) / "gfx_core" / "assets"
dataset, model = gfx_core.load_dataset("tree_cycles"), gfx_core.load_model("tree_cycles")
why = gfx_core.explain(model, dataset, 600, flows="learned", samples=4)
why.save("offline.html")
print(why.sentence)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with ours, built without a network: an archive of the source, and the package from that."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    unwanted = shutil.ignore_patterns("__pycache__", ".git", ".*_cache", "tests", "screenshots")
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


def names(folder: Path) -> set[str]:
    """Files and folders of a folder, but for what Python leaves."""
    return {path.name for path in folder.iterdir()} - {"__pycache__"}


def test_it_contains_all_that_is_read_and_nothing_else(site: Path) -> None:
    assert {name for name in names(site) if not name.endswith(".dist-info")} == {"gfx_core"}
    assert names(site / "gfx_core" / "assets") == names(ROOT / "assets") - LEFT
    assert names(site / "gfx_core" / "explorer") == {"app.py", "pages", ".streamlit"}
    assert (site / "gfx_core" / "py.typed").is_file()
    for folder, inside in ((ROOT / "gfx_core", site / "gfx_core"), (ROOT / "pages", site / "gfx_core/explorer/pages")):
        ours = {path.relative_to(folder) for path in folder.rglob("*.*") if path.suffix in {".py", ".js", ".css"}}
        assert ours <= {path.relative_to(inside) for path in inside.rglob("*.*")}
        code = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
        assert not set(re.findall(r'ASSETS / "([\w.]+)"', code)) & LEFT


def test_its_metadata_are_those_of_the_repository(site: Path) -> None:
    (metadata,) = site.glob("*.dist-info/METADATA")
    about = message_from_string(metadata.read_text(encoding="utf-8"))
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    required = {line for line in lines if line and not line.startswith("#")}
    assert {each for each in about.get_all("Requires-Dist", []) if "extra ==" not in each} == required
    assert (about["Version"], about["License-Expression"]) == (gfx_core.__version__, "MIT")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {gfx_core.__version__}\n" in citation
    for address in (url.rpartition(", ")[2] for url in about.get_all("Project-URL", [])):
        assert address.rpartition("/")[2].rpartition("=")[2] in citation


def test_the_library_works_outside_the_checkout(site: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _TRY, str(site)]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(site)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The GNN predicts")
    assert (tmp_path / "offline.html").stat().st_size > 50_000


# A container


def instructions(kind: str) -> list[str]:
    """The arguments of an instruction of the Dockerfile, in its order."""
    return re.findall(rf"^{kind} (.*)$", DOCKERFILE, re.MULTILINE)


def test_the_files_agree_on_port_folder_and_rights() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    assert all((ROOT / name).exists() for name in kept)
    assert {"requirements.txt", "pyproject.toml", "README.md", "LICENSE", "app.py", "pages", "gfx_core"} <= kept
    (service,) = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    assert (DEPLOY / service["build"]["context"]).resolve() == ROOT
    assert (ROOT / service["build"]["dockerfile"]) == DEPLOY / "Dockerfile"
    assert (instructions("EXPOSE"), service["ports"]) == ([PORT], [f"127.0.0.1:{PORT}:{PORT}"])
    about = yaml.safe_load((DEPLOY / "space.md").read_text(encoding="utf-8").split("---\n", 2)[1])
    assert (about["sdk"], about["app_port"], about["license"]) == ("docker", int(PORT), "mit")
    assert f"proxy_pass http://127.0.0.1:{PORT};" in NGINX
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    streamlit = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert int(megabytes) > streamlit["server"]["maxUploadSize"]
    # It is not root, and writes to its volume only.
    assert (instructions("USER"), instructions("VOLUME")) == (["explorer"], ["/data"])
    assert (service["read_only"], service["volumes"], service["cap_drop"]) == (True, ["data:/data"], ["ALL"])


def test_its_command_serves_the_package_under_its_names_and_no_other(site: Path, tmp_path: Path) -> None:
    """On a free port: it listens everywhere, and refuses strangers' names."""
    variables = dict(each.split("=") for line in instructions("ENV") for each in line.split())
    variables |= {"PYTHONPATH": str(site), "GFX_DATA": str(tmp_path), "HOME": str(tmp_path)}
    typed = Template(instructions("CMD")[0]).substitute(GFX_HOST=NAME, SPACE_HOST="")
    execute, script, *arguments = shlex.split(typed.replace(f" --port {PORT}", ""))
    (points,) = site.glob("*.dist-info/entry_points.txt")
    (module, function) = re.findall(rf"^{script} = (.+):(.+)$", points.read_text(encoding="utf-8"), re.MULTILINE)[0]
    assert execute == "exec"
    command = ["-c", f"from {module} import {function}; {function}()", *arguments, "--port"]
    with running(tmp_path, command, tmp_path, **variables) as server:
        port = server.address.rpartition(":")[2]
        statuses = {}
        for name in (NAME, f"localhost:{port}", "evil.example"):
            request = urllib.request.Request(server.address, headers={"Host": name})
            try:
                statuses[name] = urllib.request.urlopen(request, timeout=PATIENCE_S).status
            except urllib.error.HTTPError as error:
                statuses[name] = error.code
        assert list(statuses.values()) == [200, 200, 421]
        listening = [each.laddr for each in server.process.net_connections("tcp") if not each.raddr]
        assert ("0.0.0.0", int(port)) in listening
