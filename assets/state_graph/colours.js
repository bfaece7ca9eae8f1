// Colours of the theme and of the roles as canvases need them: three numbers each, read again when the theme changes.

import { el } from "../kit/dom.js";

const NAMES = ["ink", "paper", "accent", "water", "stop", "off", "start", "plain"];

export function createColours(root, changed) {
  const probe = el("i", { class: "probe", "aria-hidden": "true" });
  root.append(probe);
  const colours = { age: 0 }; // another age where any of them is another one
  function read() {
    const before = JSON.stringify(colours);
    for (const name of NAMES) {
      probe.style.setProperty("background-color", "var(--" + name + ")");
      colours[name] = channels(getComputedStyle(probe).backgroundColor);
    }
    if (JSON.stringify(colours) !== before) colours.age += 1;
  }
  // The probe's text has the theme's colour and takes a moment to change it: that is heard.
  probe.addEventListener("transitionend", () => {
    read();
    changed();
  });
  read();
  return Object.assign(colours, { read });
}

// Of rgb(1, 2, 3) or color(srgb 0.1 0.2 0.3).
export function channels(text) {
  const numbers = (text.match(/[\d.]+(e-?\d+)?/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
  return text.startsWith("color(") ? numbers.map((value) => 255 * value) : numbers;
}

// `share` of the first colour and the rest of the second; with `alpha`, so far to be seen.
export function blend(one, other, share = 1, alpha = 1) {
  const mixed = one.map((value, k) => Math.round(value * share + other[k] * (1 - share)));
  return alpha === 1 ? `rgb(${mixed.join(" ")})` : `rgb(${mixed.join(" ")} / ${alpha})`;
}
