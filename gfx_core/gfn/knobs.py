"""Knobs: what people know of the fields of a configuration, and all that is made from it. Needs no torch.

A knob is a field of a dataclass and a table in assets/content/knobs.toml. Links, widgets, options of the command line,
checks and words read what stands there; so does whoever shows a training.
"""

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from numbers import Integral, Real
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from gfx_core.config import ASSETS
from gfx_core.errors import UserError

C = TypeVar("C")


class NamedChoice(StrEnum):
    """A choice of which each value has words: ``TABLE = "table", "a table"``."""

    words: str

    def __new__(cls, value: str, words: str = "") -> "NamedChoice":
        member = str.__new__(cls, value)
        member._value_, member.words = value, words
        return member


@dataclass(frozen=True)
class Knob:
    """One thing that can be set.

    Attributes:
        label: What people call it; a sentence that refuses a value begins with it.
        help: What it does.
        term: The entry of the glossary on it.
        link: Its name in links, before the number of the training; empty where it stands in none.
        low: The least that a number may be.
        high: And the most.
        above: Whether ``low`` itself is too little.
        marks: The numbers that a slider offers.
        choices: The words for each value of what is on or off.
        symbol: How a number is written, such as ``ε = {:g}``; by default after the label.
        live: Whether a change acts on a training that runs; else it begins anew.
        rewards: Whether it changes the reward, and so what is to be learned.
        one: Whether it belongs to trainings on one prediction alone.
        gnn: Whether it means nothing where no GNN predicts, as on a lesson's graph.
        entry: Which entry of its field, where that is a dictionary of numbers.
        optional: Whether it may be ``None``.
        endless: Whether it may be infinite.
        travels: Whether it still makes sense for another prediction.
        reads: Of a text: checks it, and puts it in order.
        path: Where its value is, from the configuration on.
        default: Its value where nothing else is given.
        kind: Of its value: ``bool``, ``int``, ``float``, ``str`` or an enumeration.
    """

    label: str
    help: str = ""
    term: str = ""
    link: str = ""
    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    marks: Sequence[Any] = ()
    choices: Mapping[str, str] = field(default_factory=dict, hash=False)
    symbol: str = ""
    live: bool = False
    rewards: bool = False
    one: bool = False
    gnn: bool = False
    entry: str = ""
    optional: bool = False
    endless: bool = False
    travels: bool = True
    reads: Callable[[str], str] | None = None
    path: tuple[str, ...] = ()
    default: Any = 0.0
    kind: Any = float

    def of(self, config: Any) -> Any:
        """Its value in a configuration."""
        for name in self.path:
            config = config.get(name, self.default) if isinstance(config, Mapping) else getattr(config, name)
        return config

    @property
    def values(self) -> Mapping[Any, str]:
        """All values it can have with their words, where they are few; empty for a number."""
        if issubclass(self.kind, NamedChoice):
            return {choice: choice.words for choice in self.kind}
        if self.kind is not bool:
            return {}
        return {on: self.choices.get(str(on).lower(), self.label if on else f"no {self.label}") for on in (True, False)}

    def in_words(self, value: Any) -> str:
        """A value for people, such as “ε = 0.1” or “flow matching”."""
        if value in self.values:
            return self.values[value]
        return f"{self.label} none" if value is None else (self.symbol or f"{self.label} {{:g}}").format(value)

    def read(self, text: str) -> Any:
        """Its value from a link or a command; ``UserError`` where the text makes no sense."""
        if self.optional and text == "none":
            return None
        if self.kind is bool and text in ("0", "1"):
            return text == "1"
        try:
            value = self.kind(text) if self.kind in (int, float) else text
        except ValueError as error:
            raise self._refused(text) from error
        return self.checked(value)

    def spell(self, value: Any) -> str:
        """The text of a value in a link."""
        if value is None or self.kind is bool:
            return "none" if value is None else str(int(value))
        short = f"{value:g}" if self.kind is float else ""
        return short if short and float(short) == value else str(value)

    def checked(self, value: Any) -> Any:
        """A value that it may have, or a sentence that explains why not."""
        if (value is None and self.optional) or (self.endless and value == math.inf):
            return value
        if self.reads is not None:
            return self.reads(value) if value else ""
        if self.kind in (int, float):
            number = isinstance(value, Integral if self.kind is int else Real) and not isinstance(value, bool)
            if not number or value == math.inf:
                raise self._refused(value)
            if not self.low <= value <= self.high or (self.above and value == self.low):
                raise self._refused(value)
        elif self.kind is bool:
            if not isinstance(value, bool):
                raise self._refused(value)
        elif not isinstance(value, str) or value not in list(self.kind):
            raise self._refused(value)
        return self.kind(value)

    def _refused(self, value: Any) -> UserError:
        got = f"{value:.6g}" if isinstance(value, float) else str(value)[:60]
        return UserError(f"{self.label} must be {self._allowed} (got {got}).")

    @property
    def _allowed(self) -> str:
        if self.kind is bool:
            return "on or off"
        if self.kind not in (int, float):
            return f"one of {', '.join(self.kind)}"
        words = "a whole number" if self.kind is int else "a number"
        if self.above:
            words += f" above {self.low:g}"
        elif self.low > -math.inf:
            words += f" from {self.low:g}" + ("" if self.high < math.inf else " on")
        if self.high < math.inf:
            words += f"{',' if self.above else ''} {'up ' if self.above else ''}to {self.high:,.10g}"
        return words + (", or none" if self.optional else "")


@cache
def tables() -> dict[str, Any]:
    """All that assets/content/knobs.toml holds."""
    return tomllib.loads((ASSETS / "content" / "knobs.toml").read_text(encoding="utf-8"))


@cache
def knobs(kind: Any) -> Mapping[str, Knob]:
    """All knobs of a dataclass and of the dataclasses in it, by their names; its ``READS`` check its texts."""
    named, hints, reads = tables().get(kind.__name__, {}), get_type_hints(kind), getattr(kind, "READS", {})
    result: dict[str, Knob] = {}
    for part in fields(kind):
        types = get_args(hints[part.name]) or (hints[part.name],)
        if is_dataclass(types[0]):
            deeper = knobs(types[0])  # type: ignore[arg-type] # mypy takes classes for unhashable
            result |= {name: replace(knob, path=(part.name, *knob.path)) for name, knob in deeper.items()}
        elif part.default_factory is dict:
            entries = {name: Knob(**table) for name, table in named.items() if "entry" in table}
            result |= {name: replace(knob, path=(part.name, knob.entry)) for name, knob in entries.items()}
        elif part.name in named:
            more = {"kind": types[0], "optional": NoneType in types, "default": part.default}
            result[part.name] = Knob(path=(part.name,), reads=reads.get(part.name), **named[part.name], **more)
    return result


def check(part: Any) -> None:
    """Check the knobs of a frozen dataclass's own fields, and give each its type; ``UserError`` if one cannot be."""
    for knob in knobs(type(part)).values():  # type: ignore[arg-type]
        value = knob.checked(knob.of(part))
        if len(knob.path) == 1:
            object.__setattr__(part, knob.path[0], value)


def changed(config: C, values: Mapping[str, Any]) -> C:
    """A configuration with some knobs set; ``UserError`` for what is unknown or cannot be."""
    known = knobs(type(config))  # type: ignore[arg-type]
    if unknown := sorted(set(values) - set(known)):
        raise UserError(f"A training has no setting {', '.join(unknown)[:200]}: choose from {', '.join(known)}.")
    result: C = _put(config, {known[name].path: known[name].checked(value) for name, value in values.items()})
    return result


def _put(part: Any, values: Mapping[tuple[str, ...], Any]) -> Any:
    """A dataclass or dictionary with some values put where their paths lead, all at once."""
    deeper: dict[str, dict[tuple[str, ...], Any]] = {}
    for (name, *path), value in values.items():
        deeper.setdefault(name, {})[tuple(path)] = value
    entries = {name: some[()] if () in some else _put(getattr(part, name), some) for name, some in deeper.items()}
    return {**part, **entries} if isinstance(part, dict) else replace(part, **entries)


def differences(before: Any, after: Any) -> dict[str, Any]:
    """The knobs that are set otherwise in the second of two configurations, with their values there."""
    named = knobs(type(after))  # type: ignore[arg-type]
    pairs = ((name, knob.of(before), knob.of(after)) for name, knob in named.items())
    return {name: now for name, then, now in pairs if now != then}
