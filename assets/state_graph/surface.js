// What state graphs are drawn on and with: canvases, colours as these need them, and small pictures of states.

import { el } from "../kit/dom.js";
import { bounds } from "../kit/paths.js";

const WHOLE = 16; // nodes up to which the rest of the graph is drawn, faintly
const TITLE = 14; // pixels of a name below a picture
const SKETCHED = 26; // pixels from which on there is room for both
export const KEYS = "Arrow keys go from one to the next, Enter pins it.";

// A canvas as large as its place, which has the element to draw in, `body`, its `width` and `height` in pixels, and
// perhaps its `zoom`.
export function createSurface(place, label) {
  const canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": `${label}. ${KEYS}` });
  const pen = canvas.getContext("2d");
  place.body.append(canvas);
  // Nothing is drawn any more; whether the size is another one than before.
  function clear() {
    const ratio = (window.devicePixelRatio || 1) * (place.zoom ?? 1);
    const [width, height] = [Math.round(place.width * ratio), Math.round(place.height * ratio)];
    pen.clearRect(0, 0, place.width, place.height);
    if (canvas.width === width && canvas.height === height) return false;
    Object.assign(canvas, { width, height });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = `11px ${getComputedStyle(canvas).fontFamily || "sans-serif"}`; // setting it takes long: nobody else does
    return true;
  }
  return { canvas, pen, clear };
}

// Colours of the theme and of the roles as canvases need them: three numbers each, read again when the theme changes.
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

// States a few pixels large are drawn once each and stamped where they are needed: a subgraph, or a label.
// Nodes of a graph scaled into a box around the origin.
function fitted({ nodes }, shown, width, height) {
  const [left, low, wide, high] = bounds(shown.map((node) => [nodes[node].x, nodes[node].y]));
  const scale = Math.min(width / Math.max(wide, 1e-6), height / Math.max(high, 1e-6), width / 2);
  const at = (node) => [(nodes[node].x - left - wide / 2) * scale, (low + high / 2 - nodes[node].y) * scale];
  return new Map(shown.map((node) => [node, at(node)]));
}

// As many letters as there is room for.
function drawLabel(pen, label, [width, height], { colours, family }) {
  const size = Math.max(7, Math.min(12, height - 2, (1.7 * width) / Math.max(label.length, 1)));
  const most = Math.max(1, Math.floor(width / (0.55 * size)));
  pen.font = `600 ${size}px ${family}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = blend(colours.ink, colours.paper);
  pen.fillText(label.length > most ? `${label.slice(0, most - 1)}…` : label, 0, 0, width);
}

function drawSketch(pen, scene, state, [width, height], colours) {
  const inside = new Set(state);
  const all = scene.nodes.map((_, node) => node);
  const shown = all.length > WHOLE ? all.filter((node) => inside.has(node)) : all;
  const room = Math.sqrt((width * height) / (shown.length * 30));
  const dot = Math.min(3.2, Math.max(1.3, room));
  const at = fitted(scene, shown, width - 2 * dot - 2, height - 2 * dot - 2);
  for (const [a, b] of scene.edges) {
    if (!at.has(a) || !at.has(b)) continue;
    const both = inside.has(a) && inside.has(b);
    pen.beginPath();
    pen.moveTo(...at.get(a));
    pen.lineTo(...at.get(b));
    pen.lineWidth = both ? 1.7 : 0.9;
    pen.strokeStyle = both ? blend(colours.ink, colours.paper) : blend(colours.plain, colours.paper, 0.45);
    pen.stroke();
  }
  for (const [node, [x, y]] of at) {
    pen.beginPath();
    pen.arc(x, y, inside.has(node) ? dot : dot * 0.65, 0, 2 * Math.PI);
    const start = node === scene.start;
    pen.fillStyle = start
      ? blend(colours.start, colours.paper)
      : blend(inside.has(node) ? colours.ink : colours.plain, colours.paper, inside.has(node) ? 1 : 0.45);
    pen.fill();
    if (start) {
      pen.lineWidth = 0.8;
      pen.strokeStyle = blend(colours.ink, colours.paper);
      pen.stroke();
    }
  }
}

// A small picture of a state around a place, above its name where it has one; kept while the colours stay.
const kept = new WeakMap();
export function stampState(pen, scene, state, x, y, [width, height], colours) {
  if (width < 1 || height < 1) return;
  if (!kept.has(scene)) kept.set(scene, new Map());
  const pictures = kept.get(scene);
  const ratio = pen.getTransform().a;
  const name = `${state}/${width}/${height}/${ratio}/${colours.age}`;
  if (!pictures.has(name)) {
    const canvas = el("canvas", { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
    const own = canvas.getContext("2d");
    own.setTransform(ratio, 0, 0, ratio, (width * ratio) / 2, (height * ratio) / 2);
    const [label, title] = [scene.labels?.[state], scene.names?.[state]];
    const style = { colours, family: pen.font.replace(/.*px /, "") };
    const below = title && height >= SKETCHED ? TITLE : 0;
    if (label || (title && !below)) drawLabel(own, label || title, [width, height], style);
    else {
      own.translate(0, -below / 2);
      drawSketch(own, scene, scene.states[state], [width, height - below], colours);
      own.translate(0, height / 2);
      if (below) drawLabel(own, title, [width, below], style);
    }
    pictures.set(name, canvas);
  }
  const [left, top] = [x - width / 2, y - height / 2].map(Math.round); // between two pixels, letters would blur
  pen.drawImage(pictures.get(name), left, top, width, height);
}
