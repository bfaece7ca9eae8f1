"""Class probabilities as labelled bars."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.number_words import percent

_CSS = """
.bars { display: grid; gap: 0.55rem; font-family: var(--st-font); color: var(--st-text-color); font-size: 0.9rem; }
.line { display: flex; justify-content: space-between; gap: 0.75rem; }
.line .value { white-space: nowrap; font-variant-numeric: tabular-nums; }
.note { opacity: 0.75; font-size: 0.8rem; margin-left: 0.4rem; white-space: nowrap; }
.track { height: 0.5rem; border-radius: 0.25rem; overflow: hidden; margin-top: 0.15rem;
  background: color-mix(in srgb, var(--st-text-color) 10%, transparent); }
.fill { height: 100%; min-width: 2px; border-radius: 0.25rem;
  background: color-mix(in srgb, var(--st-text-color) 38%, transparent); }
.predicted { font-weight: 650; }
.predicted .note { font-weight: 400; }
.predicted .fill { background: var(--st-primary-color); }
"""

_JS = """
export default function ({ data, parentElement }) {
  const make = (name, text, ...children) => {
    const element = document.createElement("div");
    element.className = name;
    element.append(text, ...children);
    return element;
  };
  const rows = data.map(({ name, share, percent, note, predicted }) => {
    const fill = make("fill", "");
    fill.style.width = `${100 * share}%`;
    const label = make("label", name);
    if (note) {
      const mark = document.createElement("span");
      mark.className = "note";
      mark.textContent = note;
      label.append(mark);
    }
    const line = make("line", "", label, make("value", percent));
    return make(predicted ? "bar predicted" : "bar", "", line, make("track", "", fill));
  });
  parentElement.querySelector(".bars").replaceChildren(...rows);
}
"""

_bars = st.components.v2.component("probability_bars", html='<div class="bars"></div>', css=_CSS, js=_JS)


def probability_bars(probabilities: Sequence[float], names: Sequence[str], true: int | None, *, key: str) -> None:
    """One bar for each class; the likeliest is emphasised, the true one named."""
    likeliest = max(range(len(probabilities)), key=lambda label: probabilities[label])
    _bars(
        key=key,
        data=[
            {
                "name": name,
                "share": float(share),
                "percent": percent(float(share)),
                "note": " · ".join(
                    word
                    for word, holds in (("GNN’s answer", label == likeliest), ("true class", label == true))
                    if holds
                ),
                "predicted": label == likeliest,
            }
            for label, (name, share) in enumerate(zip(names, probabilities, strict=True))
        ],
    )
