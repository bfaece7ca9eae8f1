// Lesson 3: the tree of sequences beside the graph of sets. Copies of a set fly together when they are merged. Numbers
// change, the pictures stay.

import { el, lessMotion, onceAFrame, put, setText } from "../kit/dom.js";
import { percent, plain, thousands } from "../kit/numbers.js";
import { createHub } from "../state_graph/hub.js";
import { createStateGraph } from "../state_graph/state_graph.js";
import { createColours } from "../state_graph/surface.js";
import { sample } from "./flows.js";
import { buttons, lesson, part } from "./lesson.js";
import style from "./sequences.css";
import { createTable } from "./table.js";

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
  const table = createTable(content, "copies", COLUMNS, content.states.map(({ name }) => name));
  more.prepend(merge);
  body.append(more, pictures.element, table.element, words);
  const show = createView(pictures.inside, content);

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
    show({ merged, bySequence, byState });
    table.show(frequency.map((drawn, k) => {
      const shares = [percent(drawn, 1), percent(target[k], 1)];
      return { cells: [String(orders[k]), ...shares, `× ${(drawn / target[k]).toFixed(2)}`], bar: drawn, mark: target[k] };
    }));
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
  const { sequences, states, steps, orders } = content;
  const stage = el("div", { class: "stage" });
  root.append(stage);
  const redraw = onceAFrame(() => {
    if (shown) colours.read();
    for (const panel of [tree, sets]) draw(panel);
  });
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: redraw });
  hub.choose = () => {};
  new ResizeObserver(redraw).observe(stage);
  const sizes = sequences.map(({ name }) => name.length);
  const height = 22 + ROW * Math.max(...sizes.map((size) => sizes.filter((other) => other === size).length));
  const links = sequences.flatMap(({ parent }, k) => (parent >= 0 ? [[parent, k]] : []));
  const more = "dashed: a set that is here more than once";
  const tree = createPanel("tree", "Tree of sequences", more, sequences, links, sequences.map(({ state }) => state));
  const sets = createPanel("sets", "DAG of sets", "each set is here once", states, steps, orders.map((_, k) => k));
  let shown = null;

  // What boxes are called, how they are linked, and which set each one is.
  function createPanel(kind, title, note, boxes, ways, of) {
    const body = el("div", { class: "picture" });
    const heading = el("p", {}, el("b", {}, `${title}: ${boxes.length} states`), el("span", {}, note));
    stage.append(el("section", { class: `panel ${kind}` }, heading, body));
    const place = { body, width: 0, height };
    const graph = createStateGraph({ place, hub, colours, redraw, look: () => LOOK });
    const [keys, labels] = [of.map(String), boxes.map(({ name }) => name)];
    const scene = { nodes: [], listed: true, sized: true, copies: true, states: boxes.map(() => []) };
    const counts = of.map((set) => of.filter((other) => other === set).length);
    const column = labels.map((name) => name.length - 1);
    Object.assign(scene, { labels, keys, links: ways, counts, column });
    return { place, graph, scene, numbers: [] };
  }
  function draw({ place, graph, scene, numbers }) {
    place.width = place.body.clientWidth;
    if (!shown || !place.width) return;
    place.body.style.height = `${height}px`;
    graph.draw({ scene, get: (name) => (name === "notes" ? numbers : null) });
  }

  // Every sequence flies to its set, or back.
  function fly(merged) {
    const frameOf = (element) => element.getBoundingClientRect();
    const { left, top } = frameOf(stage);
    sequences.forEach(({ name, state }, k) => {
      const ends = [[tree, k], [sets, state]].map(([{ place, graph }, at]) => {
        const [box, { x, y }] = [frameOf(place.body), graph.placeOf(at)];
        return { transform: `translate(${box.left - left + x}px, ${box.top - top + y}px) translate(-50%, -50%)` };
      });
      const flyer = el("span", { class: "flyer", "aria-hidden": "true" }, name);
      stage.append(flyer);
      const time = { duration: 900, easing: "cubic-bezier(0.5, 0, 0.2, 1)" };
      flyer.animate(merged ? ends : ends.reverse(), time).finished.finally(() => flyer.remove());
    });
  }

  return (next) => {
    const { merged, bySequence, byState } = next;
    const turned = shown && merged !== shown.merged;
    shown = next;
    tree.numbers = merged ? [] : bySequence.map(thousands);
    sets.numbers = merged ? byState.map(thousands) : [];
    put(stage, "class", `stage ${merged ? "merged" : "apart"}`);
    redraw();
    if (turned && !lessMotion()) fly(merged);
  };
}
