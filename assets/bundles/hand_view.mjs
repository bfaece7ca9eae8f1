// assets/kit/dom.js
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
function onScreen(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.bottom > 0 && box.top < innerHeight;
}
function onceAFrame(draw) {
  let waiting = 0;
  const soon = () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
  soon.stop = () => cancelAnimationFrame(waiting);
  return soon;
}

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
function signed(value, digits = 2) {
  if (value === -Infinity) return `${MINUS}∞`;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}
function plusMinus(value, digits = 2) {
  const text = signed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
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

// assets/kit/sliders.js
var SETTLE_MS = 300;
function createSlider({ label, kind = "in-picture", min = 0, max = 1, step, moved, settled, wait = SETTLE_MS }) {
  const input = el("input", { type: "range", class: kind, min, max, step, "aria-label": label });
  let timer = 0;
  const value = () => Number(input.value);
  function paint() {
    const share = (value() - input.min) / (input.max - input.min || 1);
    input.style.setProperty("--done", `${100 * share}%`);
  }
  input.addEventListener("input", () => {
    clearTimeout(timer);
    paint();
    moved(value());
  });
  input.addEventListener("change", () => {
    clearTimeout(timer);
    timer = setTimeout(() => settled?.(value()), wait);
  });
  function set(next, words, range = {}) {
    putAll(input, range);
    if (value() !== next) input.value = next;
    put(input, "aria-valuetext", words);
    paint();
  }
  function place(left, top, width) {
    Object.assign(input.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
  }
  return { input, set, place };
}

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
  const kept2 = window.wayElsewhere = { from: null, until: 0, back: -Infinity };
  const begin = (from) => Object.assign(kept2, { from, until: performance.now() + PATIENCE });
  window.addEventListener("click", (event) => leads(event) && begin(window.location.pathname), true);
  window.addEventListener("popstate", () => Object.assign(begin(null), { back: performance.now() }), true);
  return kept2;
}
function leads(event) {
  const link = event.composedPath().find(({ tagName }) => tagName === "A");
  if (!link?.href || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  return link.target !== "_blank" && !link.download && link.pathname !== window.location.pathname;
}
function unlessLeaving(tell, made, here) {
  const known2 = way();
  return function told(...given) {
    const leaving = made.path !== window.location.pathname || known2.from === window.location.pathname;
    const until = leaving ? known2.until : known2.back === made.back ? 0 : known2.back + BACK_MS;
    const wait = until - performance.now();
    if (!here()) return;
    if (wait <= 0) tell(...given);
    else setTimeout(() => told(...given), wait);
  };
}

// assets/kit/paths.js
var span = (values) => [Math.min(...values), Math.max(...values)];
function bounds(places, pad = 0) {
  const [[left, right], [top, bottom]] = [0, 1].map((axis) => span(places.map((place) => place[axis])));
  return [left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad];
}
function mix(from, to, share) {
  if (from === null || to === null) return from;
  if (typeof to === "number") return from * (1 - share) + to * share;
  const values = new Float32Array(to.length);
  for (let k = 0; k < to.length; k += 1) values[k] = (from[k] ?? to[k]) * (1 - share) + to[k] * share;
  return values;
}

// assets/state_graph/surface.js
var WHOLE = 16;
var TITLE = 14;
var SKETCHED = 26;
var KEYS = "Arrow keys go from one to the next, Enter pins it.";
function createSurface(place, label) {
  const canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": `${label}. ${KEYS}` });
  const still = el("canvas");
  place.body.append(canvas);
  const surface = { canvas, pen: canvas.getContext("2d"), still, stillPen: still.getContext("2d") };
  let font = "11px sans-serif";
  surface.fit = () => {
    const ratio = (window.devicePixelRatio || 1) * (place.zoom ?? 1);
    const [width, height] = [Math.round(place.width * ratio), Math.round(place.height * ratio)];
    if (canvas.width === width && canvas.height === height) return false;
    font = `11px ${getComputedStyle(canvas).fontFamily || "sans-serif"}`;
    for (const each of [canvas, still]) Object.assign(each, { width, height });
    for (const pen of [surface.pen, surface.stillPen]) {
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.font = font;
    }
    return true;
  };
  surface.write = (pen, text, x, y, bold = false) => {
    if (bold) pen.font = `600 ${font}`;
    pen.fillText(text, x, y);
    if (bold) pen.font = font;
  };
  surface.clear = (pen = surface.pen) => pen.clearRect(0, 0, place.width, place.height);
  surface.layStill = (alpha = 1) => {
    surface.pen.globalAlpha = alpha;
    surface.pen.drawImage(still, 0, 0, place.width, place.height);
    surface.pen.globalAlpha = 1;
  };
  return surface;
}
var NAMES = ["ink", "paper", "accent", "water", "stop", "off", "start", "plain"];
function createColours(root, changed) {
  const probe = el("i", { class: "probe", "aria-hidden": "true" });
  root.append(probe);
  const colours = { age: 0 };
  function read() {
    const before = JSON.stringify(colours);
    for (const name of NAMES) {
      probe.style.setProperty("background-color", "var(--" + name + ")");
      colours[name] = channels(getComputedStyle(probe).backgroundColor);
    }
    if (JSON.stringify(colours) !== before) colours.age += 1;
  }
  probe.addEventListener("transitionend", () => {
    read();
    changed();
  });
  read();
  return Object.assign(colours, { read });
}
function channels(text) {
  const numbers = (text.match(/[\d.]+(e-?\d+)?/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
  return text.startsWith("color(") ? numbers.map((value) => 255 * value) : numbers;
}
function blend(one, other, share = 1, alpha = 1) {
  const mixed = one.map((value, k) => Math.round(value * share + other[k] * (1 - share)));
  return alpha === 1 ? `rgb(${mixed.join(" ")})` : `rgb(${mixed.join(" ")} / ${alpha})`;
}
function fitted({ nodes }, shown, width, height) {
  const [left, low, wide, high] = bounds(shown.map((node) => [nodes[node].x, nodes[node].y]));
  const scale = Math.min(width / Math.max(wide, 1e-6), height / Math.max(high, 1e-6), width / 2);
  const at = (node) => [(nodes[node].x - left - wide / 2) * scale, (low + high / 2 - nodes[node].y) * scale];
  return new Map(shown.map((node) => [node, at(node)]));
}
function drawLabel(pen, label, [width, height], { colours, family }) {
  const size = Math.max(7, Math.min(12, height - 2, 1.7 * width / Math.max(label.length, 1)));
  const most = Math.max(1, Math.floor(width / (0.55 * size)));
  pen.font = `600 ${size}px ${family}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = blend(colours.ink, colours.paper);
  pen.fillText(label.length > most ? `${label.slice(0, most - 1)}…` : label, 0, 0, width);
}
function drawSketch(pen, scene, state, [width, height], colours) {
  const inside = new Set(state);
  const all = scene.nodes.map((_, node) => node);
  const shown = all.length > WHOLE ? all.filter((node) => inside.has(node)) : all;
  const room = Math.sqrt(width * height / (shown.length * 30));
  const dot = Math.min(3.2, Math.max(1.3, room));
  const at = fitted(scene, shown, width - 2 * dot - 2, height - 2 * dot - 2);
  for (const [a, b] of scene.edges) {
    if (!at.has(a) || !at.has(b)) continue;
    const both = inside.has(a) && inside.has(b);
    pen.beginPath();
    pen.moveTo(...at.get(a));
    pen.lineTo(...at.get(b));
    pen.lineWidth = both ? 1.7 : 0.9;
    pen.strokeStyle = both ? blend(colours.ink, colours.paper) : blend(colours.plain, colours.paper, 0.45);
    pen.stroke();
  }
  for (const [node, [x, y]] of at) {
    pen.beginPath();
    pen.arc(x, y, inside.has(node) ? dot : dot * 0.65, 0, 2 * Math.PI);
    const start = node === scene.start;
    pen.fillStyle = start ? blend(colours.start, colours.paper) : blend(inside.has(node) ? colours.ink : colours.plain, colours.paper, inside.has(node) ? 1 : 0.45);
    pen.fill();
    if (start) {
      pen.lineWidth = 0.8;
      pen.strokeStyle = blend(colours.ink, colours.paper);
      pen.stroke();
    }
  }
}
var kept = /* @__PURE__ */ new WeakMap();
function stampState(pen, scene, state, x, y, [width, height], colours) {
  if (width < 1 || height < 1) return;
  if (!kept.has(scene)) kept.set(scene, /* @__PURE__ */ new Map());
  const pictures = kept.get(scene);
  const ratio = pen.getTransform().a;
  const name = `${state}/${width}/${height}/${ratio}/${colours.age}`;
  if (!pictures.has(name)) {
    const canvas = el("canvas", { width: Math.ceil(width * ratio), height: Math.ceil(height * ratio) });
    const own = canvas.getContext("2d");
    own.setTransform(ratio, 0, 0, ratio, width * ratio / 2, height * ratio / 2);
    const [label, title] = [scene.labels?.[state], scene.names?.[state]];
    const style = { colours, family: pen.font.replace(/.*px /, "") };
    const below = title && height >= SKETCHED ? TITLE : 0;
    if (label || title && !below) drawLabel(own, label || title, [width, height], style);
    else {
      own.translate(0, -below / 2);
      drawSketch(own, scene, scene.states[state], [width, height - below], colours);
      own.translate(0, height / 2);
      if (below) drawLabel(own, title, [width, below], style);
    }
    pictures.set(name, canvas);
  }
  const [left, top] = [x - width / 2, y - height / 2].map(Math.round);
  pen.drawImage(pictures.get(name), left, top, width, height);
}

// assets/kit/tips.js
var GAP = 8;
var EDGE = 4;
function tipPlace(target, frame2, [width, height]) {
  const left = target.left + target.width / 2 - frame2.left - width / 2;
  const above = target.top - frame2.top - height - GAP;
  return {
    left: Math.min(Math.max(left, EDGE), Math.max(frame2.width - width - EDGE, EDGE)),
    top: above >= 0 ? above : target.bottom - frame2.top + GAP
  };
}
function createTip(root) {
  const element = el("div", { class: "tip", role: "tooltip", hidden: true });
  let meant = null;
  function show(target, text) {
    const watched = meant !== null;
    meant = { target, words: typeof text === "function" ? text : () => target.dataset?.tip ?? text };
    if (!element.isConnected) root.append(element);
    element.hidden = false;
    setText(element, meant.words());
    const size = [element.offsetWidth, element.offsetHeight];
    const { left, top } = tipPlace(target.getBoundingClientRect(), root.getBoundingClientRect(), size);
    Object.assign(element.style, { left: `${left}px`, top: `${top}px` });
    if (!watched) requestAnimationFrame(watch);
  }
  function hide() {
    element.hidden = true;
    meant = null;
  }
  function check() {
    const words = meant && meant.target.isConnected !== false && meant.words();
    if (words) setText(element, words);
    else hide();
    return Boolean(words);
  }
  const watch = () => check() && requestAnimationFrame(watch);
  return { show, hide, check };
}

// assets/state_graph/hub.js
var nameOf = (selection) => selection && `${selection.kind}/${selection.key ?? selection.node ?? selection.size}`;
var same = (one, other) => nameOf(one) === nameOf(other);
function createHub(root, { changed, pinned }) {
  const hub = { over: null, pin: null, tip: createTip(root) };
  let [target, spoke] = [null, false];
  Object.defineProperty(hub, "lit", { get: () => hub.over ?? hub.pin });
  hub.point = (found) => {
    const selection = found?.selection ?? null;
    const other = !same(hub.over, selection);
    hub.over = selection;
    target = found;
    hub.say();
    if (other) changed();
  };
  hub.say = () => {
    if (target?.picture?.isConnected === false) hub.over = target = null;
    const text = target?.text?.();
    if (text) hub.tip.show({ getBoundingClientRect: target.place }, text);
    else if (spoke) hub.tip.hide();
    spoke = Boolean(text);
  };
  hub.choose = (selection) => {
    const next = same(hub.pin, selection) ? null : selection;
    if (same(hub.pin, next)) return;
    hub.pin = next;
    changed();
    pinned(next);
  };
  hub.release = () => {
    const had = hub.lit !== null;
    target = null;
    hub.tip.hide();
    hub.over = null;
    if (hub.pin) hub.choose(null);
    else if (had) changed();
    return had;
  };
  return hub;
}
function pointable(picture, hub, { find, walk }) {
  let last = null;
  const zoom = () => picture.currentCSSZoom ?? 1;
  const placed = (found) => {
    if (!found) return null;
    const place = () => {
      if (found.element) return found.element.getBoundingClientRect();
      const frame2 = picture.getBoundingClientRect();
      const [x, y, width, height] = found.box.map((value) => value * zoom());
      const [left, top] = [frame2.left + x, frame2.top + y];
      return { left, top, width, height, bottom: top + height };
    };
    return { ...found, place, picture };
  };
  const at = (event) => {
    const frame2 = picture.getBoundingClientRect();
    return placed(find((event.clientX - frame2.left) / zoom(), (event.clientY - frame2.top) / zoom(), event));
  };
  const meant = (found) => {
    last = found;
    hub.point(found);
    picture.classList.toggle("over", Boolean(found?.selection));
  };
  picture.addEventListener("pointermove", (event) => event.pointerType !== "touch" && meant(at(event)));
  picture.addEventListener("pointerleave", () => meant(null));
  picture.addEventListener("click", (event) => {
    const found = at(event);
    if (found?.selection) hub.choose(found.selection);
  });
  picture.addEventListener("focus", () => picture.matches(":focus-visible") && meant(placed(walk(0, 0))));
  picture.addEventListener("blur", () => meant(null));
  picture.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (by) meant(placed(walk(...by)));
    else if ((event.key === "Enter" || event.key === " ") && last?.selection) hub.choose(last.selection);
    else return;
    event.preventDefault();
  });
}

// assets/state_graph/layout.js
var FLOW = { least: 0.3, most: 0.6 };
var APART = 28;
var SWEEPS = 4;
var PIPE = 0.2;
function layOutStates({ column, links, exact, target, last }, room) {
  const { width, height, top, side, pipe: given, lift = 0 } = room;
  const count = column.length;
  const deepest = 1 + column.reduce((most2, k) => Math.max(most2, k), 0);
  const columns = Array.from({ length: deepest }, () => []);
  column.forEach((k, state) => columns[k].push(state));
  const most = Math.max(...columns.map((states) => states.length));
  const share = Math.min(FLOW.most, Math.max(FLOW.least, 1 - most * APART / (height - top)));
  const pipe = given ?? (exact ? share : PIPE) * (height - top);
  const weight = (k) => exact ? exact[k] + 1e-6 : 1;
  const y = new Float32Array(count);
  const slot = new Float32Array(count);
  const tall = heights(count, links, exact, pipe);
  function place(states) {
    const flow = states.reduce((sum, state) => sum + tall[state], 0);
    const gap = Math.max(0, height - top - flow) / states.length;
    let at = top;
    for (const state of states) {
      slot[state] = tall[state] + gap;
      y[state] = at + slot[state] / 2 - lift;
      at += slot[state];
    }
  }
  function order(states, towards) {
    const [sum, total] = [/* @__PURE__ */ new Map(), /* @__PURE__ */ new Map()];
    links.forEach(([parent, child], k) => {
      const [mine, other] = towards === "parents" ? [child, parent] : [parent, child];
      if (column[mine] !== column[states[0]]) return;
      sum.set(mine, (sum.get(mine) ?? 0) + weight(k) * y[other]);
      total.set(mine, (total.get(mine) ?? 0) + weight(k));
    });
    const mean = (state) => total.has(state) ? sum.get(state) / total.get(state) : y[state];
    const means = new Map(states.map((state) => [state, mean(state) + (last?.[state] ? 1e6 : 0)]));
    states.sort((a, b) => means.get(a) - means.get(b) || a - b);
  }
  const filled = columns.filter((states) => states.length);
  filled.forEach(place);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const states of down ? filled.slice(1) : filled.slice(0, -1).reverse()) {
      order(states, down ? "parents" : "children");
      place(states);
    }
  }
  const across = (width - 2 * side) / Math.max(1, deepest - 1);
  const x = Float32Array.from(column, (k) => deepest === 1 ? width / 2 : side + k * across);
  const drains = target?.map((chance) => chance * pipe) ?? null;
  const layout = { x, y, slot, pipe, columns, column, across, drains };
  return Object.assign(layout, ports(layout, links, exact, tall));
}
function heights(count, links, flow, pipe) {
  const through = new Float32Array(count);
  if (!flow) return through;
  through[0] = pipe;
  links.forEach(([, child], k) => through[child] += flow[k] * pipe);
  return through;
}
function ports({ y, pipe }, links, flow, tall = heights(y.length, links, flow, pipe), spread = 0) {
  const ends = [0, 1].map((mine) => {
    const groups = /* @__PURE__ */ new Map();
    links.forEach((link, k) => {
      if (!groups.has(link[mine])) groups.set(link[mine], []);
      groups.get(link[mine]).push(k);
    });
    const places = new Float32Array(links.length);
    for (const [state, group] of groups) {
      group.sort((a, b) => y[links[a][1 - mine]] - y[links[b][1 - mine]]);
      const thick = group.map((k) => flow ? flow[k] * pipe : spread);
      const total = thick.reduce((sum, width) => sum + width, 0);
      let at = y[state] - Math.max(total, tall[state]) / 2;
      group.forEach((k, i) => {
        places[k] = at + thick[i] / 2;
        at += thick[i];
      });
    }
    return places;
  });
  return { tall, out: ends[0], into: ends[1] };
}
function stateAt({ x, y, tall, columns }, shapes, [px, py], reach = 14) {
  let [best, nearest2] = [null, reach];
  for (const states of columns) {
    if (!states.length || Math.abs(x[states[0]] - px) > Math.max(reach, 22, shapes[states[0]].w)) continue;
    for (const state of states) {
      const far = Math.max(0, Math.abs(y[state] - py) - Math.max(tall[state] / 2, shapes[state].h));
      if (far < nearest2) [best, nearest2] = [state, far];
    }
  }
  return best;
}

// assets/state_graph/pen.js
var STRONGEST = [450, 300];
var VERY_MANY = 2e3;
var BINS = 512;
var OUTLINED = 300;
var FULL = 2;
var DRAIN = 6;
var THIN = 1.6;
var DASHES = [[], [7, 4], [0.1, 5]];
function shapesOf({ slot, tall, across }, { card: [widest, highest] = [46, 34], below = 0, least = 20 } = {}) {
  const cards = across >= 44;
  const wide = Math.max(24, Math.min(widest, across * (widest > 46 ? 0.6 : 0.46)));
  return Array.from(slot, (all, state) => {
    const room = all - below;
    if (!cards || room < least) {
      const high2 = Math.max(Math.min(2.5, room / 2.4), tall[state] / 2, 1);
      return { card: false, w: Math.min(3.5, 0.4 * across), h: high2 };
    }
    const high = Math.max(Math.min(tall[state] / 2, room / 2 - 1), Math.min(highest / 2, room / 2 - 1.5));
    return { card: true, w: wide / 2, h: high };
  });
}
var path = (pen, x0, y0, x1, y1) => {
  const middle = (x0 + x1) / 2;
  pen.moveTo(x0, y0);
  pen.bezierCurveTo(middle, y0, middle, y1, x1, y1);
};
var endsOf = ({ layout: { x, out, into }, shapes }, [parent, child], k) => {
  const start = x[parent] + shapes[parent].w;
  return [start, out[k], x[child] - shapes[child].w, into[k]];
};
var drawnOf = (count) => Math.min(count, STRONGEST[count > VERY_MANY ? 1 : 0]);
function threshold(shares, most) {
  if (shares.length <= most) return 0;
  const counts = new Uint16Array(BINS + 1);
  for (let k = 0; k < shares.length; k += 1) counts[Math.min(BINS, Math.floor(BINS * Math.sqrt(shares[k])))] += 1;
  let [bin, sum] = [BINS, counts[BINS]];
  while (bin > 0 && sum + counts[bin - 1] <= most) sum += counts[bin -= 1];
  return (bin / BINS) ** 2;
}
function drawOutlines(pen, dag, { exact, links }, colours) {
  const { pipe, x, y, tall, drains } = dag.layout;
  const least = threshold(exact, OUTLINED);
  pen.lineWidth = 1;
  for (const [faint, alpha] of [[true, 0.13], [false, 0.5]]) {
    pen.beginPath();
    links.forEach((link, k) => {
      const half = exact[k] * pipe / 2;
      if (exact[k] < least || half < 0.5 !== faint) return;
      const [x0, y0, x1, y1] = endsOf(dag, link, k);
      for (const side of faint ? [0] : [-half, half]) path(pen, x0, y0 + side, x1, y1 + side);
    });
    pen.strokeStyle = blend(colours.ink, colours.paper, 1, alpha);
    pen.stroke();
  }
  drains.forEach((high, state) => {
    if (high < 1) return;
    const left = x[state] + dag.shapes[state].w;
    pen.strokeRect(left, y[state] + tall[state] / 2 - high, DRAIN, high);
  });
}
function drawFlow(pen, dag, { links }, flow, { colours, lit, taken }) {
  const least = flow ? Math.max(threshold(flow, drawnOf(flow.length)), 1e-7) : 0;
  const groups = /* @__PURE__ */ new Map();
  for (let k = 0; k < (flow ?? links).length; k += 1) {
    const [meant, goes] = [lit?.(links[k]) ?? false, taken?.(links[k]) ?? false];
    if (flow && flow[k] < least && !meant && !goes) continue;
    const ends = links[k][2] === "stop";
    const own = flow ? Math.round(2 * flow[k] * dag.layout.pipe) / 2 : THIN;
    const width = Math.max(goes ? 2.6 : meant ? 1.2 : 0.5, own);
    const name = `${width}/${goes ? 2 : meant ? 1 : 0}/${ends}`;
    if (!groups.has(name)) groups.set(name, { width, meant, goes, ends, of: [] });
    groups.get(name).of.push(k);
  }
  const colour = flow ? colours.water : colours.plain;
  const order = [...groups.values()].sort((a, b) => a.goes - b.goes || a.meant - b.meant || b.width - a.width);
  for (const { width, meant, goes, ends, of } of order) {
    pen.beginPath();
    for (const k of of) path(pen, ...endsOf(dag, links[k], k));
    pen.lineWidth = width;
    const alpha = meant ? 0.85 : lit ? 0.14 : goes ? 0.9 : 0.5;
    pen.strokeStyle = blend(ends ? colours.stop : colour, colours.ink, goes ? flow ? 0.6 : 0 : 1, alpha);
    pen.stroke();
  }
}
function drawStreams(pen, dag, { links, added }, flow, { colours, drops }) {
  const { pipe } = dag.layout;
  const wide = (k) => flow ? flow[k] * pipe : 0;
  pen.save();
  pen.lineCap = "round";
  pen.strokeStyle = blend([255, 255, 255], colours.water, 0.7, 0.7);
  pen.setLineDash([1, 17]);
  pen.lineDashOffset = drops === null ? 0 : -(drops / 90) % 18;
  links.forEach((link, k) => {
    if (drops === null || wide(k) <= 3) return;
    pen.beginPath();
    path(pen, ...endsOf(dag, link, k));
    pen.lineWidth = Math.min(4, wide(k) * 0.45);
    pen.stroke();
  });
  pen.restore();
  pen.textAlign = "center";
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = blend(colours.paper, colours.paper);
  pen.fillStyle = blend(colours.ink, colours.paper, 0.8);
  links.forEach((link, k) => {
    if (!added[k]) return;
    const [x0, y0, x1, y1] = endsOf(dag, link, k);
    const at = [added[k], (x0 + x1) / 2, (y0 + y1) / 2 + 4];
    if (wide(k) <= 13) pen.strokeText(...at);
    pen.fillText(...at);
  });
}
var SHADES = 24;
var known = { of: null, shade: null };
function shadesOf(colours) {
  if (known.of !== colours.off) Object.assign(known, { of: colours.off, shade: newShades(colours) });
  return known.shade;
}
function newShades(colours) {
  const rest = [0, 1, 2].map((k) => colours.plain[k] * 0.3 + colours.paper[k] * 0.7);
  const shades = Array.from({ length: SHADES + 1 }, (_, k) => blend(colours.off, rest, k / SHADES));
  return (residual) => shades[Math.round(SHADES * Math.min(1, Math.abs(residual) / FULL))];
}
function drawStates(pen, dag, { count, stop, residuals, visits }, { colours, dim, pinned, stamp, marks }) {
  const { x, y, tall, pipe, drains } = dag.layout;
  const [ink, paper, ends] = [
    [colours.ink, residuals ? 0.75 : 0.45],
    [colours.paper, 1],
    [colours.stop, 0.9]
  ].map(([colour, share]) => blend(colour, colours.paper, share));
  const shade = shadesOf(colours);
  for (let state = 0; state < count; state += 1) {
    const { card, w, h } = dag.shapes[state];
    const [left, top] = [x[state] - w, y[state] - h];
    const seen = !visits || visits[state] > 0;
    pen.globalAlpha = dim(state) ? 0.2 : 1;
    if (stop && stop[state] * pipe > 0.4) {
      const high = stop[state] * pipe;
      const middle = y[state] + tall[state] / 2 - (drains?.[state] ?? high) / 2;
      pen.fillStyle = ends;
      pen.fillRect(x[state] + w, middle - high / 2, DRAIN, high);
    }
    pen.fillStyle = seen && residuals ? shade(residuals[state]) : paper;
    pen.strokeStyle = ink;
    if (card) {
      const many = dag.many?.(state);
      if (many && dag.scene.copies) {
        pen.strokeStyle = blend(colours.off, colours.paper);
        pen.fillStyle = blend(colours.off, colours.paper, 0.16);
      }
      if (many) frame(pen, left + 3, top - 3, w, h, { dash: [3, 2.5] });
      border(pen, { pinned: pinned(state), flag: marks?.flags.get(state), taken: marks?.path.has(state) }, colours);
      frame(pen, left, top, w, h, { fill: true, dash: seen && !many ? null : [3, 2.5] });
      pen.setLineDash([]);
      stamp(state, x[state], y[state], [Math.floor(2 * w - 4), Math.floor(Math.min(2 * h - 4, 2 * w))]);
    } else {
      if (seen || h > 4) pen.fillRect(left, top, 2 * w, 2 * h);
      pen.lineWidth = seen ? 0.8 : 0.5;
      if (h > 1.4) pen.strokeRect(left, top, 2 * w, 2 * h);
      if (pinned(state)) ring(pen, x[state], y[state], h + 5, colours);
    }
  }
  pen.globalAlpha = 1;
}
function frame(pen, x, y, w, h, { fill: fill2 = false, dash }) {
  pen.beginPath();
  pen.roundRect(x, y, 2 * w, 2 * h, Math.min(9, Math.max(5, h / 3)));
  if (fill2) pen.fill();
  if (dash) pen.setLineDash(dash);
  pen.stroke();
}
function border(pen, { pinned, flag, taken }, colours) {
  pen.lineWidth = pinned || flag ? 3 : taken ? 2.6 : 1;
  if (pinned) pen.strokeStyle = blend(colours.accent, colours.paper);
  else if (flag || taken) pen.strokeStyle = blend(colours.ink, colours.paper);
  pen.setLineDash(flag ? DASHES[flag - 1] : []);
}
function ring(pen, x, y, radius, colours) {
  pen.beginPath();
  pen.arc(x, y, Math.min(radius, 16), 0, 2 * Math.PI);
  pen.lineWidth = 2.5;
  pen.strokeStyle = blend(colours.accent, colours.paper);
  pen.stroke();
}
function drawNotes(pen, { layout: { x, y }, shapes }, notes, colours) {
  pen.textAlign = "center";
  pen.fillStyle = blend(colours.water, colours.ink, 0.8);
  notes.forEach((text, state) => pen.fillText(text, x[state], y[state] + shapes[state].h + 11));
}
function drawBars(pen, dag, { stop, target, reward }, { colours, dim, room, most }) {
  const { x, y } = dag.layout;
  pen.textAlign = "center";
  dag.shapes.forEach(({ card, w, h }, state) => {
    if (!card) return;
    const [left, top, high] = [x[state] - w, y[state] + h + (room ? 6 : 2), room ? 6 : 4];
    pen.globalAlpha = dim(state) ? 0.3 : 1;
    pen.fillStyle = blend(colours.ink, colours.paper, 0.11);
    pen.fillRect(left, top, 2 * w, high);
    pen.fillStyle = blend(colours.stop, colours.paper);
    pen.fillRect(left, top, 2 * w * stop[state] / most, high);
    pen.fillStyle = blend(colours.ink, colours.paper);
    const aim = target?.[state] ?? 0;
    if (aim >= most / 100) pen.fillRect(left + 2 * w * aim / most - 1, top - 2, 2, high + 4);
    if (!room) return;
    const words = percent(stop[state]);
    pen.fillText(reward ? `R ${plain(reward[state])} · ${words}` : words, x[state], top + (reward ? 37 : 20));
  });
  pen.globalAlpha = 1;
}

// assets/state_graph/words.js
var MOST = 9;
function nodeName({ nodes }, node) {
  const { label, element } = nodes[node];
  return element ? `${element}${node}` : label || String(node);
}
function stateName(scene, state, nodes = scene.states[state]) {
  const known2 = scene.labels?.[state] ?? scene.names?.[state];
  if (known2) return known2;
  const names = nodes.slice(0, MOST).map((node) => nodeName(scene, node));
  return `{${names.join(", ")}${nodes.length > MOST ? ", …" : ""}}`;
}
function columnName(scene, k, short = false) {
  const [count, noun] = scene.nodes.length || scene.sized ? [k + 1, "node"] : [k, "action"];
  return short ? String(count) : plural(count, noun);
}
var chances = (stop, target) => `P(stop) ${percent(Math.min(1, stop))}, R/Z ${percent(Math.min(1, target))}`;
function stateWords(moment, state) {
  const { scene } = moment;
  const [stop, residuals, visits] = ["stop", "residuals", "visits"].map((name) => moment.get(name));
  const parts = [];
  if (stop) parts.push(chances(stop[state], scene.target[state]));
  if (state > 0 && state < residuals.length) parts.push(`residual ${plusMinus(residuals[state])}`);
  if (state < visits.length) {
    parts.push(visits[state] ? `on ${percent(visits[state])} of all trajectories so far` : "never visited so far");
  }
  if (scene.log_reward[state] !== null) parts.push(`log R ${signed(scene.log_reward[state])}`);
  return parts.join(" · ");
}
function stateTip(moment, state) {
  const { scene } = moment;
  const [stop, visits, reward] = ["stop", "visits", "reward"].map((name) => moment.get(name));
  const parts = [stateName(scene, state)];
  if (stop) parts.push(chances(stop[state] ?? 0, scene.target?.[state] ?? 0));
  else if (visits) parts.push(`on ${percent(visits[state] ?? 0)} of trajectories`);
  if (reward?.[state] != null) parts.push(`R ${plain(reward[state])}`);
  return parts.join(" · ");
}
function selectionWords(moment, selection) {
  const { scene } = moment;
  if (selection.kind === "state") {
    const state = scene.index.get(selection.key);
    const known2 = state === void 0 ? "not known here" : stateWords(moment, state);
    return `State ${stateName(scene, state, selection.nodes)}: ${known2}`;
  }
  const [stop, visits] = [moment.get("stop"), moment.get("visits")];
  const held = scene.states.flatMap((_, state) => holds(selection, scene, state) ? [state] : []);
  const sum = (values) => held.reduce((total, state) => total + (values?.[state] ?? 0), 0);
  const what = selection.kind === "node" ? `Node ${nodeName(scene, selection.node)}` : columnName(scene, selection.size - 1);
  if (stop) return `${what}: ${plural(held.length, "state")}, together ${chances(sum(stop), sum(scene.target))}`;
  const seen = visits ? held.filter((state) => visits[state] > 0) : held;
  return `${what}: ${plural(seen.length, visits ? "visited state" : "state")}`;
}
function holds(selection, scene, state) {
  if (selection.kind === "node") return scene.states[state].includes(selection.node);
  if (selection.kind === "size") return scene.column[state] === selection.size - 1;
  return scene.keys[state] === selection.key;
}

// assets/state_graph/state_graph.js
var MOVE_MS = 400;
var PLACES = ["x", "y", "tall", "out", "into"];
var TOP = 18;
var SPREAD = 4;
function createStateGraph({ place, hub, colours, redraw, look = () => ({}) }) {
  const surface = createSurface(place, "State graph: states in columns by size, the start on the left");
  const { canvas, pen } = surface;
  const view = { canvas, marks: null, placeOf, move };
  let [dag, moment] = [null, null];
  function build(scene) {
    const { pipe, side = Math.min(30, place.width / 12), live, ...sizes } = look();
    const { width, height } = place;
    const known2 = live ? { ...scene, exact: null, target: null } : scene;
    const layout = layOutStates(known2, { width, height, top: TOP, side, pipe, lift: (sizes.below ?? 0) / 2 });
    const grown = dag?.scene === scene && dag.version !== scene.version && !lessMotion();
    const from = grown ? placesNow() : null;
    const many = (state) => (scene.counts?.[state] ?? 1) > 1;
    const began = performance.now();
    const made = { scene, version: scene.version, age: colours.age, from, began, many, live, ...sizes };
    dag = { ...made, layout, shapes: shapesOf(layout, sizes) };
    surface.clear(surface.stillPen);
    if (scene.exact && !live) drawOutlines(surface.stillPen, dag, scene, colours);
    if (scene.untitled) return;
    dag.layout.columns.forEach((column, k) => column.length && writeColumn(surface.stillPen, k, colours.ink, 0.7));
  }
  function placesNow() {
    const { layout, from, began } = dag;
    const share = Math.min(1, (performance.now() - began) / MOVE_MS);
    if (!from || share === 1) return layout;
    const moved = PLACES.map((name) => [name, mix(from[name], layout[name], share)]);
    return { ...layout, ...Object.fromEntries(moved) };
  }
  view.draw = (next) => {
    if (!place.width) return;
    const sized = surface.fit();
    surface.clear();
    moment = next;
    if (!moment) return;
    const { scene } = moment;
    const old = dag?.scene !== scene || dag.version !== scene.version || dag.age !== colours.age;
    if (sized || old) build(scene);
    const [flow, stop, residuals, visits] = ["flow", "stop", "residuals", "visits"].map((name) => moment.get(name));
    const { lit } = hub;
    const chosen = lit?.kind === "state" ? scene.index.get(lit.key) : void 0;
    const meant = lit ? scene.states.map((_, state) => holds(lit, scene, state)) : null;
    const near = /* @__PURE__ */ new Set();
    if (chosen !== void 0) {
      for (const [parent, child] of scene.links) if (parent === chosen || child === chosen) near.add(parent).add(child);
    }
    const touches = ([parent, child]) => meant[parent] && meant[child] || parent === chosen || child === chosen;
    const { path: path2 = null, selected = null } = view.marks ?? {};
    const taken = path2 && (([parent, child]) => path2.get(parent) + 1 === path2.get(child));
    const water = scene.listed || !visits ? flow : passing(scene, flow ?? [], visits);
    const layout = dag.live ? { ...dag.layout, ...ports(dag.layout, scene.links, water, void 0, SPREAD) } : placesNow();
    const drawn = { ...dag, layout };
    if (dag.from && layout !== dag.layout) redraw();
    const dim = (state) => meant !== null && !meant[state] && !near.has(state);
    drawFlow(pen, drawn, scene, water, { colours, lit: lit ? touches : null, taken });
    if (dag.roomy && !lit) {
      const runs = !lessMotion() && water && onScreen(canvas);
      drawStreams(pen, drawn, scene, water, { colours, drops: runs ? performance.now() : null });
      if (runs) redraw();
    }
    surface.layStill(lit ? 0.35 : 1);
    const count = residuals?.length ?? scene.states.length;
    drawStates(pen, drawn, { count, stop, residuals, visits }, {
      colours,
      dim,
      pinned: (state) => state === chosen || state === selected,
      stamp: (state, x, y, size) => stampState(pen, scene, state, x, y, size, colours),
      marks: view.marks
    });
    if (dag.bars && stop) {
      const most = dag.roomy ? 1 : Math.max(...stop, ...scene.target ?? [], 1e-9);
      const reward = dag.rewards ? moment.get("reward") : null;
      drawBars(pen, drawn, { stop, target: scene.target, reward }, { colours, dim, room: dag.roomy, most });
    }
    drawNotes(pen, drawn, moment.get("notes") ?? [], colours);
    if (lit?.kind === "size" && dag.layout.columns[lit.size - 1]?.length) {
      pen.clearRect(0, 0, place.width, TOP - 3);
      writeColumn(pen, lit.size - 1, colours.accent, 1);
    }
    put(canvas, "aria-label", `State graph: ${plural(count, "state")} in columns, the start on the left. ${KEYS}`);
    put(canvas, "data-selected", selected === null ? null : placeWords(selected));
    put(canvas, "data-flags", view.marks ? [...view.marks.flags.values()].sort().join(" ") : null);
  };
  function writeColumn(own, k, colour, share) {
    const { columns, x, across } = dag.layout;
    if (share < 1 && k % Math.ceil(20 / across)) return;
    const text = columnName(dag.scene, k, across <= 74);
    own.textAlign = "center";
    own.fillStyle = blend(colour, colours.paper, share);
    const half = own.measureText(text).width / 2 + 1;
    surface.write(own, text, Math.min(Math.max(x[columns[k][0]], half), place.width - half), 11, share === 1);
  }
  function placeOf(state) {
    return { x: dag.layout.x[state], y: dag.layout.y[state], ...dag.shapes[state] };
  }
  const placeWords = (state) => [dag.layout.x[state], dag.layout.y[state]].map(Math.round).join(",");
  const found = (state) => {
    const { scene } = dag;
    const { x, y, w, h } = placeOf(state);
    return {
      selection: { kind: "state", key: scene.keys[state], nodes: scene.states[state] },
      box: [x - w, y - h, 2 * w, 2 * h],
      text: () => stateTip(moment, state)
    };
  };
  function find(x, y) {
    if (!dag || !moment) return null;
    if (y < TOP && !dag.scene.untitled) {
      const k = dag.layout.columns.findIndex((column) => column.length && Math.abs(dag.layout.x[column[0]] - x) < 30);
      if (k < 0) return null;
      const selection = { kind: "size", size: k + 1 };
      return { selection, box: [x - 10, 0, 20, TOP], text: () => selectionWords(moment, selection) };
    }
    const state = stateAt(dag.layout, dag.shapes, [x, y]);
    return state === null || state >= (moment.get("residuals") ?? dag.scene.states).length ? null : found(state);
  }
  function move(dx, dy) {
    if (!dag || !moment) return null;
    const { columns, column, y } = dag.layout;
    const now = (hub.lit?.kind === "state" ? dag.scene.index.get(hub.lit.key) : view.marks?.selected) ?? 0;
    const k = column[now];
    if (!dx) return found(columns[k][Math.min(columns[k].length - 1, Math.max(0, columns[k].indexOf(now) + dy))]);
    return found(columns[k + dx]?.length ? nearest(columns[k + dx], y, y[now]) : now);
  }
  pointable(canvas, hub, { find, walk: move });
  return view;
}
var passing = ({ links }, steps, visits) => Float32Array.from(steps, (share, k) => share * (visits[links[k][0]] ?? 0));
var nearest = (column, y, at) => column.reduce((best, state) => Math.abs(y[state] - at) < Math.abs(y[best] - at) ? state : best, column[0]);

// pages/ui/components/hand_view.js
var [WIDE, HIGH] = [110, 232];
var NARROW = 480;
var PIPE2 = 3.4;
var hand_view_default = keptView((parentElement) => {
  const root = parentElement.querySelector(".hand");
  const place = { body: el("div", { class: "picture" }), width: 0, height: HIGH };
  const formula = el("p", { class: "formula", role: "status" });
  root.append(place.body, formula);
  const redraw = onceAFrame(() => draw());
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: draw });
  hub.choose = () => {
  };
  const card = () => [place.width < NARROW ? 50 : 70, 40];
  const look = () => ({ card: card(), least: 8, pipe: PIPE2, side: 50, live: true, roomy: true });
  const graph = createStateGraph({ place, hub, colours, redraw, look });
  const observer = new ResizeObserver(() => (place.width = place.body.clientWidth, draw()));
  observer.observe(place.body);
  let [data, shape, scene, flows, sliders] = [null, "", null, [], []];
  function build({ state, parents, children, step, most, fixed, reward }, tell) {
    const own = parents.length;
    const labels = [...parents, state, ...children, "STOP"];
    const column = labels.map((_, k) => k < own ? 0 : k === own ? 1 : 2);
    const links = labels.flatMap((label, k) => k < own ? [[k, own]] : k > own ? [[own, k, label.toLowerCase()]] : []);
    const keys = labels.map((_, k) => String(k));
    const index = new Map(keys.map((key, k) => [key, k]));
    scene = { nodes: [], listed: true, version: 0, untitled: true, states: keys.map(() => []), labels, keys, index };
    Object.assign(scene, { column, links, last: labels.map((label) => label === "STOP") });
    for (const { input } of sliders) input.remove();
    const named = links.slice(0, -1).map(([from, to]) => `Flow from ${labels[from]} to ${labels[to]}`);
    sliders = named.map((label, k) => {
      const moved = (value) => (flows[k] = value, draw());
      return createSlider({ label, min: step, max: most, step, moved, settled: () => tell([...flows]) });
    });
    for (const { input } of sliders) input.disabled = fixed;
    place.body.append(...sliders.map(({ input }) => input));
    scene.words = links.map((_, k) => () => k < flows.length ? plain(flows[k]) : `R = ${plain(reward)}`);
  }
  function draw() {
    if (!data || !place.width) return;
    colours.read();
    const all = [...flows, data.reward];
    scene.added = scene.words.map((words) => words());
    const count = data.parents.length;
    const [inward, outward] = [flows.slice(0, count), all.slice(count)];
    const [into, out] = [inward, outward].map((some) => some.reduce((sum, flow) => sum + flow, 0));
    const off = Math.log(into) - Math.log(out);
    const residuals = scene.labels.map((_, state) => state === count ? off : 0);
    graph.draw({ scene, get: (name) => ({ flow: all, residuals })[name] ?? null });
    sliders.forEach(({ set, place: stand }, k) => {
      const [from, to] = scene.links[k].map(graph.placeOf);
      const width = Math.min(WIDE, to.x - from.x - from.w - to.w - 8);
      stand((from.x + to.x - width) / 2, (from.y + to.y) / 2 + 8, width);
      set(flows[k], plain(flows[k]));
    });
    const even = Math.abs(into - out) < 1e-9;
    root.classList.toggle("even", even);
    const plus = (some) => some.map(plain).join(" + ");
    formula.replaceChildren(
      `residual = log(${plus(inward)}) − log(${plus(outward)}) = log ${plain(into)} − log ${plain(out)} = `,
      el("b", {}, even ? "0: balanced" : plusMinus(off))
    );
  }
  function show(next, { setStateValue }) {
    const now = JSON.stringify({ ...next, flows: 0 });
    data = next;
    if (now !== shape || !sliders.some(({ input }) => input.matches(":active"))) flows = [...next.flows];
    if (now !== shape) build(next, (values) => setStateValue("flows", values));
    shape = now;
    draw();
  }
  return { show, destroy: () => (observer.disconnect(), redraw.stop()) };
});
export {
  hand_view_default as default
};
