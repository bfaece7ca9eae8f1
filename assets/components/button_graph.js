// A graph whose nodes and edges are buttons. It is drawn by the player's own code (createGraph), so a role looks here
// as it does there. Few buttons are reached with Tab each; of more only one is, and arrow keys do the rest.

import { el, put, svgEl } from "../kit/dom.js";
import { createTip, onPointing } from "../kit/tips.js";
import { zoomTools } from "../player/parts.js";
import { mountGraph } from "../player/sight.js";

const FEW = 16;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// `act.choose(item)` hears of a node or an edge, `act.escape()` of the key, `act.over(item)` of what is pointed at,
// null for nothing. A small graph is not blown up beyond the box `room()`. An item has `kind`, `index`, `element` and
// `place`.
export function createButtonGraph(act, { room, tools = false }) {
  const stage = el("div", { class: "stage" });
  const zoom = () => zoomTools((factor) => view.camera?.zoom(factor), () => view.camera?.fit());
  const element = el("div", { class: "stage-frame" }, stage, ...(tools ? [zoom()] : []));
  createTip(element, (event) => {
    const item = offered && itemAt(event);
    const words = () => (offered.tip ?? offered.name)(item);
    return item && [item.element.querySelector(".body") ?? item.element, words];
  });
  const view = { element, graph: null, camera: null, items: [], overlay: null };
  let [key, offered] = ["", null]; // of what is drawn; how its items are called and whether they can be chosen
  const focused = () => view.items.find((item) => item.element === element.getRootNode().activeElement);

  // Draws another graph only where its nodes or edges are others than before; whether it did. With `hits`, edges are
  // items too: broad unseen lines over them.
  view.build = ({ nodes, edges, molecule = false, written = false, shapes = null, hits = true }) => {
    const next = JSON.stringify([nodes, edges, written, hits]);
    if (next === key) return false;
    const held = focused();
    const before = view.camera && { box: view.camera.box, home: view.camera.home.join() };
    key = next;
    view.camera?.destroy();
    Object.assign(view, mountGraph(stage, { trace: { nodes, edges }, molecule, written, shapes }, room));
    const { graph } = view;
    const lines = hits ? edges.map((edge) => svgEl("path", { class: "edge-hit", d: graph.lineOf(edge) })) : [];
    graph.svg.querySelector(".nodes").before(svgEl("g", { class: "edge-hits" }, ...lines));
    view.overlay = svgEl("g", { class: "overlay" });
    graph.svg.append(view.overlay);
    const kept = before?.home === view.camera.home.join();
    if (kept) view.camera.show(before.box);
    const drawn = (node) => graph.svg.querySelector(`.node[data-node="${node}"]`);
    view.items = [
      ...graph.points.map((place, index) => ({ kind: "node", index, element: drawn(index), place })),
      ...lines.map((line, index) => ({ kind: "edge", index, element: line, place: graph.middleOf(edges[index]) })),
    ];
    if (held) view.item(held.kind, held.index)?.element.focus({ preventScroll: true });
    return !kept;
  };
  view.item = (kind, index) => view.items.find((item) => item.kind === kind && item.index === index);

  // `name(item)` is what is said of it, `open(item)` whether it can be chosen, `pressed(item)` whether it is.
  view.offer = (given) => {
    offered = given;
    const open = view.items.filter(offered.open);
    const active = focused();
    const reached = open.includes(active) ? active : (open.find(({ kind }) => kind === "node") ?? open[0]);
    for (const item of view.items) {
      const chosen = open.includes(item);
      const first = open.length <= FEW || item === reached;
      put(item.element, "role", chosen ? "button" : item.kind === "node" ? "img" : null);
      put(item.element, "tabindex", chosen ? (first ? 0 : -1) : null);
      put(item.element, "aria-label", offered.name(item));
      put(item.element, "aria-pressed", chosen ? (offered.pressed?.(item) ?? null) : null);
      item.element.classList.toggle("open", chosen);
    }
  };
  view.ring = (name, [cx, cy], times) =>
    svgEl("circle", { class: `ring ${name}`, cx, cy, r: view.graph.radius * times });

  const itemAt = (event) => view.items.find((item) => item.element.contains(event.target));
  const choose = (item) => item && offered.open(item) && act.choose?.(item);
  function keydown(event) {
    if (event.key === "Escape") return act.escape?.();
    const item = itemAt(event);
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const arrow = offered.arrows !== false && ARROWS[event.key];
    if (!arrow && event.key !== "Enter" && event.key !== " ") return undefined;
    event.preventDefault();
    if (!arrow) return choose(item);
    event.stopPropagation();
    const next = towards(item, arrow);
    if (!next) return undefined;
    if (item.element.tabIndex === 0 && next.element.tabIndex < 0) put(item.element, "tabindex", -1);
    put(next.element, "tabindex", 0);
    return next.element.focus({ preventScroll: true });
  }
  // The nearest one that can be chosen in the direction of an arrow key.
  function towards(item, [dx, dy]) {
    let [best, cost] = [null, Infinity];
    for (const other of view.items.filter(offered.open)) {
      const [u, v] = [other.place[0] - item.place[0], other.place[1] - item.place[1]];
      const along = u * dx + v * dy;
      const across = Math.abs(u * dy) + Math.abs(v * dx);
      if (along > 1e-6 && along + 2 * across < cost) [best, cost] = [other, along + 2 * across];
    }
    return best;
  }
  stage.addEventListener("click", (event) => !view.camera.dragged && choose(itemAt(event)));
  stage.addEventListener("keydown", keydown);
  onPointing(stage, (event) => act.over?.(itemAt(event) ?? null), () => act.over?.(null));
  view.destroy = () => view.camera?.destroy();
  return view;
}
