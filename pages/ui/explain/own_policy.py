"""A policy of the visitor's own in Explain: what it is, and the way back to the shipped one."""

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.explainers.own_policies import own_header, present
from gfx_core.question import Question
from pages.ui.explorer.link import OWN
from pages.ui.text import plain


def say_own(question: Question) -> bool:
    """Say that a policy of the visitor's own explains; False, with the reason on the page, if it cannot."""
    if not question.own:
        return True
    problem = ""
    try:
        present(question)
        made = own_header(question.own)["made"]
    except UserError as error:
        problem, made = str(error), {}
    with st.container(horizontal=True, vertical_alignment="center", key="own-policy"):
        if problem:
            st.error(plain(problem), icon=":material/model_training:")
        else:
            trained = f", trained on {made['trained_on']}" if isinstance(made.get("trained_on"), str) else ""
            date = f", {made['date'][:10]}" if isinstance(made.get("date"), str) else ""
            st.markdown(f":material/model_training: Explained by **your own policy**{plain(trained + date)}.")
        st.button("Use the shipped policy", key="use-shipped", icon=":material/undo:", on_click=OWN.write, args=(None,))
    return not problem
