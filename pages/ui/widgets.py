"""Widgets of pages: their words and looks, which are data in assets/content, links to other pages, and rows."""

from collections.abc import Mapping
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gfx_core.config import read_content
from gfx_core.gfn.knobs import Knob
from gfx_core.teaching.glossary import term, tooltip
from pages.ui.address import Parameter, bind

WORDS = read_content("explorer")
_WIDGETS = read_content("widgets")


def widget(name: str, /, **values: object) -> dict[str, Any]:
    """The key, label, icon, help and looks of a widget.

    Args:
        name: Of its table in the file; its key, unless the table has one.
        values: What stands in braces in its texts.
    """
    texts = {"key": name} | _WIDGETS[name]
    texts = {argument: text.format(**values) if isinstance(text, str) else text for argument, text in texts.items()}
    if entry := texts.pop("glossary", ""):
        texts["help"] = f"{texts['help']} {term(entry, 'Glossary')}" if "help" in texts else tooltip(entry)
    return texts


def pick_knob(knob: Knob, parameter: Parameter[Any], value: Any, usual: Any, help: str) -> None:
    """The widget of a knob.

    Args:
        knob: What is set.
        parameter: Of the link.
        value: That it shows.
        usual: The value that is in no link.
        help: Of the widget; what the knob means stands in place of the braces.
    """
    settings = {"shown": value, "own": usual, "help": help.format(tooltip(knob.term) if knob.term else knob.help)}
    if knob.values:
        bind(st.selectbox, knob.label, parameter, titles=knob.values, **settings)
    elif knob.marks:
        marks = sorted({*knob.marks, value, usual} - {None})
        titles = {mark: f"{mark:g}" for mark in marks} | ({None: "none"} if knob.optional else {})
        bind(st.select_slider, knob.label, parameter, titles=titles, **settings)
    else:
        bind(st.number_input, knob.label, parameter, knob.kind(knob.low), knob.kind(knob.high), **settings)


def page_link(name: str, /, link: Mapping[str, str] | None = None, **values: object) -> None:
    """A link to another page.

    Args:
        name: Of its table in the file, behind ``to-``, which has the page too.
        link: The parameters that the page opens with.
        values: What stands in braces in its texts.
    """
    texts = widget(f"to-{name}", **values)
    del texts["key"]
    st.page_link(f"pages/{texts.pop('page')}.py", query_params=link, **texts)


def in_row(key: str, align: Literal["center", "bottom"] = "center", **looks: Any) -> DeltaGenerator:
    """A container whose parts stand side by side."""
    return st.container(horizontal=True, vertical_alignment=align, key=key, **looks)
