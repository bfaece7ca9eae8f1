"""Many visitors at once: ``python -m tests.load``.

It lives here, and not among the studies of gfx_core, because it speaks Streamlit's own protocol and knows the pages, of
which gfx_core knows nothing.
"""
