"""The paper's qualitative figure on Compare: shipped molecules and sentences, each explained by several methods."""

import streamlit as st

from gfx_core.drawing.export import page_title
from gfx_core.drawing.qualitative import cells, qualitative_html, shipped
from gfx_core.text.numbers import about_percent
from pages.ui.address import bind, flag, spell_flag
from pages.ui.components.gallery import Card, gallery
from pages.ui.explorer.parameters import EXPLORER
from pages.ui.text import plain

FIGURE = EXPLORER.parameter("figure", False, flag, spell=spell_flag)


def paper_figure() -> None:
    """A switch, and below it the figure; it is drawn from shipped traces, so nothing is computed."""
    shown = bind(
        st.toggle,
        "The paper’s figure: molecules and sentences side by side",
        FIGURE,
        key="paper-figure",
        help="Shipped predictions with the masks of several explainers, all with equally many edges.",
    )
    if not shown:
        return
    traces = shipped()
    if not traces:
        st.info("No trace of a molecule or sentence is shipped.", icon=":material/image_not_supported:")
        return
    for number, trace in enumerate(traces):
        prediction = trace.prediction
        share = about_percent(prediction.probabilities[prediction.predicted])
        st.markdown(f"**{plain(page_title(trace))}**: {plain(trace.classes[prediction.predicted])} ({share})")
        row = [Card(cell.svg, cell.title, (), cell.said) for cell in cells(trace) if cell.svg]
        gallery(row, key=f"paper-figure-{number}", wide=14.0)
    st.download_button(
        "The figure as a page",
        qualitative_html(traces),
        "explanations.html",
        "text/html",
        icon=":material/download:",
        on_click="ignore",
    )
