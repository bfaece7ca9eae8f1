"""Does the README's test command hold on other computers? ``python -m tests.anywhere``, before every release.

Each situation copies the working tree to a new folder and runs the test command there, with the packages of this
environment; then it prints the summary. It takes as long as so many test runs, and is no part of the test command::

    python -m tests.anywhere haswell one-core --only tests/test_layout.py tests/gfn
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNPRIVILEGED = 65534
PREFIXES = {
    "one-core": ["taskset", "-c", "0"],
    "user": ["setpriv", f"--reuid={UNPRIVILEGED}", f"--regid={UNPRIVILEGED}", "--clear-groups", "--inh-caps=-all"],
    "offline": ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
    "busy": ["sh", "-c", 'while :; do :; done & one=$!; "$@"; code=$?; kill $one; exit $code', "sh"],
}
"""What stands before the command: one core, not root and with a new home, no network, beside a busy loop."""
ENVIRONMENTS = {
    "haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "scalar": {"ATEN_CPU_CAPABILITY": "default"},
    "locale": {"LANG": "C", "LC_ALL": "C", "LANGUAGE": "", "TZ": "Pacific/Kiritimati"},
}
"""Variables that are set: other processors, another language and time zone."""
SITUATIONS = [*PREFIXES, *ENVIRONMENTS, "space"]
"""The path of the last one has a space."""


def run_in(situation: str, tests: list[str]) -> int:
    """Run tests in a situation, print the lines that count tests and name those that failed; the exit status."""
    with tempfile.TemporaryDirectory(prefix="anywhere-", ignore_cleanup_errors=True) as folder:
        checkout = Path(folder) / ("a check out" if situation == "space" else "checkout") / "main"
        shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache"))
        if (ROOT.parent / "shared").is_dir():
            (checkout.parent / "shared").symlink_to(ROOT.parent / "shared")
        environment = {**os.environ, **ENVIRONMENTS.get(situation, {})}
        if situation == "user":
            environment |= {"HOME": folder, "TMPDIR": folder, "USER": "nobody", "LOGNAME": "nobody"}
            for path in (Path(folder), *Path(folder).rglob("*")):
                os.chown(path, UNPRIVILEGED, UNPRIVILEGED, follow_symlinks=False)
        command = [*PREFIXES.get(situation, []), sys.executable, "-m", "pytest", "-rfE", *tests]
        done = subprocess.run(command, cwd=checkout, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    summary = re.findall(r"^(?:FAILED|ERROR|=*\s?\d+ (?:passed|failed)).*", done.stdout, re.MULTILINE)
    sys.stdout.write("\n    ".join([f"{situation}: exit status {done.returncode}", *summary]) + "\n")
    return done.returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.anywhere")
    parser.add_argument("situations", nargs="*", metavar="SITUATION", help=f"all by default: {', '.join(SITUATIONS)}")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEST", help="these tests instead of all")
    options = parser.parse_args()
    if unknown := set(options.situations) - {*SITUATIONS}:
        parser.error(f"there is no situation {', '.join(unknown)}: choose from {', '.join(SITUATIONS)}")
    sys.exit(max(run_in(situation, options.only) for situation in options.situations or SITUATIONS))
