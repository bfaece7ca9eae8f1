"""Tables of numbers in plain HTML, which is there before any component is loaded."""

from collections.abc import Collection, Mapping
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


Rows = Mapping[str, Mapping[str, str]]
"""The texts of a table by row and column."""


def number_table(
    first: str,
    heads: Mapping[str, Head],
    rows: Rows,
    leaders: Mapping[str, Collection[str]],
    *,
    label: str,
    faint: Collection[str] = (),
) -> None:
    """Show a table with the best set off: it scrolls under its first column and can be read aloud.

    A table by way of a data frame would load pandas before the first number is seen.

    Args:
        first: Head of the column of names.
        heads: Those of the others.
        rows: The numbers.
        leaders: The rows that are best, by column.
        label: What a screen reader calls it.
        faint: Rows that are not to be compared with the others.
    """
    marks = {"best": BEST, "leaders": leaders, "faint": faint, "glossary": GLOSSARY}
    st.html(render("html/table.html", label=label, first=first, heads=heads, rows=rows, **marks))
