"""The explorer: run it with ``streamlit run app.py``."""

from pages.ui.router import route

if __name__ == "__main__":
    route()
