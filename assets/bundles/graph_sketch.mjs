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

// assets/kit/paths.js
var span = (values) => [Math.min(...values), Math.max(...values)];

// assets/kit/leaving.js
var PATIENCE = 5e3;
function way() {
  if (window.wayElsewhere) return window.wayElsewhere;
  const kept = window.wayElsewhere = { from: null, until: 0 };
  window.addEventListener("click", (event) => leads(event) && Object.assign(kept, begun()), true);
  return kept;
}
var begun = () => ({ from: window.location.pathname, until: performance.now() + PATIENCE });
function leads(event) {
  const link = event.composedPath().find(({ tagName }) => tagName === "A");
  if (!link?.href || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  return link.target !== "_blank" && !link.download && link.pathname !== window.location.pathname;
}
function unlessLeaving(tell, here) {
  const known = way();
  return function told(...given) {
    const wait = known.from === window.location.pathname ? known.until - performance.now() : 0;
    if (wait <= 0) tell(...given);
    else setTimeout(() => here() && told(...given), wait);
  };
}

// assets/kit/views.js
function keptView(create) {
  const views = /* @__PURE__ */ new WeakMap();
  return (component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) views.set(parentElement, create(parentElement));
    const view = views.get(parentElement);
    view.show(data, { ...component, ...telling(component, parentElement) });
    return () => {
      if (parentElement.isConnected) return;
      view.destroy?.();
      views.delete(parentElement);
    };
  };
}
function telling({ setTriggerValue, setStateValue }, parentElement) {
  const patient = (tell) => tell && unlessLeaving(tell, () => parentElement.isConnected);
  return { setTriggerValue: patient(setTriggerValue), setStateValue: patient(setStateValue) };
}

// pages/ui/components/graph_sketch.js
var [RADIUS, EDGE, LONGEST] = [9, 11, 42];
var graph_sketch_default = keptView((parentElement) => {
  const root = parentElement.querySelector(".sketch");
  return { show: (data) => root.replaceChildren(picture(data), el("figcaption", {}, data.caption)) };
});
function picture({ nodes, edges, height }) {
  const [[left, right], [top, bottom]] = ["x", "y"].map((axis) => span(nodes.map((node) => node[axis])));
  const high = height - 2 * EDGE;
  const scale = Math.min(LONGEST, high / Math.max(bottom - top, 1e-6));
  const width = (right - left) * scale + 2 * EDGE;
  const at = nodes.map(({ x, y }) => [EDGE + (x - left) * scale, height / 2 + (y - (top + bottom) / 2) * scale]);
  const names = nodes.map(({ label }) => label).join(", ");
  const about = { role: "img", "aria-label": `A graph with the nodes ${names}` };
  const svg = svgEl("svg", { viewBox: `0 0 ${width} ${height}`, style: `height: ${height}px`, ...about });
  for (const [a, b] of edges) {
    const both = [a, b].every((node) => nodes[node].role);
    const [[x1, y1], [x2, y2]] = [at[a], at[b]];
    const held = both && nodes.some(({ role }) => role === "in");
    svg.append(svgEl("line", { x1, y1, x2, y2, class: held ? "in" : null }));
  }
  nodes.forEach(({ label, role }, k) => {
    const place = { class: role || null, transform: `translate(${at[k].join(" ")})` };
    svg.append(svgEl("g", place, svgEl("circle", { r: RADIUS }), svgEl("text", {}, label)));
  });
  return svg;
}
export {
  graph_sketch_default as default
};
