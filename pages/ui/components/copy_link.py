"""A button that copies the address of the view: the whole view is in it."""

import streamlit as st

_JS = """
export default function (component) {
  const button = component.parentElement.querySelector("button");
  const text = button.querySelector("span");
  button.onclick = async () => {
    const link = window.location.href;
    try {
      await navigator.clipboard.writeText(link);
      text.textContent = "Link copied";
    } catch {
      window.prompt("Copy this link:", link);
    }
    setTimeout(() => { text.textContent = "Copy link"; }, 2000);
  };
}
"""
_CSS = """
button { display: inline-flex; align-items: center; gap: 0.4rem; min-height: 2.5rem; padding: 0.25rem 0.75rem;
  border: 1px solid color-mix(in srgb, var(--st-text-color, #222) 20%, transparent); border-radius: 0.5rem;
  background: transparent; color: var(--st-text-color, #222); font-family: var(--st-font, sans-serif); font-size: 1rem;
  white-space: nowrap; cursor: pointer; }
button:hover { border-color: var(--st-primary-color, #6a74e0); color: var(--st-primary-color, #6a74e0); }
button:focus-visible { outline: 2px solid var(--st-primary-color, #6a74e0); outline-offset: 2px; }
"""
_HTML = '<button type="button" aria-live="polite"><span>Copy link</span></button>'
_button = st.components.v2.component("copy_link", html=_HTML, css=_CSS, js=_JS)


def copy_link(key: str = "copy-link") -> None:
    """Show the button."""
    _button(key=key, width="content")
