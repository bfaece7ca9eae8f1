"""Tables of numbers in plain HTML, which is there before any component is loaded."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from gfx_core.drawing.templates import render
from gfx_core.teaching.glossary import GLOSSARY

BEST = "★"
"""Stands before the best number of a column, which is bold too: colour alone would not do."""


@dataclass(frozen=True)
class Head:
    """The head of a column.

    Attributes:
        title: Its name.
        hint: A word or two in small print: what a good number means.
        help: A sentence that shows on hover.
        anchor: Its entry in the glossary, to which the name then is a link.
    """

    title: str
    hint: str = ""
    help: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Place:
    """What stands at one place.

    Attributes:
        text: The number.
        best: Whether it is the best of its column.
    """

    text: str
    best: bool = False


@dataclass(frozen=True)
class Line:
    """One line: its name, its places, and whether it is not to be compared with the others, and so is faint."""

    title: str
    places: Sequence[Place]
    faint: bool = False


def number_table(first: str, heads: Sequence[Head], lines: Sequence[Line], *, label: str) -> None:
    """Show a table with the best set off: it scrolls under its first column and can be read aloud.

    A table by way of a data frame would load pandas before the first number is seen.

    Args:
        first: Head of the column of names.
        heads: Those of the others.
        lines: Its lines.
        label: What a screen reader calls it.
    """
    st.html(render("html/table.html", label=label, first=first, heads=heads, lines=lines, best=BEST, glossary=GLOSSARY))


def as_csv(first: str, heads: Sequence[str], lines: Sequence[tuple[str, Sequence[object]]]) -> bytes:
    """The same for a spreadsheet; what is not known is empty."""
    text = io.StringIO()
    csv.writer(text).writerows([[first, *heads], *([name, *values] for name, values in lines)])
    return text.getvalue().encode()
