// What nodes and edges can be: name, a word, a sentence, and a small picture drawn with the same classes as the graph.

import { svgEl } from "../kit/dom.js";

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
export const ANSWER = "outlined: the reason, a part that most samples overlap";
export const WRITTEN_ANSWER = "underlined: the reason, a part that most samples overlap";

export function swatch(kind, molecule = false) {
  const parts = [];
  if (kind === "underlined") {
    const line = svgEl("path", { class: "outline", d: "M3 15H21", "stroke-width": 3.6 });
    return svgEl("svg", { viewBox: "0 0 24 20", class: "graph swatch", "aria-hidden": "true" }, line);
  }
  if (kind === "agreed" || kind.startsWith("reason-")) {
    const line = svgEl("rect", { class: `contour ${kind}`, x: 3, y: 4, width: 18, height: 12, rx: 6 });
    return svgEl("svg", { viewBox: "0 0 24 20", class: "graph swatch", "aria-hidden": "true" }, line);
  }
  const edge = { hit: "hit", missed: "missed", extra: "extra", found: "found" }[kind];
  if (edge) {
    parts.push(svgEl("path", { class: `edge ${edge}`, d: "M1 10H23" }));
    if (kind === "extra") parts.push(svgEl("path", { class: "crosses", d: "M9 7l6 6m0 -6l-6 6", "stroke-width": 1.6 }));
    return svgEl(
      "svg",
      { viewBox: "0 0 24 20", class: "graph swatch", "aria-hidden": "true", style: "--thin: 0.8" },
      ...parts,
    );
  }
  const role = ["start", "added", "cut", "parent"].includes(kind) ? `member ${kind}` : kind;
  const atoms = molecule ? { frontier: [8], added: [7.4] } : {}; // atoms keep their fill, so these are rings
  const rings = { start: [8.4], cut: [6.6, 9], parent: [8.2], ...atoms }[kind] ?? [];
  parts.push(
    ...rings.map((r) => svgEl("circle", { class: `ring ${kind}`, r })),
    svgEl("circle", { class: "body", r: 5 }),
  );
  const look = `graph swatch${molecule ? " molecule" : ""}`;
  return svgEl(
    "svg",
    { viewBox: "-12 -10 24 20", class: look, "aria-hidden": "true" },
    svgEl("g", { class: `node ${role}`, style: "--strength: 0.6" }, ...parts),
  );
}
