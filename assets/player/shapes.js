// How nodes, edges and what lies around them are drawn: discs at their places, or the words of a sentence.

import { put, svgEl } from "../kit/dom.js";
import { bounds, round } from "../kit/paths.js";

const REACH = [600, 430]; // the picture's size in its own units, which are about pixels before any zoom
const UNIT = 70; // the longest that a typical edge is drawn
const RADIUS = { share: 0.36, least: 3.4, most: 17 };

// Discs and straight edges. `points`, `radius`, `unit` and `box` say where and how large everything is; `body`, `fit`
// and `ring` make and size what stands for a node, `line` and `middle` an edge; `band` is a way around some nodes and
// the edges between them; `outline` has the lines around a reason and its rings, or each hole would have lines too,
// outer and inner, and how wide they are: thick at level 0, thin at others.
export function discs(nodes, edges, times) {
  const { points, radius, unit, box } = layOut(nodes, times);
  const line = ({ source, target, order }) => edgeLines(points[source], points[target], order, unit);
  function band(members) {
    const inside = new Set(members);
    const spots = members.map((node) => `M${points[node].map(round).join(" ")}h0`);
    const ways = edges.filter(({ source, target }) => inside.has(source) && inside.has(target));
    return spots.concat(ways.map((edge) => line({ ...edge, order: 1 }))).join("");
  }
  return {
    points,
    radius,
    unit,
    box,
    body: () => svgEl("circle", { class: "body" }),
    fit: (body, _, size) => put(body, "r", round(size)),
    ring: (name, _, reach) => svgEl("circle", { class: `ring ${name}`, r: round(reach) }),
    line,
    middle: ({ source, target }) => [0, 1].map((axis) => (points[source][axis] + points[target][axis]) / 2),
    band,
    bandWidth: radius * 3.1,
    label: null,
    outline(agreed, rings, level) {
      const filled = rings.map((ring) => `M${ring.map((node) => points[node].map(round)).join("L")}Z`);
      const [way, wide] = [band(agreed) + filled.join(""), radius * (3.9 + 0.4 * level)];
      return { lines: [way, way], widths: [wide, wide - (level ? 0.5 : 1) * 2 * Math.max(1.6, radius * 0.16)] };
    },
  };
}

// The trace's fixed places in the picture's own units.

// Distance to the nearest node, ignoring the most crowded quarter.
function typicalGap(points) {
  if (points.length < 2) return 1;
  const nearest = points.map(([x, y], i) => {
    let best = Infinity;
    points.forEach(([u, v], j) => {
      if (i !== j) best = Math.min(best, (x - u) ** 2 + (y - v) ** 2);
    });
    return Math.sqrt(best);
  });
  return Math.max(nearest.sort((a, b) => a - b)[Math.floor(nearest.length / 4)], 1e-6);
}

// Where everything goes: places, node radius and the box around all. Nodes may be so many times as large as usual.
export function layOut(nodes, times = 1) {
  const raw = nodes.map(({ position }) => position);
  const [left, low, wide, high] = bounds(raw);
  const most = RADIUS.most * times;
  const gap = RADIUS.share * times * typicalGap(raw);
  const fits = Math.min(REACH[0] / Math.max(wide, 1e-9), REACH[1] / Math.max(high, 1e-9));
  const unit = Math.min(Math.max(UNIT, most / gap), fits);
  const radius = Math.min(Math.max(gap * unit, RADIUS.least), most);
  const pad = radius * 2.4 + 6;
  const points = raw.map(([x, y]) => [(x - left) * unit + pad, (low + high - y) * unit + pad]);
  return { points, radius, unit, box: [0, 0, wide * unit + 2 * pad, high * unit + 2 * pad] };
}

// One, two or three parallel lines for a bond; a plain edge is one line.
export function edgeLines([x1, y1], [x2, y2], order, unit) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const across = [(-(y2 - y1) / length) * 0.1 * unit, ((x2 - x1) / length) * 0.1 * unit];
  const shifts = { 2: [-0.5, 0.5], 3: [-1, 0, 1] }[order] ?? [0];
  return shifts
    .map((s) => [s * across[0], s * across[1]])
    .map(([dx, dy]) => `M${round(x1 + dx)} ${round(y1 + dy)}L${round(x2 + dx)} ${round(y2 + dy)}`)
    .join("");
}
