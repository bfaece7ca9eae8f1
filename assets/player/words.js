// A sentence: words in boxes, in reading order, and an arc above them for each link. Python says where words are, how
// wide each is, and which curve each link takes: gfx_core/text/typesetting.py.

import { put, svgEl } from "../kit/dom.js";
import { round, span } from "../kit/paths.js";

const UNIT = 70; // pixels of a unit of the layout
const EM = (3 / 14) * UNIT; // the size of the letters
const HIGH = 1.7 * EM; // a word's box
const PAD = 14;

// The middle of a cubic curve.
const middleOf = ([a, b, c, d]) => [0, 1].map((axis) => (a[axis] + 3 * b[axis] + 3 * c[axis] + d[axis]) / 8);

// Where everything goes: places, half the width of each word, curves and the box around all.
function layOutWords(nodes, { widths, arcs }) {
  const scaled = ([x, y]) => [x * UNIT, -y * UNIT];
  const halves = widths.map((width) => (width * UNIT) / 2);
  const raw = nodes.map(({ position }) => scaled(position));
  const curves = arcs.map((curve) => curve.map(scaled));
  const [left, right] = span(raw.flatMap(([x], node) => [x - halves[node], x + halves[node]]));
  const heights = [...raw.flatMap(([, y]) => [y - HIGH / 2, y + HIGH]), ...curves.map((curve) => middleOf(curve)[1])];
  const [top, bottom] = span(heights);
  const place = ([x, y]) => [x - left + PAD, y - top + PAD];
  const box = [0, 0, right - left + 2 * PAD, bottom - top + 2 * PAD];
  return { points: raw.map(place), curves: curves.map((curve) => curve.map(place)), halves, box };
}

// The stretches that some words cover, neighbours in a line as one, drawn `below` their middle.
function stretches(members, halves, points, below = 0) {
  const runs = [];
  for (const node of [...members].sort((a, b) => a - b)) {
    const [[x, y], half] = [points[node], halves[node]];
    const last = runs.at(-1);
    if (last && last.node === node - 1 && Math.abs(last.y - y) < 0.01) Object.assign(last, { node, right: x + half });
    else runs.push({ node, left: x - half, right: x + half, y });
  }
  return runs.map(({ left, right, y }) => `M${round(left)} ${round(y + below)}H${round(right)}`).join("");
}

// How nodes are drawn in a sentence: see `discs` in shapes.js for what each function is.
export function words(nodes, edges, shapes) {
  const box = (element, node, more) => {
    const [wide, high] = [2 * (halves[node] + more), HIGH + 2 * more];
    put(element, "x", round(-wide / 2));
    put(element, "y", round(-high / 2));
    put(element, "width", round(wide));
    put(element, "height", round(high));
    put(element, "rx", round(0.32 * EM + more));
    return element;
  };
  const { points, curves, halves, box: frame } = layOutWords(nodes, shapes);
  const radius = 0.7 * EM;
  const curveOf = new Map(edges.map((edge, number) => [edge, curves[number]]));
  return {
    points,
    radius,
    unit: UNIT,
    box: frame,
    body: () => svgEl("rect", { class: "body" }),
    fit: (body, node) => box(body, node, 0),
    ring: (name, node, reach) => box(svgEl("rect", { class: `ring ${name}` }), node, (reach - radius) * 0.62),
    line(edge) {
      const [start, ...rest] = curveOf.get(edge).map((place) => place.map(round).join(" "));
      return `M${start}C${rest.join(" ")}`;
    },
    middle: (edge) => middleOf(curveOf.get(edge)),
    band: (members) => stretches(members, halves, points),
    bandWidth: HIGH + 0.5 * EM,
    label: (node) => [svgEl("text", { "font-size": round(EM), dy: "0.35em" }, nodes[node].label)],
    outline(agreed, _, level) {
      const line = stretches(agreed, halves, points, HIGH / 2 + (0.3 + 0.28 * level) * EM);
      return { lines: [line, ""], widths: [(level ? 0.1 : 0.26) * EM, 0] };
    },
  };
}
