// Lesson 3: the tree of sequences beside the graph of sets. Copies of a set fly together when they are merged. Numbers
// change, the pictures stay; pointing at a set marks all that belongs to it.

import { el, lessMotion, onceAFrame, put, setText } from "../kit/dom.js";
import { percent, plain, thousands } from "../kit/numbers.js";
import { createHub } from "../state_graph/hub.js";
import { createStateGraph } from "../state_graph/state_graph.js";
import { createColours } from "../state_graph/surface.js";
import { sample } from "./flows.js";
import { buttons, lesson, part } from "./lesson.js";
import style from "./sequences.css";

const ROW = 36; // pixels
const COLUMNS = ["Set", "Orders", "Sampled (bar) and R/Z (line)", "Sampled", "R/Z", "Sampled ÷ R/Z"];
const LOOK = { card: [64, 24], below: 12, least: 8, pipe: 1, side: 42, live: true };
const [BATCH, MOST] = [1000, 200_000];
const REWARDS = { equal: "All equal", toy: "Triangle best" };

export default lesson((body, content, report) => {
  const { sequences, orders } = content;
  let [merged, reward, draws] = [false, "equal", BATCH];
  const turn = () => change({ now: !merged });
  const merge = el("button", { type: "button", role: "switch", onclick: turn }, "Merge equal sets");
  const more = buttons({
    "Sample 1,000 more": () => change({ count: draws + BATCH }),
    "Sample 20,000 more": () => change({ count: draws + 20 * BATCH }),
    "All equal": () => change({ other: "equal" }),
    "Triangle best": () => change({ other: "toy" }),
  }, content);
  const [pictures, words] = [part(content.roles, "sequences", style), el("p", { role: "status" })];
  more.prepend(merge);
  body.append(more, pictures.element, words);
  const view = createView(pictures.inside, content);

  function change({ now = merged, other = reward, count = other === reward ? draws : BATCH }) {
    [merged, reward, draws] = [now, other, Math.min(count, MOST)];
    draw();
    const all = { merge: merged ? "1" : "", reward: reward === "equal" ? "" : reward };
    report({ ...all, draws: draws === BATCH ? "" : String(draws) });
  }
  function draw() {
    const weights = content.rewards[reward];
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const bySequence = merged ? [] : sample(sequences.map(({ state }) => weights[state]), draws);
    const byState = merged ? sample(weights, draws) : weights.map((_, state) =>
      sum(bySequence.filter((_count, k) => sequences[k].state === state)));
    const target = weights.map((weight) => weight / sum(weights));
    const frequency = byState.map((count) => count / draws);
    view.show({ ...content, merged, bySequence, byState, target, frequency });
    const [full, most] = [draws >= MOST, orders.indexOf(Math.max(...orders))];
    put(merge, "aria-checked", String(merged));
    [...more.querySelectorAll("button:not([role])")].forEach((button, k) => {
      if (k < 2) button.disabled = full;
      else put(button, "aria-pressed", String(button.textContent === REWARDS[reward]));
    });
    const [name, k] = [content.states[most].name, orders[most]];
    const [got, wanted] = [frequency[most], target[most]].map((share) => percent(share, 1));
    const copies = sum(weights.map((weight, state) => weight * orders[state]));
    const expected = percent((k * weights[most]) / copies, 1);
    const off = sum(frequency.map((share, state) => Math.abs(share - target[state]))) / 2;
    const ratio = `k·R / ΣkR = ${k} · ${plain(weights[most])} / ${plain(copies)} = ${expected}`;
    const apart = `${got} are ${name} instead of ${wanted}. It is in the tree ${k} times: ${ratio}.`;
    const one = "Its copies are one state now, and every factor goes to 1: P = R/Z.";
    const [often, far] = [merged ? `${got} are ${name}; ${wanted} should be. ${one}` : apart, off.toFixed(3)];
    setText(words, `Of ${thousands(draws)} samples, ${often} Total variation from R/Z: ${far}.`);
  }
  return (link) => {
    const count = BATCH * Math.floor(Number(link.draws) / BATCH);
    [merged, reward] = [link.merge === "1", link.reward === "toy" ? "toy" : "equal"];
    draws = Math.min(Math.max(count || BATCH, BATCH), MOST);
    draw();
  };
});

function createView(root, content) {
  const [stage, table] = ["stage", "table"].map((name) => el("div", { class: name }));
  root.append(stage, table);
  const redraw = onceAFrame(() => {
    if (data) colours.read();
    for (const panel of [tree, sets]) draw(panel);
  });
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: pointed });
  hub.choose = () => {};
  const [tree, sets] = ["tree", "sets"].map(createPanel);
  let [data, rows, longest] = [null, null, 0];
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
    const { sequences, states, steps, orders } = content;
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
  }
  return { show };
}

// What was sampled: a table with bars, and how many times too often each set came.
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
    times.textContent = `× ${(data.frequency[i] / data.target[i]).toFixed(2)}`;
  });
}
