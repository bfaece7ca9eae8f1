"""The link of the page that is shown, as a whole, and those of the other pages and of moments ago.

A page that one returns to opens as it was left. What the browser sends late, of an earlier link or of a page that was
left, changes nothing. What a link is made of stands in ``address.py``.
"""

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_LINKS = "links"  # session state: the last link of each page, by the page's name
_PAGE = "page"  # session state: the page that is shown
_HASH = "page-hash"  # session state: what Streamlit calls it
_OLDER = "older-links"  # session state: links of this page that were written over
_REMEMBERED = 12  # as many of them
_ALWAYS = "links-always"  # session state: what stands in every link of this visit


def write_link(link: Mapping[str, str]) -> None:
    """Make this the link: by one message, and by none where it says so already."""
    before, link = st.query_params.to_dict(), {**link, **st.session_state.get(_ALWAYS, {})}
    if dict(link) != before:
        st.query_params.from_dict(link)
    page: str | None = st.session_state.get(_PAGE)
    if page is not None:
        links: dict[str, dict[str, str]] = st.session_state[_LINKS]
        if links.get(page, link) != link:
            st.session_state[_OLDER] = [*st.session_state.get(_OLDER, []), links[page]][-_REMEMBERED:]
        links[page] = dict(link)


def always(name: str, text: str | None) -> None:
    """Have a parameter stand in every link from now on, whatever page is shown; ``None`` takes it out of them."""
    kept = {other: value for other, value in st.session_state.get(_ALWAYS, {}).items() if other != name}
    st.session_state[_ALWAYS] = kept if text is None else {**kept, name: text}
    for link in st.session_state.get(_LINKS, {}).values():
        link.pop(name, None)
    write_link({other: value for other, value in st.query_params.to_dict().items() if other != name})


def catch_up() -> bool:
    """Read the link as it was last written: what the browser sends may be older, if much is done at once.

    Returns:
        Whether the visitor is still on the page: what a page reports that was left meanwhile is to change nothing.
    """
    run, page = get_script_run_ctx(), st.session_state.get(_PAGE)
    if run is None or page is None:
        return True
    if run.page_script_hash != st.session_state.get(_HASH):
        return False
    last = st.session_state[_LINKS].get(page)
    now = st.query_params.to_dict()
    if last is not None and now != last and now in st.session_state.get(_OLDER, []) and not _went_back():
        st.query_params.from_dict(last)
    return True


def arrive(page: str, opening: Callable[[str, dict[str, str]], dict[str, str]]) -> None:
    """Note which page is shown; one that is gone to without a link, by the navigation, opens as it was left.

    Args:
        page: Its name.
        opening: Makes the link to open with, from the page's name and its last link.
    """
    links: dict[str, dict[str, str]] = st.session_state.setdefault(_LINKS, {})
    before = st.session_state.get(_PAGE)
    run = get_script_run_ctx()
    st.session_state[_HASH] = None if run is None else run.page_script_hash
    if page == before:
        catch_up()
    else:
        st.session_state[_PAGE], st.session_state[_OLDER] = page, []
    link = st.query_params.to_dict()
    if page != before and before is not None and not link and not _went_back():
        link = opening(page, links.get(page, {}))
    if page != before:
        links[page] = link
    write_link(link)


def _went_back() -> bool:
    """Whether this run shows an entry of the browser's history: Back leads to what was there, be it the first view."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))
