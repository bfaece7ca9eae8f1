// assets/kit/dom.js
var SVG = "http://www.w3.org/2000/svg";
var written = (value) => typeof value === "number" ? Math.round(value * 100) / 100 : value;
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) element.setAttribute(name, value === true ? "" : written(value));
  }
  element.append(...children);
  return element;
}
var el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
var svgEl = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// assets/kit/views.js
function keptView(create) {
  const views = /* @__PURE__ */ new WeakMap();
  return latest((component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) {
      const made2 = { path: window.location.pathname, back: way().back };
      views.set(parentElement, { view: create(parentElement), made: made2 });
    }
    const { view, made } = views.get(parentElement);
    view.show(data, { ...component, ...telling(component, parentElement, made) });
    return () => {
      if (parentElement.isConnected) return;
      view.destroy?.();
      views.delete(parentElement);
    };
  });
}
function latest(show) {
  return (component) => {
    let end = null;
    const soon = setTimeout(() => {
      end = show(component);
    });
    return () => {
      clearTimeout(soon);
      end?.();
    };
  };
}
function telling({ setTriggerValue, setStateValue }, parentElement, made) {
  const patient = (tell) => tell && unlessLeaving(tell, made, () => parentElement.isConnected);
  return { setTriggerValue: patient(setTriggerValue), setStateValue: patient(setStateValue) };
}
var PATIENCE = 5e3;
var BACK_MS = 1e3;
function way() {
  if (window.wayElsewhere) return window.wayElsewhere;
  const kept = window.wayElsewhere = { from: null, until: 0, back: -Infinity };
  const begin = (from) => Object.assign(kept, { from, until: performance.now() + PATIENCE });
  window.addEventListener("click", (event) => leads(event) && begin(window.location.pathname), true);
  window.addEventListener("popstate", () => Object.assign(begin(null), { back: performance.now() }), true);
  return kept;
}
function leads(event) {
  const link = event.composedPath().find(({ tagName }) => tagName === "A");
  if (!link?.href || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  return link.target !== "_blank" && !link.download && link.pathname !== window.location.pathname;
}
function unlessLeaving(tell, made, here) {
  const known = way();
  return function told(...given) {
    const leaving = made.path !== window.location.pathname || known.from === window.location.pathname;
    const until = leaving ? known.until : known.back === made.back ? 0 : known.back + BACK_MS;
    const wait = until - performance.now();
    if (!here()) return;
    if (wait <= 0) tell(...given);
    else setTimeout(() => told(...given), wait);
  };
}

// pages/ui/components/graph_editor.js
var [WIDE, HIGH, RADIUS, SIDE, NEAR] = [800, 320, 15, 28, 34];
var PITCH = 64;
var SHAPES = [
  () => svgEl("circle", { class: "shape", r: RADIUS }),
  () => svgEl("rect", { class: "shape", x: -SIDE / 2, y: -SIDE / 2, width: SIDE, height: SIDE }),
  () => svgEl("path", { class: "shape", d: `M0 ${-RADIUS - 3}L${RADIUS + 3} 0L0 ${RADIUS + 3}L${-RADIUS - 3} 0Z` })
];
var graph_editor_default = keptView((parentElement) => createEditor(parentElement.querySelector(".editor")));
function createEditor(root) {
  let [nodes, edges, classes, most] = [[], [], [], 0];
  let [chosen, mode, said, tell] = [null, 0, "", () => {
  }];
  const about = { role: "group", "aria-label": "Sheet to draw on" };
  const sheet = svgEl("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, ...about, onclick: onSheet });
  const tools = el("div", { class: "tools", role: "toolbar" });
  root.replaceChildren(tools, sheet);
  const at = ([x, y]) => [x * WIDE, y * HIGH];
  const same = ([a, b], [c, d]) => a === c && b === d || a === d && b === c;
  function report() {
    said = JSON.stringify({ nodes, edges });
    draw();
    tell({ nodes, edges });
  }
  const apart = ([x, y], [other, higher]) => Math.hypot(x - other, y - higher);
  const isFree = (place) => nodes.every((node) => apart(at(node), place) > NEAR);
  function onSheet(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(sheet.getScreenCTM().inverse());
    if (mode !== "remove" && isFree([x, y])) add([x, y]);
  }
  function addBeside() {
    if (mode === "remove") mode = 0;
    const from = chosen === null ? [WIDE / 2, HIGH / 2] : at(nodes[chosen]);
    const places = [];
    for (let x = PITCH / 2; x < WIDE; x += PITCH)
      for (let y = PITCH / 2; y < HIGH; y += PITCH) if (isFree([x, y])) places.push([x, y]);
    if (places.length) add(places.reduce((best, place) => apart(place, from) < apart(best, from) ? place : best));
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
      edges = kept.map((edge) => edge.map((end) => end > node ? end - 1 : end));
      nodes = nodes.filter((_, index) => index !== node);
      chosen = null;
    } else if (chosen === null) {
      chosen = node;
      draw();
      return;
    } else if (chosen === node) {
      const [x, y, label] = nodes[node];
      const next = label === mode ? (label + 1) % classes.length : mode;
      nodes = nodes.map((one, index) => index === node ? [x, y, next] : one);
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
    const held = root.getRootNode().activeElement?.textContent;
    tools.replaceChildren(
      ...classes.length > 1 ? [el("span", {}, "Class")] : [],
      ...(classes.length > 1 ? classes : ["Draw"]).map((name, number) => tool(name, number)),
      el("button", { type: "button", disabled: nodes.length >= most, onclick: addBeside }, "Add a node"),
      tool("Remove", "remove"),
      el("button", { type: "button", onclick: clear }, "Clear")
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
    sheet.replaceChildren(...nodes.length ? [] : [hint], ...lines, ...marks);
    if (held) [...tools.children, ...marks].find((each) => each.textContent === held)?.focus();
  }
  return {
    show(data, { setStateValue }) {
      tell = (value) => setStateValue("sketch", value);
      [classes, most] = [data.classes, data.most];
      const told = JSON.stringify({ nodes: data.nodes, edges: data.edges });
      if (said === "") [nodes, edges, said] = [data.nodes, data.edges, told];
      draw();
    }
  };
}
export {
  graph_editor_default as default
};
