"""Lesson plans: what a teacher opens, does and asks, and the solutions on another sheet. Each prints on one page.

Students of a class read the solutions when it is over.
"""

from pathlib import Path

import streamlit as st

from gfx_core.drawing.templates import asset
from pages.ui import classes
from pages.ui.address import Address, one_of, pick_one
from pages.ui.components.browser import save_button
from pages.ui.widgets import in_row

TITLES = {"45": "45 minutes", "90": "90 minutes", "solutions": "Solutions"}
FILES = {"45": "lesson-plan-45.md", "90": "lesson-plan-90.md", "solutions": "lesson-solutions.md"}
PLAN = Address().parameter("plan", "45", one_of(list(TITLES)))

st.html(Path(__file__).parent / "ui" / "plans.css")
plan = PLAN.read()
later = plan == "solutions" and classes.joined() is not None and classes.led_class() is None
text = asset(f"docs/{FILES[plan]}")
heading, _, sheet = text.partition("\n")
with in_row("plan-controls"):
    pick_one("Plan", PLAN, TITLES, label_visibility="collapsed")
    if not later:
        save_button("Download", text, FILES[plan])
st.title(heading.removeprefix("# "), anchor=False)
with st.container(key="inside"):  # whose links keep the visitor's session, see history.js
    st.markdown("You can read the solutions after the class." if later else sheet)
