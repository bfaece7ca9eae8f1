"""Many visitors on one server, as a command beside the studies.

What it runs lives with the tests: it speaks the protocol of the pages, of which the core knows nothing.
"""

import argparse
import subprocess
import sys

from gfx_core.config import ASSETS
from gfx_core.errors import UserError


def add_load(names: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command, with the options of what it runs."""
    load = names.add_parser("load", help="what many visitors at once wait for, beside one alone")
    load.add_argument("--visitors", type=int, default=30, metavar="N", help="at once (default: %(default)s)")
    load.add_argument("--think", type=float, default=2.0, metavar="S", help="at most so long do they look at a page")
    load.add_argument("--settle", type=float, default=150.0, metavar="S", help="wait so long before memory is read")
    load.add_argument("--class", dest="room", action="store_true", help="they are in a class")
    load.set_defaults(run=run_load)


def run_load(options: argparse.Namespace) -> int:
    """Start it, and wait for its end."""
    root = ASSETS.parent
    if not (root / "tests" / "load").is_dir():
        raise UserError("This needs the explorer's repository with its tests, and tests/requirements.txt installed.")
    command = [sys.executable, "-m", "tests.load", "--visitors", str(options.visitors)]
    command += ["--think", str(options.think), "--settle", str(options.settle), *(["--class"] if options.room else [])]
    return subprocess.run(command, cwd=root).returncode
