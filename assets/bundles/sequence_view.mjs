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
function put(element, name, value) {
  if (value == null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(written(value))) element.setAttribute(name, written(value));
}
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// assets/kit/numbers.js
function percent(share, digits = usefulDigits(share)) {
  const [value, least] = [100 * share, 10 ** -digits];
  let text = value.toFixed(digits);
  if (share > 0 && value < least / 2) text = `<${least.toFixed(digits)}`;
  if (share < 1 && value >= 100 - least / 2) text = `>${(100 - least).toFixed(digits)}`;
  return `${text} %`;
}
function usefulDigits(share) {
  if (share === 0 || share === 1) return 0;
  return share < 995e-5 ? 2 : share < 0.0995 || share > 0.99 ? 1 : 0;
}
var thousands = (count) => count.toLocaleString("en");

// assets/kit/paths.js
function curve([x0, y0], [x1, y1]) {
  const middle = (x0 + x1) / 2;
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}

// pages/ui/components/sequence_drawing.js
var BOX = { height: 22, letter: 8.2, margin: 14 };
function plan(data, width) {
  const wide = width >= 620;
  const panel2 = wide ? (width - 28) / 2 : width;
  const rowHeight = 36;
  const height = 34 + data.rows * rowHeight;
  const columns = Math.max(...data.states.map((state) => state.size));
  const step2 = (panel2 - 84) / (columns - 1);
  const place = (left, top) => (size, row) => ({
    x: left + 34 + (size - 1) * step2,
    y: top + 28 + rowHeight / 2 + row * rowHeight
  });
  const second = wide ? { left: panel2 + 28, top: 0 } : { left: 0, top: height + 8 };
  return {
    width,
    height: wide ? height : 2 * height + 8,
    panel: { width: panel2, height },
    second,
    tree: place(0, 0),
    dag: place(second.left, second.top)
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
    svgEl("text", { class: "count", y: BOX.height / 2 + 10 })
  );
}
function step(from, to, fromName, toName) {
  const ends = [[from.x + boxOf(fromName).width / 2, from.y], [to.x - boxOf(toName).width / 2, to.y]];
  return svgEl("path", { class: "step", d: curve(...ends) });
}
function panel({ left, top }, { width, height }, heading, note) {
  return [
    svgEl("rect", { class: "panel", x: left + 0.5, y: top + 0.5, width: width - 1, height: height - 1, rx: 9 }),
    svgEl("text", { class: "heading", x: left + 12, y: top + 20 }, heading),
    svgEl("text", { class: "note", x: left + width - 12, y: top + 20, "text-anchor": "end" }, note)
  ];
}
function buildStage(stage, data, width) {
  const places = plan(data, width);
  const { sequences, states, steps, orders } = data;
  const copied = (state) => orders[state] > 1 ? " copied" : "";
  const at = {
    tree: sequences.map(({ name, row }) => places.tree(name.length, row)),
    dag: states.map(({ size: size2, row }) => places.dag(size2, row))
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
  const place = (group, box2, { x, y }) => {
    box2.setAttribute("transform", `translate(${x},${y})`);
    group.append(box2);
    return box2;
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
function updateStage(drawn, data) {
  const { svg, treeBoxes, dagBoxes } = drawn;
  put(svg, "class", data.merged ? "merged" : "apart");
  const lead = `${data.sequences.length} sequences lead to ${data.states.length} sets.`;
  put(svg, "aria-label", `${lead} ${data.merged ? "Equal sets are merged." : ""}`);
  const say = (box, text) => {
    box.querySelector(".count").textContent = text;
  };
  treeBoxes.forEach((box, i) => say(box, data.merged ? "" : thousands(data.bySequence[i])));
  dagBoxes.forEach((box, i) => say(box, data.merged ? thousands(data.byState[i]) : ""));
}
function fly(drawn, data) {
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

// pages/ui/components/sequence_results.js
var COLUMNS = ["Set", "Orders", "Drawn (bar) and R/Z (line)", "Drawn", "R/Z", "Drawn ÷ R/Z"];
var PLOT = { width: 300, height: 166, left: 38, right: 14, top: 12, bottom: 36 };
function buildTable(holder, data) {
  const heads = COLUMNS.map((name, i) => el("th", { scope: "col", class: i === 2 ? "bars" : null }, name));
  const rows = data.states.map(
    ({ name }, state) => el(
      "tr",
      { "data-state": state },
      el("th", { scope: "row" }, name),
      el("td", {}, String(data.orders[state])),
      el("td", { class: "bars" }, el("span", { class: "bar" }), el("span", { class: "goal" })),
      el("td"),
      el("td"),
      el("td", { class: "times" })
    )
  );
  holder.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows)));
  return rows;
}
function updateTable(rows, data) {
  const most = 1.05 * Math.max(...data.frequency, ...data.target);
  rows.forEach((row, i) => {
    const [, , bar, drawn, goal, times] = row.children;
    bar.children[0].style.width = `${100 * data.frequency[i] / most}%`;
    bar.children[1].style.left = `${100 * data.target[i] / most}%`;
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
    x: (k) => left + k / (orders + 0.4) * (width - left - right),
    y: (value) => height - bottom - Math.min(value, most) / most * (height - top - bottom)
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
  holder.replaceChildren(el("figcaption", {}, "Drawn ÷ R/Z, against orders"), svg);
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

// pages/ui/components/sequence_view.js
var sequence_view_default = keptView((parentElement) => createView(parentElement.querySelector(".sequences")));
function createView(root) {
  const stage = root.querySelector(".stage");
  const figure = root.querySelector(".factors");
  let [data, rows, drawn, points] = [null, null, null, null];
  const layOut = () => {
    const width = Math.round(stage.clientWidth);
    if (!data || !width || drawn?.width === width) return;
    drawn = buildStage(stage, data, width);
    updateStage(drawn, data);
  };
  const watcher = new ResizeObserver(layOut);
  watcher.observe(stage);
  listen(root);
  return {
    show(next) {
      const turned = data !== null && next.merged !== data.merged;
      data = next;
      rows ??= buildTable(root.querySelector(".table"), data);
      layOut();
      if (drawn) updateStage(drawn, data);
      if (drawn && turned) fly(drawn, data);
      updateTable(rows, data);
      if (points?.highest !== data.highest) points = buildPlot(figure, data);
      updatePlot(points, data);
    },
    destroy: () => watcher.disconnect()
  };
}
function listen(root) {
  const mark = (state) => {
    for (const element of root.querySelectorAll("[data-state]")) {
      element.classList.toggle("marked", state !== void 0 && element.dataset.state === state);
    }
  };
  root.addEventListener("pointerover", (event) => mark(event.target.closest("[data-state]")?.dataset.state));
  root.addEventListener("pointerleave", () => mark(void 0));
}
export {
  sequence_view_default as default
};
