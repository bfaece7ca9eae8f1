"""Change the URL."""

import streamlit as st


def choose(**changes: str | int | None) -> None:
    """Change the URL: values are set, ``None`` takes a part out."""
    for name, value in changes.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = str(value)
