// Two pictures side by side: the tree of sequences and the state DAG. Copies of a set fly together when merged.

import { lessMotion, put, svgEl } from "../../../assets/kit/dom.js";
import { thousands } from "../../../assets/kit/numbers.js";
import { curve } from "../../../assets/kit/paths.js";

const BOX = { height: 22, letter: 8.2, margin: 14 };

// Where everything is: the panels stand side by side, one above the other where there is little room.
function plan(data, width) {
  const wide = width >= 620;
  const panel = wide ? (width - 28) / 2 : width;
  const rowHeight = 36;
  const height = 34 + data.rows * rowHeight;
  const columns = Math.max(...data.states.map((state) => state.size));
  const step = (panel - 84) / (columns - 1);
  const place = (left, top) => (size, row) => ({
    x: left + 34 + (size - 1) * step,
    y: top + 28 + rowHeight / 2 + row * rowHeight,
  });
  const second = wide ? { left: panel + 28, top: 0 } : { left: 0, top: height + 8 };
  return {
    width,
    height: wide ? height : 2 * height + 8,
    panel: { width: panel, height },
    second,
    tree: place(0, 0),
    dag: place(second.left, second.top),
  };
}

function boxOf(name) {
  const width = name.length * BOX.letter + BOX.margin;
  return { width, x: -width / 2 };
}

function makeBox(name, className, state) {
  const { width, x } = boxOf(name);
  return svgEl(
    "g",
    { "data-state": state, class: className },
    svgEl("rect", { x, y: -BOX.height / 2, width, height: BOX.height, rx: 7 }),
    svgEl("text", { class: "label", y: 4.2 }, name),
    svgEl("text", { class: "count", y: BOX.height / 2 + 10 }),
  );
}

// A step between two boxes, from side to side.
function step(from, to, fromName, toName) {
  const ends = [[from.x + boxOf(fromName).width / 2, from.y], [to.x - boxOf(toName).width / 2, to.y]];
  return svgEl("path", { class: "step", d: curve(...ends) });
}

// The frame of one picture with its heading and a note.
function panel({ left, top }, { width, height }, heading, note) {
  return [
    svgEl("rect", { class: "panel", x: left + 0.5, y: top + 0.5, width: width - 1, height: height - 1, rx: 9 }),
    svgEl("text", { class: "heading", x: left + 12, y: top + 20 }, heading),
    svgEl("text", { class: "note", x: left + width - 12, y: top + 20, "text-anchor": "end" }, note),
  ];
}

export function buildStage(stage, data, width) {
  const places = plan(data, width);
  const { sequences, states, steps, orders } = data;
  const copied = (state) => (orders[state] > 1 ? " copied" : "");
  const at = {
    tree: sequences.map(({ name, row }) => places.tree(name.length, row)),
    dag: states.map(({ size, row }) => places.dag(size, row)),
  };
  const size = places.panel;
  const copies = size.width > 400 ? "dashed: a set that is here more than once" : "dashed: copies of a set";
  const tree = svgEl("g", { class: "tree" });
  tree.append(...panel({ left: 0, top: 0 }, size, `Tree of sequences: ${sequences.length} states`, copies));
  const dag = svgEl("g", { class: "dag" });
  dag.append(...panel(places.second, size, `DAG of sets: ${states.length} states`, "each set is here once"));
  const flying = svgEl("g", { class: "flying" });
  sequences.forEach(({ name, parent }, i) => {
    if (parent >= 0) tree.append(step(at.tree[parent], at.tree[i], sequences[parent].name, name));
  });
  for (const [a, b] of steps) dag.append(step(at.dag[a], at.dag[b], states[a].name, states[b].name));
  const place = (group, box, { x, y }) => {
    box.setAttribute("transform", `translate(${x},${y})`);
    group.append(box);
    return box;
  };
  const box = (name, state) => makeBox(name, `box${copied(state)}`, state);
  const treeBoxes = sequences.map(({ name, state }, i) => place(tree, box(name, state), at.tree[i]));
  const dagBoxes = states.map(({ name }, i) => place(dag, box(name, i), at.dag[i]));
  const flyers = sequences.map(({ name, state }) => box(name, state));
  flying.append(...flyers);
  const view = { viewBox: `0 0 ${places.width} ${places.height}`, role: "img" };
  const svg = svgEl("svg", view, tree, dag, flying);
  stage.replaceChildren(svg);
  return { svg, at, treeBoxes, dagBoxes, flyers, flying, width };
}

// The numbers on the boxes, and which of the two pictures counts at the moment.
export function updateStage(drawn, data) {
  const { svg, treeBoxes, dagBoxes } = drawn;
  put(svg, "class", data.merged ? "merged" : "apart");
  const lead = `${data.sequences.length} sequences lead to ${data.states.length} sets.`;
  put(svg, "aria-label", `${lead} ${data.merged ? "Equal sets are merged." : ""}`);
  const say = (box, text) => { box.querySelector(".count").textContent = text; };
  treeBoxes.forEach((box, i) => say(box, data.merged ? "" : thousands(data.bySequence[i])));
  dagBoxes.forEach((box, i) => say(box, data.merged ? thousands(data.byState[i]) : ""));
}

// Every sequence flies to its set, or back.
export function fly(drawn, data) {
  if (lessMotion()) return;
  const { at, flyers, flying } = drawn;
  flying.classList.add("seen");
  const time = { duration: 900, easing: "cubic-bezier(0.5, 0, 0.2, 1)" };
  const flights = flyers.map((box, i) => {
    const there = at.dag[data.sequences[i].state];
    const ends = [at.tree[i], there].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
    return box.animate(data.merged ? ends : ends.reverse(), time).finished;
  });
  Promise.allSettled(flights).then(() => flying.classList.remove("seen"));
}
