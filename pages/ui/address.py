"""The address bar: every choice that a page offers is a parameter of its link, declared once.

A :class:`Parameter` says how it is called, read and written, and under which others it stands: where one of those
changes, it goes, so a link never keeps what belonged to something else. :func:`bind` draws a widget that shows a
parameter and writes it.

One change is one message to the browser, and so one entry of its history: Back goes where one was. Changes of
:data:`SMALL` parameters alone make no entry; see ``components/browser.py``. A page that one returns to opens as it was
left. What the browser sends late, of an earlier link or of a page that was left, changes nothing.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from gfx_core.errors import UserError
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig

_LINKS = "links"  # session state: the last link of each page, by the page's name
_PAGE = "page"  # session state: the page that is shown
_HASH = "page-hash"  # session state: what Streamlit calls it
_OLDER = "older-links"  # session state: links of this page that were written over
_REMEMBERED = 12  # as many of them
VISIT = ("tour", "present")
"""How a page is looked at, not what is seen: a new view keeps these parameters, and no page opens again with them."""
_ALWAYS = "links-always"  # session state: what stands in every link of this visit


def write_link(link: Mapping[str, str]) -> None:
    """Make this the link: by one message, and by none where it says so already."""
    before, link = st.query_params.to_dict(), {**link, **st.session_state.get(_ALWAYS, {})}
    if dict(link) != before:
        st.query_params.from_dict(link)
    page: str | None = st.session_state.get(_PAGE)
    if page is not None:
        links: dict[str, dict[str, str]] = st.session_state[_LINKS]
        if links.get(page, link) != link:
            st.session_state[_OLDER] = [*st.session_state.get(_OLDER, []), links[page]][-_REMEMBERED:]
        links[page] = dict(link)


def always(name: str, text: str | None) -> None:
    """Have a parameter stand in every link from now on, whatever page is shown; ``None`` takes it out of them."""
    kept = {other: value for other, value in st.session_state.get(_ALWAYS, {}).items() if other != name}
    st.session_state[_ALWAYS] = kept if text is None else {**kept, name: text}
    for link in st.session_state.get(_LINKS, {}).values():
        link.pop(name, None)
    write_link({other: value for other, value in st.query_params.to_dict().items() if other != name})


def catch_up() -> bool:
    """Read the link as it was last written: what the browser sends may be older, if much is done at once.

    Returns:
        Whether the visitor is still on the page: what a page reports that was left meanwhile is to change nothing.
    """
    run, page = get_script_run_ctx(), st.session_state.get(_PAGE)
    if run is None or page is None:
        return True
    if run.page_script_hash != st.session_state.get(_HASH):
        return False
    last = st.session_state[_LINKS].get(page)
    now = st.query_params.to_dict()
    if last is not None and now != last and now in st.session_state.get(_OLDER, []) and not _went_back():
        st.query_params.from_dict(last)
    return True


def arrive(page: str, opening: Callable[[str, dict[str, str]], dict[str, str]]) -> None:
    """Note which page is shown; one that is gone to without a link, by the navigation, opens as it was left.

    Args:
        page: Its name.
        opening: Makes the link to open with, from the page's name and its last link.
    """
    links: dict[str, dict[str, str]] = st.session_state.setdefault(_LINKS, {})
    before = st.session_state.get(_PAGE)
    run = get_script_run_ctx()
    st.session_state[_HASH] = None if run is None else run.page_script_hash
    if page == before:
        catch_up()
    else:
        st.session_state[_PAGE], st.session_state[_OLDER] = page, []
    link = st.query_params.to_dict()
    if page != before and before is not None and not link and not _went_back():
        left = links.get(page, {})
        link = opening(page, {name: text for name, text in left.items() if name not in VISIT})
    if page != before:
        links[page] = link
    write_link(link)


def _went_back() -> bool:
    """Whether this run shows an entry of the browser's history: Back leads to what was there, be it the first view."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


T = TypeVar("T")

_SENSELESS = (ValueError, TypeError, KeyError, IndexError, ArithmeticError, UserError)
_KEPT: Any = object()
LIVE_KNOBS = [knob for knob in knobs(GFNConfig).values() if knob.live]
SMALL = (
    *("step", "frame", "tab", "tools", "sort", "done", "class", "present"),
    *("samples", "beta", "price", "k", "edges", "nodes", "distance", "eps", "lr", "size", "f", "r"),
    *("at", "pin", "see", *(f"{knob.link}{number}" for number in (1, 2) for knob in LIVE_KNOBS)),
)
"""Parameters that are not worth an entry of the browser's history, on whatever page: where playing stands, sliders."""


class Address:
    """The parameters of the pages that share links; the same name may mean another thing on other pages."""

    def __init__(self) -> None:
        self._parameters: dict[str, Parameter[Any]] = {}

    def parameter(
        self,
        name: str,
        default: T,
        parse: Callable[[str], T],
        *,
        spell: Callable[[T], str | None] = str,
        under: Sequence["Parameter[Any]"] = (),
    ) -> "Parameter[T]":
        """Declare a parameter.

        Args:
            name: In the link.
            default: Its value where the link does not tell it, or tells nonsense.
            parse: Reads it; raises where the text makes no sense, a ``UserError`` where people are to be told why.
            spell: Writes it; ``None`` leaves it out of the link.
            under: What it belongs to: it is forgotten when one of these changes, or what these belong to.
        """
        if name in self._parameters:
            raise ValueError(f"the parameter {name} is declared already")
        made = self._parameters[name] = Parameter(self, name, default, parse, spell, tuple(under))
        return made

    def switch(self, name: str, word: str = "1", *, under: Sequence["Parameter[Any]"] = ()) -> "Parameter[bool]":
        """Declare something that is on where the link says this word, and off else."""
        return self.parameter(name, False, word.__eq__, spell=lambda on: word if on else None, under=under)

    def change(self, values: Mapping["Parameter[Any]", Any]) -> None:
        """Write several parameters at once; ``None`` takes one out. All that stands under a changed one goes."""
        if not catch_up():
            return
        link, changed = st.query_params.to_dict(), set()
        for parameter, value in values.items():
            text = None if value is None else parameter.spell(value)
            if text != link.get(parameter.name):
                changed.add(parameter)
                link.pop(parameter.name, None) if text is None else link.update({parameter.name: text})
        for parameter in self._parameters.values():
            if parameter not in values and parameter.stands_under(changed):
                link.pop(parameter.name, None)
        write_link(link)

    def start_anew(self, values: Mapping["Parameter[Any]", Any]) -> None:
        """Write some parameters and take everything else out of the link, but for `VISIT`: one change."""
        if catch_up():
            kept = {name: text for name, text in st.query_params.to_dict().items() if name in VISIT}
            write_link({**{parameter.name: str(parameter.spell(value)) for parameter, value in values.items()}, **kept})

    def __getitem__(self, name: str) -> "Parameter[Any]":
        return self._parameters[name]

    def __contains__(self, name: str) -> bool:
        return name in self._parameters


class Parameter(Generic[T]):
    """One part of a link; made by :meth:`Address.parameter`."""

    def __init__(
        self,
        address: Address,
        name: str,
        default: T,
        parse: Callable[[str], T],
        spell: Callable[[T], str | None],
        under: tuple["Parameter[Any]", ...],
    ) -> None:
        self.address, self.name, self.default = address, name, default
        self.parse, self.spell, self.under = parse, spell, under

    @property
    def in_link(self) -> bool:
        """Whether the link tells it, sensibly or not."""
        return self.name in st.query_params

    @property
    def text(self) -> str:
        """What the link says."""
        return str(st.query_params.get(self.name, ""))

    def read(self, default: T = _KEPT) -> T:
        """Its value; the default (or the given one) where the link does not tell it or makes no sense."""
        default = self.default if default is _KEPT else default
        if not self.in_link:
            return default
        try:
            value = self.parse(self.text)
        except _SENSELESS:
            return default
        return default if isinstance(value, float) and not math.isfinite(value) else value

    @property
    def problem(self) -> str | None:
        """What is wrong with the link here, for people; ``None`` if nothing is, or nobody need be told."""
        try:
            if self.in_link:
                self.parse(self.text)
        except UserError as error:
            return str(error)
        except _SENSELESS:
            return None
        return None

    def write(self, value: T | None) -> None:
        """Put a value into the link, or take it out; what stands under it goes."""
        self.address.change({self: value})

    def stands_under(self, others: set["Parameter[Any]"]) -> bool:
        """Whether it belongs to one of these, directly or not."""
        return any(parent in others or parent.stands_under(others) for parent in self.under)


def bind(
    widget: Callable[..., Any],
    label: str,
    parameter: Parameter[T],
    *options: Any,
    shown: T = _KEPT,
    own: T = _KEPT,
    drops: Sequence[Parameter[Any]] = (),
    **settings: Any,
) -> T:
    """Draw a widget that shows a parameter and writes it; returns what it shows.

    Args:
        widget: One of Streamlit's, such as ``st.selectbox``.
        label: Of the widget.
        parameter: What it shows.
        options: Further arguments of the widget.
        shown: The value that it shows, where that is not the parameter's own.
        own: The value that goes without saying, and so is left out of the link.
        drops: Other parameters that a change takes out of the link.
        settings: Further arguments of the widget; its ``key`` is the parameter's name by default.
    """
    key = settings.setdefault("key", parameter.name)
    # Told in every run, also where it is known: the browser may never have heard of a run that another one overtook.
    drawn = st.session_state[key] = parameter.read() if shown is _KEPT else shown

    def change() -> None:
        value = st.session_state[key]
        if value == drawn:  # a field that is closed may tell once more what it showed: that is no change
            return
        parameter.address.change({parameter: None if value == own else value, **dict.fromkeys(drops)})

    widget(label, *options, on_change=change, **settings)
    value: T = st.session_state[key]
    return value


def pick_one(
    label: str, parameter: Parameter[T], titles: Mapping[Any, str], *, unlabelled: bool = False, **settings: Any
) -> T:
    """Draw all values of a parameter side by side, one of which is chosen, as `bind` does.

    Args:
        label: Of the choice.
        parameter: What it shows.
        titles: What each value is called.
        unlabelled: Whether the label is only for those who hear the page.
        settings: Further arguments of `bind` and of the widget.
    """
    visibility = "collapsed" if unlabelled else "visible"
    settings |= {"format_func": titles.__getitem__, "required": True, "label_visibility": visibility}
    return bind(st.segmented_control, label, parameter, list(titles), **settings)


# Ways to read and write that many parameters share


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number within bounds."""

    def parse(text: str) -> int:
        value = int(text) if len(text) < 12 else high + 1
        if not low <= value <= high:
            raise ValueError
        return value

    return parse


def real(low: float, high: float) -> Callable[[str], float]:
    """Reads a number within bounds."""

    def parse(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise ValueError
        return value

    return parse


def one_of(values: Sequence[T]) -> Callable[[str], T]:
    """Reads one of some values; a fraction in whatever way it is written."""
    by_text: dict[str, T] = {str(value): value for value in values}
    by_number: dict[Any, T] = {value: value for value in values if isinstance(value, float)}
    return lambda text: by_text[text] if text in by_text else by_number[float(text)]


def spell_number(value: float) -> str:
    return f"{value:g}"


def numbers(count: int, low: float, high: float) -> Callable[[str], tuple[float, ...]]:
    """Reads so many numbers within bounds from ``1_0.5_2``."""
    number = real(low, high)

    def parse(text: str) -> tuple[float, ...]:
        values = tuple(number(part) for part in text.split("_"))
        if len(values) != count:
            raise ValueError
        return values

    return parse


def spell_numbers(values: Sequence[float]) -> str:
    return "_".join(map(spell_number, values))


def nodes(text: str) -> tuple[int, ...]:
    """Reads node numbers from ``0.4.2``."""
    return tuple(int(part) for part in text.split(".")[:64] if len(part) < 6)


def spell_nodes(values: Sequence[int]) -> str | None:
    return ".".join(map(str, values)) or None
