// A sentence: words in boxes, in reading order, and an arc above them for each link. The same shapes as in
// gfx_core/text/sentences.py, which also finds the places.

import { put, svgEl } from "../kit/dom.js";
import { round, span } from "../kit/paths.js";

const UNIT = 70; // pixels of a unit of the layout
const EM = (3 / 14) * UNIT; // the size of the letters
const HIGH = 1.7 * EM; // a word's box
const [NARROW, WIDE] = [new Set("ijltfrI.,;:'’!|()[]-"), new Set("mwMW@%—…")];

const lettersWidth = (text) =>
  [...text].reduce((sum, letter) => sum + (NARROW.has(letter) ? 0.34 : WIDE.has(letter) ? 0.95 : 0.61), 0);
const boxWidth = (text) => (Math.max(lettersWidth(text), 0.6) + 0.7) * EM;

const rise = (distance) => (0.55 + 0.62 * Math.sqrt(Math.abs(distance) / EM)) * EM;
const sameLine = ([, y0], [, y1]) => Math.abs(y0 - y1) < 0.01;

// Where everything goes: places, sizes and the box around all.
function layOutWords(nodes, edges) {
  const raw = nodes.map(({ position: [x, y] }) => [x * UNIT, -y * UNIT]);
  const halves = nodes.map(({ label }) => boxWidth(label) / 2);
  const [left] = span(raw.map(([x], node) => x - halves[node]));
  const [, right] = span(raw.map(([x], node) => x + halves[node]));
  const arcs = edges.map(({ source, target }) => [raw[source], raw[target]]).filter(([a, b]) => sameLine(a, b));
  const peaks = arcs.map(([[x0, y], [x1]]) => y - HIGH / 2 - rise(x1 - x0));
  const [top, bottom] = span([...raw.flatMap(([, y]) => [y - HIGH / 2, y + HIGH]), ...peaks]);
  const pad = 14;
  const points = raw.map(([x, y]) => [x - left + pad, y - top + pad]);
  return { points, radius: 0.7 * EM, unit: UNIT, box: [0, 0, right - left + 2 * pad, bottom - top + 2 * pad] };
}

// The four points of the curve that links two words: over them, or from line to line.
function arcPoints(one, other) {
  const [[x0, y0], [x1, y1]] = sameLine(one, other) === one[0] < other[0] ? [one, other] : [other, one];
  if (!sameLine(one, other)) {
    const [upper, lower] = one[1] < other[1] ? [one, other] : [other, one];
    const [from, to] = [upper[1] + HIGH / 2, lower[1] - HIGH / 2];
    const middle = (from + to) / 2;
    return [[upper[0], from], [upper[0], middle], [lower[0], middle], [lower[0], to]];
  }
  const lean = Math.min(0.35 * EM, (x1 - x0) / 4); // two arcs that meet above a word do not begin at one point
  const [left, right, top] = [x0 + lean, x1 - lean, y1 - HIGH / 2];
  const peak = top - (rise(x1 - x0) * 4) / 3;
  const bend = 0.12 * (right - left);
  return [[left, y0 - HIGH / 2], [left + bend, peak], [right - bend, peak], [right, top]];
}

function arcLine(one, other) {
  const [start, ...rest] = arcPoints(one, other).map((place) => place.map(round).join(" "));
  return `M${start}C${rest.join(" ")}`;
}

function arcMiddle(one, other) {
  const [a, b, c, d] = arcPoints(one, other);
  return [0, 1].map((axis) => (a[axis] + 3 * b[axis] + 3 * c[axis] + d[axis]) / 8);
}

// The stretches that some words cover, neighbours in a line as one, drawn `below` their middle.
function stretches(members, nodes, points, below = 0) {
  const runs = [];
  for (const node of [...members].sort((a, b) => a - b)) {
    const [[x, y], half] = [points[node], boxWidth(nodes[node].label) / 2];
    const last = runs.at(-1);
    if (last && last.node === node - 1 && Math.abs(last.y - y) < 0.01) Object.assign(last, { node, right: x + half });
    else runs.push({ node, left: x - half, right: x + half, y });
  }
  return runs.map(({ left, right, y }) => `M${round(left)} ${round(y + below)}H${round(right)}`).join("");
}

// How nodes are drawn in a sentence: see `discs` in shapes.js for what each function is.
export function words(nodes, edges) {
  const box = (element, node, more) => {
    const [wide, high] = [boxWidth(nodes[node].label) + 2 * more, HIGH + 2 * more];
    put(element, "x", round(-wide / 2));
    put(element, "y", round(-high / 2));
    put(element, "width", round(wide));
    put(element, "height", round(high));
    put(element, "rx", round(0.32 * EM + more));
    return element;
  };
  const { points, radius, ...places } = layOutWords(nodes, edges);
  return {
    ...places,
    points,
    radius,
    body: () => svgEl("rect", { class: "body" }),
    fit: (body, node) => box(body, node, 0),
    ring: (name, node, reach) => box(svgEl("rect", { class: `ring ${name}` }), node, (reach - radius) * 0.62),
    line: ({ source, target }) => arcLine(points[source], points[target]),
    middle: ({ source, target }) => arcMiddle(points[source], points[target]),
    band: (members) => stretches(members, nodes, points),
    bandWidth: HIGH + 0.5 * EM,
    label: (node) => [svgEl("text", { "font-size": round(EM), dy: "0.35em" }, nodes[node].label)],
    outline(agreed, level) {
      const line = stretches(agreed, nodes, points, HIGH / 2 + (0.3 + 0.28 * level) * EM);
      return { lines: [line, ""], widths: [(level ? 0.1 : 0.26) * EM, 0] };
    },
  };
}
