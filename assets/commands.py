"""Write the list of all commands and their options into assets/docs/commands.md: ``python assets/commands.py``."""

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path

from gfx_core.__main__ import parser

DOCUMENT = Path(__file__).parent / "docs" / "commands.md"
BEGIN = "\n## All options\n"


def _commands(group: argparse.ArgumentParser, name: str = "", about: str = "") -> Iterator[str]:
    """Each command below a group: its name, what it does, and its options."""
    for action in group._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help for choice in action._choices_actions}
            for command, below in action.choices.items():
                yield from _commands(below, f"{name} {command}", helps[command] or "")
            return
    words = []
    for action in group._actions[1:]:  # after --help
        value = action.metavar or action.dest.upper()
        if not action.option_strings:
            words.append(f"[{value} …]")
            continue
        option = action.option_strings[0] if action.nargs == 0 else f"{action.option_strings[0]} {value}"
        words.append(option if action.required else f"[{option}]")
    lines = textwrap.wrap(" ".join(words), 100, break_on_hyphens=False, initial_indent="    ", subsequent_indent="    ")
    yield "\n".join([f"{name.strip()}: {about}", *lines])


def document(text: str) -> str:
    """The document with the list as it is now."""
    commands = "\n".join(_commands(parser()))
    return f"{text.partition(BEGIN)[0]}{BEGIN}\nWritten by `python assets/commands.py`.\n\n```\n{commands}\n```\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
