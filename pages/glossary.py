"""Glossary: every symbol and term, what the paper writes, and where it is to be seen."""

import streamlit as st

from gfx_core.teaching.glossary import find
from pages.ui.address import Address
from pages.ui.components.glossary_view import glossary_view
from pages.ui.widgets import page_link

st.title("Glossary", anchor=False)
st.markdown("Every symbol and term of the explorer: what it means, how the paper writes it, and where you can see it.")
page_link("document", {"read": "departures"}, title="What we do differently from the paper")
TERM = Address().parameter("term", None, find)
term = TERM.read()
glossary_view(term.anchor if term is not None else None)
