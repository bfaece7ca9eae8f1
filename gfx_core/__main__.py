"""The command line: ``python -m gfx_core COMMAND``, or ``gfx COMMAND`` where the package is installed."""

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from gfx_core.cli.bench_commands import add_bench
from gfx_core.cli.explain_commands import add_explaining
from gfx_core.cli.train_commands import add_train
from gfx_core.config import EXPLORER
from gfx_core.errors import UserError


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    installed = Path(sys.argv[0]).stem == "gfx"
    about = "Train GNNs and policies, explain predictions, and measure how well that works."
    made = argparse.ArgumentParser(prog="gfx" if installed else "python -m gfx_core", description=about)
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    add_train(commands)
    add_explaining(commands)
    add_bench(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the user's ends in one sentence and exit status 2."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except UserError as error:
        print(f"gfx_core: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def explorer() -> None:
    """Open the explorer from any folder, as ``python app.py`` does in a checkout, with the same options."""
    sys.path.insert(0, str(EXPLORER))
    sys.argv[0] = str(EXPLORER / "app.py")
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    sys.exit(main())
