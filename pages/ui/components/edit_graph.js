// A graph whose nodes and edges can be edited. It is drawn by the player's own code (createGraph); what is removed
// stays as a ghost: pale, dashed and crossed out. Each node and edge is a button: Tab reaches one of them, the arrow
// keys reach the others.

import { ZOOM_STEP, createCamera, framed } from "../../../assets/kit/camera.js";
import { el, put, svgEl } from "../../../assets/kit/dom.js";
import { round } from "../../../assets/kit/paths.js";
import { createTip, onPointing } from "../../../assets/kit/tips.js";
import { partView, whatMatters } from "../../../assets/player/focus.js";
import { createGraph } from "../../../assets/player/graph.js";
import { ICONS, button } from "../../../assets/player/parts.js";

const ROOM = [330, 240]; // a small graph is not blown up beyond this box
const LINES = [420, 190]; // nor a short sentence beyond this one
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// `act.choose(kind, index)` is told of a node or an edge, `act.escape()` of the key; without `act` none can be clicked.
export function createEditGraph(act = null) {
  const stage = el("div", { class: "stage" });
  const zoom = (factor) => () => camera?.zoom(factor);
  const tools = el(
    "div",
    { class: "tools" },
    button("Zoom in (or Ctrl + wheel)", ICONS.plus, zoom(ZOOM_STEP)),
    button("Zoom out", ICONS.minus, zoom(1 / ZOOM_STEP)),
    button("Show all", ICONS.fit, () => camera?.fit()),
  );
  const element = el("div", { class: "stage-frame" }, stage, tools);
  const tip = createTip(element);
  let [graph, camera, overlay, key, data, options] = [null, null, null, "", null, {}];
  let items = []; // what can be clicked: { kind, index, element, place }
  let told = false; // whether the reasons were known when it was last decided where to look

  function build() {
    const written = Boolean(options.written);
    const drawn = data.nodes.map(({ id, label, element: atom, position }) => ({ id, label, element: atom, position }));
    const edges = data.edges.map(({ source, target, order }) => ({ source, target, order, in_motif: false }));
    const next = JSON.stringify([drawn, edges, written]);
    if (next === key) return;
    const held = items.find((item) => item.element === element.getRootNode().activeElement);
    key = next;
    const before = camera && { box: camera.box, home: camera.home.join() };
    camera?.destroy();
    graph = createGraph({ trace: { nodes: drawn, edges }, molecule: Boolean(options.molecule), written });
    overlay = svgEl("g", { class: "overlay" });
    stage.replaceChildren(graph.svg);
    camera = createCamera(stage, graph.svg, {
      home: () => framed(graph.box, size(), written ? LINES : ROOM),
      changed: (box) => graph.scaled(box[2] / size()[0]),
    });
    if (before?.home === camera.home.join()) camera.show(before.box);
    else look();
    const lines = edges.map((edge) => svgEl("path", { class: "edge-hit", d: graph.lineOf(edge) }));
    graph.svg.querySelector(".nodes").before(svgEl("g", { class: "edge-hits" }, ...lines));
    graph.svg.append(overlay);
    const nodeElement = (node) => graph.svg.querySelector(`.node[data-node="${node}"]`);
    items = [
      ...graph.points.map((place, index) => ({ kind: "node", index, element: nodeElement(index), place })),
      ...data.edges.map(({ source, target }, index) => {
        const place = [0, 1].map((axis) => (graph.points[source][axis] + graph.points[target][axis]) / 2);
        return { kind: "edge", index, element: lines[index], place };
      }),
    ];
    if (held) find(held.kind, held.index)?.element.focus({ preventScroll: true });
  }
  const find = (kind, index) => items.find((item) => item.kind === kind && item.index === index);

  const size = () => [stage.clientWidth || 400, stage.clientHeight || 320];

  // A large graph opens at the answer; until that is known, around the explained node.
  function look() {
    told = data.reasons.length > 0;
    const beside = data.edges.filter(({ source, target }) => source === options.target || target === options.target);
    const core = told ? data.reasons.flat() : beside.flatMap(({ source, target }) => [source, target]);
    const trace = { nodes: data.nodes, final: { nodes: options.target == null ? [] : [options.target] } };
    const links = data.nodes.map(() => []);
    const story = { trace, reasons: [{ nodes: core }], motif: [], links, written: options.written };
    const matters = whatMatters(story, graph);
    if (matters) camera.show(partView(camera.home, matters.part, size(), 0));
  }

  function drawMarks() {
    const size = graph.radius * 0.5;
    const long = round(2 * size);
    const cross = ([x, y]) => `M${round(x - size)} ${round(y - size)}l${long} ${long}m0 ${-long}l${-long} ${long}`;
    const plus = ([x, y]) => `M${round(x - size)} ${round(y)}h${long}M${round(x)} ${round(y - size)}v${long}`;
    const marks = [];
    for (const { kind, index, place, element: drawn } of items) {
      const { mark, own } = data[kind === "node" ? "nodes" : "edges"][index];
      const middle = kind === "edge" && options.written ? middleOf(drawn) : place;
      if (mark === "gone" && own) marks.push(svgEl("path", { class: "mark gone", d: cross(middle) }));
      if (mark === "new") marks.push(svgEl("path", { class: "mark new", d: plus(middle) }));
      if (mark === "changed" && !options.written) marks.push(ring("changed", place, 1.5));
    }
    if (options.first != null) marks.push(ring("first", graph.points[options.first], 1.7));
    overlay.replaceChildren(...marks);
  }
  const ring = (name, [cx, cy], times) => svgEl("circle", { class: `ring ${name}`, cx, cy, r: graph.radius * times });
  function middleOf(path) {
    const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
    return [x, y];
  }

  function show(given, others) {
    [data, options] = [given, others];
    build();
    if (!told && data.reasons.length) look();
    const inside = new Set(data.reasons[0] ?? []);
    const looks = data.nodes.map(({ mark }, node) => ({
      role: mark === "gone" ? "gone" : inside.has(node) ? "found" : "outside",
      flags: [...(node === options.target ? ["start"] : []), ...(mark === "changed" ? ["changed"] : [])],
      scale: 1,
      strength: 1,
    }));
    const ways = data.edges.map(({ source, target, mark }) => {
      if (mark === "gone" || mark === "new") return mark;
      return inside.has(source) && inside.has(target) ? "found" : "outside";
    });
    graph.know({ reasons: data.reasons, shown: 0, shares: [], near: null });
    graph.show({ looks, ways, members: [...inside], mode: "edit" });
    put(graph.svg, "aria-label", data.words || "Graph");
    drawMarks();
    offer();
  }

  function offer() {
    const active = items.find((item) => item.element === element.getRootNode().activeElement);
    const reached = active ?? items.find((item) => item.kind === "node") ?? items[0];
    for (const item of items) {
      const open = Boolean(act && options.open);
      put(item.element, "role", open ? "button" : null);
      put(item.element, "tabindex", open ? (item === reached ? 0 : -1) : null);
      put(item.element, "aria-label", open ? nameOf(item) : null);
      put(item.element, "aria-pressed", open ? String(itemData(item).mark === "gone") : null);
      item.element.classList.toggle("open", open);
    }
  }
  const itemData = ({ kind, index }) => data[kind === "node" ? "nodes" : "edges"][index];
  function nameOf(item) {
    const { name, mark } = itemData(item);
    const state = { gone: "removed", new: "added", changed: "changed" }[mark];
    return state ? `${name}: ${state}` : name;
  }

  // An edit is on its way: what was clicked is faded at once.
  function wait(kind, index) {
    const { element: drawn, place } = find(kind, index);
    if (kind === "node") overlay.append(ring("pending", place, 1.2));
    else overlay.append(svgEl("path", { class: "pending", d: drawn.getAttribute("d") }));
  }

  const itemAt = (event) => items.find((item) => item.element.contains(event.target));
  function clicked(event) {
    const item = options.open && !camera.dragged && itemAt(event);
    if (item) act.choose(item.kind, item.index);
  }
  function keydown(event) {
    if (event.key === "Escape") return act.escape();
    const item = options.open && itemAt(event);
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act.choose(item.kind, item.index);
    } else if (ARROWS[event.key]) {
      event.preventDefault();
      const next = towards(item, ARROWS[event.key]);
      if (!next) return undefined;
      put(item.element, "tabindex", -1);
      put(next.element, "tabindex", 0);
      next.element.focus({ preventScroll: true });
    }
    return undefined;
  }
  // The nearest node or edge in the direction of an arrow key.
  function towards(item, [dx, dy]) {
    let [best, cost] = [null, Infinity];
    for (const other of items) {
      const [u, v] = [other.place[0] - item.place[0], other.place[1] - item.place[1]];
      const along = u * dx + v * dy;
      const across = Math.abs(u * dy) + Math.abs(v * dx);
      if (along > 1e-6 && along + 2 * across < cost) [best, cost] = [other, along + 2 * across];
    }
    return best;
  }
  if (act) {
    stage.addEventListener("click", clicked);
    stage.addEventListener("keydown", keydown);
  }
  onPointing(
    stage,
    (event) => {
      const item = data && itemAt(event);
      if (item) tip.show(item.element.querySelector?.(".body") ?? item.element, nameOf(item));
      else tip.hide();
    },
    () => tip.hide(),
  );
  return { element, show, wait, destroy: () => camera?.destroy() };
}
