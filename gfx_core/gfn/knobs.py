"""Knobs: what people know of the fields of a configuration, and all that is made from it. Needs no torch.

A knob is a field of a dataclass and a table in assets/content/knobs.toml. Links, widgets, options of the command line,
checks, words and the views of trainings read it.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
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


HIGHEST = 1e9
"""No number may be higher."""


@dataclass(frozen=True)
class Knob:
    """One thing that can be set.

    Attributes:
        label: What people call it; a sentence that refuses a value begins with it.
        help: What it does.
        term: The entry of the glossary on it.
        link: Its name in links, before the number of the training; empty where it has none.
        low: The least that a number may be.
        high: And the most.
        marks: The numbers that a slider offers.
        choices: The words for what is on, and for what is off.
        symbol: How a number is written, such as ``ε = {:g}``; by default after the label.
        live: Whether a change acts on a training that runs; else it begins anew.
        rewards: Whether it changes the reward, and so what is to be learned.
        one: Whether it belongs to trainings on one prediction alone.
        gnn: Whether it means nothing where no GNN predicts, as on a lesson's graph.
        travels: Whether it still makes sense for another prediction.
        part: The dataclass in the configuration that has its field; empty for the configuration itself.
        entry: Its entry there as JSON.
        kind: Of its value: ``bool``, ``int``, ``float``, ``str`` or an enumeration.
        optional: Whether it may be ``None``.
        default: Its value where nothing else is given.
        reads: Of a text: checks it, and puts it in order.
    """

    label: str
    help: str = ""
    term: str = ""
    link: str = ""
    low: float = 0.0
    high: float = HIGHEST
    marks: Sequence[Any] = ()
    choices: Sequence[str] = ()
    symbol: str = ""
    live: bool = False
    rewards: bool = False
    one: bool = False
    gnn: bool = False
    travels: bool = True
    part: str = ""
    entry: str = ""
    kind: Any = float
    optional: bool = False
    default: Any = 0.0
    reads: Callable[[str], str] | None = None

    def of(self, config: Any) -> Any:
        """Its value in a configuration."""
        entries = config.as_dict()
        return (entries[self.part] if self.part else entries).get(self.entry, self.default)

    @property
    def values(self) -> Mapping[Any, str]:
        """All values it can have with their words, where they are few; empty for a number."""
        if issubclass(self.kind, NamedChoice):
            return {choice: choice.words for choice in self.kind}
        return dict(zip((True, False), self.choices, strict=False))

    def in_words(self, value: Any) -> str:
        """A value for people, such as “ε = 0.1” or “flow matching”."""
        if value in self.values:
            return self.values[value]
        return f"{self.label} none" if value is None else (self.symbol or f"{self.label} {{:g}}").format(value)

    def read(self, text: str) -> Any:
        """Its value from a link or a command; ``UserError`` where the text makes no sense."""
        value: Any = None if text == "none" else text
        if self.kind in (bool, int, float):
            with suppress(ValueError):
                value = float(text)
        return self.checked(value)

    def spell(self, value: Any) -> str:
        """The text of a value in a link."""
        text = "none" if value is None else str(int(value) if self.kind is bool else value)
        return text.removesuffix(".0") if self.kind is float else text

    def checked(self, value: Any) -> Any:
        """A value that it may have, or a sentence that explains why not."""
        if value is None and self.optional:
            return None
        if self.reads is not None:
            return self.reads(value) if value else ""
        with suppress(ValueError, TypeError, OverflowError):
            exact = self.kind(value)
            if exact == value and (self.kind not in (int, float) or self.low <= exact <= self.high):
                return exact
        if self.kind in (int, float):
            end = "on" if self.high == HIGHEST else f"to {self.high:,.10g}"
            allowed = f"a{' whole' if self.kind is int else ''} number from {self.low:g} {end}"
        else:
            allowed = "on or off" if self.kind is bool else f"one of {', '.join(self.kind)}"
        got = f"{value:g}" if isinstance(value, float) else str(value)[:60]
        raise UserError(f"{self.label} must be {allowed} (got {got}).")


@cache
def knobs(kind: Any) -> Mapping[str, Knob]:
    """All knobs of a dataclass by their names; its ``READS`` check its texts."""
    tables = tomllib.loads((ASSETS / "content" / "knobs.toml").read_text(encoding="utf-8"))
    hints, result = get_type_hints(kind), {}
    for name, table in tables.get(kind.__name__, {}).items():
        if part := table.get("part"):
            result[name] = replace(knobs(hints[part])[name], part=part)
            continue
        hint = hints.get(name, float)
        kinds, default = get_args(hint) or (hint,), getattr(kind, name, 0.0)
        knob = Knob(**{"entry": name, **table}, kind=kinds[0], optional=NoneType in kinds, default=default)
        result[name] = replace(knob, reads=getattr(kind, "READS", {}).get(name))
    return result


def check(config: Any) -> None:
    """Check the knobs of a frozen dataclass's own fields, and give each its type; ``UserError`` if one cannot be."""
    for name, knob in knobs(type(config)).items():  # type: ignore[arg-type]
        if not knob.part:
            object.__setattr__(config, name, knob.checked(getattr(config, name)))


def changed(config: C, values: Mapping[str, Any]) -> C:
    """A configuration with some knobs set; ``UserError`` for what is unknown or cannot be."""
    named, entries = knobs(type(config)), config.as_dict()  # type: ignore[arg-type, attr-defined]
    if unknown := sorted(set(values) - set(named)):
        raise UserError(f"A training has no setting {', '.join(unknown)[:200]}: choose from {', '.join(named)}.")
    for name, value in values.items():
        knob = named[name]
        (entries[knob.part] if knob.part else entries)[knob.entry] = knob.checked(value)
    return config.from_dict(entries)  # type: ignore[attr-defined]


def differences(before: Any, after: Any) -> dict[str, Any]:
    """The knobs that are set otherwise in the second of two configurations, with their values there."""
    named = knobs(type(after))  # type: ignore[arg-type]
    pairs = ((name, knob.of(before), knob.of(after)) for name, knob in named.items())
    return {name: now for name, then, now in pairs if now != then}
