// The graph itself: how probable each edge is where a trajectory of the policy ends, now and in the end.

import { put, putAll, svgEl } from "../kit/dom.js";
import { percent } from "../kit/numbers.js";
import { round, span } from "../kit/paths.js";
import { edgeLines, layOut } from "../player/layout.js";
import { pointable } from "./hub.js";
import { KEYS, createPanel } from "./panel.js";
import { nodeName } from "./words.js";

const LARGE = 36; // nodes up to which a graph is shown whole
const WIDEST = 9; // pixels of an edge that every trajectory holds

export function createMarginals({ lane, hub, redraw }) {
  const panel = createPanel("graph", lane, "The graph", redraw);
  let picture = null; // of one scene

  function build(scene) {
    const svg = svgEl("svg", { class: "marginals", tabindex: 0, role: "application" });
    put(svg, "aria-label", `The graph, with the probability of each edge. ${KEYS}`);
    const { points, radius: usual, unit, box } = layOut(scene.nodes.map(({ x, y }) => ({ position: [x, y] })));
    const ways = scene.edges.map(([a, b]) => Math.hypot(...[0, 1].map((k) => points[a][k] - points[b][k])));
    const radius = Math.max(usual, Math.min(1.5 * usual, 0.36 * Math.min(...ways, 99))); // the picture is a small one
    const reached = new Set(scene.states.flat());
    const edges = scene.edges.map(([a, b, order, motif]) => {
      const d = edgeLines(points[a], points[b], 1, unit);
      const group = svgEl("g", { class: motif ? "edge motif" : "edge" });
      const parts = ["wanted", "inside", "held"].map((name) => svgEl("path", { class: name, d }));
      const bond = order > 1 ? [svgEl("path", { class: "bond", d: edgeLines(points[a], points[b], order, unit) })] : [];
      group.append(...parts, ...bond);
      return { group, wanted: parts[0], inside: parts[1], held: parts[2] };
    });
    const nodes = scene.nodes.map(({ element, motif }, node) => {
      const role = node === scene.start ? " start" : "";
      const atom = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
      const name = nodeName(scene, node);
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
    panel.body.replaceChildren(svg);
    pointable(svg, hub, { find, walk });
    return { scene, svg, edges, nodes, thin, version: scene.version, widths: [] };
  }

  // A large graph is shown where states can be.
  function viewBox(scene, points, radius, box, reached) {
    if (scene.nodes.length <= LARGE) return box;
    const pad = 3 * radius;
    const near = [...reached].map((node) => points[node]);
    const [[left, right], [top, bottom]] = [0, 1].map((axis) => span(near.map((place) => place[axis])));
    return [left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad];
  }

  function draw(moment) {
    if (!moment) return;
    const { scene } = moment;
    if (picture?.scene !== scene || (picture.version !== scene.version && scene.nodes.length > LARGE)) {
      picture = build(scene);
    }
    picture.moment = moment;
    const shares = moment.get("marginals");
    picture.edges.forEach(({ held }, k) => {
      const width = Math.round(10 * (0.6 + WIDEST * shares[k] * picture.thin)) / 10;
      if (picture.widths[k] === width) return;
      picture.widths[k] = width;
      held.style.strokeWidth = `${width}px`;
      held.style.strokeOpacity = 0.3 + 0.7 * Math.min(1, 1.6 * shares[k]);
    });
    light(scene);
    const end = scene.listed ? "Outline: the aim." : "Of the latest trajectories.";
    const truth = scene.has_truth ? " Green: true motif." : "";
    panel.say(`Width: P(edge is found). ${end}${truth}`);
  }

  function light(scene) {
    const { lit } = hub;
    const nodes = lit?.kind === "state" ? lit.nodes : lit?.kind === "node" ? [lit.node] : [];
    const name = nodes.join(",");
    if (picture.lit === name) return;
    picture.lit = name;
    const inside = new Set(nodes);
    picture.svg.classList.toggle("lighting", nodes.length > 0);
    picture.nodes.forEach((node, k) => node.classList.toggle("lit", inside.has(k)));
    scene.edges.forEach(([a, b], k) => picture.edges[k].group.classList.toggle("lit", inside.has(a) && inside.has(b)));
  }

  const found = (node) => {
    const words = () => {
      const { scene } = picture;
      const shares = picture.moment.get("marginals");
      const parts = scene.edges.flatMap(([a, b], k) =>
        a === node || b === node ? [`to ${nodeName(scene, a === node ? b : a)} ${percent(shares[k])}`] : [],
      );
      const { motif } = scene.nodes[node];
      const role = `${node === scene.start ? ", the start" : ""}${motif ? ", in the true motif" : ""}`;
      return `Node ${nodeName(scene, node)}${role} · edges ${parts.slice(0, 6).join(", ")}`;
    };
    return { selection: { kind: "node", node }, element: picture.nodes[node], text: words };
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
  return { panel, draw };
}
