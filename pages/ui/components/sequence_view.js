// The tree of sequences beside the graph of sets. Copies of a set fly together when they are merged. Numbers change,
// the pictures stay; pointing at a set marks all that belongs to it.

import { el, lessMotion, onceAFrame, put, svgEl } from "../../../assets/kit/dom.js";
import { percent, thousands } from "../../../assets/kit/numbers.js";
import { keptView } from "../../../assets/kit/views.js";
import { createColours } from "../../../assets/state_graph/surface.js";
import { createHub } from "../../../assets/state_graph/hub.js";
import { createStateGraph } from "../../../assets/state_graph/state_graph.js";

const ROW = 36; // pixels
const COLUMNS = ["Set", "Orders", "Sampled (bar) and R/Z (line)", "Sampled", "R/Z", "Sampled ÷ R/Z"];
const PLOT = { width: 300, height: 166, left: 38, right: 14, top: 12, bottom: 36 };
const LOOK = { card: [64, 24], below: 12, least: 8, pipe: 1, side: 42, live: true };

export default keptView((parentElement) => createView(parentElement.querySelector(".sequences")));

function createView(root) {
  const [stage, table] = ["stage", "table"].map((name) => el("div", { class: name }));
  const factors = el("figure", { class: "factors" });
  root.append(stage, el("div", { class: "results" }, table, factors));
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

  // Names and links of states, which set each one is, and how often it is here.
  function sceneOf(names, links, of) {
    const keys = of.map(String);
    const index = new Map(keys.map((key, k) => [key, k]));
    const kind = { nodes: [], listed: true, version: 0, sized: true, copies: true };
    const counts = of.map((set) => of.filter((other) => other === set).length);
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
    rows = buildTable(table, data);
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
    if (points?.highest !== data.highest) points = buildPlot(factors, data);
    updatePlot(points, data);
  }
  return { show, destroy: () => (observer.disconnect(), redraw.stop()) };
}

// What was drawn: a table with bars, and how far off each set is against its number of orders.
function buildTable(holder, data) {
  const heads = COLUMNS.map((name, i) => el("th", { scope: "col", class: i === 2 ? "bars" : null }, name));
  const rows = data.states.map(({ name }, state) =>
    el(
      "tr",
      { "data-state": state },
      el("th", { scope: "row" }, name),
      el("td", {}, String(data.orders[state])),
      el("td", { class: "bars" }, el("span", { class: "bar" }), el("span", { class: "goal" })),
      el("td"),
      el("td"),
      el("td", { class: "times" }),
    ),
  );
  holder.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows)));
  return rows;
}

function updateTable(rows, data) {
  const most = 1.05 * Math.max(...data.frequency, ...data.target);
  rows.forEach((row, i) => {
    const [, , bar, drawn, goal, times] = row.children;
    bar.children[0].style.width = `${(100 * data.frequency[i]) / most}%`;
    bar.children[1].style.left = `${(100 * data.target[i]) / most}%`;
    drawn.textContent = percent(data.frequency[i], 1);
    goal.textContent = percent(data.target[i], 1);
    times.textContent = `× ${data.factor[i].toFixed(2)}`;
  });
}

function plotScale(data) {
  const orders = Math.max(...data.orders);
  const most = Math.ceil(2.2 * data.highest) / 2;
  const { width, height, left, right, top, bottom } = PLOT;
  return {
    orders,
    most,
    x: (k) => left + (k / (orders + 0.4)) * (width - left - right),
    y: (value) => height - bottom - (Math.min(value, most) / most) * (height - top - bottom),
  };
}

function axes(svg, { orders, most, x, y }) {
  const { width, height, left, right, bottom, top } = PLOT;
  const line = (name, d) => svg.append(svgEl("path", { class: name, d }));
  const write = (text, px, py, anchor) => svg.append(svgEl("text", { x: px, y: py, "text-anchor": anchor }, text));
  line("axis", `M${left},${top} V${height - bottom} H${width - right}`);
  for (let k = 1; k <= orders; k += 1) write(String(k), x(k), height - bottom + 15, "middle");
  for (let value = 0; value <= most; value += most > 2 ? 1 : 0.5) write(String(value), left - 6, y(value) + 4, "end");
  write("orders k", (left + width - right) / 2, height - 6, "middle");
  line("right", `M${left},${y(1)} H${width - right}`);
  write("right: 1", left + 5, y(1) - 6, "start");
}

// The axes, and a point for each set; the name where no other set has as many orders.
function buildPlot(holder, data) {
  const scale = plotScale(data);
  const svg = svgEl("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img" });
  axes(svg, scale);
  const line = svgEl("path", { class: "expected" });
  const points = data.states.map(({ name }, state) => {
    const alone = data.orders.filter((k) => k === data.orders[state]).length === 1;
    const label = alone ? [svgEl("text", { x: -7, y: -6, "text-anchor": "end" }, name)] : [];
    return svgEl("g", { class: "point", "data-state": state }, svgEl("circle", { r: 4.5 }), ...label);
  });
  svg.append(line, ...points);
  holder.replaceChildren(el("figcaption", {}, "Sampled ÷ R/Z, against orders"), svg);
  return { svg, scale, line, points, highest: data.highest };
}

function updatePlot({ svg, scale, line, points }, data) {
  const { x, y, orders } = scale;
  const end = data.expectedFactor[data.orders.indexOf(orders)];
  put(line, "d", `M${x(0)},${y(data.merged ? end : 0)} L${x(orders)},${y(end)}`);
  points.forEach((point, i) => {
    point.style.transform = `translate(${x(data.orders[i])}px, ${y(data.factor[i])}px)`;
  });
  const told = data.merged ? "It stays at 1, however many orders a set has." : "It grows with the number of orders.";
  put(svg, "aria-label", `Frequency divided by R over Z, against the number of orders. ${told}`);
}
