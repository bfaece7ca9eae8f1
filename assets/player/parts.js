// Parts that several of the player's panels use.

import { el, svgEl } from "../kit/dom.js";

// A symbol of the paper: its meaning is shown on hover and focus, and read out.
export function symbol(text, meaning, role = "") {
  return el(
    "span",
    { class: `symbol ${role}`, "data-tip": meaning, "aria-label": `${text}: ${meaning}`, role: "math", tabindex: 0 },
    text,
  );
}

// A button with an icon.
export function button(label, path, onclick, extra = {}) {
  const icon = { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" };
  const about = { type: "button", "aria-label": label, "data-tip": label, onclick, ...extra };
  return el("button", about, svgEl("svg", icon, svgEl("path", { d: path })));
}

// The number in a data attribute, or null.
export const numberOr = (text) => (text === undefined ? null : Number(text));
