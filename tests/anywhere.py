"""Does the README's test command hold on other computers? ``python -m tests.anywhere``, before every release.

Each situation copies the working tree to a new place and runs the test command there, with the packages of this
environment; then it prints one line. It takes as long as so many test runs, and is no part of the test command::

    python -m tests.anywhere haswell one-core
    python -m tests.anywhere prescott --only tests/test_layout.py tests/gfn
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
PREFIXES = {
    "one-core": ("taskset", "-c", "0"),
    "user": ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all"),
    "offline": ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"),
    "busy": (
        "sh",
        "-c",
        'while :; do :; done & one=$!; while :; do :; done & "$@"; code=$?; kill $one $!; exit $code',
        "sh",
    ),
}
"""What stands before the command: one core, not root and with a new home, no network, beside two busy loops."""
ENVIRONMENTS = {
    "haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "scalar": {"ATEN_CPU_CAPABILITY": "default"},
    "locale": {"LANG": "C", "LC_ALL": "C", "LANGUAGE": "", "TZ": "Pacific/Kiritimati"},
}
"""Variables that are set: other processors, another language and time zone."""
SITUATIONS = (*PREFIXES, *ENVIRONMENTS, "tarball", "space")
"""The tarball is that of the last commit; the path of the last one has a space."""


def run_in(situation: str, tests: Sequence[str]) -> tuple[int, list[str]]:
    """Run tests in a situation; the exit status, and the lines that count tests and name those that failed."""
    with tempfile.TemporaryDirectory(prefix="anywhere-", ignore_cleanup_errors=True) as folder:
        top = Path(folder)
        place = top / ("a check out" if situation == "space" else "checkout") / "main"
        if situation == "tarball":
            place.mkdir(parents=True)
            archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x"], cwd=place, input=archive, check=True)
        else:
            shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache"))
        if (ROOT.parent / "shared").is_dir():
            (place.parent / "shared").symlink_to(ROOT.parent / "shared")
        environment = {**os.environ, **ENVIRONMENTS.get(situation, {})}
        if situation == "user":
            environment |= {"HOME": folder, "TMPDIR": folder, "USER": "nobody", "LOGNAME": "nobody"}
            for path in (top, *top.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        command = [*PREFIXES.get(situation, ()), sys.executable, "-m", "pytest", "-rfE", *tests]
        done = subprocess.run(
            command,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    lines = done.stdout.splitlines()
    return done.returncode, [
        line[:300] for line in lines if re.match(r"(FAILED|ERROR) |=*\s?\d+ (passed|failed)", line)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try some situations; 1 if anything failed in one of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.anywhere", description="Try the test command elsewhere")
    parser.add_argument("situations", nargs="*", metavar="SITUATION", help=f"all by default: {', '.join(SITUATIONS)}")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEST", help="these tests instead of all")
    options = parser.parse_args(arguments)
    if unknown := set(options.situations) - set(SITUATIONS):
        parser.error(f"there is no situation {', '.join(unknown)}: choose from {', '.join(SITUATIONS)}")
    codes = []
    for situation in options.situations or SITUATIONS:
        code, lines = run_in(situation, options.only)
        sys.stdout.write("\n    ".join([f"{situation}: exit status {code}", *lines]) + "\n")
        codes.append(code)
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
