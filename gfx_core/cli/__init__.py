"""The command line, a file for each group of commands.

A command is a function: its parameters are the options, and its docstring says what they are. Options that are not
given are left to the function. The fields or knobs of a configuration can be options, too, as keyword arguments.
"""

import argparse
import inspect
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from gfx_core.explanation.question import Option
from gfx_core.gfn.knobs import Knob

Commands = argparse._SubParsersAction
"""What `argparse.ArgumentParser.add_subparsers` gives."""


def add_command(
    commands: Commands, name: str, function: Callable[..., int | None], config: type | None = None
) -> argparse.ArgumentParser:
    """Add a command.

    Args:
        commands: Where to.
        name: Its name.
        function: What it does; returns the exit status, ``None`` for 0.
        config: A dataclass whose fields are further options.
    """
    about = str(inspect.getdoc(function)).partition("\n")[0]
    command: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    command.set_defaults(run=lambda options: function(**{k: v for k, v in vars(options).items() if k != "run"}))
    sources: list[Callable[..., Any]] = [function, *([config] if config else [])]
    for documented in sources:
        words = dict(re.findall(r"^    (\w+): (.+)$", str(inspect.getdoc(documented)), re.MULTILINE))
        for option, hint in get_type_hints(documented).items():
            parameter = inspect.signature(documented).parameters.get(option)
            if parameter is None or parameter.kind is parameter.VAR_KEYWORD:
                continue
            flag = f"--{option.strip('_').removeprefix('num_').replace('_', '-')}"
            kind = next(kind for kind in (*get_args(hint), hint) if kind is not NoneType)
            how: dict[str, Any] = {"help": words[option].replace("`", ""), "default": argparse.SUPPRESS}
            if get_origin(hint) is Sequence:
                command.add_argument(option, nargs="*", type=kind, **how)
            elif list in (get_origin(hint), *map(get_origin, get_args(hint))):
                item = next(iter(get_args(kind)), kind)
                command.add_argument(flag, dest=option, nargs="+", type=item, metavar="NAME", **how)
            elif kind is bool:
                command.add_argument(flag, dest=option, action="store_true", **how)
            else:
                required = parameter.default is parameter.empty
                command.add_argument(flag, dest=option, type=kind, required=required, metavar="VALUE", **how)
    return command


def add_knobs(command: argparse.ArgumentParser, knobs: Mapping[str, Knob]) -> None:
    """Options for knobs: those of a question are called as in links."""
    for name, knob in knobs.items():
        flag = knob.link if isinstance(knob, Option) else name.replace("_", "-")
        values = f" ({', '.join(map(str, map(knob.spell, knob.values)))})" if knob.values else ""
        how: dict[str, Any] = {"nargs": "?", "const": "1"} if knob.kind is bool else {}
        about = f"{knob.help or knob.label}{values}".replace("%", "%%")
        command.add_argument(f"--{flag}", dest=name, metavar="VALUE", default=argparse.SUPPRESS, help=about, **how)


def read_knobs(knobs: Mapping[str, Knob], texts: Mapping[str, str]) -> dict[str, Any]:
    """The knobs that a command sets; ``UserError`` for what cannot be."""
    return {name: knobs[name].read(text) for name, text in texts.items() if name in knobs}


def add_workers(command: argparse.ArgumentParser) -> None:
    """Where many computations are done."""
    command.add_argument("--workers", type=int, metavar="N", help="number of processes (default: 1)")
    command.add_argument("--dask", metavar="ADDRESS", help="compute on the cluster of this dask scheduler")


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
