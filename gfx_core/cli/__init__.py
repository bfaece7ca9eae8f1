"""The command line, a file for each group of commands; here the options that several share."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gfx_core.datasets.registry import DATASETS, dataset_info, listed
from gfx_core.gfn.knobs import Knob
from gfx_core.gnn.kinds import DEFAULT_KIND, gnn_titles

Commands = argparse._SubParsersAction
"""What `argparse.ArgumentParser.add_subparsers` gives."""


def on_device() -> argparse.ArgumentParser:
    """The options of a command that computes."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--device", default="auto", help="auto, cpu or cuda (default: %(default)s)")
    return options


def add_dataset(command: argparse.ArgumentParser, *, every: bool = True) -> None:
    """Which data set; also all of them by default."""
    known = f"one of: {', '.join(DATASETS)}"
    command.add_argument("--dataset", required=True, metavar="NAME", help=f"all, or {known}" if every else known)


def add_gnn(command: argparse.ArgumentParser, default: str = DEFAULT_KIND) -> None:
    """Which of a data set's GNNs."""
    command.add_argument("--gnn", default=default, choices=list(gnn_titles()), help="GNN to explain")


def add_knobs(command: argparse.ArgumentParser, chosen: Mapping[str, Knob]) -> None:
    """Knobs of a configuration; none of them is set by default."""
    for name, knob in chosen.items():
        words = knob.help or knob.label
        if knob.values:
            words += f" ({'; '.join(f'{knob.spell(value)}: {word}' for value, word in knob.values.items())})"
        label = "" if words.startswith(knob.label) else f"{knob.label}. "
        command.add_argument(f"--{name.replace('_', '-')}", metavar="VALUE", help=f"{label}{words}".replace("%", "%%"))


def read_knobs(options: argparse.Namespace, chosen: Mapping[str, Knob]) -> dict[str, Any]:
    """The knobs that a command sets; ``UserError`` for what cannot be."""
    return {name: knob.read(text) for name, knob in chosen.items() if (text := getattr(options, name)) is not None}


def add_workers(command: argparse.ArgumentParser) -> None:
    """Where many computations are done."""
    command.add_argument("--workers", type=int, metavar="N", help="number of processes (default: 1)")
    command.add_argument("--dask", metavar="ADDRESS", help="compute on the cluster of this dask scheduler")


def add_out(command: argparse.ArgumentParser, default: str) -> None:
    """The folder for what is made."""
    command.add_argument("--out", type=Path, metavar="FOLDER", help=f"where to write (default: {default})")


def datasets(name: str) -> list[str]:
    """The data set of this name, or all that pages offer."""
    return list(listed()) if name == "all" else [dataset_info(name).name]


def written(write: Callable[[Path], None], path: Path, folder: Path | None = None) -> Path:
    """Where something is that took long to make: where it belongs or, if that cannot be, where temporary files are.

    Args:
        write: Writes it to a path.
        path: Where it belongs.
        folder: The folder that was chosen instead, if any.
    """
    from gfx_core.files import UnwrittenError

    path = (folder or path.parent) / path.name
    try:
        write(path)
    except UnwrittenError as error:
        elsewhere = Path(tempfile.gettempdir()) / path.name
        write(elsewhere)
        print(f"{error} It is in {elsewhere} instead.", file=sys.stderr)
        return elsewhere
    return path
