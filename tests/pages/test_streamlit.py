"""What Streamlit does not document is as `pages.ui.streamlit_private` expects it, in this version."""

import inspect

import streamlit
from streamlit import net_util
from streamlit.runtime import Runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.web.server import server_util


def test_the_private_parts_of_this_version() -> None:
    """With another version, try by hand: Back, pages opened directly, a closed tab, and a page of another name."""
    assert streamlit.__version__.startswith("1.67.")
    assert get_script_run_ctx(suppress_warning=True) is None
    assert {"page_script_hash", "is_history_navigation"} <= set(dir(ScriptRunContext))
    assert callable(Runtime.is_active_session)
    assert isinstance(PagesManager.uses_pages_directory, bool | None)
    assert "net_util.get_external_ip" in inspect.getsource(server_util)
    assert callable(net_util.get_external_ip)
