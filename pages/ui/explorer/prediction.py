"""The card that says what the GNN answers, and whether it is right."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.datasets import words
from gfx_core.errors import UserError
from gfx_core.teaching.glossary_links import tooltip
from pages.ui.components.probability_bars import probability_bars
from pages.ui.explorer import asked, facts, loaders
from pages.ui.explorer.subject import Subject
from pages.ui.text import plain


def prediction_card(subject: Subject, kind: str | None) -> None:
    """Ask the GNN, or say how far that is."""
    instance = subject.instance
    info = instance.info
    st.subheader("What the GNN says", anchor=False)
    if kind is None:
        st.info(
            f"The GNN for {plain(info.title)} is {loaders.training_hint(info.name)}", icon=":material/model_training:"
        )
        true_class(subject)
        return
    try:
        shares = asked.probabilities(subject, kind)
        header = loaders.header(info.name, kind)
    except UserError as error:
        st.error(plain(error), icon=":material/broken_image:")
        true_class(subject)
        return
    if shares is not None:
        _say(shares, subject)
    true_class(subject)
    st.caption(
        f"This GNN ({facts.GNN_NAMES[kind]}) gets {facts.accuracy(header)} of unseen cases right. "
        f"Trained on {facts.trained_on(header)}.",
        help=tooltip("fragments"),
    )


def _say(shares: Sequence[float], subject: Subject) -> None:
    """The class that the GNN names, whether it is right, and how sure it is."""
    instance = subject.instance
    info = instance.info
    predicted = max(range(len(shares)), key=shares.__getitem__)
    name, known = plain(info.classes[predicted]), instance.y >= 0
    if not known:
        st.markdown(f"#### {name}")
    elif predicted == instance.y:
        st.markdown(f"#### :green[:material/check_circle: Right:] {name}")
    else:
        st.markdown(f"#### :red[:material/cancel: Wrong:] {name}, not {plain(info.classes[instance.y])}")
    probability_bars(list(shares), info.classes, instance.y if known else None, key="bars")


def true_class(subject: Subject) -> None:
    """The true class, and the reason for it."""
    instance = subject.instance
    info = instance.info
    known = plain(info.classes[instance.y]) if instance.y >= 0 else "not known here"
    reason = "Known alerts" if info.labelled else "True reason"
    st.markdown(f"**True class:** {known}  \n**{reason}:** {plain(words.reason(instance))}")
