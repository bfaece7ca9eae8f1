"""Knobs: what people know of the fields of a configuration, and all that is made from it. Needs no torch.

A knob is one field: ``epsilon: Annotated[float, Knob("ε", low=0, high=1, link="eps")] = 0.1``. Links, widgets, options
of the command line, checks and words read what stands there; so does whoever shows a training.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from numbers import Integral, Real
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

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
        term: The entry of the glossary that says what it is.
        link: Its name in links, before the number of the training; empty where links do not tell it.
        low: The least that a number may be.
        high: And the most.
        above: Whether ``low`` itself is too little.
        marks: The numbers that a slider offers.
        choices: The words for each value of what is on or off, or is one of some numbers.
        symbol: How a number is written, such as ``ε = {:g}``; by default after the label.
        live: Whether a change acts on a training that runs; else it begins anew.
        rewards: Whether it changes the reward, and so what is to be learned.
        one: Whether it belongs to trainings on one prediction alone.
        gnn: Whether it means nothing where no GNN predicts, as on a lesson's graph.
        entry: Which entry of its field, where that is a dictionary of numbers.
        name: Where that is not the name of its field.
        path: Where its value is, from the configuration on.
        kind: Of its value: ``bool``, ``int``, ``float`` or an enumeration.
        optional: Whether it may be ``None``.
        default: Its value where nothing else is said.
    """

    label: str
    help: str = ""
    term: str = ""
    link: str = ""
    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    marks: tuple[Any, ...] = ()
    choices: Mapping[Any, str] = field(default_factory=dict, hash=False)
    symbol: str = ""
    live: bool = False
    rewards: bool = False
    one: bool = False
    gnn: bool = False
    entry: str = ""
    name: str = ""
    path: tuple[str, ...] = ()
    kind: Any = float
    optional: bool = False
    default: Any = 0.0

    def of(self, config: Any) -> Any:
        """Its value in a configuration."""
        for name in self.path:
            config = config.get(name, self.default) if isinstance(config, Mapping) else getattr(config, name)
        return config

    @property
    def values(self) -> Mapping[Any, str]:
        """All values it can have with their words, where they are few; empty for a number."""
        if isinstance(self.kind, type) and issubclass(self.kind, NamedChoice):
            return {each: each.words for each in self.kind}
        return self.choices or ({True: self.label, False: f"no {self.label}"} if self.kind is bool else {})

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
        """The other way round."""
        if value is None or self.kind is bool:
            return "none" if value is None else str(int(value))
        short = f"{value:g}" if self.kind is float else ""
        return short if short and float(short) == value else str(value)

    def checked(self, value: Any) -> Any:
        """A value that it may have, or a sentence that says why not."""
        if value is None and self.optional:
            return None
        if self.kind is bool:
            if not isinstance(value, bool):
                raise self._refused(value)
            return value
        if self.kind in (int, float):
            if isinstance(value, bool) or not isinstance(value, Integral if self.kind is int else Real):
                raise self._refused(value)
            if not (self.low <= float(value) <= self.high and math.isfinite(value)) or (
                self.above and value == self.low
            ):
                raise self._refused(value)
            return self.kind(value)
        if not isinstance(value, str) or value not in list(self.kind):
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


_known: dict[Any, Mapping[str, Knob]] = {}


def knobs(kind: Any) -> Mapping[str, Knob]:
    """All knobs of a dataclass and of the dataclasses in it, by their names."""
    if kind not in _known:
        _known[kind] = _read(kind)
    return _known[kind]


def _read(kind: Any) -> Mapping[str, Knob]:
    found: dict[str, Knob] = {}
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        hint = hints[each.name]
        if is_dataclass(hint):
            deeper = knobs(hint) if isinstance(hint, type) else {}
            found |= {name: replace(knob, path=(each.name, *knob.path)) for name, knob in deeper.items()}
        of, *metadata = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        options = get_args(of) or (of,)
        for knob in metadata:
            if isinstance(knob, Knob) and knob.entry:
                found[knob.name] = replace(knob, path=(each.name, knob.entry))
            elif isinstance(knob, Knob):
                whole = replace(knob, path=(each.name,), kind=options[0], optional=NoneType in options)
                found[knob.name or each.name] = replace(whole, default=each.default)
    return found


def check(part: Any) -> None:
    """Check the knobs of a frozen dataclass's own fields, and give each its type; ``UserError`` says what is wrong."""
    for name, knob in knobs(type(part)).items():
        if len(knob.path) == 1:
            object.__setattr__(part, name, knob.checked(getattr(part, name)))
        elif isinstance(getattr(part, knob.path[0]), Mapping):
            knob.checked(knob.of(part))


def changed(config: C, values: Mapping[str, Any]) -> C:
    """A configuration with some knobs set; ``UserError`` for what is unknown or cannot be."""
    known = knobs(type(config))
    if unknown := sorted(set(values) - set(known)):
        raise UserError(f"A training has no setting {', '.join(unknown)[:200]}: choose from {', '.join(known)}.")
    made: C = _put(config, {known[name].path: known[name].checked(value) for name, value in values.items()})
    return made


def _put(part: Any, values: Mapping[tuple[str, ...], Any]) -> Any:
    """A dataclass or dictionary with some values put where their paths say, all at once."""
    own: dict[str, Any] = {path[0]: value for path, value in values.items() if len(path) == 1}
    for name in {path[0] for path in values if len(path) > 1}:
        deeper = {path[1:]: value for path, value in values.items() if path[0] == name}
        own[name] = _put(getattr(part, name), deeper)
    return {**part, **own} if isinstance(part, dict) else replace(part, **own)


def differences(before: Any, after: Any) -> dict[str, Any]:
    """The knobs that are set otherwise in the second of two configurations, with their values there."""
    pairs = ((name, knob.of(before), knob.of(after)) for name, knob in knobs(type(after)).items())
    return {name: now for name, then, now in pairs if now != then}


def distinct_names(configs: Sequence[Any], usual: Sequence[str] = ()) -> list[tuple[str, ...]]:
    """The words of each configuration that tell it from the others: of the knobs that differ, or of the usual ones."""
    known = knobs(type(configs[0])) if configs else {}
    differ = [name for name, knob in known.items() if len({knob.of(config) for config in configs}) > 1]
    return [tuple(known[name].in_words(known[name].of(config)) for name in differ or usual) for config in configs]
