"""Glossary: every symbol and term, what the paper writes, and where it is to be seen."""

import streamlit as st

from gfx_core.teaching.glossary import find
from pages.ui.components.glossary_view import glossary_view
from pages.ui.router import through_app

through_app()
st.title("Glossary", anchor=False)
st.markdown("Every symbol and term of the explorer: what it means, how the paper writes it, and where you can see it.")
asked = find(st.query_params.get("term", ""))
glossary_view(key="glossary", opened=asked.anchor if asked is not None else None)
