"""The address bar: every choice that a page offers is a parameter of its link, declared once.

A :class:`Parameter` has a name, a reader and a speller, and stands under others: where one of those changes, it goes,
so a link never keeps what belonged to something else. :func:`bind` draws a widget that shows a parameter and writes it.

The session has the links of all pages that were seen. What the browser sends may be older than the last change, so it
counts only where another page is opened, or by Back and Forward. One change is one message to the browser, and so one
entry of its history; changes of :data:`SMALL` parameters alone make none (``assets/components/history.js``).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig
from pages.ui.streamlit_private import script_run

_LINKS = "links"  # session state: the last link of each page, by what Streamlit calls the page
_PAGE = "page"  # session state: the page that is shown
_LASTING = "lasting"  # session state: what stands in every link of this visit
VISIT = ("tour", "present")
"""How a page is looked at, not what is seen: a new view keeps these parameters, and no page opens again with them."""
SMALL = (
    *("step", "frame", "tab", "tools", "sort", "done", "class", "present"),
    *("samples", "beta", "price", "k", "edges", "nodes", "distance", "eps", "lr", "size", "f", "r"),
    *("at", "pin", "see"),
    *(f"{knob.link}{number}" for number in (1, 2) for knob in knobs(GFNConfig).values() if knob.live),
)
"""Parameters that are not worth an entry of the browser's history, on whatever page: where playing stands, sliders."""


def is_here() -> bool:
    """Whether the visitor is still on the page: what a page reports that was left meanwhile is to change nothing."""
    run = script_run()
    return run is None or st.session_state.get(_PAGE, run.page_script_hash) == run.page_script_hash


def page_shown() -> str | None:
    """What Streamlit calls the page that was drawn last."""
    return st.session_state.get(_PAGE)


def by_history() -> bool:
    """Whether this run shows an entry of the browser's history: Back leads to what was there, be it the first view."""
    run = script_run()
    return run is not None and run.is_history_navigation


def read_link() -> dict[str, str]:
    """The link of the page that is shown."""
    state = st.session_state
    if _PAGE not in state or not is_here() or by_history():
        return st.query_params.to_dict()
    return {**state[_LINKS][state[_PAGE]], **state.get(_LASTING, {})}


def write_link(link: Mapping[str, str]) -> None:
    """Make this the link, by one message to the browser; by none where it is the link already."""
    state = st.session_state
    if _PAGE in state:
        state[_LINKS][state[_PAGE]] = dict(link)
    whole = {**link, **state.get(_LASTING, {})}
    if whole != st.query_params.to_dict():
        st.query_params.from_dict(whole)


def always(name: str, text: str | None) -> None:
    """Have a parameter stand in every link from now on, whatever page is shown; ``None`` takes it out of them."""
    link = read_link()
    for other in (link, *st.session_state.get(_LINKS, {}).values()):
        other.pop(name, None)
    st.session_state[_LASTING] = {} if text is None else {name: text}
    write_link(link)


def arrive(page: str, opening: Callable[[str, dict[str, str]], dict[str, str]]) -> None:
    """Note which page is shown; one that is gone to without a link, by the navigation, opens as it was left.

    Args:
        page: Its name.
        opening: Makes the link to open with, from the page's name and its last link.
    """
    state, run, link = st.session_state, script_run(), read_link()
    here = run.page_script_hash if run is not None else ""
    links = state.setdefault(_LINKS, {})
    if not link and not is_here() and not by_history():
        link = opening(page, {name: text for name, text in links.get(here, {}).items() if name not in VISIT})
    state[_PAGE] = here
    write_link(link)


T = TypeVar("T")
_SENSELESS = (ValueError, TypeError, KeyError, IndexError, ArithmeticError, UserError)


class Address:
    """The parameters of the pages that share links; the same name may mean another thing on other pages."""

    def __init__(self) -> None:
        self.parameters: dict[str, Parameter[Any]] = {}

    def parameter(self, name: str, default: T, parse: Callable[[str], T], **about: Any) -> "Parameter[T]":
        """Declare a parameter, by the attributes of `Parameter`."""
        parameter = self.parameters[name] = Parameter(self, name, default, parse, **about)
        return parameter

    def switch(self, name: str, word: str = "1", *, under: Sequence["Parameter[Any]"] = ()) -> "Parameter[bool]":
        """Declare something that is on where the link has this word, and off else."""
        return self.parameter(name, False, word.__eq__, spell=lambda on: word * on, under=under)

    def change(self, values: Mapping["Parameter[Any]", Any], page: str | None = None) -> None:
        """Write several parameters at once; ``None`` takes one out. All that stands under a changed one goes.

        Args:
            values: By parameter.
            page: That the values come from, by `page_shown`. What it reports in the request that leaves it is kept for
                its next time; nothing else of a page that was left is.
        """
        state, leaves = st.session_state, not is_here()
        if leaves and (page is None or page != page_shown()):
            return
        before = state[_LINKS][page] if leaves else read_link()
        texts = {each.name: None if value is None else each.spell(value) or None for each, value in values.items()}
        changed = {parameter for parameter in values if texts[parameter.name] != before.get(parameter.name)}
        for parameter in self.parameters.values():
            if parameter not in values and parameter.stands_under(changed):
                texts[parameter.name] = None
        link = {name: text for name, text in {**before, **texts}.items() if text is not None}
        if leaves:
            state[_LINKS][page] = link
        else:
            write_link(link)


@dataclass(frozen=True, eq=False)
class Parameter(Generic[T]):
    """One part of a link, made by :meth:`Address.parameter`.

    Attributes:
        address: Where it is declared.
        name: In the link.
        default: Its value where the link lacks it, or has nonsense.
        parse: Reads it; raises where the text makes no sense, a ``UserError`` where people need the reason.
        spell: Writes it; nothing leaves it out of the link.
        under: What it belongs to: it is forgotten when one of these changes, or what these belong to.
    """

    address: Address
    name: str
    default: T
    parse: Callable[[str], T]
    spell: Callable[[T], str] = str
    under: "Sequence[Parameter[Any]]" = ()

    @property
    def in_link(self) -> bool:
        """Whether the link has it, sensible or not."""
        return self.name in read_link()

    @property
    def text(self) -> str:
        """Its text in the link."""
        return read_link().get(self.name, "")

    def read(self, default: T | None = None) -> T:
        """Its value; this default, or else its own, where the link lacks it or makes no sense."""
        try:
            return self.parse(read_link()[self.name])
        except _SENSELESS:
            return self.default if default is None else default

    @property
    def problem(self) -> str | None:
        """What is wrong with the link here, for people."""
        try:
            self.parse(read_link()[self.name])
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
    shown: T | None = None,
    own: T | None = None,
    drops: Iterable[Parameter[Any]] = (),
    titles: Mapping[Any, str] | None = None,
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
        titles: What each of the values is called that one chooses from.
        settings: Further arguments of the widget; its ``key`` is the parameter's name by default.
    """
    if titles is not None:
        settings |= {"options": list(titles), "format_func": titles.__getitem__}
    key = settings.setdefault("key", parameter.name)
    # set in every run, also where it is the same: the browser may have missed a run that another one overtook
    drawn = st.session_state[key] = parameter.read() if shown is None else shown

    def change() -> None:
        value = st.session_state[key]
        if value != drawn:  # a field that is closed may send once more what it showed
            parameter.address.change({**dict.fromkeys(drops), parameter: None if value == own else value})

    widget(label, *options, on_change=change, **settings)
    return st.session_state[key]


def pick_one(label: str, parameter: Parameter[T], titles: Mapping[Any, str], **settings: Any) -> T:
    """Draw all values of a parameter side by side, one of which is chosen, as `bind` does."""
    return bind(st.segmented_control, label, parameter, titles=titles, required=True, **settings)


# Ways to read and write that many parameters share


def within(kind: Callable[[str], T], low: Any, high: Any) -> Callable[[str], T]:
    """Reads a number of this kind within bounds."""

    def parse(text: str) -> T:
        value = kind(text)
        if not low <= value <= high:
            raise ValueError
        return value

    return parse


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number within bounds."""
    return within(int, low, high)


def one_of(values: Sequence[T]) -> Callable[[str], T]:
    """Reads one of some values, as `spell_number` or `str` writes it."""
    return {spell_number(value) if isinstance(value, float) else str(value): value for value in values}.__getitem__


def spell_number(value: float) -> str:
    return f"{value:g}"


def nodes(text: str) -> tuple[int, ...]:
    """Reads node numbers from ``0.4.2``."""
    return tuple(map(int, text.split(".")[:64]))


def spell_nodes(values: Sequence[int]) -> str:
    return ".".join(map(str, values))
