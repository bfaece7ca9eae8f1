// Two pictures side by side: the tree of sequences and the state DAG. Copies of a set fly together when merged.

const SVG = "http://www.w3.org/2000/svg";
const BOX = { height: 24, letter: 8.2, margin: 14 };

function draw(tag, attributes = {}, className = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (className) element.setAttribute("class", className);
  return element;
}

function write(element, text) {
  element.textContent = text;
  return element;
}

// Where everything is: the panels stand side by side, one above the other where there is little room.
function plan(data, width) {
  const wide = width >= 620;
  const panel = wide ? (width - 28) / 2 : width;
  const rowHeight = 40;
  const height = 36 + data.rows * rowHeight;
  const columns = Math.max(...data.states.map((state) => state.size));
  const step = (panel - 84) / (columns - 1);
  const place = (left, top) => (size, row) => ({
    x: left + 34 + (size - 1) * step,
    y: top + 30 + rowHeight / 2 + row * rowHeight,
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
  const group = draw("g", { "data-state": state }, className);
  const { width, x } = boxOf(name);
  group.append(draw("rect", { x, y: -BOX.height / 2, width, height: BOX.height, rx: 7 }));
  group.append(write(draw("text", { class: "label", y: 4.5 }), name));
  group.append(draw("text", { class: "count", y: BOX.height / 2 + 11 }));
  return group;
}

function line(from, to, fromName, toName) {
  const x1 = from.x + boxOf(fromName).width / 2;
  const x2 = to.x - boxOf(toName).width / 2;
  const middle = (x1 + x2) / 2;
  return `M${x1},${from.y} C${middle},${from.y} ${middle},${to.y} ${x2},${to.y}`;
}

function buildStage(stage, data, width) {
  const places = plan(data, width);
  const { sequences, states, steps, orders } = data;
  const svg = draw("svg", { viewBox: `0 0 ${places.width} ${places.height}`, role: "img" });
  const copied = (state) => (orders[state] > 1 ? " copied" : "");
  const at = {
    tree: sequences.map(({ name, row }) => places.tree(name.length, row)),
    dag: states.map(({ size, row }) => places.dag(size, row)),
  };

  const tree = draw("g", {}, "tree");
  const dag = draw("g", {}, "dag");
  const flying = draw("g", {}, "flying");
  const { second, panel } = places;
  tree.append(draw("rect", { x: 0.5, y: 0.5, width: panel.width - 1, height: panel.height - 1, rx: 9 }, "panel"));
  dag.append(draw("rect",
    { x: second.left + 0.5, y: second.top + 0.5, width: panel.width - 1, height: panel.height - 1, rx: 9 }, "panel"));
  const heading = (count, what) => `${what}: ${count} states`;
  tree.append(write(draw("text", { class: "heading", x: 12, y: 20 }), heading(sequences.length, "Tree of sequences")));
  dag.append(write(draw("text", { class: "heading", x: second.left + 12, y: second.top + 20 }),
    heading(states.length, "DAG of sets")));
  const note = (x, y, text) => write(draw("text", { class: "note", x, y, "text-anchor": "end" }), text);
  tree.append(note(panel.width - 12, 20, panel.width > 400 ? "dashed: a set that is here more than once" : "dashed: copies of a set"));
  dag.append(note(second.left + panel.width - 12, second.top + 20, "each set is here once"));

  sequences.forEach(({ name, parent }, i) => {
    if (parent < 0) return;
    tree.append(draw("path", { d: line(at.tree[parent], at.tree[i], sequences[parent].name, name) }, "step"));
  });
  for (const [a, b] of steps) {
    dag.append(draw("path", { d: line(at.dag[a], at.dag[b], states[a].name, states[b].name) }, "step"));
  }
  const put = (group, box, { x, y }) => {
    box.setAttribute("transform", `translate(${x},${y})`);
    group.append(box);
    return box;
  };
  const treeBoxes = sequences.map(({ name, state }, i) => put(tree, makeBox(name, `box${copied(state)}`, state), at.tree[i]));
  const dagBoxes = states.map(({ name }, i) => put(dag, makeBox(name, `box${copied(i)}`, i), at.dag[i]));
  const flyers = sequences.map(({ name, state }) => {
    const box = makeBox(name, `box${copied(state)}`, state);
    flying.append(box);
    return box;
  });
  svg.append(tree, dag, flying);
  stage.replaceChildren(svg);
  return { svg, at, treeBoxes, dagBoxes, flyers, flying, width };
}

// The numbers on the boxes, and which of the two pictures counts at the moment.
function updateStage(drawn, data) {
  const { svg, treeBoxes, dagBoxes } = drawn;
  svg.setAttribute("class", data.merged ? "merged" : "apart");
  svg.setAttribute("aria-label",
    `${data.sequences.length} sequences lead to ${data.states.length} sets. ${data.merged ? "Equal sets are merged." : ""}`);
  const say = (box, count) => { box.querySelector(".count").textContent = count === undefined ? "" : count.toLocaleString("en"); };
  treeBoxes.forEach((box, i) => say(box, data.merged ? undefined : data.bySequence[i]));
  dagBoxes.forEach((box, i) => say(box, data.merged ? data.byState[i] : undefined));
}

// Every sequence flies to its set, or back.
function fly(drawn, data) {
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
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
