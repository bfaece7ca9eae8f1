"""What Streamlit does not document is as `pages.ui.streamlit_private` expects it, in this version."""

import inspect

import streamlit as st
from streamlit import net_util
from streamlit.runtime import Runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.web.server import server_util

from pages.ui.streamlit_private import index_html, script_run


def test_the_private_parts_of_this_version() -> None:
    """With another version, try by hand: Back, pages opened directly, a closed tab, and a page of another name."""
    assert st.__version__.startswith("1.67.")
    assert script_run() is None
    assert {"session_id", "page_script_hash", "is_history_navigation"} <= {
        *dir(ScriptRunContext),
        *ScriptRunContext.__dataclass_fields__,
    }
    assert callable(Runtime.is_active_session)
    assert "net_util.get_external_ip" in inspect.getsource(server_util)
    assert callable(net_util.get_external_ip)
    assert all(words in index_html() for words in ('<div id="root">', "<title>Streamlit</title>", "./favicon.png"))
    assert isinstance(PagesManager.uses_pages_directory, bool | None)
