"""Lesson plans: what a teacher opens, does and asks, and the solutions on another sheet. Each prints on one page.

They are documents of the project, in assets/docs, whose links lead to pages of the explorer.
"""

from pathlib import Path

import streamlit as st

from gfx_core.config import ASSETS
from pages.ui.address import Address, one_of, pick_one
from pages.ui.components.browser import print_button, save_button

TITLES = {"45": "45 minutes", "90": "90 minutes", "solutions": "Solutions"}
FILES = {"45": "lesson-plan-45.md", "90": "lesson-plan-90.md", "solutions": "lesson-solutions.md"}
PLAN = Address().parameter("plan", "45", one_of(list(FILES)))

st.html(Path(__file__).parent / "ui" / "plans.css")
name = FILES[PLAN.read()]
text = (ASSETS / "docs" / name).read_text(encoding="utf-8")
heading, _, sheet = text.partition("\n")
with st.container(horizontal=True, vertical_alignment="center", key="plan-controls"):
    pick_one("Plan", PLAN, TITLES, unlabelled=True)
    print_button()
    save_button("Download", text, name)
st.title(heading.removeprefix("# "), anchor=False)
with st.container(key="inside"):  # whose links keep the visitor's session, see history.js
    st.markdown(sheet)
