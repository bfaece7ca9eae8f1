// A sheet to draw a graph on: a click or a button adds a node, two clicks link two nodes, or take the link away.

import { el, svgEl } from "../kit/dom.js";
import { keptView } from "../kit/views.js";

const [WIDE, HIGH, RADIUS, SIDE, NEAR] = [800, 320, 15, 28, 34]; // of the sheet; of a node; no two are nearer than NEAR
const PITCH = 64; // between the places for nodes that no pointer placed
const SHAPES = [
  () => svgEl("circle", { class: "shape", r: RADIUS }),
  () => svgEl("rect", { class: "shape", x: -SIDE / 2, y: -SIDE / 2, width: SIDE, height: SIDE }),
  () => svgEl("path", { class: "shape", d: `M0 ${-RADIUS - 3}L${RADIUS + 3} 0L0 ${RADIUS + 3}L${-RADIUS - 3} 0Z` }),
];

export default keptView((parentElement) => createEditor(parentElement.querySelector(".editor")));

function createEditor(root) {
  let [nodes, edges, classes, most] = [null, null, [], 0];
  let [chosen, mode, tell] = [null, 0, () => {}];
  const about = { role: "group", "aria-label": "Sheet to draw on" };
  const sheet = svgEl("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, ...about, onclick: onSheet });
  const tools = el("div", { class: "tools", role: "toolbar" });
  root.replaceChildren(tools, sheet);

  const at = ([x, y]) => [x * WIDE, y * HIGH];
  const same = ([a, b], [c, d]) => (a === c && b === d) || (a === d && b === c);

  function report() {
    draw();
    tell({ points: nodes.map(([x, y]) => [x, y]), classes: nodes.map(([, , kind]) => kind), edges });
  }

  const apart = ([x, y], [other, higher]) => Math.hypot(x - other, y - higher);
  const isFree = (place) => nodes.every((node) => apart(at(node), place) > NEAR);

  function onSheet(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(sheet.getScreenCTM().inverse());
    if (mode !== "remove" && isFree([x, y])) add([x, y]);
  }

  // A node beside the chosen one, or in the middle: for those who have no pointer.
  function addBeside() {
    if (mode === "remove") mode = 0;
    const from = chosen === null ? [WIDE / 2, HIGH / 2] : at(nodes[chosen]);
    const places = [];
    for (let x = PITCH / 2; x < WIDE; x += PITCH)
      for (let y = PITCH / 2; y < HIGH; y += PITCH) if (isFree([x, y])) places.push([x, y]);
    if (places.length) add(places.reduce((best, place) => (apart(place, from) < apart(best, from) ? place : best)));
  }

  function add([x, y]) {
    if (nodes.length >= most) return;
    nodes = [...nodes, [x / WIDE, y / HIGH, mode]];
    if (chosen !== null) edges = [...edges, [chosen, nodes.length - 1]];
    chosen = nodes.length - 1;
    report();
  }

  function onNode(event, node) {
    event.stopPropagation();
    if (mode === "remove") {
      const kept = edges.filter((edge) => !edge.includes(node));
      edges = kept.map((edge) => edge.map((end) => (end > node ? end - 1 : end)));
      nodes = nodes.filter((_, index) => index !== node);
      chosen = null;
    } else if (chosen === null) {
      chosen = node;
      draw();
      return;
    } else if (chosen === node) {
      const [x, y, label] = nodes[node];
      const next = label === mode ? (label + 1) % classes.length : mode;
      nodes = nodes.map((one, index) => (index === node ? [x, y, next] : one));
      chosen = null;
    } else {
      const edge = [chosen, node];
      const there = edges.some((one) => same(one, edge));
      edges = there ? edges.filter((one) => !same(one, edge)) : [...edges, edge];
      chosen = null;
    }
    report();
  }

  function tool(name, value) {
    const pick = () => {
      mode = value;
      chosen = null;
      draw();
    };
    return el("button", { type: "button", "aria-pressed": String(mode === value), onclick: pick }, name);
  }

  function clear() {
    [nodes, edges, chosen] = [[], [], null];
    report();
  }

  function draw() {
    const held = root.getRootNode().activeElement?.textContent; // what has the focus is drawn anew, and keeps it
    tools.replaceChildren(
      ...(classes.length > 1 ? [el("span", {}, "Class")] : []),
      ...(classes.length > 1 ? classes : ["Draw"]).map((name, number) => tool(name, number)),
      el("button", { type: "button", disabled: nodes.length >= most, onclick: addBeside }, "Add a node"),
      tool("Remove", "remove"),
      el("button", { type: "button", onclick: clear }, "Clear"),
    );
    const lines = edges.map(([a, b]) => {
      const [[x1, y1], [x2, y2]] = [at(nodes[a]), at(nodes[b])];
      return svgEl("line", { x1, y1, x2, y2 });
    });
    const marks = nodes.map((node, index) => {
      const kind = classes.length > 1 ? `, class ${classes[node[2]]}` : "";
      const named = { tabindex: 0, role: "button", "aria-label": `Node ${index}${kind}` };
      const press = (event) => event.key === "Enter" && onNode(event, index);
      const place = { transform: `translate(${at(node).join(" ")})`, class: index === chosen ? "node chosen" : "node" };
      const heard = { onclick: (event) => onNode(event, index), onkeydown: press };
      return svgEl("g", { ...place, ...named, ...heard }, SHAPES[node[2]](), svgEl("text", { y: 4 }, String(index)));
    });
    const hint = svgEl("text", { class: "hint", x: WIDE / 2, y: HIGH / 2 }, "Click here");
    sheet.replaceChildren(...(nodes.length ? [] : [hint]), ...lines, ...marks);
    if (held) [...tools.children, ...marks].find((each) => each.textContent === held)?.focus();
  }

  return {
    show(data, { setStateValue }) {
      tell = (value) => setStateValue("sketch", value);
      [classes, most] = [data.kinds, data.most];
      nodes ??= data.points.map((point, index) => [...point, data.classes[index]]); // later on the browser knows better
      edges ??= data.edges;
      draw();
    },
  };
}
