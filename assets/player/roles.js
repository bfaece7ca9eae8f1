// What nodes and edges can be: name, a word, a sentence, and a small picture drawn with the same classes as the graph.

import { el, keyed, put, svgEl } from "../kit/dom.js";

export const STATE_ROLES = [
  ["start", "start v₀", "the start node: every set contains it"],
  ["added", "just added", "the node that the last step added"],
  ["member", "in the set", "the set s, the explanation so far"],
  ["frontier", "frontier", "could be added next; the larger and stronger, the more probable"],
  ["cut", "cut vertex", "the set would fall apart without it"],
  ["parent", "removable", "removing it gives a valid parent of this state"],
  ["outside", "outside", "out of reach for now"],
];
export const END_ROLES = [
  ["start", "start v₀", "the start node"],
  ["hit", "hit", "found, and in the true motif"],
  ["missed", "missed", "in the true motif, but not found"],
  ["extra", "extra", "found, but not in the true motif"],
  ["found", "found", "in the subgraph that was found"],
];

// `kind` is a role of nodes, a way of edges, or an outline.
export function swatch(kind, molecule = false) {
  const picture = (viewBox, more, ...parts) =>
    svgEl("svg", { viewBox, class: `graph swatch${more}`, "aria-hidden": "true" }, ...parts);
  if (kind === "underlined") {
    return picture("0 0 24 20", "", svgEl("path", { class: "outline", d: "M3 15H21", "stroke-width": 3.6 }));
  }
  if (kind === "outlined" || kind.startsWith("reason-")) {
    const line = { class: `contour ${kind}`, x: 3, y: 4, width: 18, height: 12, rx: 6 };
    return picture("0 0 24 20", "", svgEl("rect", line));
  }
  if (["hit", "missed", "extra", "found"].includes(kind)) {
    const crosses = { class: "crosses", d: "M9 7l6 6m0 -6l-6 6", "stroke-width": 1.6 };
    const lines = [svgEl("path", { class: `edge ${kind}`, d: "M1 10H23" })];
    if (kind === "extra") lines.push(svgEl("path", crosses));
    return picture("0 0 24 20", "", svgEl("g", { style: "--thin: 0.8" }, ...lines));
  }
  const role = ["start", "added", "cut", "parent", "picked"].includes(kind) ? `member ${kind}` : kind;
  const atoms = molecule ? { frontier: [8], added: [7.4] } : {}; // atoms keep their fill, so these are rings
  const rings = { start: [8.4], cut: [6.6, 9], parent: [8.2], picked: [8.4], ...atoms }[kind] ?? [];
  const circles = rings.map((r) => svgEl("circle", { class: `ring ${kind}`, r }));
  const node = { class: `node ${role}`, style: "--strength: 0.6" };
  const look = molecule ? " molecule" : "";
  return picture("-12 -10 24 20", look, svgEl("g", node, ...circles, svgEl("circle", { class: "body", r: 5 })));
}

// The legend says what the marks mean, as far as they occur now. Hovering an entry lights its nodes.
export function createLegend() {
  const element = el("ul", { class: "legend", "aria-label": "Legend" });
  function show(story, frame) {
    const ended = frame === story.end || frame === story.cover;
    const entries = (ended ? END_ROLES : STATE_ROLES).map(
      ([role, text, tip]) => ({ role, text, tip, nodes: story.withRole(frame, role) }),
    );
    if (story.outlined) {
      const role = story.written ? "underlined" : "outlined";
      const tip = `${role}: a part that many samples agree with`;
      entries.push({ role, text: story.reasonNoun, tip, nodes: story.answer.nodes });
    }
    const shown = ended ? entries.filter(({ nodes }) => nodes.length) : entries;
    keyed(
      element,
      shown,
      ({ role, text }) => `${role}${text}${story.molecule}`,
      ({ role, text }) => el("li", {}, swatch(role, story.molecule), text),
      (child, { role, tip, nodes }) => {
        put(child, "data-tip", tip);
        put(child, "data-nodes", role === "outside" ? "" : nodes.join(" "));
        child.classList.toggle("absent", !nodes.length);
      },
    );
  }
  return { element, show };
}
