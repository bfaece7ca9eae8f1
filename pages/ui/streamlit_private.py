"""The four things that the explorer uses of Streamlit beyond its documents.

``tests/pages/test_streamlit.py`` has the version that they are known of, and what to try with another one.
"""

from pathlib import Path

from streamlit import file_util, net_util, runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext


def prepare() -> None:
    """Request nothing from the web, and run app.py for every page, before a server starts."""
    # 1. Streamlit requests its own number from a service on the web when a page of another name opens a websocket.
    net_util.get_external_ip = lambda: None
    # 2. It takes the files in pages/ for scripts of their own until `st.navigation` has run once.
    PagesManager.uses_pages_directory = False


# 3. Sessions: `st.context` has neither a name of its session nor the page, and there is no event for a closed page.


def script_run() -> ScriptRunContext | None:
    """The run that draws a page, with its session, its page, and whether Back or Forward began it; else None."""
    return get_script_run_ctx(suppress_warning=True)


def is_connected(session: str) -> bool:
    """Whether a session has its page open."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)


# 4. The file that Streamlit answers every page with: without something of ours in it, a page is white at first.


def index_html() -> str:
    """Its text."""
    return (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")
