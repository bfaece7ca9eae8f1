"""The link for teachers: it opens a lesson with parts hidden and with the settings that are seen now."""

import streamlit as st

from pages.ui.lessons.frame import NUMBER, PARTS, hidden

_WHAT = {"controls": "Hide the controls", "question": "Hide the question", "theory": "Hide the explanations"}
_HTML = """
<label><span>The link</span><input type="text" readonly /></label>
<button type="button"><span aria-live="polite">Copy</span></button>
"""
_CSS = """
:host, .host { display: block; }
label { display: block; margin-bottom: 0.5rem; font-size: 0.875rem; }
input { box-sizing: border-box; width: 100%; margin-top: 0.25rem; padding: 0.45rem 0.6rem; border-radius: 0.5rem;
  border: 1px solid var(--st-border-color); background: var(--st-secondary-background-color);
  color: var(--st-text-color); font-family: var(--st-code-font, monospace); font-size: 0.8rem; }
button { min-height: 2.2rem; padding: 0.2rem 0.8rem; border: 1px solid var(--st-border-color); border-radius: 0.5rem;
  background: transparent; color: var(--st-text-color); font: inherit; cursor: pointer; }
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
input:focus-visible, button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
label, button { color: var(--st-text-color); font-family: var(--st-font); }
"""
_JS = """
export default function (component) {
  const { parentElement, data } = component;
  const input = parentElement.querySelector("input");
  const said = parentElement.querySelector("button span");
  const write = () => { input.value = link(data); };
  write();
  input.onfocus = () => { write(); input.select(); };
  parentElement.querySelector("button").onclick = async () => {
    write();
    try {
      await navigator.clipboard.writeText(input.value);
      said.textContent = "Copied";
      setTimeout(() => { said.textContent = "Copy"; }, 2000);
    } catch {
      input.focus();  // it is selected: the keyboard copies it
    }
  };
}

// The address as it is at this moment: lessons change it without drawing this again.
function link({ lesson, hide, preset }) {
  const here = window.location;
  const now = new URLSearchParams(here.search);
  const query = new URLSearchParams({ lesson });
  if (hide) query.set("hide", hide);
  for (const [name, value] of preset ? now : []) {
    if (!["lesson", "done", "hide"].includes(name)) query.set(name, value);
  }
  return `${here.origin}${here.pathname}?${query.toString().replaceAll("%2C", ",")}`;
}
"""
_link = st.components.v2.component("teacher_link", html=_HTML, css=_CSS, js=_JS)


def link_for_teachers() -> None:
    """A small popover that builds the link."""
    with st.popover("Teach", icon=":material/co_present:", help="A link that opens this lesson for your students"):
        _builder()


@st.fragment
def _builder() -> None:
    st.markdown("Send your students a link to this lesson.")
    for part in PARTS:
        st.checkbox(_WHAT[part], value=hidden(part), key=f"teach-{part}")
    st.checkbox("Start with the settings you see now", value=True, key="teach-preset")
    hide = [part for part in PARTS if st.session_state[f"teach-{part}"]]
    _link(
        key="teach-link",
        data={"lesson": NUMBER.read(), "hide": ",".join(hide), "preset": st.session_state["teach-preset"]},
    )
