"""The explorer: run it with ``streamlit run app.py``, or for a class with ``python app.py --class``."""

import sys

from streamlit.starlette import App

from pages.ui.streamlit_private import script_run

if __name__ != "__main__":  # a server loads it; Streamlit looks for the very words of the line below
    from pages.ui.server import settings

    app = App(__file__, **settings())
elif script_run() is not None:  # a visitor opens a page
    from pages.ui.router import route

    route()
else:
    from pages.ui.server import start

    start(__file__, sys.argv[1:])
