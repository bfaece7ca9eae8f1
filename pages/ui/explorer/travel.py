"""One prediction travels: whatever page of the explorer is opened next shows the one that was looked at last.

A link that names a prediction counts more. The pages' own choices, such as Compare's methods, stay with the pages.
"""

import streamlit as st

from pages.ui.explorer.link import (
    BETA,
    BY_NUMBER,
    CHOICE,
    DATASET,
    EXPLORER,
    FLOWS,
    FOLDED,
    GNN,
    MAX_NODES,
    NAMES,
    NODE_PRICE,
    OWN,
    SAMPLES,
    SEED,
    TUNED,
    WHOLE_TUNING,
)

PAGES = {
    "explain": ("Explain this", "play_circle"),
    "compare": ("Compare on this prediction", "compare"),
    "datasets": ("See its data set", "hub"),
}
"""The pages that show a prediction: what a link to each says, and its icon."""
_HOW = (GNN, FLOWS, BETA, NODE_PRICE, MAX_NODES, OWN, TUNED, WHOLE_TUNING, SEED, CHOICE, SAMPLES, FOLDED)
_TRAVELS = (DATASET, BY_NUMBER, *NAMES.values(), *_HOW)
_NAMES = {parameter.name for parameter in _TRAVELS}
_ABOUT = {parameter.name for parameter in (DATASET, *NAMES.values(), GNN)}
_PREDICTION = "prediction"  # session state: the parameters of the prediction that was looked at last


def remember(dataset: str, source: str, name: str) -> None:
    """Note what is looked at, with all that the link says about how it is explained."""
    how = {parameter.name: parameter.text for parameter in _HOW if parameter.given}
    st.session_state[_PREDICTION] = {DATASET.name: dataset, source: name, **how}


def link() -> dict[str, str]:
    """The parameters of the prediction that is looked at, for a link to another page; empty before there was one."""
    return dict(st.session_state.get(_PREDICTION, {}))


def opening(page: str, last: dict[str, str]) -> dict[str, str]:
    """With which link a page opens, if it is gone to without one.

    Args:
        page: Its name.
        last: Its own last link.
    """
    now = link()
    if page not in PAGES or not now:
        return last
    same = all(last.get(name) == text for name, text in now.items())
    own = {name: text for name, text in last.items() if name not in _NAMES and (same or not _belongs(name))}
    return {**now, **own}


def _belongs(name: str) -> bool:
    """Whether a parameter makes sense for one prediction only, as a trajectory does."""
    return name in EXPLORER and EXPLORER[name].stands_under(set(_TRAVELS))


def ways_on(here: str) -> None:
    """Links to the same prediction on the other pages.

    Args:
        here: The page that is shown.
    """
    with st.container(horizontal=True, width="content", key="ways-on"):
        for page, (label, icon) in PAGES.items():
            if page != here:
                st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=link())
        if here == "explain":  # the navigation opens Train with what is recorded, this link with the prediction
            about = {name: text for name, text in link().items() if name in _ABOUT}
            st.page_link("pages/train.py", label="Watch it learn", icon=":material/model_training:", query_params=about)
