// How nodes, edges and what lies around them are drawn: discs at their places, or the words of a sentence.

import { put, svgEl } from "../kit/dom.js";
import { round } from "../kit/paths.js";
import { hullLine } from "./hull.js";
import { edgeLines, layOut } from "./layout.js";
import { ringsOf } from "./rings.js";

// Discs and straight edges. `points`, `radius`, `unit` and `box` say where and how large everything is; `body`, `fit`
// and `ring` make and size what stands for a node, `line` and `middle` an edge; `band` is a way around some nodes and
// the edges between them; `outline` has the lines around a reason, outer and inner, and how wide they are; `contour` is
// one thin line around another.
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
    outline(agreed) {
      const rings = ringsOf(agreed, edges).map((ring) => `M${ring.map((node) => points[node].map(round)).join("L")}Z`);
      const [way, wide] = [band(agreed) + rings.join(""), radius * 3.9];
      return { lines: [way, way], widths: [wide, wide - 2 * Math.max(1.6, radius * 0.16)] };
    },
    contour: (agreed, level) => hullLine(agreed.map((node) => points[node]), radius * (2 + 0.28 * level)),
  };
}
