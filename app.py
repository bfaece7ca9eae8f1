"""The explorer: run it with ``streamlit run app.py``. This file only routes to the pages."""

import streamlit as st

from pages.ui.chrome import ROUTED, device_badge, style


def main() -> None:
    """Set the page up, find out which one is asked for, and run it."""
    st.set_page_config(page_title="GFlowExplainer explorer", page_icon="assets/logo.svg", layout="wide")
    st.logo("assets/logo.svg", size="large")
    style()
    page = st.navigation(
        [
            st.Page("pages/home.py", title="Home", icon=":material/home:", default=True),
            st.Page("pages/explain.py", title="Explain", icon=":material/play_circle:"),
            st.Page("pages/compare.py", title="Compare", icon=":material/compare:"),
            st.Page("pages/results.py", title="Results", icon=":material/leaderboard:"),
            st.Page("pages/datasets.py", title="Data sets", icon=":material/hub:"),
            st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
            st.Page("pages/lab.py", title="Cut-vertex lab", icon=":material/content_cut:"),
            st.Page("pages/glossary.py", title="Glossary", icon=":material/dictionary:"),
        ],
        position="top",
    )
    device_badge()
    st.session_state[ROUTED] = True
    page.run()


if __name__ == "__main__":
    main()
