// The tree of sequences beside the graph of sets. Copies of a set fly together when they are merged. Numbers change,
// the pictures stay; pointing at a set marks all that belongs to it.

import { el, lessMotion, onceAFrame, put } from "../../../assets/kit/dom.js";
import { thousands } from "../../../assets/kit/numbers.js";
import { keptView } from "../../../assets/kit/views.js";
import { createColours } from "../../../assets/state_graph/surface.js";
import { createHub } from "../../../assets/state_graph/hub.js";
import { createStateGraph } from "../../../assets/state_graph/state_graph.js";
import { buildPlot, buildTable, updatePlot, updateTable } from "./sequence_results.js";

const ROW = 36; // pixels
const LOOK = { card: [64, 24], below: 12, least: 8, pipe: 1, side: 42, live: true };

export default keptView((parentElement) => createView(parentElement.querySelector(".sequences")));

function createView(root) {
  const stage = root.querySelector(".stage");
  const redraw = onceAFrame(() => {
    if (data) colours.read();
    for (const panel of [tree, sets]) draw(panel);
  });
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: pointed });
  hub.choose = () => {};
  const [tree, sets] = ["tree", "sets"].map(createPanel);
  let [data, rows, points, longest] = [null, null, null, 0];
  root.addEventListener("pointerover", (event) => {
    const row = event.target.closest("[data-state]");
    if (row) hub.point({ selection: { kind: "state", key: row.dataset.state, nodes: [] } });
    else if (!event.target.closest("canvas")) hub.point(null);
  });
  root.addEventListener("pointerleave", () => hub.point(null));

  function createPanel(name) {
    const body = el("div", { class: "picture" });
    const [heading, note] = [el("b"), el("span")];
    const element = el("section", { class: `panel ${name}` }, el("p", {}, heading, note), body);
    stage.append(element);
    const place = { body, width: 0, height: 0 };
    const graph = createStateGraph({ place, hub, colours, redraw, look: () => LOOK });
    return { element, heading, note, place, graph, scene: null, numbers: [] };
  }
  const observer = new ResizeObserver(redraw);
  observer.observe(stage);

  function draw({ place, graph, scene, numbers }) {
    place.width = place.body.clientWidth;
    if (!data || !place.width) return;
    place.body.style.height = `${(place.height = 22 + ROW * longest)}px`;
    graph.draw({ scene, get: (name) => (name === "notes" ? numbers : null) });
  }
  function pointed() {
    for (const element of root.querySelectorAll("[data-state]")) {
      element.classList.toggle("marked", element.dataset.state === hub.lit?.key);
    }
    redraw();
  }

  // Names and links of states, and which set each one is.
  function sceneOf(names, links, of) {
    const keys = of.map(String);
    const index = new Map(keys.map((key, k) => [key, k]));
    const kind = { nodes: [], listed: true, version: 0, sized: true, copies: true };
    const counts = of.map((set) => data.orders[set]);
    const column = names.map((name) => name.length - 1);
    return { ...kind, states: names.map(() => []), labels: names, keys, index, links, counts, column };
  }
  function build() {
    const { sequences, states, steps, orders } = data;
    const links = sequences.flatMap(({ parent }, k) => (parent >= 0 ? [[parent, k]] : []));
    tree.scene = sceneOf(sequences.map(({ name }) => name), links, sequences.map(({ state }) => state));
    sets.scene = sceneOf(states.map(({ name }) => name), steps, orders.map((_, k) => k));
    const sizes = sequences.map(({ name }) => name.length);
    longest = Math.max(...sizes.map((size) => sizes.filter((other) => other === size).length));
    tree.heading.textContent = `Tree of sequences: ${sequences.length} states`;
    tree.note.textContent = "dashed: a set that is here more than once";
    sets.heading.textContent = `DAG of sets: ${states.length} states`;
    sets.note.textContent = "each set is here once";
    rows = buildTable(root.querySelector(".table"), data);
  }

  // Every sequence flies to its set, or back.
  function fly() {
    const frameOf = (element) => element.getBoundingClientRect();
    const { left, top } = frameOf(stage);
    data.sequences.forEach(({ name, state }, k) => {
      const ends = [[tree, k], [sets, state]].map(([{ place, graph }, at]) => {
        const [box, { x, y }] = [frameOf(place.body), graph.placeOf(at)];
        return { transform: `translate(${box.left - left + x}px, ${box.top - top + y}px) translate(-50%, -50%)` };
      });
      const flyer = el("span", { class: "flyer", "aria-hidden": "true" }, name);
      stage.append(flyer);
      const time = { duration: 900, easing: "cubic-bezier(0.5, 0, 0.2, 1)" };
      flyer.animate(data.merged ? ends : ends.reverse(), time).finished.finally(() => flyer.remove());
    });
  }

  function show(next) {
    const turned = data !== null && next.merged !== data.merged;
    data = next;
    if (!rows) build();
    tree.numbers = next.merged ? [] : next.bySequence.map(thousands);
    sets.numbers = next.merged ? next.byState.map(thousands) : [];
    put(stage, "class", `stage ${next.merged ? "merged" : "apart"}`);
    redraw();
    if (turned && !lessMotion()) fly();
    updateTable(rows, data);
    if (points?.highest !== data.highest) points = buildPlot(root.querySelector(".factors"), data);
    updatePlot(points, data);
  }
  return { show, destroy: () => (observer.disconnect(), redraw.stop()) };
}
