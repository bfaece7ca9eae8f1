// The graph of an instance: nodes can be pointed at, a state lights its nodes. Where shares are known, an edge is the
// wider the more trajectories end with it, and an outline is what it should be.

import { put, svgEl } from "../kit/dom.js";
import { percent } from "../kit/numbers.js";
import { round } from "../kit/paths.js";
import { edgeLines, layOut } from "../player/shapes.js";
import { partBox } from "../player/sight.js";
import { pointable } from "./hub.js";
import { KEYS } from "./surface.js";

const LARGER = 1.2; // nodes, as the picture is a small one
const WIDEST = 9; // pixels of an edge that every trajectory holds

export function createInstanceGraph(body, hub) {
  let picture = null; // of one scene

  function build(scene) {
    const svg = svgEl("svg", { class: "instance-graph", tabindex: 0, role: "application" });
    put(svg, "aria-label", `The graph. ${KEYS}`);
    const { points, radius, unit, box } = layOut(scene.nodes.map(({ x, y }) => ({ position: [x, y] })), LARGER);
    const reached = new Set(scene.states.flat());
    const thin = Math.min(1, Math.max(0.4, radius / 11));
    const edges = scene.edges.map(([a, b, order, motif], k) => {
      const line = (name, wide, lines = 1) =>
        svgEl("path", { class: name, d: edgeLines(points[a], points[b], lines, unit), "stroke-width": wide });
      const share = scene.target_marginals?.[k] ?? 0;
      const wide = share > 0.005 ? 1 + WIDEST * share * thin : 0;
      const lines = [line("wanted", wide && wide + 2.4 * thin), line("inside", wide), line("held", null)];
      if (order > 1) lines.push(line("bond", 1, order));
      return svgEl("g", { class: motif ? "edge motif" : "edge" }, ...lines);
    });
    const nodes = scene.nodes.map(({ element, name, motif }, node) => {
      const start = node === scene.start;
      const atom = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
      const kind = `node${start ? " start" : ""}${motif ? " motif" : ""}${reached.has(node) ? "" : " far"}${atom}`;
      const about = { class: kind, "data-node": node, transform: `translate(${points[node].map(round).join(" ")})` };
      const text = element ?? name;
      const size = Math.min(radius, (radius * 2.4) / Math.max(text.length, 1));
      const ring = start ? [svgEl("circle", { class: "ring", r: radius * 1.35 })] : [];
      const letters = svgEl("text", { "font-size": size, dy: "0.35em" }, text);
      return svgEl("g", about, svgEl("circle", { r: radius }), ...ring, letters);
    });
    svg.append(svgEl("g", {}, ...edges), svgEl("g", {}, ...nodes));
    const part = partBox({ points, radius, unit, box }, [...reached]); // a large graph is shown where states can be
    put(svg, "viewBox", (part ?? box).map(round).join(" "));
    body.replaceChildren(svg);
    pointable(svg, hub, { find, walk });
    return { scene, svg, edges, nodes, thin };
  }

  // `shares` of trajectories that end with each edge, null where that is not known; `lit` has the nodes to be lit.
  function draw(scene, shares, lit) {
    if (picture?.scene !== scene) picture = build(scene);
    picture.shares = shares;
    picture.edges.forEach((edge, k) => {
      const held = edge.querySelector(".held");
      put(held, "stroke-width", shares ? round(0.6 + WIDEST * shares[k] * picture.thin) : 2);
      put(held, "stroke-opacity", shares ? 0.3 + 0.7 * Math.min(1, 1.6 * shares[k]) : 1);
    });
    const inside = new Set(lit);
    picture.svg.classList.toggle("lighting", lit.length > 0);
    picture.nodes.forEach((node, k) => node.classList.toggle("lit", inside.has(k)));
    scene.edges.forEach(([a, b], k) => picture.edges[k].classList.toggle("lit", inside.has(a) && inside.has(b)));
  }

  const found = (node) => {
    const text = () => {
      const { scene, shares } = picture;
      const chance = (k) => (shares ? ` ${percent(shares[k])}` : "");
      const parts = scene.edges.flatMap(([a, b], k) =>
        a === node || b === node ? [`to ${scene.nodes[a === node ? b : a].name}${chance(k)}`] : [],
      );
      const { name, motif } = scene.nodes[node];
      const role = `${node === scene.start ? ", the start" : ""}${motif ? ", in the true motif" : ""}`;
      return `Node ${name}${role} · edges ${parts.slice(0, 6).join(", ")}`;
    };
    return { selection: { kind: "node", node }, element: picture.nodes[node], text };
  };
  function find(x, y, event) {
    const node = event.target.closest?.(".node");
    return node ? found(Number(node.dataset.node)) : null;
  }
  function walk(dx, dy) {
    const count = picture.nodes.length;
    const now = hub.lit?.kind === "node" ? hub.lit.node : picture.scene.start;
    return found((now + dx + dy + count) % count);
  }
  return { draw };
}

// The nodes that a selection means: those of a state, or one.
export const nodesOf = (selection) =>
  selection?.kind === "state" ? selection.nodes : selection?.kind === "node" ? [selection.node] : [];
