// The graph of an instance: nodes can be pointed at, a state lights its nodes. Where shares are known, an edge is the
// wider the more trajectories end with it, and an outline is what it should be.

import { put, putAll, svgEl } from "../kit/dom.js";
import { percent } from "../kit/numbers.js";
import { bounds, round } from "../kit/paths.js";
import { edgeLines, layOut } from "../player/shapes.js";
import { pointable } from "./hub.js";
import { KEYS } from "./surface.js";

const LARGE = 36; // nodes up to which a graph is shown whole
const LARGER = 1.2; // nodes, as the picture is a small one
const WIDEST = 9; // pixels of an edge that every trajectory holds

export function createInstanceGraph(body, hub) {
  let picture = null; // of one scene

  function build(scene) {
    const svg = svgEl("svg", { class: "instance-graph", tabindex: 0, role: "application" });
    put(svg, "aria-label", `The graph. ${KEYS}`);
    const { points, radius, unit, box } = layOut(scene.nodes.map(({ x, y }) => ({ position: [x, y] })), LARGER);
    const reached = new Set(scene.states.flat());
    const edges = scene.edges.map(([a, b, order, motif]) => {
      const d = edgeLines(points[a], points[b], 1, unit);
      const group = svgEl("g", { class: motif ? "edge motif" : "edge" });
      const parts = ["wanted", "inside", "held"].map((name) => svgEl("path", { class: name, d }));
      const bond = order > 1 ? [svgEl("path", { class: "bond", d: edgeLines(points[a], points[b], order, unit) })] : [];
      group.append(...parts, ...bond);
      return { group, wanted: parts[0], inside: parts[1], held: parts[2] };
    });
    const nodes = scene.nodes.map(({ element, name, motif }, node) => {
      const role = node === scene.start ? " start" : "";
      const atom = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
      const kind = `node${role}${motif ? " motif" : ""}${reached.has(node) ? "" : " far"}${atom}`;
      const group = svgEl("g", { class: kind, "data-node": node });
      putAll(group, { transform: `translate(${points[node].map(round).join(" ")})` });
      const text = element ?? name;
      group.append(svgEl("circle", { r: radius }));
      if (node === scene.start) group.append(svgEl("circle", { class: "ring", r: radius * 1.35 }));
      const size = Math.min(radius, (radius * 2.4) / Math.max(text.length, 1));
      group.append(svgEl("text", { "font-size": size, dy: "0.35em" }, text));
      return group;
    });
    svg.append(svgEl("g", {}, ...edges.map(({ group }) => group)), svgEl("g", {}, ...nodes));
    const thin = Math.min(1, Math.max(0.4, radius / 11));
    putAll(svg, { viewBox: viewBox(scene, points, radius, box, reached).map(round).join(" ") });
    (scene.target_marginals ?? []).forEach((share, k) => {
      const width = 1 + WIDEST * share * thin;
      put(edges[k].wanted, "stroke-width", share > 0.005 ? width + 2.4 * thin : 0);
      put(edges[k].inside, "stroke-width", share > 0.005 ? width : 0);
    });
    body.replaceChildren(svg);
    pointable(svg, hub, { find, walk });
    return { scene, svg, edges, nodes, thin, widths: [] };
  }

  // A large graph is shown where states can be.
  function viewBox(scene, points, radius, box, reached) {
    if (scene.nodes.length <= LARGE) return box;
    return bounds([...reached].map((node) => points[node]), 3 * radius);
  }

  // `shares` of trajectories that end with each edge, null where that is not known; `lit` has the nodes to be lit.
  function draw(scene, shares, lit) {
    if (picture?.scene !== scene) picture = build(scene);
    picture.shares = shares;
    picture.edges.forEach(({ held }, k) => {
      const width = shares ? Math.round(10 * (0.6 + WIDEST * shares[k] * picture.thin)) / 10 : 2;
      if (picture.widths[k] === width) return;
      picture.widths[k] = width;
      held.style.strokeWidth = `${width}px`;
      held.style.strokeOpacity = shares ? 0.3 + 0.7 * Math.min(1, 1.6 * shares[k]) : 1;
    });
    const inside = new Set(lit);
    picture.svg.classList.toggle("lighting", lit.length > 0);
    picture.nodes.forEach((node, k) => node.classList.toggle("lit", inside.has(k)));
    scene.edges.forEach(([a, b], k) => picture.edges[k].group.classList.toggle("lit", inside.has(a) && inside.has(b)));
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
