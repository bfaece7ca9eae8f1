// Range sliders: the browser's own, so that keys, touch and readers know them.

import { el, put } from "./dom.js";

const SETTLE_MS = 300; // after the last change

// `moved(value)` hears of each change, `settled(value)` of the last one, after `wait`. The value is shown as `--done`
// per cent. A slider in a picture has a place there; others are of another `kind`.
export function createSlider({ label, kind = "in-picture", min = 0, max = 1, step, moved, settled, wait = SETTLE_MS }) {
  const input = el("input", { type: "range", class: kind, min, max, step, "aria-label": label });
  let timer = 0;
  const value = () => Number(input.value);
  function paint() {
    const share = (value() - input.min) / (input.max - input.min || 1);
    input.style.setProperty("--done", `${100 * share}%`);
  }
  input.addEventListener("input", () => {
    clearTimeout(timer);
    paint();
    moved(value());
  });
  input.addEventListener("change", () => {
    clearTimeout(timer);
    timer = setTimeout(() => settled?.(value()), wait);
  });
  // Another value, in words too, and perhaps another range.
  function set(next, words, range = {}) {
    for (const [name, bound] of Object.entries(range)) put(input, name, bound);
    if (value() !== next) input.value = next;
    put(input, "aria-valuetext", words);
    paint();
  }
  function place(left, top, width) {
    Object.assign(input.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
  }
  return { input, set, place };
}
