// Where a graph's nodes and edges are drawn: the trace's fixed places in the picture's own units.

import { bounds, round } from "../kit/paths.js";

const REACH = [600, 430]; // the picture's size in its own units, which are about pixels before any zoom
const UNIT = 70; // the longest that a typical edge is drawn
const RADIUS = { share: 0.36, least: 3.4, most: 17 };

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
