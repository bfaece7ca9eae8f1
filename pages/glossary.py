"""Glossary: every symbol and term, what the paper writes, and where it is to be seen."""

import streamlit as st

from gfx_core.teaching.glossary import find
from pages.ui.address import Address
from pages.ui.components.glossary_view import glossary_view

st.title("Glossary", anchor=False)
st.markdown("Every symbol and term of the explorer: what it means, how the paper writes it, and where you can see it.")
st.page_link(
    "pages/results.py",
    label="What we do differently from the paper",
    icon=":material/article:",
    query_params={"read": "departures"},
)
TERM = Address().parameter("term", None, find)
term = TERM.read()
glossary_view(term.anchor if term is not None else None)
