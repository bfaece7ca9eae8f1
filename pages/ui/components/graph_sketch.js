// A small graph with names on its nodes, as large as there is room.

import { el, svgEl } from "../../../assets/kit/dom.js";
import { span } from "../../../assets/kit/paths.js";
import { keptView } from "../../../assets/kit/views.js";

const [RADIUS, EDGE, LONGEST] = [9, 11, 42]; // of a node; around the picture; between two neighbours

export default keptView((parentElement) => {
  const root = parentElement.querySelector(".sketch");
  return { show: (data) => root.replaceChildren(picture(data), el("figcaption", {}, data.caption)) };
});

function picture({ nodes, edges, height }) {
  const [[left, right], [top, bottom]] = ["x", "y"].map((axis) => span(nodes.map((node) => node[axis])));
  const high = height - 2 * EDGE;
  const scale = Math.min(LONGEST, high / Math.max(bottom - top, 1e-6));
  const width = (right - left) * scale + 2 * EDGE;
  const at = nodes.map(({ x, y }) => [EDGE + (x - left) * scale, height / 2 + (y - (top + bottom) / 2) * scale]);
  const names = nodes.map(({ label }) => label).join(", ");
  const about = { role: "img", "aria-label": `A graph with the nodes ${names}` };
  const svg = svgEl("svg", { viewBox: `0 0 ${width} ${height}`, style: `height: ${height}px`, ...about });
  for (const [a, b] of edges) {
    const both = [a, b].every((node) => nodes[node].role);
    const [[x1, y1], [x2, y2]] = [at[a], at[b]];
    const held = both && nodes.some(({ role }) => role === "in");
    svg.append(svgEl("line", { x1, y1, x2, y2, class: held ? "in" : null }));
  }
  nodes.forEach(({ label, role }, k) => {
    const place = { class: role || null, transform: `translate(${at[k].join(" ")})` };
    svg.append(svgEl("g", place, svgEl("circle", { r: RADIUS }), svgEl("text", {}, label)));
  });
  return svg;
}
