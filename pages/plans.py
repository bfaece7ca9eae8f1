"""Lesson plans: what a teacher opens, does and asks, and the solutions on another sheet. Each prints on one page.

Students of a class read the solutions when it is over.
"""

from pathlib import Path

import streamlit as st

from gfx_core.teaching.lesson_plans import FILES, read_plan
from pages.ui import membership
from pages.ui.address import Address, one_of, pick_one
from pages.ui.components.browser import save_button

TITLES = {"45": "45 minutes", "90": "90 minutes", "solutions": "Solutions"}
PLAN = Address().parameter("plan", "45", one_of(list(FILES)))

st.html(Path(__file__).parent / "ui" / "plans.css")
plan = PLAN.read()
later = plan == "solutions" and membership.joined() is not None and membership.led_class() is None
text = read_plan(plan)
heading, _, sheet = text.partition("\n")
with st.container(horizontal=True, vertical_alignment="center", key="plan-controls"):
    pick_one("Plan", PLAN, TITLES, unlabelled=True)
    if not later:
        save_button("Download", text, FILES[plan])
st.title(heading.removeprefix("# "), anchor=False)
with st.container(key="inside"):  # whose links keep the visitor's session, see history.js
    st.markdown("You can read the solutions after the class." if later else sheet)
