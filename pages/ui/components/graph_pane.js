// A small graph on fixed places whose nodes are buttons. It is drawn by the player's own code (createGraph), so a role
// looks here as it does there.

import { framed } from "../../../assets/kit/camera.js";
import { el, put, setText, svgEl } from "../../../assets/kit/dom.js";
import { round } from "../../../assets/kit/paths.js";
import { createTip, onPointing } from "../../../assets/kit/tips.js";
import { createGraph } from "../../../assets/player/graph.js";
import { groupClass } from "../../../assets/player/pieces.js";
import { STATE_ROLES, swatch } from "../../../assets/player/roles.js";

const BASE_ROLES = ["start", "member", "added"]; // any of these means: in the set
const FLAGS = ["start", "added", "cut", "parent", "right", "wrong", "picked"];
const ROOMY = [310, 190]; // a small graph is not blown up beyond this box
const FEW = 16; // up to so many nodes each is reached with Tab; of more only one, and arrow keys do the rest
const MARKS = { right: "✓", wrong: "✗" };
const MEANINGS = {
  start: "the start node",
  added: "just added",
  member: "in the set",
  frontier: "can be added next",
  outside: "outside",
  cut: "cut vertex",
  parent: "may be removed",
  right: "right",
  wrong: "wrong",
  picked: "picked by you",
};
const PANE_LEGEND = [
  ...STATE_ROLES.map(([role, text]) => [role, text]),
  ["picked", "picked by you"],
  ["right", "right"],
  ["wrong", "wrong"],
];

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

// Pieces to be coloured: named hulls, or else the nodes' own groups. A name that is a number is its number.
function piecesOf(data, hulls) {
  const named = Object.entries(hulls).map(([name, nodes], index) => ({
    number: /^\d+$/.test(name) ? Number(name) : index + 1, name, nodes,
  }));
  if (named.length) return named;
  const groups = new Map();
  data.nodes.forEach(({ group }, index) => {
    if (group != null) groups.set(group, [...(groups.get(group) ?? []), index]);
  });
  return [...groups].sort((a, b) => a[0] - b[0]).map(([number, nodes]) => ({ number, name: "", nodes }));
}

function paneSwatch(role) {
  if (!MARKS[role] && role !== "picked") return swatch(role);
  const parts = [svgEl("circle", { class: "body", r: 5.5 })];
  if (role === "picked") parts.unshift(svgEl("circle", { class: "ring picked", r: 8.4 }));
  else parts.push(svgEl("text", { "font-size": 9, dy: "0.36em" }, MARKS[role]));
  return svgEl(
    "svg",
    { viewBox: "-12 -10 24 20", class: "graph swatch", "aria-hidden": "true" },
    svgEl("g", { class: `node ${role === "picked" ? "member" : role}` }, ...parts),
  );
}

// `act.node(i)` and `act.edge(i, j)` are told the numbers of nodes in the list, `act.over(i)` what is pointed at.
export function createGraphPane(act) {
  const stage = el("div", { class: "stage" });
  const frame = el("div", { class: "stage-frame" }, stage);
  const hint = el("p", { class: "hint", "aria-live": "polite" });
  const legend = el("ul", { class: "legend", "aria-label": "Legend" });
  const element = el("div", { class: "pane" }, frame, hint, legend);
  const tip = createTip(element);
  const pane = { element, graph: null, data: null, first: null, shape: "" };
  let overlay = null;

  const open = (node) => pane.data.clickable.includes(node);
  const nodeAt = (event) => {
    const found = event.target.closest?.(".stage .node[data-node]");
    return found ? Number(found.dataset.node) : null;
  };
  const nodeElement = (node) => stage.querySelector(`.node[data-node="${node}"]`);

  function fit() {
    if (!pane.graph || !stage.clientWidth) return;
    const box = framed(pane.graph.box, [stage.clientWidth, stage.clientHeight], ROOMY);
    pane.graph.svg.setAttribute("viewBox", box.map(round).join(" "));
    pane.graph.scaled(box[2] / stage.clientWidth);
  }

  // A new graph is drawn only when its nodes or edges are others than before.
  function build(data) {
    const shape = JSON.stringify([data.nodes.map(({ x, y, label }) => [x, y, label]), data.edges]);
    if (shape === pane.shape) return;
    pane.shape = shape;
    const focused = element.getRootNode().activeElement?.dataset?.node;
    const nodes = data.nodes.map(({ x, y, label }, id) => ({ position: [x, y], label, id }));
    const edges = data.edges.map(([source, target]) => ({ source, target, order: 1, in_motif: false }));
    pane.graph = createGraph({ trace: { nodes, edges }, molecule: false });
    overlay = svgEl("g", { class: "overlay" });
    pane.graph.svg.append(overlay);
    if (data.edits) pane.graph.svg.querySelector(".nodes").before(edgeHits(data));
    stage.replaceChildren(pane.graph.svg);
    if (focused !== undefined) nodeElement(focused)?.focus({ preventScroll: true });
    fit();
  }

  // Broad unseen lines over the edges, so that one can be clicked away.
  function edgeHits(data) {
    const { points } = pane.graph;
    const lines = data.edges.map(([a, b], index) => {
      const [[x1, y1], [x2, y2]] = [points[a], points[b]];
      return svgEl("line", { x1, y1, x2, y2, class: "edge-hit", "data-edge": index });
    });
    return svgEl("g", { class: "edge-hits" }, ...lines);
  }

  function drawOverlay(looks) {
    const { points, radius } = pane.graph;
    const parts = [];
    looks.forEach(({ flags }, node) => {
      const at = points[node].map(round).join(" ");
      const ring = (name, r) =>
        parts.push(svgEl("circle", { class: `ring ${name}`, r, transform: `translate(${at})` }));
      if (flags.includes("picked")) ring("picked", radius * 1.5);
      if (pane.first === node) ring("first", radius * 1.7);
      const mark = flags.includes("right") ? "right" : flags.includes("wrong") ? "wrong" : null;
      if (!mark) return;
      const [x, y] = points[node];
      const size = Math.max(radius * 0.62, 6);
      const shift = radius * 0.95; // to the left: on the right is the badge of the group
      const spot = `translate(${round(x - shift)} ${round(y - shift)})`;
      parts.push(
        svgEl(
          "g",
          { class: `mark ${mark}`, transform: spot },
          svgEl("circle", { r: size }),
          svgEl("text", { "font-size": size * 1.35, dy: "0.36em" }, MARKS[mark]),
        ),
      );
    });
    overlay.replaceChildren(...parts);
  }

  function meaning(node) {
    const { roles, tip: words } = pane.data.nodes[node];
    return words || roles.map((role) => MEANINGS[role]).filter(Boolean).join(", ") || "outside";
  }
  const spoken = (node) => `${pane.data.nodes[node].label}: ${meaning(node)}`;

  function offer(data) {
    pane.graph.offer(data.clickable, spoken);
    if (data.clickable.length > FEW) {
      const active = Number(element.getRootNode().activeElement?.dataset?.node ?? -1);
      const tab = data.clickable.includes(active) ? active : data.clickable[0];
      for (const node of data.clickable) put(nodeElement(node), "tabindex", node === tab ? 0 : -1);
    }
    data.nodes.forEach((node, index) => {
      const g = nodeElement(index);
      g.classList.toggle("open", open(index));
      put(g, "aria-pressed", open(index) && node.roles.includes("picked") ? "true" : null);
      if (open(index)) return;
      put(g, "role", "img");
      put(g, "aria-label", spoken(index));
    });
  }

  function showLegend(data, pieces) {
    const present = new Set(data.nodes.flatMap(({ roles }) => (roles.length ? roles : ["outside"])));
    if (!data.nodes.some(({ roles }) => !roles.includes("start") && roles.includes("member"))) present.delete("member");
    const entries = PANE_LEGEND.filter(([role]) => present.has(role));
    const items = entries.map(([role, text]) => el("li", {}, paneSwatch(role), text));
    const named = pieces.filter(({ name }) => name && !/^\d+$/.test(name));
    const hulls = named.map(({ number, name }) =>
      el("li", {}, el("span", { class: `group-mark ${groupClass(number)}` }, String(number)), name),
    );
    legend.replaceChildren(...items, ...hulls);
    legend.hidden = !items.length && !hulls.length;
  }

  const hintWords = () => {
    if (!pane.data.edits) return "";
    if (pane.first === null) return "Choose two nodes one after the other: the link between them comes or goes.";
    return `${pane.data.nodes[pane.first].label} is chosen: now the second node (Esc lets go).`;
  };

  function redrawFirst() {
    drawOverlay(pane.data.nodes.map(({ roles }) => lookOf(roles)));
    setText(hint, hintWords());
    hint.hidden = !hint.textContent;
  }

  pane.show = (data) => {
    const before = pane.data;
    pane.data = data;
    if (!data.edits || before?.edits !== data.edits) pane.first = null;
    if (before?.edits !== data.edits) pane.shape = "";
    frame.style.height = `${data.height}px`;
    build(data);
    put(pane.graph.svg, "aria-label", data.description || "Graph");
    const looks = data.nodes.map(({ roles }) => lookOf(roles));
    const members = looks.flatMap(({ role }, node) => (role === "member" ? [node] : []));
    pane.graph.show({ looks, ways: waysOf(data, looks), members, mode: "state" });
    const pieces = piecesOf(data, data.hulls);
    pane.graph.showGroups(pieces);
    offer(data);
    showLegend(data, pieces);
    redrawFirst();
    fit();
  };
  pane.showPieces = (pieces) => pane.graph.showGroups(pieces ?? piecesOf(pane.data, pane.data.hulls));
  pane.light = (nodes) => pane.graph.light(nodes);

  function choose(node) {
    if (!open(node)) return;
    if (!pane.data.edits) return act.node(node);
    if (pane.first === null || pane.first === node) pane.first = pane.first === node ? null : node;
    else {
      act.edge(pane.first, node);
      pane.first = null;
    }
    redrawFirst();
  }

  // The nearest node that can be chosen in the direction of an arrow key.
  function towards(node, [dx, dy]) {
    const [x, y] = pane.graph.points[node];
    let [best, cost] = [null, Infinity];
    for (const other of pane.data.clickable) {
      const [u, v] = [pane.graph.points[other][0] - x, pane.graph.points[other][1] - y];
      const along = u * dx + v * dy;
      const across = Math.abs(u * dy) + Math.abs(v * dx);
      if (along > 1e-6 && along + 2 * across < cost) [best, cost] = [other, along + 2 * across];
    }
    return best;
  }

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function keydown(event) {
    if (event.key === "Escape" && pane.first !== null) {
      pane.first = null;
      return redrawFirst();
    }
    const node = nodeAt(event);
    if (node === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(node);
    } else if (ARROWS[event.key] && pane.data.arrows !== false) {
      event.preventDefault();
      event.stopPropagation();
      const next = towards(node, ARROWS[event.key]);
      if (next === null) return;
      const roving = pane.data.clickable.length > FEW;
      if (roving) [[node, -1], [next, 0]].forEach(([each, index]) => put(nodeElement(each), "tabindex", index));
      nodeElement(next).focus({ preventScroll: true });
    }
  }

  function pointed(event) {
    const node = nodeAt(event);
    if (node === null) tip.hide();
    else tip.show(nodeElement(node).querySelector(".body"), `${pane.data.nodes[node].label} · ${meaning(node)}`);
    act.over?.(node);
  }

  stage.addEventListener("click", (event) => {
    const node = nodeAt(event);
    if (node !== null) return choose(node);
    const line = pane.data.edits ? event.target.closest?.("[data-edge]") : null;
    if (line) act.edge(...pane.data.edges[Number(line.dataset.edge)]);
  });
  stage.addEventListener("keydown", keydown);
  onPointing(stage, pointed, () => {
    tip.hide();
    act.over?.(null);
  });
  const watch = new ResizeObserver(fit);
  watch.observe(stage);
  pane.destroy = () => watch.disconnect();
  return pane;
}
