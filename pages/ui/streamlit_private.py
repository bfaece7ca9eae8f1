"""All that the explorer uses of Streamlit beyond its documents; ``tests/pages/test_streamlit.py`` has the version."""

from streamlit import net_util, runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx


def prepare() -> None:
    """Request nothing from the web, and run app.py for every page, before a server starts."""
    # Streamlit requests its own number from a service on the web when a page of another name opens a websocket.
    net_util.get_external_ip = lambda: None
    # It takes the files in pages/ for scripts of their own until `st.navigation` has run once.
    PagesManager.uses_pages_directory = False


def is_connected(session: str) -> bool:
    """Whether a session has its page open; Streamlit has no event for pages that are closed."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def by_history() -> bool:
    """Whether this run shows an entry of the browser's history: Back leads to what was there, be it the first view."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))
