// Small parts that the player and other components use.

import { ZOOM_STEP } from "../kit/camera.js";
import { el, put, svgEl } from "../kit/dom.js";

// Pictures of buttons, 24 by 24.
export const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M15.5 5v14L6 12z",
  forward: "M8.5 5v14l9.5-7z",
  first: "M6 5h2.5v14H6zM19 5v14l-9.5-7z",
  last: "M15.5 5H18v14h-2.5zM5 5v14l9.5-7z",
  motif: "M12 3l8 6v11H4V9zm0 2.6L6 10v8h12v-8z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  present: "M3 4h18v12h-8v2h3v2H8v-2h3v-2H3zm2 2v8h14V6z",
  part:
    "M11 2h2v3a7 7 0 0 1 6 6h3v2h-3a7 7 0 0 1-6 6v3h-2v-3a7 7 0 0 1-6-6H2v-2h3a7 7 0 0 1 6-6z" +
    "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
  fit: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
};

// A symbol of the paper: its meaning is shown on hover and focus, and read out.
export function symbol(text, meaning, role = "") {
  return el(
    "span",
    { class: `symbol ${role}`, "data-tip": meaning, "aria-label": `${text}: ${meaning}`, role: "math", tabindex: 0 },
    text,
  );
}

// A panel beside the graph: what stands in its title, then the rest.
export const panel = (name, label, title, ...children) =>
  el("section", { class: `panel ${name}`, "aria-label": label }, el("h3", {}, ...title), ...children);

const icon = (path) =>
  svgEl("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, svgEl("path", { d: path }));

// A button with a picture.
export function button(label, path, onclick, extra = {}) {
  const about = { type: "button", "aria-label": label, "data-tip": label, onclick, ...extra };
  return el("button", about, icon(path));
}

// The same button with other words and another picture.
export function relabel(which, label, path) {
  for (const name of ["aria-label", "data-tip"]) put(which, name, label);
  put(which.querySelector("path"), "d", path);
}

export function speedMenu(label, speeds, choose) {
  const options = speeds.map((value) => el("option", { value, selected: value === 1 }, `${value}×`));
  const onchange = ({ target }) => choose(Number(target.value));
  return el("select", { class: "speed", "aria-label": label, "data-tip": label, onchange }, ...options);
}

// The buttons that move a camera, and others.
export function zoomTools(zoom, fit, ...more) {
  return el(
    "div",
    { class: "tools" },
    button("Zoom in (or Ctrl + wheel)", ICONS.plus, () => zoom(ZOOM_STEP)),
    button("Zoom out", ICONS.minus, () => zoom(1 / ZOOM_STEP)),
    button("Show all", ICONS.fit, fit, { class: "fit" }),
    ...more,
  );
}

// The number in a data attribute, or null.
export const numberOr = (text) => (text === undefined ? null : Number(text));
