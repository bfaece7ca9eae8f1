"""The explorer: run it with ``streamlit run app.py``, or for a class with ``python app.py --class``."""

import sys

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

if __name__ != "__main__":  # a server loads it; Streamlit looks for the very words of the line below
    from pages.ui.server import settings

    app = App(__file__, **settings())
elif get_script_run_ctx(suppress_warning=True) is not None:  # a visitor opens a page
    from pages.ui.router import route

    route()
else:
    from pages.ui.server import start

    start(__file__, sys.argv[1:])
