"""The cut-vertex lab: grow a set and watch Theorem 1 keep its cut vertices up to date."""

import streamlit as st

from gfx_core.config import read_content
from gfx_core.jobs import requests
from gfx_core.teaching.lab_graphs import LEAST, MOST, GraphKind, growth_order
from gfx_core.text.theorem import CASES, EQUATIONS
from pages.ui import lab_state
from pages.ui.address import bind
from pages.ui.components.browser import copy_link
from pages.ui.jobs import run_job
from pages.ui.lab_state import FLIPS, KIND, MOST_SEED, ORDER, SEED, SIZE
from pages.ui.widgets import in_row, widget

TEXTS = read_content("lab")


def controls() -> bool:
    """Draw them; returns whether clicks edit links."""
    with in_row("lab-controls", "bottom"):
        titles = {kind: TEXTS["kinds"][kind] for kind in GraphKind}
        bind(st.selectbox, **widget("lab-kind"), parameter=KIND, titles=titles)
        bind(st.slider, **widget("lab-size"), parameter=SIZE, min_value=LEAST, max_value=MOST)
        bind(st.number_input, **widget("lab-seed"), parameter=SEED, max_value=MOST_SEED)
        edits = st.toggle(**widget("lab-edits"))
        if FLIPS.read():
            st.button(**widget("lab-undo"), on_click=FLIPS.write, args=(None,))
        copy_link("lab-copy-link")
    return bool(edits)


st.title("Cut-vertex lab", anchor=False)
st.markdown(TEXTS["intro"])
edits = controls()
graph = lab_state.graph()
order = growth_order(graph, ORDER.read(), SEED.read())
picture = st.container()
request = requests.lesson("grow_steps", names=graph.names, edges=graph.edges, order=tuple(order))
steps = run_job("𝒵, step by step", request, slot="lab")
with picture:
    lab_state.lab_view(graph, order, steps, edits=edits)
if len(order) < min(len(graph.names), 3):
    st.info(TEXTS["alone"], icon=":material/link:")
with st.expander(**widget("lab-theorem")):
    st.markdown(TEXTS["theorem"].format(first=CASES[1], second=CASES[2], z=EQUATIONS["z"]))
