// States a few pixels large, drawn once each and stamped where they are needed: a subgraph, or a label.

import { el } from "../kit/dom.js";
import { bounds } from "../kit/paths.js";
import { blend } from "./colours.js";

const WHOLE = 16; // nodes up to which the rest of the graph is drawn, faintly

// Nodes of a graph scaled into a box around the origin.
function fitted({ nodes }, shown, width, height) {
  const [left, low, wide, high] = bounds(shown.map((node) => [nodes[node].x, nodes[node].y]));
  const scale = Math.min(width / Math.max(wide, 1e-6), height / Math.max(high, 1e-6), width / 2);
  const at = (node) => [(nodes[node].x - left - wide / 2) * scale, (low + high / 2 - nodes[node].y) * scale];
  return new Map(shown.map((node) => [node, at(node)]));
}

// As many letters as there is room for.
function drawLabel(pen, label, [width, height], colours) {
  const size = Math.max(7, Math.min(12, height - 2, (1.7 * width) / Math.max(label.length, 1)));
  const most = Math.max(1, Math.floor(width / (0.55 * size)));
  pen.font = `600 ${size}px sans-serif`;
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

// A small picture of a state around a place, kept while the colours stay.
const kept = new WeakMap();
export function stampState(pen, scene, state, x, y, [width, height], colours) {
  if (width < 1 || height < 1) return;
  if (!kept.has(scene)) kept.set(scene, new Map());
  const pictures = kept.get(scene);
  const name = `${state}/${width}/${height}/${colours.age}`;
  if (!pictures.has(name)) {
    const ratio = window.devicePixelRatio || 1;
    const canvas = el("canvas", { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
    const own = canvas.getContext("2d");
    own.setTransform(ratio, 0, 0, ratio, (width * ratio) / 2, (height * ratio) / 2);
    const label = scene.labels?.[state];
    if (label) drawLabel(own, label, [width, height], colours);
    else drawSketch(own, scene, scene.states[state], [width, height], colours);
    pictures.set(name, canvas);
  }
  pen.drawImage(pictures.get(name), x - width / 2, y - height / 2, width, height);
}
