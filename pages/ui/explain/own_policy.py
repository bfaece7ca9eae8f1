"""A policy of the visitor's own in Explain: what it is, and the way back to the shipped one."""

import streamlit as st

from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.gfn.own_policies import own_policy
from gfx_core.question import Question
from gfx_core.user_data.store import same_dataset
from pages.ui.explorer.parameters import OWN
from pages.ui.text import plain


def say_own(question: Question) -> bool:
    """Say that a policy of the visitor's own explains; False, with the reason on the page, if it cannot."""
    if not question.own:
        return True
    problem, since = "", ""
    try:
        policy = own_policy(question.own, question.dataset)
        if not same_dataset(policy.dataset, question.dataset) or policy.gnn != question.gnn:
            title = dataset_info(policy.dataset).title
            problem = f"Your own policy explains the {policy.gnn} GNN of {title}, not this one."
        elif isinstance(policy.made.get("date"), str):
            since = f", of {policy.made['date'][:10]}"
    except UserError as error:
        problem = str(error)
    with st.container(horizontal=True, vertical_alignment="center", key="own-policy"):
        if problem:
            st.error(plain(problem), icon=":material/model_training:")
        else:
            st.markdown(f":material/model_training: Explained by **your own policy**{plain(since)}.")
        st.button("Use the shipped policy", key="use-shipped", icon=":material/undo:", on_click=OWN.write, args=(None,))
    return not problem
