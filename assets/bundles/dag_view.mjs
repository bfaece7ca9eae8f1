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
function putAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) put(element, name, value);
}
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// assets/kit/numbers.js
var MINUS = "−";
var SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
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
function amount(log) {
  if (log === -Infinity) return "0";
  const power = log / Math.LN10;
  if (power >= -3 && power < 4) return String(Number(Math.exp(log).toPrecision(3)));
  let exponent = Math.floor(power);
  let mantissa = (10 ** (power - exponent)).toFixed(1);
  if (mantissa === "10.0") [mantissa, exponent] = ["1.0", exponent + 1];
  return `${mantissa}·10${[...String(exponent)].map((digit) => SUPERSCRIPTS[digit]).join("")}`;
}
function plain(value) {
  if (value === 0 || Math.abs(value) >= 0.01 && Math.abs(value) < 1e4) {
    return String(Number(value.toFixed(2))).replace("-", MINUS);
  }
  return (value < 0 ? MINUS : "") + amount(Math.log(Math.abs(value)));
}
var plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// assets/kit/paths.js
var span = (values) => [Math.min(...values), Math.max(...values)];
function curve([x0, y0], [x1, y1]) {
  const middle = (x0 + x1) / 2;
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}
function between(from, to, share) {
  if (Array.isArray(to)) return to.map((value, i) => between(from[i], value, share));
  if (to !== null && typeof to === "object") {
    return Object.fromEntries(Object.entries(to).map(([key, value]) => [key, between(from[key], value, share)]));
  }
  return to === null ? null : (from ?? to) * (1 - share) + to * share;
}

// assets/dag/drawing.js
function measure(picture, data, width) {
  const rows = picture.boxes.map((box) => box.row);
  const columns = 1 + Math.max(...picture.boxes.map((box) => box.column));
  const inColumn = (k) => picture.boxes.filter((box) => box.column === k).length;
  const perColumn = Math.max(...Array.from({ length: columns }, (_, k) => inColumn(k)));
  const roomy = picture.boxes.length <= 24 && perColumn <= 4;
  const [low, high] = span(rows);
  const bars = picture.boxes.some((box) => box.stop !== null);
  const top = 22;
  const across = Math.max(width / columns, roomy ? 58 : 44);
  const tall = tallness(picture) > 0.8;
  const boxW = roomy ? Math.min(92, across * (across > 140 ? 0.62 : 0.56)) : Math.min(tall ? 46 : 54, across * 0.62);
  const boxH = roomy ? picture.named ? 54 : 46 : tall ? 34 : 24;
  const below = roomy ? (bars ? 30 : 4) + (data.draggable ? 18 : 0) : bars ? 8 : 0;
  const cell = boxH + below + (roomy ? 14 : 7);
  const down = Math.max(cell, Math.min((data.height - top - cell) / Math.max(high - low, 0.01), cell * 1.6));
  return {
    roomy,
    across,
    boxW,
    boxH,
    below,
    down,
    top,
    columns,
    cell,
    width: across * columns,
    height: top + cell + down * (high - low),
    low,
    pipe: boxH - 6
    // the whole flow is this wide
  };
}
function tallness({ graph_nodes }) {
  const [[left, right], [top, bottom]] = [2, 3].map((axis) => span(graph_nodes.map((node) => node[axis])));
  return (bottom - top) / Math.max(right - left, 1e-6);
}
function centre(box, size) {
  return [size.across * (box.column + 0.5), size.top + size.boxH / 2 + 4 + (box.row - size.low) * size.down];
}
function ports(picture, flows, size) {
  const byId = new Map(picture.boxes.map((box) => [box.id, box]));
  const ends = picture.links.map(() => ({}));
  const thick = flows.map((flow) => flow === null ? 1.6 : Math.max(flow * size.pipe, 0.8));
  for (const [mine, other, side] of [["source", "target", "from"], ["target", "source", "to"]]) {
    const groups = /* @__PURE__ */ new Map();
    picture.links.forEach((link, k) => groups.set(link[mine], [...groups.get(link[mine]) ?? [], k]));
    for (const [id, links] of groups) {
      const box = byId.get(id);
      const [x, y] = centre(box, size);
      links.sort((a, b) => byId.get(picture.links[a][other]).row - byId.get(picture.links[b][other]).row);
      const spread = flows[links[0]] === null ? 4 : 0;
      const total = links.reduce((sum, k) => sum + thick[k] + spread, -spread);
      let at = y - total / 2;
      for (const k of links) {
        ends[k][side] = [x + (side === "from" ? size.boxW : -size.boxW) / 2, at + thick[k] / 2];
        at += thick[k] + spread;
      }
    }
  }
  return ends.map((end, k) => ({ ...end, thick: thick[k] }));
}
var spine = ({ from, to }) => curve(from, to);
function fitted(picture, width, height) {
  const [[left, right], [top, bottom]] = [2, 3].map((axis) => span(picture.graph_nodes.map((node) => node[axis])));
  const [wide, high] = [right - left, bottom - top];
  const scale = Math.min(width / Math.max(wide, 1e-6), height / Math.max(high, 1e-6), width / 2);
  return new Map(
    picture.graph_nodes.map(([id, , x, y]) => [id, [(x - left - wide / 2) * scale, (y - top - high / 2) * scale]])
  );
}
function thumbnail(picture, nodes, width, height, dot) {
  const inside = new Set(nodes);
  const large = picture.graph_nodes.length > 16;
  const shown = large ? { ...picture, graph_nodes: picture.graph_nodes.filter(([id]) => inside.has(id)) } : picture;
  const at = fitted(shown, width - 2 * dot, height - 2 * dot);
  const crowd = Math.min(1, height * width / (shown.graph_nodes.length * 40 * dot * dot));
  dot *= Math.max(0.55, Math.sqrt(crowd));
  const group = svgEl("g", { class: "sketch" });
  for (const [a, b] of picture.graph_edges) {
    if (!at.has(a) || !at.has(b)) continue;
    const [[x1, y1], [x2, y2]] = [at.get(a), at.get(b)];
    group.append(svgEl("line", { x1, y1, x2, y2, class: inside.has(a) && inside.has(b) ? "in" : "" }));
  }
  for (const [id] of shown.graph_nodes) {
    const [cx, cy] = at.get(id);
    const role = id === picture.start ? "start" : inside.has(id) ? "in" : "";
    group.append(svgEl("circle", { cx, cy, r: inside.has(id) ? dot : dot * 0.7, class: role }));
  }
  return group;
}
function graphBeside(picture, over) {
  const [width, height, count] = [190, 136, picture.graph_nodes.length];
  const radius = count > 24 ? 4 : count > 9 ? 8 : 11;
  const at = fitted(picture, width - 2 * radius - 4, height - 2 * radius - 4);
  const svg = svgEl("svg", {
    viewBox: `${-width / 2} ${-height / 2} ${width} ${height}`,
    role: "group",
    "aria-label": "The graph"
  });
  const lines = picture.graph_edges.map(([a, b]) => {
    const [[x1, y1], [x2, y2]] = [at.get(a), at.get(b)];
    return svgEl("line", { x1, y1, x2, y2 });
  });
  const nodes = picture.graph_nodes.map(([id, label]) => {
    const [x, y] = at.get(id);
    const group = svgEl("g", { class: "node", transform: `translate(${x} ${y})` }, svgEl("circle", { r: radius }));
    const size = label.length > 2 ? radius * 0.85 : radius * 1.1;
    group.append(
      svgEl("text", { "font-size": size }, radius > 5 ? label : ""),
      svgEl("title", {}, `node ${label}`)
    );
    const holding = picture.boxes.filter((box) => box.nodes.includes(id)).reduce((sum, box) => sum + box.count, 0);
    putAll(group, { role: "img", tabindex: -1, "aria-label": `Node ${label}, in ${holding} of the states drawn` });
    for (const name of ["pointerenter", "focus"]) group.addEventListener(name, () => over(id));
    for (const name of ["pointerleave", "blur"]) group.addEventListener(name, () => over(null));
    return group;
  });
  nodes[0].tabIndex = 0;
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const now = nodes.indexOf(event.target);
    if (!step || now < 0) return;
    event.preventDefault();
    nodes[now].tabIndex = -1;
    const next = nodes[(now + step + nodes.length) % nodes.length];
    next.tabIndex = 0;
    next.focus();
  });
  svg.append(...lines, ...nodes);
  const mark = (members) => {
    const inside = new Set(members);
    picture.graph_edges.forEach(([a, b], k) => lines[k].classList.toggle("in", inside.has(a) && inside.has(b)));
    picture.graph_nodes.forEach(([id], k) => {
      nodes[k].classList.toggle("in", inside.has(id));
      nodes[k].classList.toggle("start", id === picture.start);
    });
  };
  return { svg, mark };
}

// assets/dag/slider.js
var REPORT_MS = 100;
var LATE_MS = 1e3;
var SETTLE_MS = 500;
var ANSWER_MS = 2e3;
var STEP = 0.5;
function buildSlider(view, box, y) {
  const { rewardMax } = view.data;
  const wide = view.size.boxW - 12;
  const group = svgEl("g", { class: "slider", role: "slider", tabindex: 0, transform: `translate(0 ${y})` });
  putAll(group, { "aria-label": `Reward of ${box.name}`, "aria-valuemin": 0, "aria-valuemax": rewardMax });
  const room = svgEl("rect", { class: "room", x: -wide / 2 - 8, y: -11, width: wide + 16, height: 22 });
  const level = svgEl("rect", { class: "level", x: -wide / 2, y: -2, height: 4, rx: 2 });
  const grip = svgEl("circle", { class: "grip", r: 6.5 });
  group.append(room, svgEl("rect", { class: "rail", x: -wide / 2, y: -2, width: wide, height: 4, rx: 2 }), level, grip);
  const report = (value, settled = false) => view.rewards.tell({ state: box.id, value, settled });
  const place = () => view.data.picture.boxes.findIndex((other) => other.id === box.id);
  const change = (value) => {
    const rounded = Math.min(rewardMax, Math.max(0, Math.round(value / STEP) * STEP));
    clearTimeout(view.settling);
    if (view.ahead.get(box.id) === rounded) return;
    view.ahead.set(box.id, rounded);
    drawReward(view, place());
    report(rounded);
  };
  const settle = () => {
    if (!view.ahead.has(box.id)) return;
    report(view.ahead.get(box.id), true);
    const fall = () => {
      if (!view.rewards.answered()) {
        view.settling = setTimeout(fall, ANSWER_MS);
        return;
      }
      view.ahead.delete(box.id);
      drawReward(view, place());
    };
    view.settling = setTimeout(fall, ANSWER_MS);
  };
  const fromPointer = (event) => {
    const frame = room.getBoundingClientRect();
    change(rewardMax * (event.clientX - frame.left - 8) / (frame.width - 16));
  };
  group.addEventListener("pointerenter", () => view.showAll(box));
  group.addEventListener("pointerleave", () => view.held === null && view.tell(null));
  group.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    group.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    view.held = box.id;
    fromPointer(event);
  });
  group.addEventListener("pointermove", (event) => view.held === box.id && fromPointer(event));
  for (const name of ["pointerup", "pointercancel"]) {
    group.addEventListener(name, () => {
      view.held = null;
      settle();
      view.measureAgain();
    });
  }
  group.addEventListener("keydown", (event) => {
    const now = rewardOf(view, place());
    const moves = { ArrowRight: STEP, ArrowUp: STEP, ArrowLeft: -STEP, ArrowDown: -STEP, PageUp: 2, PageDown: -2 };
    const value = { Home: 0, End: rewardMax }[event.key] ?? (event.key in moves ? now + moves[event.key] : null);
    if (value === null) return;
    event.preventDefault();
    event.stopPropagation();
    change(value);
    view.settling = setTimeout(settle, SETTLE_MS);
  });
  return { group, level, grip, wide };
}
function oneAtATime(send) {
  let [waiting, timer, last, open] = [null, 0, 0, false];
  const go = () => {
    clearTimeout(timer);
    if (!waiting) return;
    const rest = last + (open ? LATE_MS : REPORT_MS) - performance.now();
    if (rest > 0 && !waiting.settled) {
      timer = setTimeout(go, rest);
      return;
    }
    const report = waiting;
    [waiting, last, open] = [null, performance.now(), true];
    send(report);
  };
  return {
    tell(report) {
      if (waiting && waiting.state !== report.state) send(waiting);
      waiting = report;
      go();
    },
    heard() {
      open = false;
      go();
    },
    answered: () => !open && !waiting
  };
}
var rewardOf = (view, k) => view.ahead.get(view.data.picture.boxes[k].id) ?? view.shown.reward[k];
function drawReward(view, k) {
  const { slider, text } = view.parts.boxes[k];
  const { shown, data } = view;
  const reward = rewardOf(view, k);
  const stops = percent(shown.stop[k] ?? 0);
  if (text) text.textContent = data.draggable ? `R ${plain(reward)} · ${stops}` : stops;
  if (!slider) return;
  const at = slider.wide * reward / data.rewardMax;
  putAll(slider.level, { width: at });
  putAll(slider.grip, { cx: at - slider.wide / 2 });
  putAll(slider.group, { "aria-valuenow": reward, "aria-valuetext": `${plain(reward)}, stops here with ${stops}` });
}

// assets/dag/picture.js
function build(view) {
  const { data, size } = view;
  const { picture } = data;
  const svg = svgEl("svg", { width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}` });
  const what = `State DAG: ${picture.num_states} states in columns by size, the start on the left.`;
  putAll(svg, { role: "group", "aria-label": what });
  for (let k = 0; k < size.columns; k += 1) {
    const text = size.across > 70 ? plural(k + 1, "node") : String(k + 1);
    svg.append(word(text, "size word", { x: size.across * (k + 0.5), y: 13 }));
  }
  const water = svgEl("g");
  const links = picture.links.map((link) => svgEl("path", { class: link.flow === null ? "link bare" : "link" }));
  water.append(...links);
  const streams = size.roomy ? picture.links.map(() => svgEl("path", { class: "stream" })) : [];
  const added = size.roomy ? picture.links.map((link) => word(link.node ? `+${link.node}` : "", "added")) : [];
  const boxes = picture.boxes.map((box) => buildBox(view, box));
  boxes[0].group.tabIndex = 0;
  svg.append(water, svgEl("g", { "aria-hidden": "true" }, ...streams, ...added), ...boxes.map((box) => box.group));
  view.parts = { links, streams, added, boxes };
  return svg;
}
var word = (text, name, at = {}) => svgEl("text", { class: name, ...at }, text);
function buildBox(view, box) {
  const { data, size } = view;
  const [x, y] = centre(box, size);
  const group = svgEl("g", { class: box.id < 0 ? "state rest" : "state", role: "button", tabindex: -1 });
  putAll(group, { transform: `translate(${x} ${y})` });
  const [w, h] = [size.boxW, size.boxH];
  const drain = svgEl("rect", { class: "drain", y: h / 2, height: 6 });
  const frame = { x: -w / 2, y: -h / 2, width: w, height: h, rx: size.roomy ? 9 : 6 };
  group.append(drain);
  if (box.count > 1) group.append(svgEl("rect", { ...frame, x: frame.x + 3, y: frame.y - 3, class: "behind" }));
  group.append(svgEl("rect", { ...frame, class: "card" }));
  const named = size.roomy && data.picture.named && box.id >= 0;
  if (box.id < 0) group.append(word(size.boxW > 60 ? box.name : `+${box.count}`, "word", { y: 4 }));
  else {
    const picture = thumbnail(data.picture, box.nodes, w - 8, named ? h - 20 : h - 6, size.roomy ? 3 : 1.9);
    if (named) picture.setAttribute("transform", "translate(0 -8)");
    group.append(picture);
  }
  if (named) group.append(word(box.name, "name", { y: h / 2 - 6 }));
  const parts = { group, drain };
  const top = h / 2 + 6;
  if (box.stop !== null) {
    const bar = { x: -w / 2, y: size.roomy ? top : h / 2 + 2, height: size.roomy ? 6 : 4, rx: 2 };
    parts.fill = svgEl("rect", { ...bar, class: "ends" });
    parts.wanted = svgEl("rect", { y: bar.y - 2, width: 2, height: bar.height + 4, class: "wanted" });
    group.append(svgEl("rect", { ...bar, width: w, class: "groove" }), parts.fill, parts.wanted);
  }
  if (size.roomy && box.stop !== null) {
    parts.text = word("", "percent", { y: top + 20 + (data.draggable ? 17 : 0) });
    group.append(parts.text);
  }
  listen(view, group, box);
  if (data.draggable && box.id >= 0 && size.roomy) {
    parts.slider = buildSlider(view, box, top + 17);
    group.append(parts.slider.group);
  }
  return parts;
}
function listen(view, group, box) {
  const { boxes } = view.data.picture;
  group.addEventListener("pointerover", (event) => {
    if (view.held === null && !event.target.closest(".slider")) view.tell(current(view, box));
  });
  group.addEventListener("pointerleave", () => view.held === null && view.tell(null));
  group.addEventListener("focus", () => group.matches(":focus-visible") && view.tell(current(view, box)));
  group.addEventListener("blur", () => view.tell(null));
  group.addEventListener("click", (event) => !event.target.closest(".slider") && view.choose(current(view, box)));
  group.addEventListener("keydown", (event) => {
    if (event.target !== group) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      view.choose(current(view, box));
      return;
    }
    const next = neighbour(boxes, box, event.key);
    if (!next) return;
    event.preventDefault();
    group.tabIndex = -1;
    const other = view.parts.boxes[boxes.indexOf(next)].group;
    other.tabIndex = 0;
    other.focus();
  });
}
var current = (view, box) => view.data.picture.boxes.find((other) => other.id === box.id) ?? box;
function neighbour(boxes, box, key) {
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const upwards = { ArrowUp: -1, ArrowDown: 1 }[key];
  const nearest = (some) => some.sort((a, b) => Math.abs(a.row - box.row) - Math.abs(b.row - box.row))[0];
  if (sideways) return nearest(boxes.filter((other) => other.column === box.column + sideways));
  const same = boxes.filter((other) => other.column === box.column);
  if (upwards) return nearest(same.filter((other) => Math.sign(other.row - box.row) === upwards));
  return null;
}
function draw(view) {
  const { parts, size, shown, data } = view;
  const ends = ports(data.picture, shown.flows, size);
  const most = size.roomy ? 1 : Math.max(...shown.stop, ...shown.target, 1e-9);
  ends.forEach((end, k) => {
    const d = spine(end);
    const follows = parts.links[k].classList.contains("path");
    putAll(parts.links[k], { d, "stroke-width": Math.max(end.thick, follows ? 2.6 : 0) });
    if (!size.roomy) return;
    putAll(parts.streams[k], { d, "stroke-width": Math.min(4, end.thick * 0.45) });
    putAll(parts.streams[k], { visibility: end.thick > 3 ? "visible" : "hidden" });
    parts.added[k].classList.toggle("inside", end.thick > 13);
    putAll(parts.added[k], { x: (end.from[0] + end.to[0]) / 2, y: (end.from[1] + end.to[1]) / 2 + 4 });
  });
  data.picture.boxes.forEach((box, k) => {
    const { drain, fill: fill2, wanted } = parts.boxes[k];
    const stop = shown.stop[k];
    const wide = stop === null || shown.flows[0] === null ? 0 : Math.max(0, stop * size.pipe);
    putAll(drain, { x: -wide / 2, width: wide < 0.7 ? 0 : wide });
    if (stop !== null) {
      const target = shown.target[k];
      putAll(fill2, { width: size.boxW * stop / most });
      putAll(wanted, { x: size.boxW * (target ?? 0) / most - size.boxW / 2 - 1 });
      putAll(wanted, { visibility: target === null || target < most / 100 ? "hidden" : "visible" });
    }
    drawReward(view, k);
    putAll(parts.boxes[k].group, { "aria-label": sentence(box, stop, shown.target[k]) });
  });
}
var stateName = (box) => `State ${box.name}, ${plural(box.nodes.length, "node")}`;
function sentence(box, stop, target) {
  const what = box.id < 0 ? `${plural(box.count, "more state")} from ${plural(box.size, "node")} on` : stateName(box);
  const ends = stop === null ? "" : `, stops here with ${percent(stop)}`;
  return `${what}${ends}${target === null ? "" : `, R over Z ${percent(target)}`}`;
}

// assets/dag/dag.js
var GLIDE_MS = 180;
var NARROW = 560;
var shapeOf = (data) => {
  const { boxes, links, graph_nodes, graph_edges } = data.picture;
  const places = boxes.map((box) => [box.id, box.column, box.row, box.count, box.stop === null]);
  const pairs = links.map((link) => [link.source, link.target, link.flow === null]);
  return JSON.stringify([places, pairs, graph_nodes, graph_edges, data.height, data.draggable, data.clickable]);
};
var valuesOf = ({ boxes, links }) => ({
  flows: links.map((link) => link.flow),
  stop: boxes.map((box) => box.stop),
  target: boxes.map((box) => box.target),
  reward: boxes.map((box) => box.reward)
});
function createDag(root, hooks) {
  const stage = root.querySelector(".dag-stage");
  const beside = root.querySelector(".beside");
  const fresh = () => ({ size: null, parts: null, held: null, ahead: /* @__PURE__ */ new Map(), pinned: null, over: null });
  const view = { report: hooks.report, data: null, shape: "", shown: null, ...fresh() };
  view.rewards = oneAtATime((change) => view.report("reward", change));
  const redraw = () => view.parts && draw(view);
  const measureAgain = () => {
    if (!view.data || !stage.clientWidth || view.held !== null) return;
    root.classList.toggle("narrow", root.clientWidth < NARROW);
    const size = measure(view.data.picture, view.data, stage.clientWidth);
    if (view.size?.width === size.width && view.size?.height === size.height && view.parts) return;
    const focused = placeOf(view, root.getRootNode().activeElement);
    view.size = size;
    stage.replaceChildren(build(view));
    redraw();
    mark();
    focused?.(view)?.focus({ preventScroll: true });
  };
  view.measureAgain = measureAgain;
  const observer = new ResizeObserver(measureAgain);
  observer.observe(root);
  view.destroy = () => observer.disconnect();
  const light = (test) => {
    root.classList.toggle("hovering", test !== null);
    const { boxes, links } = view.data.picture;
    boxes.forEach((box, k) => view.parts.boxes[k].group.classList.toggle("lit", test !== null && test.box(box)));
    links.forEach((link, k) => view.parts.links[k].classList.toggle("lit", test !== null && test.link(link)));
  };
  view.tell = (box) => {
    view.over = box?.id ?? null;
    light(
      box && {
        box: (other) => other.id === box.id || linked(view, box, other),
        link: ({ source, target }) => source === box.id || target === box.id
      }
    );
    hooks.over?.(box);
    describe(view, beside, box ?? view.resting());
  };
  view.showAll = (box) => {
    light(null);
    view.over = box.id;
    describe(view, beside, current(view, box));
  };
  view.resting = () => {
    const { boxes } = view.data.picture;
    const wanted = view.pinned ?? view.data.selected ?? view.data.path.at(-1);
    return boxes.find((box) => box.id === view.over) ?? boxes.find((box) => box.states.includes(wanted)) ?? boxes[0];
  };
  const mark = () => {
    if (!view.parts) return;
    const { picture, path, selected } = view.data;
    const on = new Set(path);
    const byId = new Map(picture.boxes.map((box) => [box.id, box]));
    picture.boxes.forEach((box, k) => {
      const { classList } = view.parts.boxes[k].group;
      classList.toggle("path", box.states.some((state) => on.has(state)));
      classList.toggle("selected", box.states.includes(view.pinned ?? selected));
    });
    picture.links.forEach((link, k) => {
      const [a, b] = [byId.get(link.source), byId.get(link.target)];
      const follows = path.some((state, i) => a.states.includes(state) && b.states.includes(path[i + 1]));
      view.parts.links[k].classList.toggle("path", follows);
      if (follows) view.parts.links[k].parentNode.append(view.parts.links[k]);
    });
  };
  view.choose = (box) => {
    if (box.id < 0) return;
    view.pinned = view.data.clickable ? null : box.id;
    if (view.data.clickable) view.report("state", box.id);
    mark();
    describe(view, beside, box);
  };
  view.flag = (states) => {
    if (!view.parts) return;
    view.data.picture.boxes.forEach((box, k) => {
      const at = states.findIndex((state) => state !== null && box.states.includes(state));
      const { dataset } = view.parts.boxes[k].group;
      if (at < 0) delete dataset.flag;
      else dataset.flag = at + 1;
    });
  };
  view.select = (state) => {
    if (view.data.selected === state) return;
    view.data.selected = state;
    mark();
    const box = view.data.picture.boxes.find(({ states }) => states.includes(state));
    if (!box || !view.size) return;
    const [x, y] = centre(box, view.size);
    stage.scrollTo({ left: x - stage.clientWidth / 2, top: y - stage.clientHeight / 2, behavior: "instant" });
  };
  view.show = (data) => {
    const shape = shapeOf(data);
    const before = view.shown;
    const changed = shape !== view.shape;
    view.data = data;
    root.classList.toggle("clickable", data.clickable);
    if (beside) beside.hidden = !data.beside;
    if (changed) {
      Object.assign(view, fresh(), { shape, shown: valuesOf(data.picture) });
      if (beside) {
        view.graph = graphBeside(
          data.picture,
          (node) => light(node === null ? null : { box: (box) => box.nodes.includes(node), link: () => false })
        );
        beside.querySelector(".graph").replaceChildren(view.graph.svg);
      }
      measureAgain();
    } else {
      mark();
      glide(view, before, valuesOf(data.picture), redraw);
    }
    describe(view, beside, view.resting());
    view.rewards.heard();
  };
  return view;
}
function glide(view, from, to, redraw) {
  cancelAnimationFrame(view.frame);
  if (JSON.stringify(from) === JSON.stringify(to)) return;
  const began = performance.now();
  const still = lessMotion();
  const step = (now) => {
    const share = still ? 1 : Math.min(1, Math.max(0, (now - began) / GLIDE_MS));
    view.shown = between(from, to, share);
    redraw();
    if (share < 1) view.frame = requestAnimationFrame(step);
  };
  step(began);
}
function placeOf(view, element) {
  const k = element ? view.parts?.boxes.findIndex(({ group }) => group.contains(element)) ?? -1 : -1;
  if (k < 0) return null;
  const state = element === view.parts.boxes[k].group;
  return ({ parts }) => state ? parts.boxes[k].group : parts.boxes[k].slider?.group;
}
var linked = (view, box, other) => view.data.picture.links.some(
  ({ source, target }) => source === box.id && target === other.id || target === box.id && source === other.id
);
function describe(view, beside, box) {
  if (!beside) return;
  const name = view.data.picture.named ? `${box.name} · ` : "";
  const heading = box.id < 0 ? plural(box.count, "more state") : `${name}${plural(box.nodes.length, "node")}`;
  setText(beside.querySelector(".heading"), heading);
  const facts = [
    ["Flow", "flow", view.data.picture.links[0]?.flow == null ? null : percent(box.flow)],
    ["P(stop here)", "stop", box.stop === null ? null : percent(box.stop)],
    ["R / Z", "tick", box.target === null ? null : percent(box.target)],
    ["Reward R", "", box.reward === null ? null : plain(box.reward)],
    ["States in one box", "", box.count > 1 ? String(box.count) : null]
  ];
  const list = facts.filter(([, , value]) => value !== null).flatMap(([what, mark, value]) => [el("dt", {}, el("span", { class: `key ${mark}` }), what), el("dd", {}, value)]);
  beside.querySelector(".facts").replaceChildren(...list);
  beside.querySelector(".hint").textContent = view.data.action ? `Click a state to ${view.data.action}.` : "";
  view.graph.mark(box.nodes);
}

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

// pages/ui/components/dag_view.js
var dag_view_default = keptView((parentElement) => {
  const calls = {};
  const dag = createDag(parentElement.querySelector(".dag"), { report: (name, value) => calls.report(name, value) });
  function show(data, { setTriggerValue }) {
    calls.report = setTriggerValue;
    dag.show(data);
  }
  return { show, destroy: dag.destroy };
});
export {
  dag_view_default as default
};
