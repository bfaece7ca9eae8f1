// Range sliders that stand in a picture: the browser's own, so that keys, touch and readers know them.

import { el } from "./dom.js";

const SETTLE_MS = 300; // after the last change

// `moved(value)` hears of each change, `settled(value)` of the last one. The value is shown as `--done` per cent.
export function createSlider({ label, min, max, step, moved, settled }) {
  const input = el("input", { type: "range", class: "in-picture", min, max, step, "aria-label": label });
  let timer = 0;
  const value = () => Number(input.value);
  const paint = () => input.style.setProperty("--done", `${(100 * (value() - min)) / (max - min)}%`);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    paint();
    moved(value());
  });
  input.addEventListener("change", () => {
    clearTimeout(timer);
    timer = setTimeout(() => settled(value()), SETTLE_MS);
  });
  function put(next, words = null) {
    input.value = next;
    if (words) input.setAttribute("aria-valuetext", words);
    paint();
  }
  function place(left, top, width) {
    Object.assign(input.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
  }
  return { input, value, put, place };
}
