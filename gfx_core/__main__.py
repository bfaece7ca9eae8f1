"""The command line: ``python -m gfx_core COMMAND``, or ``gfx COMMAND`` where the package is installed."""

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from gfx_core.cli.bench_commands import add_bench
from gfx_core.cli.explain_commands import add_explain, add_figure, add_flip, add_rules, add_traces
from gfx_core.cli.site_command import add_site
from gfx_core.cli.train_commands import (
    add_record,
    add_train_explainer,
    add_train_gnn,
    add_train_hidden_gnn,
    add_train_policy,
    add_train_student,
)
from gfx_core.config import EXPLORER
from gfx_core.errors import UserError


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    installed = Path(sys.argv[0]).stem == "gfx"
    about = "Train GNNs and policies, explain predictions, and measure how well that works."
    made = argparse.ArgumentParser(prog="gfx" if installed else "python -m gfx_core", description=about)
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    train = commands.add_parser("train", help="train a GNN or a policy").add_subparsers(required=True, metavar="WHAT")
    for add in (
        add_train_gnn,
        add_train_policy,
        add_train_explainer,
        add_train_student,
        add_train_hidden_gnn,
        add_record,
    ):
        add(train)
    for add in (add_explain, add_flip, add_rules, add_traces, add_figure, add_site):
        add(commands)
    add_bench(commands.add_parser("bench", help="measure, print a table, keep the record in assets/results"))
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
