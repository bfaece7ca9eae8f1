"""The files in assets/deploy/ name what is there, and their command starts a server that answers as it should."""

import os
import re
import shlex
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from pathlib import Path
from string import Template
from typing import Any

import psutil
import pytest
import yaml

from tests.conftest import ROOT
from tests.patience import PATIENCE_S, until

DEPLOY = ROOT / "assets" / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
PORT = "8501"
NAME = "explorer.example.org"


def instructions(kind: str) -> list[str]:
    """What the Dockerfile says after a word, in its order."""
    return re.findall(rf"^{kind} (.*)$", DOCKERFILE, re.MULTILINE)


@pytest.fixture(scope="module")
def service() -> dict[str, Any]:
    """The one of compose.yaml."""
    (only,) = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    return dict(only)


def test_what_is_copied_is_there() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    assert all((ROOT / name).exists() for name in kept)
    assert {"requirements.txt", "pyproject.toml", "README.md", "LICENSE", "app.py", "pages", "gfx_core"} <= kept
    assert {line.split()[0] for line in instructions("COPY")} == {"requirements.txt", "."}


def test_it_is_not_root_and_writes_to_its_volume_only(service: dict[str, Any]) -> None:
    assert instructions("USER") == ["explorer"]
    assert instructions("VOLUME") == ["/data"]
    assert service["read_only"]
    assert service["volumes"] == ["data:/data"]
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]


def test_a_gpu_is_one_line() -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    (service,) = yaml.safe_load(text.replace("# gpus:", "gpus:", 1))["services"].values()
    assert service["gpus"] == "all"


def test_all_name_one_port_and_files_that_are_there(service: dict[str, Any]) -> None:
    assert instructions("EXPOSE") == [PORT]
    assert service["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    build = service["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]) == DEPLOY / "Dockerfile"
    assert f"proxy_pass http://127.0.0.1:{PORT};" in NGINX
    assert "/_stcore/health" in instructions("HEALTHCHECK")[0]
    _, front, _ = (DEPLOY / "space.md").read_text(encoding="utf-8").split("---\n", 2)
    about = yaml.safe_load(front)
    assert (about["sdk"], about["app_port"], about["license"]) == ("docker", int(PORT), "mit")


def test_uploads_pass_the_proxy() -> None:
    streamlit = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", NGINX)
    assert int(megabytes) > streamlit["server"]["maxUploadSize"]


def test_its_command_answers_under_its_names_and_no_other(tmp_path: Path) -> None:
    """As a container runs it, on a free port: it listens everywhere, and says no to strangers' names."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    variables = dict(each.split("=") for line in instructions("ENV") for each in line.split())
    typed = Template(instructions("CMD")[0]).substitute(GFX_HOST=NAME, SPACE_HOST="")
    execute, script, *arguments = shlex.split(typed.replace(PORT, port))
    assert execute == "exec"
    module, _, function = SCRIPTS[script].partition(":")
    command = [sys.executable, "-c", f"from {module} import {function}; {function}()", *arguments]
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT), "GFX_DATA": str(tmp_path), "HOME": str(tmp_path)}

    def status(name: str, path: str = "/") -> int:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": name})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            until(lambda: server.poll() is not None or status("watching.example", "/_stcore/health") == 200)
            assert (status(NAME), status(f"localhost:{port}"), status("evil.example")) == (200, 200, 421)
            listening = [each.laddr for each in psutil.Process(server.pid).net_connections("tcp") if not each.raddr]
            assert ("0.0.0.0", int(port)) in listening
        finally:
            server.terminate()
            server.wait(PATIENCE_S)
