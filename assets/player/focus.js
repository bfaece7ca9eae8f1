// What matters in a large graph: the answer, else the true motif, and where the trajectory goes. The view opens there.

import { framed, inside } from "../kit/camera.js";
import { span } from "../kit/paths.js";

const LARGE = 36; // nodes up to which a graph is shown whole
const MOST = 0.6; // of the whole picture: a part that is larger than this is no part

// What matters of a graph: `part`, the box around it, and `near`, the nodes that are not faded: those that matter and
// their neighbours in the box. Null where the whole graph does.
export function whatMatters({ trace, reasons, motif, links, written }, graph) {
  const told = reasons.flatMap(({ nodes }) => nodes);
  const core = [...new Set([...(told.length ? told : motif), ...trace.final.nodes])];
  const part = !written && trace.nodes.length > LARGE && core.length ? partBox(graph, core) : null;
  if (!part) return null;
  const [x, y, width, height] = part;
  const seen = (node) => {
    const [left, top] = [graph.points[node][0] - x, graph.points[node][1] - y];
    return left >= 0 && left <= width && top >= 0 && top <= height;
  };
  return { part, near: new Set(core.flatMap((node) => [node, ...links[node].filter(seen)])) };
}

// The box around some nodes with some of their surroundings; null where that is nearly everything.
function partBox({ points, unit, radius, box }, core) {
  const pad = Math.max(0.7 * unit, 4 * radius);
  const [[left, right], [top, bottom]] = [0, 1].map((axis) => span(core.map((node) => points[node][axis])));
  const part = [left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad];
  return part[2] * part[3] < MOST * box[2] * box[3] ? part : null;
}

// The camera's view of a part, inside the view of all.
export function partView(home, part, size, strip) {
  const [x, y, width] = framed(part, size, [0, 0], strip);
  return inside(home, x, y, Math.min(width, home[2]));
}
