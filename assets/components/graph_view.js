// A small graph on fixed places whose nodes are buttons, with marks of a checked answer and a legend: a part of lessons
// and of the lab.

import { el, put, svgEl } from "../kit/dom.js";
import { round } from "../kit/paths.js";
import { groupClass } from "../player/matrix.js";
import { STATE_ROLES, swatch } from "../player/roles.js";
import { createButtonGraph } from "./button_graph.js";

const BASE_ROLES = ["start", "member", "added"]; // any of these means: in the set
const FLAGS = ["start", "added", "cut", "parent", "right", "wrong", "picked"];
const ROOMY = [310, 190]; // a small graph is not blown up beyond this box
const MARKS = { right: "✓", wrong: "✗" };
const LEGEND = [...STATE_ROLES, ["picked", "picked by you"], ["right", "right"], ["wrong", "wrong"]];
const MEANINGS = Object.fromEntries(LEGEND);

function lookOf(roles) {
  const inside = roles.some((role) => BASE_ROLES.includes(role));
  const role = inside ? "member" : roles.includes("frontier") ? "frontier" : "outside";
  return { role, flags: FLAGS.filter((flag) => roles.includes(flag)), scale: 1, strength: 0.35 };
}

// How each edge is drawn: inside the set, reaching out of it, or neither.
function waysOf(data, looks) {
  const strong = new Set(data.highlighted.map(([a, b]) => `${a}-${b}`));
  return data.edges.map(([a, b]) => {
    if (strong.has(`${a}-${b}`) || strong.has(`${b}-${a}`)) return "found";
    const roles = [looks[a].role, looks[b].role];
    if (roles.every((role) => role === "member")) return "inside";
    return roles.includes("member") && roles.includes("frontier") ? "reach" : "outside";
  });
}

function paneSwatch(role) {
  const picture = swatch(role);
  if (MARKS[role]) picture.firstChild.append(svgEl("text", { "font-size": 9, dy: "0.36em" }, MARKS[role]));
  return picture;
}

// `act.node(i)` and `act.edge(i, j)` are told the numbers of nodes in the list, `act.over(i)` what is pointed at.
export function createGraphPane(act) {
  const escape = () => pane.first !== null && letGo();
  const over = (item) => act.over?.(item?.kind === "node" ? item.index : null);
  const view = createButtonGraph({ choose, escape, over }, { room: () => ROOMY });
  const legend = el("ul", { class: "legend", "aria-label": "Legend" });
  const element = el("div", { class: "pane" }, view.element, legend);
  const pane = { element, data: null, first: null };

  function drawOverlay() {
    const { points, radius } = view.graph;
    const parts = pane.data.nodes.flatMap(({ roles }, node) => {
      const own = [];
      if (roles.includes("picked")) own.push(view.ring("picked", points[node], 1.5));
      if (pane.first === node) own.push(view.ring("first", points[node], 1.7));
      const mark = ["right", "wrong"].find((name) => roles.includes(name));
      if (!mark) return own;
      const size = Math.max(radius * 0.62, 6);
      const spot = points[node].map((value) => round(value - radius * 0.95)); // on the right is the badge of the group
      const letter = svgEl("text", { "font-size": size * 1.35, dy: "0.36em" }, MARKS[mark]);
      const place = { class: `mark ${mark}`, transform: `translate(${spot.join(" ")})` };
      return [...own, svgEl("g", place, svgEl("circle", { r: size }), letter)];
    });
    view.overlay.replaceChildren(...parts);
  }

  function meaning(node) {
    const { roles, tip: words } = pane.data.nodes[node];
    return words || roles.map((role) => MEANINGS[role]).filter(Boolean).join(", ") || "outside";
  }
  function named({ kind, index }, between = ": ") {
    const { nodes, edges } = pane.data;
    if (kind === "node") return `${nodes[index].label}${between}${meaning(index)}`;
    return `Link ${edges[index].map((node) => nodes[node].label).join(", ")}: click to remove it`;
  }

  function showLegend(data, pieces) {
    const present = new Set(data.nodes.flatMap(({ roles }) => (roles.length ? roles : ["outside"])));
    if (!data.nodes.some(({ roles }) => !roles.includes("start") && roles.includes("member"))) present.delete("member");
    const entries = LEGEND.filter(([role]) => present.has(role));
    const items = entries.map(([role, text]) => el("li", {}, paneSwatch(role), text));
    const hulls = pieces.map(({ number, name }) =>
      el("li", {}, el("span", { class: `group-mark ${groupClass(number)}` }, String(number)), name),
    );
    legend.replaceChildren(...items, ...hulls);
    legend.hidden = !items.length && !hulls.length;
  }

  pane.show = (data) => {
    const before = pane.data;
    pane.data = data;
    if (!data.edits || before?.edits !== data.edits) pane.first = null;
    view.element.style.height = `${data.height / 16}rem`;
    const nodes = data.nodes.map(({ x, y, label }, id) => ({ position: [x, y], label, id }));
    const edges = data.edges.map(([source, target]) => ({ source, target, order: 1, in_motif: false }));
    view.build({ nodes, edges, hits: data.edits });
    put(view.graph.svg, "aria-label", data.description || "Graph");
    const looks = data.nodes.map(({ roles }) => lookOf(roles));
    const members = looks.flatMap(({ role }, node) => (role === "member" ? [node] : []));
    view.graph.show({ looks, ways: waysOf(data, looks), members, mode: "state" });
    const pieces = Object.entries(data.hulls).map(([name, own], index) => ({ number: index + 1, name, nodes: own }));
    view.graph.showGroups(pieces);
    view.offer({
      open: ({ kind, index }) => kind === "edge" || data.clickable.includes(index),
      pressed: ({ kind, index }) => (kind === "node" && data.nodes[index].roles.includes("picked") ? "true" : null),
      name: (item) => named(item),
      tip: (item) => named(item, " · "),
      arrows: data.arrows,
    });
    showLegend(data, pieces);
    drawOverlay();
  };
  pane.showPieces = (pieces) => view.graph.showGroups(pieces);
  pane.light = (nodes) => view.graph.light(nodes);

  function choose({ kind, index }) {
    if (kind === "edge") return act.edge(...pane.data.edges[index]);
    if (!pane.data.edits) return act.node(index);
    if (pane.first === null) pane.first = index;
    else {
      if (pane.first !== index) act.edge(pane.first, index);
      pane.first = null;
    }
    return drawOverlay();
  }
  function letGo() {
    pane.first = null;
    drawOverlay();
  }
  pane.destroy = view.destroy;
  return pane;
}
