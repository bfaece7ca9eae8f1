// A sheet to draw a graph on: a click adds a node, two clicks link two nodes, or take the link away.

import { el, svgEl } from "../../../assets/kit/dom.js";
import { keptView } from "../../../assets/kit/views.js";

const [WIDE, HIGH, RADIUS, SIDE, NEAR] = [800, 320, 15, 28, 34]; // of the sheet; of a node; no two are nearer than NEAR
const SHAPES = [
  () => svgEl("circle", { class: "shape", r: RADIUS }),
  () => svgEl("rect", { class: "shape", x: -SIDE / 2, y: -SIDE / 2, width: SIDE, height: SIDE }),
  () => svgEl("path", { class: "shape", d: `M0 ${-RADIUS - 3}L${RADIUS + 3} 0L0 ${RADIUS + 3}L${-RADIUS - 3} 0Z` }),
];

export default keptView((parentElement) => createEditor(parentElement.querySelector(".editor")));

function createEditor(root) {
  let [nodes, edges, classes, most] = [[], [], [], 0];
  let [chosen, mode, said, tell] = [null, 0, "", () => {}];
  const about = { role: "group", "aria-label": "Sheet to draw on" };
  const sheet = svgEl("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, ...about, onclick: onSheet });
  const tools = el("div", { class: "tools", role: "toolbar" });
  root.replaceChildren(tools, sheet);

  const at = ([x, y]) => [x * WIDE, y * HIGH];
  const same = ([a, b], [c, d]) => (a === c && b === d) || (a === d && b === c);

  function report() {
    said = JSON.stringify({ nodes, edges });
    draw();
    tell({ nodes, edges });
  }

  function onSheet(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(sheet.getScreenCTM().inverse());
    const far = nodes.every((node) => Math.hypot(at(node)[0] - place.x, at(node)[1] - place.y) > NEAR);
    if (mode === "remove" || !far || nodes.length >= most) return;
    nodes = [...nodes, [place.x / WIDE, place.y / HIGH, mode]];
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
    tools.replaceChildren(
      ...(classes.length > 1 ? [el("span", {}, "Class")] : []),
      ...(classes.length > 1 ? classes : ["Draw"]).map((name, number) => tool(name, number)),
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
  }

  return {
    show(data, { setStateValue }) {
      tell = (value) => setStateValue("sketch", value);
      [classes, most] = [data.classes, data.most];
      const told = JSON.stringify({ nodes: data.nodes, edges: data.edges });
      if (said === "") [nodes, edges, said] = [data.nodes, data.edges, told]; // later on the browser knows better
      draw();
    },
  };
}
