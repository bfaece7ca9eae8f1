"""The spread of the answers to a question, as bars that can be read from the last row."""

import html

import streamlit as st

from gfx_core.classroom.room import Spread
from gfx_core.text.numbers import counted


def spread_view(spread: Spread, *, mark: bool) -> None:
    """A question and how many gave which answer, at first and by now.

    Args:
        spread: The answers.
        mark: Whether the right one is marked.
    """
    st.markdown(f"**{spread.lesson}** · {spread.asked.text}")
    st.html(spread_html(spread, mark=mark))


def spread_html(spread: Spread, *, mark: bool) -> str:
    """The bars: full for what was answered first, a line for what is answered now."""
    most = max([1, *spread.first.values(), *spread.latest.values()])
    lines = "".join(_line(bar, most, mark and bar[0] == spread.asked.right) for bar in spread.bars())
    told = f"{counted(spread.answered, 'answer')} · filled: what was said first, framed: what is chosen now"
    return f'<div class="spread" role="group" aria-label="Answers"><ul>{lines}</ul><small>{told}</small></div>'


def _line(bar: tuple[int, str, int, int], most: int, right: bool) -> str:
    _, words, first, now = bar
    said = html.escape(words.replace("**", ""))
    tick = '<b class="tick">✓ right</b> ' if right else ""
    numbers = f"{first}" if first == now else f"{first} → {now}"
    full, frame = (f"{100 * count / most:.1f}%" for count in (first, now))
    return (
        f'<li class="{"right" if right else ""}"><span class="words">{tick}{said}</span>'
        f'<span class="bar"><i style="width:{full}"></i><u style="width:{frame}"></u></span>'
        f'<span class="count">{numbers}</span></li>'
    )
