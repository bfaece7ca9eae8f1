"""The cut-vertex lab: grow a set and watch Theorem 1 keep its cut vertices up to date."""

import streamlit as st

from pages.ui.lab.page import show_lab
from pages.ui.router import through_app

through_app()
st.title("Cut-vertex lab", anchor=False)
show_lab()
