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

from gfx_core.datasets.registry import dataset_info
from gfx_core.gfn.knobs import Knob

Commands = argparse._SubParsersAction
"""What `argparse.ArgumentParser.add_subparsers` gives."""


def add_command(
    commands: Commands,
    name: str,
    function: Callable[..., int | None],
    config: type | None = None,
    knobs: Mapping[str, Knob] = {},
    links: bool = False,
) -> argparse.ArgumentParser:
    """Add a command.

    Args:
        commands: Where to.
        name: Its name.
        function: What it does; returns the exit status, ``None`` for 0.
        config: A dataclass whose fields are further options.
        knobs: Further options. The function gets their values, checked.
        links: Whether these are called as in links.
    """
    about = str(inspect.getdoc(function)).partition("\n")[0]
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about, argument_default=argparse.SUPPRESS
    )

    def run(options: argparse.Namespace) -> int | None:
        values = vars(options)
        del values["run"]
        values |= {option: knobs[option].read(value) for option, value in values.items() if option in knobs}
        if "dataset" in values:  # titles count as names
            values["dataset"] = dataset_info(values["dataset"]).name
        return function(**values)

    command.set_defaults(run=run)
    sources: tuple[Callable[..., Any], ...] = (function, config) if config else (function,)
    for documented in sources:
        words = dict(re.findall(r"^    (\w+): (.+)$", str(inspect.getdoc(documented)), re.MULTILINE))
        hints = get_type_hints(documented)
        for option, parameter in inspect.signature(documented).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            flag = f"--{option.strip('_').removeprefix('num_').replace('_', '-')}"
            kind = next(kind for kind in (*get_args(hints[option]), hints[option]) if kind is not NoneType)
            how: dict[str, Any] = {"help": words[option].replace("`", "")}
            if get_origin(hints[option]) is Sequence:
                command.add_argument(option, nargs="*", type=kind, **how)
            elif kind is bool:
                command.add_argument(flag, dest=option, action="store_true", **how)
            else:
                how |= {"nargs": "+", "metavar": "NAME"} if get_origin(kind) is list else {"metavar": "VALUE"}
                how["required"] = parameter.default is parameter.empty
                command.add_argument(flag, dest=option, type=next(iter(get_args(kind)), kind), **how)
    for option, knob in knobs.items():
        flag = knob.link if links else option.replace("_", "-")
        values = f" ({', '.join(map(str, map(knob.spell, knob.values)))})" if knob.values else ""
        how = {"nargs": "?", "const": "1"} if knob.kind is bool else {}
        about = f"{knob.help or knob.label}{values}".replace("%", "%%")
        command.add_argument(f"--{flag}", dest=option, metavar="VALUE", help=about, **how)
    return command


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
