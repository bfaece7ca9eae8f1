"""Do the README's two commands hold on other computers? ``python -m tests.anywhere``, before every release.

Each situation copies the working tree to a new place, opens the explorer there in a browser and runs the whole test
command, with the packages of this environment; then it prints one line. It takes as long as so many test runs, and is
no part of the test command::

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
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPENS = ("tests/browser/test_explorer.py", "-k", "test_walk_from_home_to_a_node_by_clicking")
"""The first command: the explorer is started and a browser opens it."""

_NOBODY = 65534


@dataclass(frozen=True)
class Situation:
    """What is other than here.

    Attributes:
        words: It, for people.
        environment: Variables that are set.
        before: What stands before a command.
        folder: The name of the folder that the copy lies in.
        archive: Whether it is the tarball of the last commit instead of a copy of the working tree.
        busy: How many processes compute meanwhile.
        nobody: Whether it is run by somebody who is not root and has a new home.
    """

    words: str
    environment: dict[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    folder: str = "checkout"
    archive: bool = False
    busy: int = 0
    nobody: bool = False


_AS_NOBODY = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--inh-caps=-all")
_OFFLINE = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
SITUATIONS = {
    "here": Situation("as it is here"),
    "haswell": Situation("OpenBLAS as on a Haswell", {"OPENBLAS_CORETYPE": "Haswell"}),
    "prescott": Situation("OpenBLAS as on a Prescott", {"OPENBLAS_CORETYPE": "Prescott"}),
    "scalar": Situation("PyTorch without vector instructions", {"ATEN_CPU_CAPABILITY": "default"}),
    "avx2": Situation("PyTorch with AVX2", {"ATEN_CPU_CAPABILITY": "avx2"}),
    "one-core": Situation("one core", before=("taskset", "-c", "0")),
    "user": Situation("not root, a new home", before=_AS_NOBODY, nobody=True),
    "locale": Situation(
        "LANG=C, another time zone", {"LANG": "C", "LC_ALL": "C", "LANGUAGE": "", "TZ": "Pacific/Kiritimati"}
    ),
    "busy": Situation("beside four busy loops", busy=4),
    "offline": Situation("no network", before=_OFFLINE),
    "space": Situation("a path with a space", folder="a check out"),
    "tarball": Situation("the tarball of git archive", archive=True),
}


@dataclass(frozen=True)
class Outcome:
    """What came of a command: its last line that counts tests, and the tests that failed."""

    code: int
    summary: str
    failed: tuple[str, ...]
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Try some situations; 1 if anything failed in one of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.anywhere", description="Try the README's commands elsewhere")
    parser.add_argument("situations", nargs="*", metavar="SITUATION", help=f"all by default: {', '.join(SITUATIONS)}")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEST", help="these tests instead of all")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.situations) - set(SITUATIONS):
        parser.error(f"there is no situation {', '.join(unknown)}: choose from {', '.join(SITUATIONS)}")
    worst = 0
    for name in chosen.situations or SITUATIONS:
        situation = SITUATIONS[name]
        with placed(situation) as run:
            opens, tests = run(OPENS), run(chosen.only)
        works = "opens" if opens.code == 0 else "does not open"
        print(f"{situation.words}: the explorer {works}; {tests.summary} ({tests.seconds / 60:.1f} min)", flush=True)
        for test in tests.failed:
            print(f"    {test}", flush=True)
        worst = max(worst, int(opens.code != 0 or tests.code != 0))
    return worst


Run = Callable[[Sequence[str]], Outcome]


@contextmanager
def placed(situation: Situation) -> Iterator[Run]:
    """A copy of the project in a situation, and how to run tests there."""
    with ExitStack() as stack:
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="anywhere-", ignore_cleanup_errors=True)))
        place, home, temporary = top / situation.folder / "main", top / "home", top / "tmp"
        for folder in (place, home, temporary):
            folder.mkdir(parents=True)
        _copy(place, situation.archive)
        if (ROOT.parent / "shared").is_dir():
            (place.parent / "shared").symlink_to(ROOT.parent / "shared")
        environment = {**os.environ, **situation.environment}
        if situation.nobody:
            for path in (top, *top.rglob("*")):
                os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
            environment |= {"HOME": str(home), "TMPDIR": str(temporary), "USER": "nobody", "LOGNAME": "nobody"}
            environment.pop("GFX_DATA", None)
        for _ in range(situation.busy):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)

        def run(tests: Sequence[str]) -> Outcome:
            command = [*situation.before, sys.executable, "-m", "pytest", "-rfE", *tests]
            return _outcome(command, place, environment)

        yield run


def _copy(place: Path, archive: bool) -> None:
    if archive:
        packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x"], cwd=place, input=packed, check=True)
    else:
        ignored = shutil.ignore_patterns(".git", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, place, dirs_exist_ok=True, ignore=ignored)


def _outcome(command: Sequence[str], place: Path, environment: dict[str, str]) -> Outcome:
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines = done.stdout.strip().splitlines()
    counted = [line.strip("= ") for line in lines if re.search(r"\d+ (passed|failed|error)", line)]
    failed = tuple(line[:300] for line in lines if line.startswith(("FAILED ", "ERROR ")))
    summary = counted[-1] if counted else (lines or ["it said nothing"])[-1]
    return Outcome(done.returncode, summary, failed, time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
