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
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
function keyed(parent, items, keyOf3, make, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = String(keyOf3(item));
    let child = old.get(key);
    old.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
    update(child, item);
  });
  for (const child of old.values()) child.remove();
}
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
var onTouch = () => matchMedia("(hover: none)").matches;
var prefersDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
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

// assets/components/glossary_view.css
var glossary_view_default = '.glossary { line-height: 1.5; }\n\n.bar { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: center; }\ninput { box-sizing: border-box; width: 17rem; max-width: 100%; padding: 0.5rem 0.75rem; font: inherit; border-radius: 0.5rem;\n  color: inherit; background: var(--soft); border: 1px solid var(--line); }\nnav { display: flex; flex-wrap: wrap; gap: 0.15rem 0.35rem; }\nnav button { padding: 0.2rem 0.55rem; border: 0; border-radius: 0.4rem; background: none; cursor: pointer;\n  font: inherit; font-size: 0.875rem; color: var(--st-link-color, var(--accent)); }\nnav button:hover { background: var(--soft); }\n.count { min-height: 1.3rem; margin: 0.3rem 0 0; font-size: 0.875rem; opacity: 0.75; }\n.count:empty { min-height: 0; margin: 0; }\n\nh2 { margin: 1.2rem 0 0.6rem; font-size: 1.15rem; font-weight: 650; scroll-margin-top: 4rem; }\nsection { scroll-margin-top: 4rem; }\nsection[hidden], article[hidden] { display: none; }\n.list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 0.7rem; }\n\narticle { display: flex; flex-direction: column; padding: 0.75rem 0.95rem; border: 1px solid var(--line);\n  border-radius: 0.6rem; scroll-margin: 5rem 0; }\narticle.opened { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent);\n  background: color-mix(in srgb, var(--accent) 9%, transparent); }\narticle:focus { outline: none; }\nh3 { display: flex; flex-wrap: wrap; gap: 0.1rem 0.6rem; align-items: baseline; margin: 0; font-size: 1rem; font-weight: 600; }\n.symbol, .paper { font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", Georgia, serif; }\n.symbol { font-size: 1.2rem; color: var(--accent); }\n.anchor { margin-left: auto; padding: 0 0.3rem; font-weight: 400; text-decoration: none; opacity: 0.45; }\n.anchor:hover, .anchor:focus-visible { opacity: 1; }\n.meaning { margin: 0.3rem 0 0.6rem; font-size: 0.94rem; }\ndl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 0.7rem; margin: auto 0 0; font-size: 0.84rem; }\ndt { opacity: 0.7; }\ndd { margin: 0; }\n.paper { font-size: 0.95rem; }\na { color: var(--st-link-color, var(--accent)); }\n:is(input, button, a):focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }\n';

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
var solid = (sentence) => sentence.replaceAll(" %", " %");
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
function addends(values, total, digits = 2) {
  const unit = 10 ** digits;
  const low = values.map((value) => Math.floor(value * unit + 1e-6));
  const more = Math.round(Number(total.toFixed(digits)) * unit) - low.reduce((sum, units) => sum + units, 0);
  if (!(more >= 0 && more <= values.length)) return values.map((value) => signed(value, digits));
  const rest = values.map((value, index) => value * unit - low[index]);
  const order = rest.map((_, index) => index).sort((a, b) => rest[b] - rest[a]);
  const up = new Set(order.slice(0, more));
  return low.map((units, index) => signed((units + (up.has(index) ? 1 : 0)) / unit, digits));
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
function steady(value) {
  const size = Math.abs(value);
  if (size < 5e-4) return size === 0 ? "0" : "≈ 0";
  return signed(value, size >= 100 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3);
}
function logSum(logs) {
  const most = Math.max(-Infinity, ...logs);
  return most === -Infinity ? most : most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}
var thousands = (count) => count.toLocaleString("en");
var plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
function listing(names, most = 4) {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

// assets/components/glossary_view.js
var SEARCHED = ".symbol, .name, .meaning, .paper";
function glossary_view_default2(component2) {
  const { data: [{ opened }], parentElement } = component2;
  const root = parentElement.querySelector(".glossary");
  if (root.dataset.ready) return;
  root.dataset.ready = "yes";
  for (const section of root.querySelectorAll("section")) {
    const jump = () => section.scrollIntoView({ behavior: lessMotion() ? "auto" : "smooth", block: "start" });
    const name = section.getAttribute("aria-label");
    root.querySelector("nav").append(el("button", { type: "button", onclick: jump }, name));
  }
  const cards = [...root.querySelectorAll("article")].map((card) => ({ card, words: wordsOf(card) }));
  const input = root.querySelector("input");
  input.addEventListener("input", () => search(root, cards, input.value));
  const follow = () => open(root, cards, input, anchorOfAddress());
  window.addEventListener("hashchange", follow);
  open(root, cards, input, anchorOfAddress() || opened);
  return () => window.removeEventListener("hashchange", follow);
}
function anchorOfAddress() {
  try {
    return decodeURIComponent(window.location.hash.slice(1));
  } catch {
    return "";
  }
}
function wordsOf(card) {
  const texts = [...card.querySelectorAll(SEARCHED)].map(({ textContent }) => textContent);
  return simple([card.id, card.dataset.also, ...texts].join(" "));
}
function simple(text) {
  return text.normalize("NFKC").toLowerCase();
}
function search(root, cards, text) {
  const wanted = simple(text).split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { card, words: words2 } of cards) {
    card.hidden = !wanted.every((word) => words2.includes(word));
    found += card.hidden ? 0 : 1;
  }
  for (const section of root.querySelectorAll("section")) {
    section.hidden = !section.querySelector("article:not([hidden])");
  }
  const said = found ? plural(found, "term") : "No matching term: try fewer letters.";
  root.querySelector(".count").textContent = wanted.length ? said : "";
}
function open(root, cards, input, name) {
  const wanted = simple(name || "").replaceAll("_", "-");
  if (!wanted) return;
  const also = ({ dataset }) => dataset.also.split("\n").map((each) => each.replaceAll(" ", "-")).includes(wanted);
  const found = (cards.find(({ card }) => card.id === wanted) ?? cards.find(({ card }) => also(card)))?.card;
  if (!found) return;
  input.value = "";
  search(root, cards, "");
  for (const { card } of cards) card.classList.toggle("opened", card === found);
  const go = () => found.scrollIntoView({ block: "center" });
  requestAnimationFrame(() => {
    go();
    found.focus({ preventScroll: true });
  });
  setTimeout(go, 400);
}

// assets/components/hand_view.css
var hand_view_default = ".hand { position: relative; max-width: 52rem; margin: 0 auto; }\n.hand .picture { position: relative; height: 232px; }\n.hand canvas { position: absolute; inset: 0; width: 100%; height: 100%; }\n.hand canvas:focus { outline: none; }\n.hand canvas:focus-visible { outline: 2px solid var(--accent); border-radius: 0.4rem; }\n.formula { margin: 0.5rem 0 0; text-align: center; font-variant-numeric: tabular-nums; font-size: 0.95rem; }\n.formula b { color: color-mix(in srgb, var(--off) 75%, var(--ink)); }\n.even .formula b { color: color-mix(in srgb, var(--good) 75%, var(--ink)); }\n";

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
  function set(next, words2, range = {}) {
    for (const [name, bound] of Object.entries(range)) put(input, name, bound);
    if (value() !== next) input.value = next;
    put(input, "aria-valuetext", words2);
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
  return latest((component2) => {
    const { data: [data], parentElement } = component2;
    if (!views.has(parentElement)) {
      const made2 = { path: window.location.pathname, back: way().back };
      views.set(parentElement, { view: create(parentElement), made: made2 });
    }
    const { view, made } = views.get(parentElement);
    view.show(data, { ...component2, ...telling(component2, parentElement, made) });
    return () => {
      if (parentElement.isConnected) return;
      view.destroy?.();
      views.delete(parentElement);
    };
  });
}
function latest(show) {
  return (component2) => {
    let end = null;
    const soon = setTimeout(() => {
      end = show(component2);
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

// assets/kit/paths.js
var round = (value) => Math.round(value * 10) / 10;
var span = (values) => [Math.min(...values), Math.max(...values)];
function bounds(places, pad = 0) {
  const [[left, right], [top, bottom]] = [0, 1].map((axis) => span(places.map((place) => place[axis])));
  return [left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad];
}
function cross([x, y], arm) {
  const long = round(2 * arm);
  return `M${round(x - arm)} ${round(y - arm)}l${long} ${long}m0 ${-long}l${-long} ${long}`;
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
  const pen = canvas.getContext("2d");
  place.body.append(canvas);
  function clear() {
    const ratio = (window.devicePixelRatio || 1) * (place.zoom ?? 1);
    const [width, height] = [Math.round(place.width * ratio), Math.round(place.height * ratio)];
    pen.clearRect(0, 0, place.width, place.height);
    if (canvas.width === width && canvas.height === height) return false;
    Object.assign(canvas, { width, height });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = `11px ${getComputedStyle(canvas).fontFamily || "sans-serif"}`;
    return true;
  }
  return { canvas, pen, clear };
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
  const numbers2 = (text.match(/[\d.]+(e-?\d+)?/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
  return text.startsWith("color(") ? numbers2.map((value) => 255 * value) : numbers2;
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
  const inside2 = new Set(state);
  const all = scene.nodes.map((_, node) => node);
  const shown = all.length > WHOLE ? all.filter((node) => inside2.has(node)) : all;
  const room = Math.sqrt(width * height / (shown.length * 30));
  const dot = Math.min(3.2, Math.max(1.3, room));
  const at = fitted(scene, shown, width - 2 * dot - 2, height - 2 * dot - 2);
  for (const [a, b] of scene.edges) {
    if (!at.has(a) || !at.has(b)) continue;
    const both = inside2.has(a) && inside2.has(b);
    pen.beginPath();
    pen.moveTo(...at.get(a));
    pen.lineTo(...at.get(b));
    pen.lineWidth = both ? 1.7 : 0.9;
    pen.strokeStyle = both ? blend(colours.ink, colours.paper) : blend(colours.plain, colours.paper, 0.45);
    pen.stroke();
  }
  for (const [node, [x, y]] of at) {
    pen.beginPath();
    pen.arc(x, y, inside2.has(node) ? dot : dot * 0.65, 0, 2 * Math.PI);
    const start = node === scene.start;
    pen.fillStyle = start ? blend(colours.start, colours.paper) : blend(inside2.has(node) ? colours.ink : colours.plain, colours.paper, inside2.has(node) ? 1 : 0.45);
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
function createTip(root, find2 = () => null) {
  const element = el("div", { class: "tip", role: "tooltip", hidden: true });
  let meant = null;
  let pointed = false;
  function show(target, words2) {
    const watched = meant !== null;
    meant = { target, words: words2 };
    pointed = false;
    if (!element.isConnected) root.append(element);
    element.hidden = false;
    setText(element, words2());
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
    const words2 = meant && meant.target.isConnected !== false && meant.words();
    if (words2) setText(element, words2);
    else hide();
    return Boolean(words2);
  }
  const watch = () => check() && requestAnimationFrame(watch);
  const leave = () => pointed && hide();
  onPointing(root, (event) => {
    const named = event.target.closest?.("[data-tip]");
    const found = named ? [named, () => named.dataset.tip] : find2(event);
    if (!found?.[1]()) return leave();
    show(...found);
    pointed = true;
  }, leave);
  return { show, hide, check };
}
function onPointing(area, over, out) {
  for (const name of ["pointerover", "focusin"]) area.addEventListener(name, over);
  for (const name of ["pointerleave", "focusout"]) area.addEventListener(name, out);
}

// assets/state_graph/hub.js
var nameOf = (selection) => selection && `${selection.kind}/${selection.key ?? selection.node}`;
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
    if (text) hub.tip.show({ getBoundingClientRect: target.place }, () => text);
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
function pointable(picture, hub, { find: find2, walk }) {
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
    return placed(find2((event.clientX - frame2.left) / zoom(), (event.clientY - frame2.top) / zoom(), event));
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
    const groups = Map.groupBy(links.keys(), (k) => links[k][mine]);
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
function outlinedOf(exact) {
  const least = threshold(exact, OUTLINED);
  return Array.from(exact.keys()).filter((k) => exact[k] >= least);
}
function drawOutlines(pen, dag, { exact, links }, colours) {
  const { pipe, x, y, tall, drains } = dag.layout;
  pen.lineWidth = 1;
  for (const [faint, alpha] of [[true, 0.13], [false, 0.5]]) {
    pen.beginPath();
    for (const k of dag.outlined) {
      const half = exact[k] * pipe / 2;
      if (half < 0.5 !== faint) continue;
      const [x0, y0, x1, y1] = endsOf(dag, links[k], k);
      for (const side of faint ? [0] : [-half, half]) path(pen, x0, y0 + side, x1, y1 + side);
    }
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
function shadesOf(colours) {
  const rest = [0, 1, 2].map((k) => colours.plain[k] * 0.3 + colours.paper[k] * 0.7);
  const shades = Array.from({ length: SHADES + 1 }, (_, k) => blend(colours.off, rest, k / SHADES));
  return (residual) => shades[Math.round(SHADES * Math.min(1, Math.abs(residual) / FULL))];
}
function drawStates(pen, dag, { count, stop, residuals: residuals2, visits }, { colours, dim, pinned, stamp, marks }) {
  const { x, y, tall, pipe, drains } = dag.layout;
  const [ink, paper, ends] = [
    [colours.ink, residuals2 ? 0.75 : 0.45],
    [colours.paper, 1],
    [colours.stop, 0.9]
  ].map(([colour, share]) => blend(colour, colours.paper, share));
  const shade = shadesOf(colours);
  for (let state = 0; state < count; state += 1) {
    const { card, w, h } = dag.shapes[state];
    const [left, top] = [x[state] - w, y[state] - h];
    const seen2 = !visits || visits[state] > 0;
    pen.globalAlpha = dim(state) ? 0.2 : 1;
    if (stop && stop[state] * pipe > 0.4) {
      const high = stop[state] * pipe;
      const middle = y[state] + tall[state] / 2 - (drains?.[state] ?? high) / 2;
      pen.fillStyle = ends;
      pen.fillRect(x[state] + w, middle - high / 2, DRAIN, high);
    }
    pen.fillStyle = seen2 && residuals2 ? shade(residuals2[state]) : paper;
    pen.strokeStyle = ink;
    if (card) {
      const many = dag.many?.(state);
      if (many && dag.scene.copies) {
        pen.strokeStyle = blend(colours.off, colours.paper);
        pen.fillStyle = blend(colours.off, colours.paper, 0.16);
      }
      if (many) frame(pen, left + 3, top - 3, w, h, { dash: [3, 2.5] });
      border(pen, { pinned: pinned(state), flag: marks?.flags.get(state), taken: marks?.path.has(state) }, colours);
      frame(pen, left, top, w, h, { fill: true, dash: seen2 && !many ? null : [3, 2.5] });
      pen.setLineDash([]);
      stamp(state, x[state], y[state], [Math.floor(2 * w - 4), Math.floor(Math.min(2 * h - 4, 2 * w))]);
    } else {
      if (seen2 || h > 4) pen.fillRect(left, top, 2 * w, 2 * h);
      pen.lineWidth = seen2 ? 0.8 : 0.5;
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
  pen.setLineDash([]);
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
    const words2 = percent(stop[state]);
    pen.fillText(reward ? `R ${plain(reward[state])} · ${words2}` : words2, x[state], top + (reward ? 37 : 20));
  });
  pen.globalAlpha = 1;
}

// assets/state_graph/words.js
var MOST = 9;
function stateName(scene, state, nodes = scene.states[state]) {
  const known = scene.labels?.[state] ?? scene.names?.[state];
  if (known) return known;
  const names = nodes.slice(0, MOST).map((node) => scene.nodes[node].name);
  return `{${names.join(", ")}${nodes.length > MOST ? ", …" : ""}}`;
}
function columnName(scene, k, short = false) {
  const [count, noun] = scene.nodes.length || scene.sized ? [k + 1, "node"] : [k, "action"];
  return short ? String(count) : plural(count, noun);
}
var chances = (stop, target) => `P(stop) ${percent(Math.min(1, stop))}, R/Z ${percent(Math.min(1, target))}`;
function stateTip(moment, state) {
  const { scene } = moment;
  const [stop, residuals2, visits, reward] = ["stop", "residuals", "visits", "reward"].map((name) => moment.get(name));
  const parts = [stateName(scene, state)];
  if (stop) parts.push(chances(stop[state] ?? 0, scene.target?.[state] ?? 0));
  const last = !scene.listed && scene.column[state] === scene.column.at(-1);
  if (state > 0 && !last && residuals2) parts.push(`residual ${plusMinus(residuals2[state])}`);
  if (visits) parts.push(visits[state] ? `on ${percent(visits[state])} of trajectories so far` : "not visited so far");
  if (reward?.[state] != null) parts.push(`R ${plain(reward[state])}`);
  else if (scene.log_reward?.[state] != null) parts.push(`log R ${signed(scene.log_reward[state])}`);
  return parts.join(" · ");
}
function selectionWords(moment, selection) {
  const { scene } = moment;
  if (selection.kind === "state") {
    const state = scene.keys.indexOf(selection.key);
    if (state < 0) return `State ${stateName(scene, state, selection.nodes)}: not known here`;
    return `State ${stateTip(moment, state)}`;
  }
  const [stop, visits] = [moment.get("stop"), moment.get("visits")];
  const held = scene.states.flatMap((_, state) => holds(selection, scene, state) ? [state] : []);
  const sum = (values) => held.reduce((total, state) => total + (values?.[state] ?? 0), 0);
  const what = `Node ${scene.nodes[selection.node].name}`;
  if (stop) return `${what}: ${plural(held.length, "state")}, together ${chances(sum(stop), sum(scene.target))}`;
  const seen2 = visits ? held.filter((state) => visits[state] > 0) : held;
  return `${what}: ${plural(seen2.length, visits ? "visited state" : "state")}`;
}
function holds(selection, scene, state) {
  if (selection.kind === "node") return scene.states[state].includes(selection.node);
  return scene.keys[state] === selection.key;
}

// assets/state_graph/state_graph.js
var TOP = 18;
var SPREAD = 4;
function createStateGraph({ place, hub, colours, redraw, look = () => ({}) }) {
  const surface = createSurface(place, "State graph: states in columns by size, the start on the left");
  const { canvas, pen } = surface;
  const view = { canvas, marks: null, placeOf: placeOf2, move };
  let [dag, moment] = [null, null];
  function build(scene) {
    const { pipe, side = Math.min(30, place.width / 12), live, ...sizes } = look();
    const { width, height } = place;
    const known = live ? { ...scene, exact: null, target: null } : scene;
    const layout = layOutStates(known, { width, height, top: TOP, side, pipe, lift: (sizes.below ?? 0) / 2 });
    const many = (state) => (scene.counts?.[state] ?? 1) > 1;
    const made = { scene, age: colours.age, many, live, ...sizes };
    const outlined = scene.exact && !live ? outlinedOf(scene.exact) : null;
    dag = { ...made, layout, outlined, shapes: shapesOf(layout, sizes) };
  }
  function drawStill(scene, alpha) {
    pen.globalAlpha = alpha;
    if (dag.outlined) drawOutlines(pen, dag, scene, colours);
    if (!scene.untitled) dag.layout.columns.forEach((column, k) => column.length && writeColumn(k));
    pen.globalAlpha = 1;
  }
  view.draw = (next) => {
    if (!place.width) return;
    const sized = surface.clear();
    moment = next;
    if (!moment) return;
    const { scene } = moment;
    const old = dag?.scene !== scene || dag.age !== colours.age;
    if (sized || old) build(scene);
    const [flow, stop, residuals2, visits] = ["flow", "stop", "residuals", "visits"].map((name) => moment.get(name));
    const { lit } = hub;
    const chosen = scene.keys.indexOf(lit?.key);
    const meant = lit ? scene.states.map((_, state) => holds(lit, scene, state)) : null;
    const near = /* @__PURE__ */ new Set();
    for (const [parent, child] of scene.links) if (parent === chosen || child === chosen) near.add(parent).add(child);
    const touches = ([parent, child]) => meant[parent] && meant[child] || parent === chosen || child === chosen;
    const { path: path2 = null, selected = null } = view.marks ?? {};
    const taken = path2 && (([parent, child]) => path2.get(parent) + 1 === path2.get(child));
    const layout = dag.live ? { ...dag.layout, ...ports(dag.layout, scene.links, flow, void 0, SPREAD) } : dag.layout;
    const drawn = { ...dag, layout };
    const dim = (state) => meant !== null && !meant[state] && !near.has(state);
    drawFlow(pen, drawn, scene, flow, { colours, lit: lit ? touches : null, taken });
    if (dag.roomy && !lit) {
      const runs = !lessMotion() && flow && onScreen(canvas);
      drawStreams(pen, drawn, scene, flow, { colours, drops: runs ? performance.now() : null });
      if (runs) redraw();
    }
    drawStill(scene, lit ? 0.35 : 1);
    const count = residuals2?.length ?? scene.states.length;
    drawStates(pen, drawn, { count, stop, residuals: residuals2, visits }, {
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
    put(canvas, "aria-label", `State graph: ${plural(count, "state")} in columns, the start on the left. ${KEYS}`);
    put(canvas, "data-selected", selected === null ? null : placeWords(selected));
    put(canvas, "data-flags", view.marks ? [...view.marks.flags.values()].sort().join(" ") : null);
  };
  function writeColumn(k) {
    const { columns, x, across } = dag.layout;
    if (k % Math.ceil(20 / across)) return;
    const text = columnName(dag.scene, k, across <= 74);
    pen.textAlign = "center";
    pen.fillStyle = blend(colours.ink, colours.paper, 0.7);
    const half = pen.measureText(text).width / 2 + 1;
    pen.fillText(text, Math.min(Math.max(x[columns[k][0]], half), place.width - half), 11);
  }
  function placeOf2(state) {
    return { x: dag.layout.x[state], y: dag.layout.y[state], ...dag.shapes[state] };
  }
  const placeWords = (state) => [dag.layout.x[state], dag.layout.y[state]].map(Math.round).join(",");
  const found = (state) => {
    const { scene } = dag;
    const { x, y, w, h } = placeOf2(state);
    return {
      selection: { kind: "state", key: scene.keys[state], nodes: scene.states[state] },
      box: [x - w, y - h, 2 * w, 2 * h],
      text: () => stateTip(moment, state)
    };
  };
  function find2(x, y) {
    if (!dag || !moment) return null;
    const state = stateAt(dag.layout, dag.shapes, [x, y]);
    return state === null || state >= (moment.get("residuals") ?? dag.scene.states).length ? null : found(state);
  }
  function move(dx, dy) {
    if (!dag || !moment) return null;
    const { columns, column, y } = dag.layout;
    const lit = dag.scene.keys.indexOf(hub.lit?.key);
    const now = lit < 0 ? view.marks?.selected ?? 0 : lit;
    const k = column[now];
    if (!dx) return found(columns[k][Math.min(columns[k].length - 1, Math.max(0, columns[k].indexOf(now) + dy))]);
    return found(columns[k + dx]?.length ? nearest(columns[k + dx], y, y[now]) : now);
  }
  pointable(canvas, hub, { find: find2, walk: move });
  return view;
}
var nearest = (column, y, at) => column.reduce((best, state) => Math.abs(y[state] - at) < Math.abs(y[best] - at) ? state : best, column[0]);

// assets/components/hand_view.js
var [WIDE, HIGH] = [110, 232];
var NARROW = 480;
var PIPE2 = 3.4;
var hand_view_default2 = keptView((parentElement) => {
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
    const last = labels.map((label) => label === "STOP");
    scene = { nodes: [], listed: true, untitled: true, states: keys.map(() => []), labels, keys, column, links, last };
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
    scene.added = scene.words.map((words2) => words2());
    const count = data.parents.length;
    const [inward, outward] = [flows.slice(0, count), all.slice(count)];
    const [into, out] = [inward, outward].map((some) => some.reduce((sum, flow) => sum + flow, 0));
    const off = Math.log(into) - Math.log(out);
    const residuals2 = scene.labels.map((_, state) => state === count ? off : 0);
    graph.draw({ scene, get: (name) => ({ flow: all, residuals: residuals2 })[name] ?? null });
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

// assets/components/hero.css
var hero_default = ".hero { display: grid; gap: 0.5rem; grid-template-rows: minmax(15rem, 1fr); min-height: var(--hero, 38rem); }\n.hero-stage { position: relative; border: 1px solid var(--line); border-radius: 0.9rem; background: var(--soft); overflow: hidden; }\n.hero-stage > svg { position: absolute; inset: 0; width: 100%; height: 100%; }\n.words { display: grid; grid-template-rows: auto 1fr; }\n.words::before { content: attr(data-verdict); grid-area: 1 / 1; visibility: hidden; }\n.words::after { content: attr(data-says); grid-area: 2 / 1; visibility: hidden; }\n.words > .now { grid-area: 1 / 1 / 3; }\n.tally { display: grid; gap: 0.2rem; margin: 0; padding: 0; list-style: none; font-size: 0.95rem; }\n.tally[hidden] { display: none; }\n.tally li { display: grid; grid-template-columns: minmax(0, 1fr) 30% 3.2rem; gap: 0.6rem; align-items: center; opacity: 0; transition: opacity 0.5s; }\n.tally li.done { opacity: 1; }\n.tally .share { height: 0.6rem; border-radius: 0.3rem; background: var(--line); overflow: hidden; }\n.tally i { display: block; width: 0; height: 100%; background: var(--accent); transition: width 0.9s; }\n.tally.counted i { width: calc(100% * var(--share)); }\n.tally b { visibility: hidden; font-variant-numeric: tabular-nums; text-align: right; }\n.tally.counted b { visibility: visible; }\n.words::before, .verdict { margin: 0; font-size: 1.35rem; font-weight: 700; line-height: 1.35; }\n.verdict[hidden] { display: none; }\n.words::after, .words-now { margin: 0; font-size: 1.05rem; line-height: 1.4; }\n.row { display: flex; align-items: center; gap: 0.9rem; }\n.hero .again {\n  min-width: 7.2rem; padding: 0.4rem 1rem; border: 1px solid var(--accent); border-radius: 0.6rem; background: none; color: var(--accent);\n  font-size: 1rem; font-weight: 600; cursor: pointer;\n}\n.hero .again:hover { background: color-mix(in srgb, var(--accent) 12%, transparent); }\n.hero .again:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }\n.dots { display: flex; flex-wrap: wrap; gap: 0.35rem; }\n.dots i { width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--line); }\n.dots i.answer { width: 1.1rem; border-radius: 0.3rem; }\n.dots i.done { background: var(--accent); }\n@media (max-width: 640px) { /* no room is kept for the answer: it comes last, and would be a blank until then */\n  .hero { min-height: 0; grid-template-rows: 16rem; }\n  .row { grid-row: 2; }\n  .words { grid-row: 3; }\n  .words::before, .words::after, .tally li:not(.done) { display: none; }\n}\n@media (prefers-reduced-motion: reduce) { .hero * { transition: none !important; } }\n";

// assets/kit/camera.js
var ZOOM_STEP = 1.4;
var CLOSEST = 24;
var DRAG = 4;
function framed([x, y, w, h], [across, down], room, strip = 0) {
  const pixel = Math.max(Math.max(w, room[0]) / across, Math.max(h, room[1]) / (down - strip));
  const [width, height] = [across * pixel, down * pixel];
  return [x + w / 2 - width / 2, y + h / 2 - (height - strip * pixel) / 2, width, height];
}
function inside([hx, hy, hw, hh], x, y, width) {
  const height = width * hh / hw;
  const clamp = (value, low, room) => Math.min(Math.max(value, low), low + room);
  return [clamp(x, hx, hw - width), clamp(y, hy, hh - height), width, height];
}
function zoomed(home, [x, y, w, h], factor, [px, py] = [x + w / 2, y + h / 2]) {
  const width = Math.min(home[2], Math.max(home[2] / CLOSEST, w / factor));
  return inside(home, px - (px - x) * width / w, py - (py - y) * width / w, width);
}
function createCamera(stage, svg, { home, changed = () => {
} }) {
  const camera = { home: home(), box: null, dragged: false };
  function setBox(box) {
    camera.box = box;
    svg.setAttribute("viewBox", box.map((value) => Math.round(value * 100) / 100).join(" "));
    stage.classList.toggle("zoomed", box[2] < camera.home[2] * 0.999);
    changed(box);
  }
  const zoom = (factor, at) => setBox(zoomed(camera.home, camera.box, factor, at));
  function fit() {
    camera.home = home();
    setBox(camera.home);
  }
  function resized() {
    if (!stage.clientWidth) return;
    const [x, y, w, h] = camera.box;
    const share = w / camera.home[2];
    camera.home = home();
    const [width, height] = [camera.home[2] * share, camera.home[3] * share];
    setBox(inside(camera.home, x + w / 2 - width / 2, y + h / 2 - height / 2, width));
  }
  function toPicture(clientX, clientY) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [x, y];
  }
  const fingers = /* @__PURE__ */ new Map();
  let press = null;
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { apart: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  function down(event) {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    camera.dragged = false;
    press = { x: event.clientX, y: event.clientY, box: camera.box, pinch: fingers.size === 2 ? spread() : null };
  }
  function move(event) {
    if (!press || !fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (press.pinch && fingers.size === 2) {
      const now = spread();
      camera.dragged = true;
      zoom(now.apart / (press.pinch.apart || 1), toPicture(now.x, now.y));
      press.pinch = now;
    } else if (fingers.size === 1 && stage.classList.contains("zoomed")) {
      const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
      if (!camera.dragged && Math.hypot(dx, dy) < DRAG) return;
      camera.dragged = true;
      const pixel = 1 / svg.getScreenCTM().a;
      setBox(inside(camera.home, press.box[0] - dx * pixel, press.box[1] - dy * pixel, camera.box[2]));
    }
  }
  function up(event) {
    fingers.delete(event.pointerId);
    press = null;
  }
  function wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, toPicture(event.clientX, event.clientY));
  }
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up, pointerleave: up, wheel };
  for (const [name, listener] of Object.entries(listeners)) stage.addEventListener(name, listener, { passive: false });
  const observer = new ResizeObserver(resized);
  observer.observe(stage);
  setBox(camera.home);
  const destroy = () => {
    observer.disconnect();
    for (const [name, listener] of Object.entries(listeners)) stage.removeEventListener(name, listener);
  };
  return Object.assign(camera, { zoom, fit, show: setBox, destroy });
}

// assets/player/parts.js
var ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M15.5 5v14L6 12z",
  forward: "M8.5 5v14l9.5-7z",
  first: "M6 5h2.5v14H6zM19 5v14l-9.5-7z",
  last: "M15.5 5H18v14h-2.5zM5 5v14l9.5-7z",
  motif: "M12 3l8 6v11H4V9zm0 2.6L6 10v8h12v-8z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  present: "M3 4h18v12h-8v2h3v2H8v-2h3v-2H3zm2 2v8h14V6z",
  part: "M11 2h2v3a7 7 0 0 1 6 6h3v2h-3a7 7 0 0 1-6 6v3h-2v-3a7 7 0 0 1-6-6H2v-2h3a7 7 0 0 1 6-6zM12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
  fit: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z"
};
function symbol(text, meaning, role = "") {
  return el(
    "span",
    { class: `symbol ${role}`, "data-tip": meaning, "aria-label": `${text}: ${meaning}`, role: "math", tabindex: 0 },
    text
  );
}
var panel = (name, label, title, ...children) => el("section", { class: `panel ${name}`, "aria-label": label }, el("h3", {}, ...title), ...children);
var icon = (path2) => svgEl("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, svgEl("path", { d: path2 }));
function button(label, path2, onclick, extra = {}) {
  const about = { type: "button", "aria-label": label, "data-tip": label, onclick, ...extra };
  return el("button", about, icon(path2));
}
function relabel(which, label, path2) {
  for (const name of ["aria-label", "data-tip"]) put(which, name, label);
  put(which.querySelector("path"), "d", path2);
}
function speedMenu(label, speeds, choose) {
  const options = speeds.map((value) => el("option", { value, selected: value === 1 }, `${value}×`));
  const onchange = ({ target }) => choose(Number(target.value));
  return el("select", { class: "speed", "aria-label": label, "data-tip": label, onchange }, ...options);
}
function zoomTools(zoom, fit, ...more) {
  return el(
    "div",
    { class: "tools" },
    button("Zoom in (or Ctrl + wheel)", ICONS.plus, () => zoom(ZOOM_STEP)),
    button("Zoom out", ICONS.minus, () => zoom(1 / ZOOM_STEP)),
    button("Show all", ICONS.fit, fit, { class: "fit" }),
    ...more
  );
}
var numberOr = (text) => text === void 0 ? null : Number(text);

// assets/player/matrix.js
var MATRIX_MEANING = "row i labels the pieces that are left when node i is removed; a row of zeros means that i is not a cut vertex";
var groupClass = (number) => `group-${(number - 1) % 4}`;
function rowPieces(row) {
  const numbers2 = [...new Set(row)].filter((number) => number > 0).sort((a, b) => a - b);
  return numbers2.map((number) => ({ number, nodes: row.flatMap((each, place) => each === number ? [place] : []) }));
}
function rowSentence(name, pieces, listed) {
  const parts = pieces.map(({ number, nodes }) => `(${number}) ${listed(nodes)}`);
  return parts.length ? `Without ${name}, ${parts.length} pieces are left: ${parts.join("; ")}.` : `Without ${name} the others stay in one piece: it is not a cut vertex.`;
}
function createMatrix() {
  const table = el("table", { class: "matrix" });
  const frame2 = { class: "matrix-frame", tabindex: 0, role: "group", "aria-label": "Cut-vertex matrix" };
  const element = el("div", frame2, table);
  function show({ matrix, keys, names, cuts, corner = el("td"), top = [], cell = () => ({}) }) {
    table.style.setProperty("--count", names.length);
    const heads = names.map(
      (name, j) => el("th", { scope: "col", "data-column": keys[j], "data-nodes": keys[j], tabindex: 0 }, name)
    );
    const rows = names.map((name, i) => {
      const kind = cuts.has(keys[i]) ? "cut" : "";
      const cells = matrix[i].map((number, j) => {
        const { classes = "", tip = null } = cell(i, j);
        const about = { class: `${number ? groupClass(number) : ""} ${classes}`.trim(), "data-tip": tip };
        return el("td", { ...about, "data-row": keys[i], "data-nodes": keys[j] }, number ? String(number) : "·");
      });
      const head = el("th", { scope: "row", class: kind, "data-row": keys[i], tabindex: 0 }, name);
      return el("tr", { class: kind, "data-row": keys[i] }, head, ...cells);
    });
    table.replaceChildren(el("thead", {}, ...top, el("tr", {}, corner, ...heads)), el("tbody", {}, ...rows));
  }
  function mark(row) {
    for (const each of table.querySelectorAll("tbody tr")) {
      each.classList.toggle("pointed", row !== null && Number(each.dataset.row) === row);
    }
  }
  return { element, show, mark };
}
function childGroups(step, member) {
  const pieces = rowPieces(step.matrix[step.members.indexOf(member)] ?? []);
  return pieces.map(({ number, nodes }) => ({ number, nodes: nodes.map((place) => step.members[place]) }));
}
function createCutsPanel() {
  const theorem = el("p", { class: "theorem" });
  const matrix = createMatrix();
  const note = el("p", { class: "note" });
  const title = [symbol("𝒵", MATRIX_MEANING), " cut-vertex matrix", el("small", {}, "hover a row")];
  const element = panel("cuts", "Cut vertices", title, theorem, matrix.element, note);
  function show(story, frame2) {
    const step = story.step(frame2);
    setText(theorem, story.theorem(frame2));
    const cuts = new Set(step.cut_vertices);
    matrix.show({ matrix: step.matrix, keys: step.members, names: step.members.map(story.name), cuts });
    const number = cuts.size === 1 ? "1 cut vertex" : `${cuts.size} cut vertices`;
    setText(note, cuts.size ? `${number}: ${story.names(step.cut_vertices)}. Without it the set falls apart, so this is not a valid parent.` : "No cut vertex: every node but the start can be taken away.");
  }
  function explain(story, frame2, row) {
    if (row === null) show(story, frame2);
    else setText(note, rowSentence(story.name(row), childGroups(story.step(frame2), row), story.names));
  }
  return { element, show, explain };
}

// assets/player/shapes.js
var REACH = [600, 430];
var UNIT = 70;
var RADIUS = { share: 0.36, least: 3.4, most: 17 };
function discs(nodes, edges, times) {
  const { points, radius, unit, box } = layOut(nodes, times);
  const line = ({ source, target, order }) => edgeLines(points[source], points[target], order, unit);
  function band(members) {
    const inside2 = new Set(members);
    const spots = members.map((node) => `M${points[node].map(round).join(" ")}h0`);
    const ways = edges.filter(({ source, target }) => inside2.has(source) && inside2.has(target));
    return spots.concat(ways.map((edge) => line({ ...edge, order: 1 }))).join("");
  }
  return {
    points,
    radius,
    unit,
    box,
    body: () => svgEl("circle", { class: "body" }),
    fit: (body, _, size) => put(body, "r", round(size)),
    ring: (name, _, reach) => svgEl("circle", { class: `ring ${name}`, r: round(reach) }),
    line,
    middle: ({ source, target }) => [0, 1].map((axis) => (points[source][axis] + points[target][axis]) / 2),
    band,
    bandWidth: radius * 3.1,
    label: null,
    outline(agreed, rings, level) {
      const filled = rings.map((ring2) => `M${ring2.map((node) => points[node].map(round)).join("L")}Z`);
      const [way2, wide] = [band(agreed) + filled.join(""), radius * (3.9 + 0.4 * level)];
      return { lines: [way2, way2], widths: [wide, wide - (level ? 0.5 : 1) * 2 * Math.max(1.6, radius * 0.16)] };
    }
  };
}
function typicalGap(points) {
  if (points.length < 2) return 1;
  const nearest2 = points.map(([x, y], i) => {
    let best = Infinity;
    points.forEach(([u, v], j) => {
      if (i !== j) best = Math.min(best, (x - u) ** 2 + (y - v) ** 2);
    });
    return Math.sqrt(best);
  });
  return Math.max(nearest2.sort((a, b) => a - b)[Math.floor(nearest2.length / 4)], 1e-6);
}
function layOut(nodes, times = 1) {
  const raw = nodes.map(({ position }) => position);
  const [left, low, wide, high] = bounds(raw);
  const most = RADIUS.most * times;
  const gap = RADIUS.share * times * typicalGap(raw);
  const fits = Math.min(REACH[0] / Math.max(wide, 1e-9), REACH[1] / Math.max(high, 1e-9));
  const unit = Math.min(Math.max(UNIT, most / gap), fits);
  const radius = Math.min(Math.max(gap * unit, RADIUS.least), most);
  const pad = radius * 2.4 + 6;
  const points = raw.map(([x, y]) => [(x - left) * unit + pad, (low + high - y) * unit + pad]);
  return { points, radius, unit, box: [0, 0, wide * unit + 2 * pad, high * unit + 2 * pad] };
}
function edgeLines([x1, y1], [x2, y2], order, unit) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const across = [-(y2 - y1) / length * 0.1 * unit, (x2 - x1) / length * 0.1 * unit];
  const shifts = { 2: [-0.5, 0.5], 3: [-1, 0, 1] }[order] ?? [0];
  return shifts.map((s) => [s * across[0], s * across[1]]).map(([dx, dy]) => `M${round(x1 + dx)} ${round(y1 + dy)}L${round(x2 + dx)} ${round(y2 + dy)}`).join("");
}

// assets/player/words.js
var UNIT2 = 70;
var EM = 3 / 14 * UNIT2;
var HIGH2 = 1.7 * EM;
var PAD = 14;
var middleOf = ([a, b, c, d]) => [0, 1].map((axis) => (a[axis] + 3 * b[axis] + 3 * c[axis] + d[axis]) / 8);
function layOutWords(nodes, { widths, arcs }) {
  const scaled = ([x, y]) => [x * UNIT2, -y * UNIT2];
  const halves = widths.map((width) => width * UNIT2 / 2);
  const raw = nodes.map(({ position }) => scaled(position));
  const curves = arcs.map((curve) => curve.map(scaled));
  const [left, right] = span(raw.flatMap(([x], node) => [x - halves[node], x + halves[node]]));
  const heights2 = [...raw.flatMap(([, y]) => [y - HIGH2 / 2, y + HIGH2]), ...curves.map((curve) => middleOf(curve)[1])];
  const [top, bottom] = span(heights2);
  const place = ([x, y]) => [x - left + PAD, y - top + PAD];
  const box = [0, 0, right - left + 2 * PAD, bottom - top + 2 * PAD];
  return { points: raw.map(place), curves: curves.map((curve) => curve.map(place)), halves, box };
}
function stretches(members, halves, points, below = 0) {
  const runs = [];
  for (const node of [...members].sort((a, b) => a - b)) {
    const [[x, y], half] = [points[node], halves[node]];
    const last = runs.at(-1);
    if (last && last.node === node - 1 && Math.abs(last.y - y) < 0.01) Object.assign(last, { node, right: x + half });
    else runs.push({ node, left: x - half, right: x + half, y });
  }
  return runs.map(({ left, right, y }) => `M${round(left)} ${round(y + below)}H${round(right)}`).join("");
}
function words(nodes, edges, shapes) {
  const box = (element, node, more) => {
    const [wide, high] = [2 * (halves[node] + more), HIGH2 + 2 * more];
    put(element, "x", round(-wide / 2));
    put(element, "y", round(-high / 2));
    put(element, "width", round(wide));
    put(element, "height", round(high));
    put(element, "rx", round(0.32 * EM + more));
    return element;
  };
  const { points, curves, halves, box: frame2 } = layOutWords(nodes, shapes);
  const radius = 0.7 * EM;
  const curveOf = new Map(edges.map((edge, number) => [edge, curves[number]]));
  return {
    points,
    radius,
    unit: UNIT2,
    box: frame2,
    body: () => svgEl("rect", { class: "body" }),
    fit: (body, node) => box(body, node, 0),
    ring: (name, node, reach) => box(svgEl("rect", { class: `ring ${name}` }), node, (reach - radius) * 0.62),
    line(edge) {
      const [start, ...rest] = curveOf.get(edge).map((place) => place.map(round).join(" "));
      return `M${start}C${rest.join(" ")}`;
    },
    middle: (edge) => middleOf(curveOf.get(edge)),
    band: (members) => stretches(members, halves, points),
    bandWidth: HIGH2 + 0.5 * EM,
    label: (node) => [svgEl("text", { "font-size": round(EM), dy: "0.35em" }, nodes[node].label)],
    outline(agreed, _, level) {
      const line = stretches(agreed, halves, points, HIGH2 / 2 + (0.3 + 0.28 * level) * EM);
      return { lines: [line, ""], widths: [(level ? 0.1 : 0.26) * EM, 0] };
    }
  };
}

// assets/player/graph.js
var MANY = 150;
var SMALL = 0.55;
var LABEL = { least: 7.5, size: 11, long: true };
function layers(kind, elements) {
  const low = svgEl("g", { class: kind }, ...elements);
  const high = svgEl("g", { class: kind });
  const place = new Map(elements.map((element, index) => [element, index]));
  function raise(indices) {
    const wanted = new Set(indices.map((index) => elements[index]));
    for (const element of [...high.children]) {
      if (wanted.has(element)) continue;
      const next = [...low.children].find((other) => place.get(other) > place.get(element));
      low.insertBefore(element, next ?? null);
    }
    [...wanted].forEach((element, index) => {
      if (high.children[index] !== element) high.insertBefore(element, high.children[index] ?? null);
    });
  }
  return { groups: [low, high], raise };
}
function createGraph(story) {
  const { nodes, edges } = story.trace;
  const shape = story.written ? words(nodes, edges, story.shapes) : discs(nodes, edges, story.times);
  const { points, radius, unit, box, band } = shape;
  const thin = Math.min(Math.max(radius / 12, 0.35), 1.1);
  const many = nodes.length > MANY;
  const isHydrogen = (node) => nodes[node].element === "H";
  const longest = Math.max(...nodes.map(({ label: text, id }) => Math.min((text || String(id)).length, 8)));
  const outline = ["outline", "outline-inside"].map((name) => svgEl("path", { class: name, d: "" }));
  const others = svgEl("g", {});
  const bubble = svgEl("path", { class: "bubble", d: "", "stroke-width": round(shape.bandWidth) });
  const groups = svgEl("g", { class: "groups" });
  const crosses = svgEl("path", { class: "crosses", d: "", "stroke-width": round(Math.max(1.4, radius * 0.16)) });
  const badges = svgEl("g", { class: "badges" });
  const edgeEls = edges.map((edge) => svgEl("path", { class: "edge", d: shape.line(edge) }));
  const nodeEls = nodes.map(
    (_, node) => svgEl(
      "g",
      { class: "node outside", "data-node": node, transform: `translate(${points[node].map(round).join(" ")})` }
    )
  );
  const edgeLayers = layers("edges", edgeEls);
  const nodeLayers = layers("nodes", nodeEls);
  const kind = `graph${story.molecule ? " molecule" : ""}${story.written ? " written" : ""}${many ? " many" : ""}`;
  const svg = svgEl(
    "svg",
    { class: kind, role: "group", style: `--thin: ${thin.toFixed(2)}` },
    others,
    ...outline,
    bubble,
    groups,
    ...edgeLayers.groups,
    crosses,
    ...nodeLayers.groups,
    badges
  );
  const drawn = {
    nodes: nodes.map(() => ""),
    // how each node and each edge looks now
    ways: edges.map(() => ""),
    lit: /* @__PURE__ */ new Set(),
    shine: "lit",
    offered: /* @__PURE__ */ new Set(),
    // can be reached with Tab
    near: null,
    // what is not faded; null for all
    label: LABEL,
    pixel: 1
  };
  const sizeOf = (node) => radius * (isHydrogen(node) ? SMALL : 1);
  function rings(node, look, size) {
    const parts = [];
    let reach = size + radius * 0.16;
    const ring2 = (name, step) => {
      reach += radius * step;
      parts.push(shape.ring(name, node, reach));
    };
    if (look.flags.includes("added") && story.molecule) ring2("added", 0.12);
    if (look.role === "frontier" && story.molecule) ring2("frontier", 0.16);
    if (look.flags.includes("start")) ring2("start", 0.24);
    if (look.flags.includes("cut")) {
      ring2("cut", 0.22);
      ring2("cut", 0.3);
    }
    if (look.flags.includes("parent")) ring2("parent", 0.24);
    return parts;
  }
  function label(node, size) {
    if (shape.label) return shape.label(node);
    if (isHydrogen(node)) return [];
    const text = nodes[node].label || String(nodes[node].id);
    const shown = text.length > 8 ? `${text.slice(0, 7)}…` : text;
    const fontSize = Math.min(size * 0.98, size * 2.5 / Math.max(shown.length, 1));
    const index = nodes[node].element ? [svgEl("tspan", { class: "index", dy: "0.25em" }, String(nodes[node].id))] : [];
    return [svgEl("text", { "font-size": round(fontSize), dy: "0.35em" }, shown, ...index)];
  }
  const isFar = (node) => drawn.near !== null && !drawn.near.has(node);
  function drawNode(node, look) {
    const element = nodes[node].element;
    const coloured = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
    const classes = ["node", look.role, ...look.flags].join(" ") + coloured + (isFar(node) ? " far" : "");
    const size = sizeOf(node) * (story.molecule || story.written ? 1 : look.scale);
    const key = `${classes}/${look.scale.toFixed(3)}/${look.strength.toFixed(3)}`;
    if (drawn.nodes[node] === key) return;
    drawn.nodes[node] = key;
    const g = nodeEls[node];
    g.setAttribute("class", classes);
    g.setAttribute("style", `--strength: ${look.strength.toFixed(3)}`);
    const old = g.querySelector(".body");
    const body = old ?? shape.body();
    shape.fit(body, node, size);
    for (const child of [...g.children]) if (child !== body) child.remove();
    if (!old) g.append(body);
    body.before(...rings(node, look, size));
    body.after(...label(node, sizeOf(node)));
  }
  function show(scene) {
    put(svg, "data-mode", scene.mode);
    scene.looks.forEach((look, node) => drawNode(node, look));
    scene.ways.forEach((way2, index) => {
      const { source, target, in_motif } = edges[index];
      const faded = isFar(source) || isFar(target) ? " far" : "";
      const classes = `edge ${way2}${in_motif ? " true" : ""}${faded}`;
      if (drawn.ways[index] === classes) return;
      drawn.ways[index] = classes;
      edgeEls[index].setAttribute("class", classes);
    });
    nodeLayers.raise(scene.members);
    edgeLayers.raise(scene.ways.flatMap((way2, index) => way2 === "outside" || way2 === "reach" ? [] : [index]));
    put(bubble, "d", band(scene.members));
    const extra = edges.filter((_, index) => scene.ways[index] === "extra");
    put(crosses, "d", extra.map((edge) => cross(shape.middle(edge), Math.max(2.4, radius * 0.32))).join(""));
    for (const node of drawn.lit) nodeEls[node].classList.add(drawn.shine);
  }
  function know({ reasons, rings: rings2, shown, shares, near }) {
    drawn.near = near;
    const drawOutline = (paths, { lines, widths }) => paths.forEach((path2, at) => {
      put(path2, "d", lines[at]);
      put(path2, "stroke-width", round(widths[at]));
    });
    drawOutline(outline, shape.outline(reasons[shown] ?? [], rings2?.[shown] ?? [], 0));
    others.replaceChildren(...reasons.flatMap((agreed, index) => {
      const paths = ["thin", "outline-inside"].map((name) => svgEl("path", { class: name }));
      drawOutline(paths, shape.outline(agreed, rings2[index], index + 1));
      return index === shown ? [] : [svgEl("g", { class: `contour reason-${index + 1}` }, ...paths)];
    }));
    edgeEls.forEach((edge, index) => edge.style.setProperty("--held", (shares[index] ?? 0).toFixed(3)));
  }
  function light(list) {
    const next = new Set(list);
    for (const node of drawn.lit) nodeEls[node].classList.remove("lit", "glow");
    drawn.lit = next;
    drawn.shine = next.size > 12 ? "glow" : "lit";
    for (const node of next) nodeEls[node].classList.add(drawn.shine);
  }
  function showGroups(pieces) {
    svg.classList.toggle("grouped", pieces.length > 0);
    groups.replaceChildren(
      ...pieces.map(
        ({ number, nodes: piece }) => svgEl(
          "path",
          { class: `group ${groupClass(number)}`, d: band(piece), "stroke-width": round(shape.bandWidth) }
        )
      )
    );
    const size = Math.max(radius * 0.55, 5);
    const badge = (node, number) => {
      const at = points[node].map((value, axis) => round(value + radius * (axis ? -1 : 1)));
      const text = svgEl("text", { "font-size": round(size * 1.4), dy: "0.35em" }, String(number));
      return svgEl(
        "g",
        { class: `badge ${groupClass(number)}`, transform: `translate(${at.join(" ")})` },
        svgEl("circle", { r: round(size) }),
        text
      );
    };
    badges.replaceChildren(...pieces.flatMap(({ number, nodes: piece }) => piece.map((node) => badge(node, number))));
  }
  function offer(actions, labelOf) {
    const open2 = new Set(actions);
    for (const node of drawn.offered) {
      if (!open2.has(node)) ["tabindex", "role", "aria-label"].forEach((name) => nodeEls[node].removeAttribute(name));
    }
    for (const node of open2) {
      put(nodeEls[node], "tabindex", 0);
      put(nodeEls[node], "role", "button");
      put(nodeEls[node], "aria-label", labelOf(node));
    }
    drawn.offered = open2;
  }
  function scaled(pixel) {
    drawn.pixel = pixel;
    const { least, size, long } = drawn.label;
    svg.style.setProperty("--pixel", `${Math.round(pixel * 1e3) / 1e3}px`);
    if (story.written) return;
    const names = longest > 4;
    const small = radius * (long && !names ? 0.95 : Math.min(0.95, 2.5 / longest)) / pixel < least;
    const room = 2 * radius / pixel / (longest * 0.58);
    const fits = !long && room > 0.8 * size;
    svg.classList.toggle("crowded", small && !fits);
    svg.classList.toggle("lettered", small && fits);
    svg.style.setProperty("--label", fits ? Math.min(size, round(room)) : size);
  }
  function write(label2 = LABEL) {
    drawn.label = label2;
    scaled(drawn.pixel);
  }
  const places = { box, points, radius, unit, written: story.written, lineOf: shape.line, middleOf: shape.middle };
  return { svg, ...places, many, know, show, light, showGroups, offer, scaled, write };
}

// assets/player/scenes.js
var LIKELY = 3;
var plainLooks = (nodes) => nodes.map(() => ({ role: "outside", flags: [], scale: 1, strength: 0 }));
function stateScene({ nodes, edges, start }, step) {
  const { members } = step;
  const inside2 = new Set(members);
  const looks = plainLooks(nodes);
  const sorted = [...step.frontier].sort((a, b) => b.probability - a.probability);
  const likely = /* @__PURE__ */ new Set([...sorted.slice(0, LIKELY).map(({ node }) => node), step.chosen]);
  for (const { node, probability } of step.frontier) {
    looks[node] = {
      role: "frontier",
      flags: likely.has(node) ? ["likely"] : [],
      scale: 0.85 + 0.4 * Math.sqrt(probability),
      strength: probability
    };
  }
  for (const node of members) looks[node] = { role: "member", flags: [], scale: 1, strength: 1 };
  looks[start].flags.push("start");
  for (const node of step.cut_vertices) looks[node].flags.push("cut");
  for (const { removed } of step.parents) looks[removed].flags.push("parent");
  if (step.added !== null) looks[step.added].flags.push("added");
  const open2 = (node) => looks[node].role === "frontier";
  const ways = edges.map(({ source, target }) => {
    if (inside2.has(source) && inside2.has(target)) return "inside";
    return inside2.has(source) && open2(target) || inside2.has(target) && open2(source) ? "reach" : "outside";
  });
  return { mode: "state", step, members, looks, ways };
}
function foundScene({ nodes, edges, start, steps }, { motif, known }, subgraph, mode) {
  const found = new Set(subgraph.nodes);
  const held = new Set(subgraph.edges);
  const looks = plainLooks(nodes).map((look, node) => {
    const judged = found.has(node) ? motif.has(node) ? "hit" : "extra" : motif.has(node) ? "missed" : "outside";
    const role = known ? judged : found.has(node) ? "found" : "outside";
    return { ...look, role, flags: node === start ? ["start"] : [], strength: 1 };
  });
  const ways = edges.map((edge, index) => {
    if (held.has(index)) return !known ? "found" : edge.in_motif ? "hit" : "extra";
    return edge.in_motif ? "missed" : "outside";
  });
  return { mode, step: steps.at(-1), members: subgraph.nodes, looks, ways };
}

// assets/player/roles.js
var STATE_ROLES = [
  ["start", "start v₀", "the start node: every set contains it"],
  ["added", "just added", "the node that the last step added"],
  ["member", "in the set", "the set s, the explanation so far"],
  ["frontier", "frontier", "could be added next; the larger and stronger, the more probable"],
  ["cut", "cut vertex", "the set would fall apart without it"],
  ["parent", "removable", "removing it gives a valid parent of this state"],
  ["outside", "outside", "out of reach for now"]
];
var END_ROLES = [
  ["start", "start v₀", "the start node"],
  ["hit", "hit", "found, and in the true motif"],
  ["missed", "missed", "in the true motif, but not found"],
  ["extra", "extra", "found, but not in the true motif"],
  ["found", "found", "in the subgraph that was found"]
];
function swatch(kind, molecule = false) {
  const picture = (viewBox, more, ...parts) => svgEl("svg", { viewBox, class: `graph swatch${more}`, "aria-hidden": "true" }, ...parts);
  if (kind === "underlined") {
    return picture("0 0 24 20", "", svgEl("path", { class: "outline", d: "M3 15H21", "stroke-width": 3.6 }));
  }
  if (kind === "outlined" || kind.startsWith("reason-")) {
    const line = { class: `contour ${kind}`, x: 3, y: 4, width: 18, height: 12, rx: 6 };
    return picture("0 0 24 20", "", svgEl("rect", line));
  }
  if (["hit", "missed", "extra", "found"].includes(kind)) {
    const crosses = { class: "crosses", d: "M9 7l6 6m0 -6l-6 6", "stroke-width": 1.6 };
    const lines = [svgEl("path", { class: `edge ${kind}`, d: "M1 10H23" })];
    if (kind === "extra") lines.push(svgEl("path", crosses));
    return picture("0 0 24 20", "", svgEl("g", { style: "--thin: 0.8" }, ...lines));
  }
  const role = ["start", "added", "cut", "parent", "picked"].includes(kind) ? `member ${kind}` : kind;
  const atoms = molecule ? { frontier: [8], added: [7.4] } : {};
  const rings = { start: [8.4], cut: [6.6, 9], parent: [8.2], picked: [8.4], ...atoms }[kind] ?? [];
  const circles = rings.map((r) => svgEl("circle", { class: `ring ${kind}`, r }));
  const node = { class: `node ${role}`, style: "--strength: 0.6" };
  const look = molecule ? " molecule" : "";
  return picture("-12 -10 24 20", look, svgEl("g", node, ...circles, svgEl("circle", { class: "body", r: 5 })));
}
function createLegend() {
  const element = el("ul", { class: "legend", "aria-label": "Legend" });
  function show(story, frame2) {
    const ended = frame2 === story.end || frame2 === story.cover;
    const entries = (ended ? END_ROLES : STATE_ROLES).map(
      ([role, text, tip]) => ({ role, text, tip, nodes: story.withRole(frame2, role) })
    );
    if (story.outlined) {
      const role = story.written ? "underlined" : "outlined";
      const tip = `${role}: a part that many samples agree with`;
      entries.push({ role, text: story.reasonNoun, tip, nodes: story.answer.nodes });
    }
    const shown = ended ? entries.filter(({ nodes }) => nodes.length) : entries;
    keyed(
      element,
      shown,
      ({ role, text }) => `${role}${text}${story.molecule}`,
      ({ role, text }) => el("li", {}, swatch(role, story.molecule), text),
      (child, { role, tip, nodes }) => {
        put(child, "data-tip", tip);
        put(child, "data-nodes", role === "outside" ? "" : nodes.join(" "));
        child.classList.toggle("absent", !nodes.length);
      }
    );
  }
  return { element, show };
}

// assets/player/story.js
var COVER = -1;
function parseTrace(text) {
  return JSON.parse(text, (key, value) => value === "-Infinity" && key.startsWith("log_") ? -Infinity : value);
}
function alongReason(trace, reason) {
  if (!reason?.steps.length) return trace;
  return { ...trace, start: reason.nodes[0], steps: reason.steps, final: reason };
}
function createStory({ trace: text, words: words2 }, { ended, covered, reason = null }) {
  const given = parseTrace(text);
  const reasons = given.answer?.reasons ?? [];
  const chosen = reasons[(reason ?? 1) - 1] ?? reasons[0];
  const trace = alongReason(given, reason === null ? null : chosen);
  const { nodes, edges, steps } = trace;
  const answer = chosen ? { ...given.answer, ...chosen } : null;
  const cover = covered && answer ? COVER : null;
  const own = words2.stories[reason === null ? 0 : reasons.indexOf(chosen) + 1];
  const links = nodes.map(() => []);
  for (const { source, target } of edges) {
    links[source].push(target);
    links[target].push(source);
  }
  const known = edges.some((edge) => edge.in_motif);
  const motif = new Set(edges.flatMap((edge) => edge.in_motif ? [edge.source, edge.target] : []));
  const scenes = /* @__PURE__ */ new Map();
  const story = {
    text,
    trace,
    links,
    known,
    motif,
    answer,
    reasons,
    reason,
    shown: Math.max(reasons.indexOf(chosen), 0),
    // which of them is outlined
    covered,
    cover,
    outlined: cover !== null,
    first: cover ?? 0,
    molecule: nodes.some((node) => node.element),
    written: trace.drawing === "sentence",
    // its nodes are words, in reading order
    end: ended ? steps.length : null,
    last: ended ? steps.length : steps.length - 1,
    graphKey: JSON.stringify([nodes, edges])
  };
  story.reasonNouns = words2.reasons;
  story.shares = (words2.shares ?? []).map(solid);
  story.rule = words2.rule;
  Object.assign(story, { rings: words2.rings, shapes: words2.shapes });
  Object.assign(story, { apart: own.apart, rows: own.rows, facts: own.facts });
  story.reasonNoun = words2.reasons[story.shown];
  story.name = (node) => words2.names[node];
  story.names = (list) => listing(list.map(story.name));
  story.step = (frame2) => steps[Math.min(Math.max(frame2, 0), steps.length - 1)];
  story.className = trace.classes[trace.prediction.predicted];
  const taught = Boolean(trace.made?.student);
  story.asked = taught ? "student" : "GNN";
  story.asks = `${taught ? "Student" : "GNN"}: “${story.className}”`;
  story.scene = (frame2) => {
    if (!scenes.has(frame2)) scenes.set(frame2, sceneOf(frame2));
    return scenes.get(frame2);
  };
  function sceneOf(frame2) {
    if (frame2 === cover) return foundScene(trace, story, answer, "answer");
    if (frame2 === story.end) return foundScene(trace, story, trace.final, "end");
    return stateScene(trace, steps[frame2]);
  }
  story.withRole = (frame2, role) => {
    const looks = story.scene(frame2).looks;
    return nodes.flatMap((_, node) => looks[node].role === role || looks[node].flags.includes(role) ? [node] : []);
  };
  story.tip = (frame2, node) => {
    const { step, looks } = story.scene(frame2);
    const { role, flags } = looks[node];
    const { id, element, features } = nodes[node];
    const what = story.written ? `“${story.name(node)}”` : `Node ${story.name(node)}`;
    const parts = [element ? `${element}, atom ${id}` : what];
    const start = trace.target === null ? "start node v₀" : "start node v₀, the explained node";
    if (flags.includes("start")) parts.push(start);
    if (flags.includes("added")) parts.push("just added");
    if (flags.includes("cut")) parts.push("cut vertex: the set falls apart without it");
    const parent = flags.includes("parent") && step.parents.find(({ removed }) => removed === node);
    if (parent) parts.push(`can be taken away: log F = ${signed(parent.log_flow)}`);
    const action = role === "frontier" && step.frontier.find((each) => each.node === node);
    if (action) parts.push(`frontier: π = ${percent(action.probability)}, log F = ${signed(action.log_flow)}`);
    const end = END_ROLES.find(([name]) => name === role);
    if (end) parts.push(end[2]);
    return [...parts, ...features.map(([name, value]) => `${name} ${value}`)].join(" · ");
  };
  story.sentence = (frame2) => {
    if (frame2 === cover) return own.cover;
    if (frame2 === story.end) return solid(own.end);
    const { stop, chosen: chosen2 } = steps[frame2];
    return solid(own.captions[frame2].slice(0, stop.forced || chosen2 !== null || ended ? 2 : 1).join(" "));
  };
  story.theorem = (frame2) => own.theorem[Math.min(frame2, steps.length - 1)];
  return story;
}

// assets/components/hero.js
var PACE = 1150;
var ROOM = [330, 230];
var LARGER = 1.35;
var LETTERS = { least: 14, size: 15, long: false };
function script(data) {
  const whole = createStory(data, { ended: true, covered: false });
  const { reasons, className, trace: { prediction, answer, edges } } = whole;
  const several = reasons.length > 1;
  const judged = several ? edges.map((edge) => ({ ...edge, in_motif: null })) : edges;
  const truth = { motif: several ? /* @__PURE__ */ new Set() : whole.motif, known: whole.known && !several };
  const found = (part2, start) => foundScene({ ...whole.trace, edges: judged, start }, truth, part2, "end");
  const frames = [];
  const starts = /* @__PURE__ */ new Set();
  for (const [number, reason] of reasons.entries()) {
    const { trace, name } = createStory(data, { ended: true, covered: false, reason: number + 1 });
    starts.add(trace.start);
    for (const [at, step] of trace.steps.entries()) {
      let says2 = `The GNN predicts “${className}” (${percent(prediction.probabilities[prediction.predicted])}). Why?`;
      if (number) says2 = "The next sample takes other steps: each is taken at random, by its probability.";
      if (at) {
        const { frontier } = trace.steps[at - 1];
        const { probability } = frontier.find(({ node }) => node === step.added);
        says2 = `It adds ${name(step.added)}, one of ${frontier.length + 1} choices, with a probability of ${percent(probability)}.`;
      }
      frames.push({ scene: stateScene(trace, { ...step, cut_vertices: [], parents: [] }), says: says2 });
    }
    const alone = percent(reason.alone[prediction.predicted]);
    const says = `Sample ${number + 1} stops: ${reason.name}. This part alone gives ${alone}.`;
    if (several) frames.push({ scene: found(reason, reason.nodes[0]), says, ends: number });
  }
  const all = (name) => [...new Set(reasons.flatMap((reason) => reason[name]))];
  const scene = found({ nodes: all("nodes"), edges: all("edges") }, starts.size > 1 ? null : [...starts][0]);
  return { ...whole, frames: [...frames, { scene, says: answer.sentence, ends: null }] };
}
var hero_default2 = keptView((parentElement) => {
  const root = parentElement.querySelector(".hero");
  const stage = el("div", { class: "hero-stage" });
  const verdict = el("p", { class: "verdict", hidden: true });
  const caption = el("p", { class: "words-now", "aria-live": "polite" });
  const again = el("button", { type: "button", class: "again", onclick: () => toggle() });
  const dots = el("div", { class: "dots", "aria-hidden": "true" });
  const tally = el("ul", { class: "tally", "aria-label": "Reasons" });
  const words2 = el("div", { class: "words" }, el("div", { class: "now" }, verdict, caption));
  root.append(stage, tally, words2, el("div", { class: "row" }, again, dots));
  let [plot, frame2, timer, graph, text] = [null, 0, null, null, null];
  const sized = new ResizeObserver(() => graph && lay());
  sized.observe(stage);
  const last = () => plot.frames.length - 1;
  function play() {
    clearTimeout(timer);
    timer = frame2 < last() ? setTimeout(() => (show(frame2 + 1), play()), PACE) : null;
    say();
  }
  function toggle() {
    if (timer === null) {
      if (frame2 === last()) show(0);
      play();
    } else {
      clearTimeout(timer);
      timer = null;
      say();
    }
  }
  const say = () => setText(again, timer !== null ? "Pause" : frame2 === last() ? "Play again" : "Play");
  function draw(outcome) {
    graph = createGraph({ ...plot, times: LARGER });
    graph.write(LETTERS);
    stage.replaceChildren(graph.svg);
    setText(verdict, solid(outcome));
    put(words2, "data-verdict", outcome);
    put(words2, "data-says", plot.frames[last()].says);
    root.classList.toggle("tween", !lessMotion());
    dots.replaceChildren(...plot.frames.map(({ ends }) => el("i", { class: ends !== void 0 && "answer" })));
    const reasons = plot.reasons.length > 1 ? plot.reasons : [];
    tally.hidden = !reasons.length;
    tally.replaceChildren(...reasons.map(({ name, share }, number) => {
      const bar = el("i", { style: `--share: ${share}` });
      return el("li", {}, el("span", {}, name), el("span", { class: "share" }, bar), el("b", {}, plot.shares[number]));
    }));
    lay();
  }
  function lay() {
    const size = [stage.clientWidth || 560, stage.clientHeight || 400];
    const box = framed(graph.box, size, ROOM);
    put(graph.svg, "viewBox", box.join(" "));
    graph.scaled(box[2] / size[0]);
  }
  function show(next) {
    frame2 = next;
    const { scene, says } = plot.frames[frame2];
    const answer = frame2 === last();
    graph.show(scene);
    verdict.hidden = !answer;
    setText(caption, solid(says));
    put(graph.svg, "aria-label", says);
    [...dots.children].forEach((dot, number) => dot.classList.toggle("done", number <= frame2));
    plot.frames.forEach(({ ends }, at) => tally.children[ends]?.classList.toggle("done", frame2 >= at));
    tally.classList.toggle("counted", answer);
    say();
  }
  return {
    show({ seek, verdict: outcome, ...data }) {
      if (text === data.trace) return;
      text = data.trace;
      plot = script(data);
      clearTimeout(timer);
      timer = null;
      draw(outcome);
      if (seek) stage.scrollIntoView({ block: "nearest", behavior: lessMotion() ? "auto" : "smooth" });
      show(lessMotion() ? last() : 0);
      if (!lessMotion()) play();
    },
    destroy() {
      clearTimeout(timer);
      sized.disconnect();
    }
  };
});

// assets/components/tour_bar.css
var tour_bar_default = ".tour {\n  position: fixed; inset: 0 0 auto; z-index: 999990; box-sizing: border-box; height: var(--tour, 3.75rem); padding: 0.3rem clamp(0.75rem, 3.4vw, 6rem);\n  display: grid; grid-template-columns: max-content 1fr repeat(3, max-content); gap: 0.25rem 0.6rem; align-items: center;\n  border-bottom: 2px solid var(--accent); background: var(--paper); box-shadow: 0 2px 14px rgb(0 0 0 / 10%);\n}\n.count { padding: 0.15rem 0.6rem; border-radius: 1rem; font-size: 0.85rem; color: var(--paper); background: var(--accent); font-variant-numeric: tabular-nums; white-space: nowrap; }\n.sentence { margin: 0; font-size: 1.1rem; line-height: 1.25; text-wrap: balance; }\n.tour a { padding: 0.35rem 0.75rem; border: 1px solid var(--line); border-radius: 0.6rem; font-size: 0.9rem; font-weight: 600; color: inherit; text-decoration: none; white-space: nowrap; }\n.tour a[hidden] { display: block; visibility: hidden; }\n.tour a:hover { border-color: var(--accent); }\n.tour a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }\n.tour .next, .tour.last .end { border-color: var(--accent); color: var(--paper); background: var(--accent); }\nkbd { font: 400 0.75rem/1 var(--st-font, sans-serif); opacity: 0.75; }\n@media (max-width: 900px) {\n  .tour { grid-template: auto 1fr / 1fr repeat(3, max-content); padding: 0.45rem 0.75rem; }\n  .tour > * { grid-row: 1; }\n  .count { justify-self: start; }\n  .sentence { grid-row: 2; grid-column: 1 / -1; align-self: start; font-size: 1rem; text-wrap: pretty; }\n}\n@media (hover: none) { kbd { display: none; } }\n";

// assets/kit/keys.js
function listenToKeys(root, keys, { own, scrubber = [" "], always = [], anywhere = false }) {
  function isOurs(event, key) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return false;
    const source = event.composedPath()[0];
    const nobodys = [document.body, document.documentElement].includes(source) || source.matches?.("h1");
    const free = nobodys || anywhere && !source.closest?.(own);
    if (!root.contains(source)) return free && onScreen(root);
    if (always.includes(key)) return true;
    if (source.closest(own)) return false;
    if (source.closest("input")) return scrubber.includes(key);
    return key !== " " || !source.closest("button, summary, [role=button]");
  }
  function keydown(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (keys[key] && isOurs(event, key) && keys[key]() !== false) event.preventDefault();
  }
  function clicked(event) {
    if (event.detail > 0 && event.target.closest?.("button")) root.focus({ preventScroll: true });
  }
  root.addEventListener("click", clicked);
  document.addEventListener("keydown", keydown);
  return () => document.removeEventListener("keydown", keydown);
}
var presenting = () => new URLSearchParams(window.location.search).get("present") === "1";
function createTabs(label, entries, open2) {
  const tabs = entries.map(
    ([name, title]) => el("button", { type: "button", role: "tab", "data-tab": name, onclick: () => open2(name) }, title)
  );
  const element = el("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: go }, ...tabs);
  function go(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const seen2 = tabs.filter((tab) => !tab.hidden);
    const next = seen2.at((seen2.findIndex((tab) => tab.tabIndex === 0) + by) % seen2.length);
    next.click();
    next.focus();
  }
  function select(name) {
    for (const tab of tabs) {
      put(tab, "aria-selected", tab.dataset.tab === name);
      put(tab, "tabindex", tab.dataset.tab === name ? 0 : -1);
    }
  }
  return { element, tabs, select };
}

// assets/components/tour_bar.js
var LOOK = 200;
var SETTLE = 3e3;
var RING = [
  { outline: "3px solid #6a74e0", outlineOffset: "3px" },
  { outline: "3px solid #e0578f", outlineOffset: "3px" }
];
var TYPES = "input, textarea, select, [contenteditable], [role=listbox], [role=dialog], [role=menu]";
var tour_bar_default2 = keptView((parentElement) => {
  const bar = parentElement.querySelector(".tour");
  const [count, sentence, back, next, end] = bar.children;
  let [stop, target, ring2, pressed, settled] = [null, null, null, false, 0];
  const go = (link) => () => link.hidden ? false : link.click();
  const leave = () => presenting() ? false : end.click();
  const forgetKeys = listenToKeys(bar, { n: go(next), b: go(back), Escape: leave }, { own: TYPES, anywhere: true });
  const acted = () => {
    settled = 0;
  };
  for (const kind of ["wheel", "touchmove", "pointerdown"]) window.addEventListener(kind, acted, { passive: true });
  const looking = setInterval(look, LOOK);
  function look() {
    if (!target?.isConnected) {
      ring2?.cancel();
      target = find(stop.point);
      if (!target) return;
      ring2 = target.animate(RING, { duration: lessMotion() ? 1e9 : 900, iterations: Infinity, direction: "alternate" });
      settled = performance.now() + SETTLE;
    }
    if (performance.now() < settled) target.scrollIntoView({ block: "nearest" });
    const state = document.querySelector(".stApp")?.dataset.testScriptState ?? "notRunning";
    const ready = state === "notRunning" && !pressed && stop.press.length && !lessMotion();
    const button2 = ready ? find(stop.press) : null;
    pressed ||= Boolean(button2);
    button2?.click();
  }
  return {
    show(data) {
      const same2 = stop?.number === data.number;
      stop = data;
      setText(count, `${data.number} of ${data.of}`);
      setText(sentence, data.sentence);
      for (const [link, to] of [[back, data.back], [next, data.next], [end, data.end]]) {
        link.hidden = !to;
        put(link, "href", to);
      }
      bar.classList.toggle("last", !data.next);
      if (same2) return;
      ring2?.cancel();
      [target, pressed] = [null, false];
      toTop();
    },
    destroy() {
      clearInterval(looking);
      forgetKeys();
      ring2?.cancel();
      toTop();
      for (const kind of ["wheel", "touchmove", "pointerdown"]) window.removeEventListener(kind, acted);
    }
  };
});
var toTop = () => document.querySelector(".stMain")?.scrollTo(0, 0);
function find([place, part2]) {
  const host = document.querySelector(place);
  if (!host || !part2) return host;
  const inside2 = [...host.querySelectorAll("*")].find((each) => each.shadowRoot)?.shadowRoot;
  const found = (inside2 ?? host).querySelector(part2);
  return found?.getClientRects().length ? found : null;
}

// assets/kit/kit.css
var kit_default = "/* What all components share: the theme's colours under short names, the tip, and text for those who listen. */\n\n.kit {\n  --ink: var(--st-text-color, #1d2433);\n  --paper: var(--st-background-color, #fff);\n  --soft: var(--st-secondary-background-color, #f4f6fa);\n  --line: var(--st-border-color, #dfe4ee);\n  --accent: var(--st-primary-color, #4a55c8);\n  --muted: color-mix(in srgb, var(--ink) 66%, var(--paper));\n  color: var(--ink); font-family: var(--st-font, sans-serif);\n}\n.unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }\n.tip {\n  position: absolute; z-index: 5; pointer-events: none; max-width: min(22rem, 92%); width: max-content; padding: 0.3rem 0.6rem;\n  border-radius: 0.45rem; font-size: 0.8rem; line-height: 1.35; background: var(--ink); color: var(--paper); box-shadow: 0 3px 12px rgb(0 0 0 / 22%);\n}\n.tip[hidden] { display: none; }\n.in-picture { appearance: none; position: absolute; height: 20px; margin: 0; background: none; cursor: ew-resize; }\n.in-picture::-webkit-slider-runnable-track { height: 4px; border-radius: 2px; background: linear-gradient(to right, var(--accent) var(--done), var(--line) var(--done)); }\n.in-picture::-moz-range-track { height: 4px; border-radius: 2px; background: linear-gradient(to right, var(--accent) var(--done), var(--line) var(--done)); }\n.in-picture::-webkit-slider-thumb { appearance: none; width: 15px; height: 15px; margin-top: -5.5px; border-radius: 50%; background: var(--paper); border: 2.6px solid var(--accent); }\n.in-picture::-moz-range-thumb { width: 10px; height: 10px; border-radius: 50%; background: var(--paper); border: 2.6px solid var(--accent); }\n@media (hover: hover) { .in-picture.reward:not(.current, :hover, :focus-visible, :active) { opacity: 0; } }\n.in-picture:focus-visible { outline: 2px solid var(--accent); border-radius: 0.5rem; }\n.probe { position: absolute; width: 0; height: 0; overflow: hidden; color: var(--paper); transition: color 1ms; }\n";

// assets/kit/shade.js
var LOOKS = [":host { display: block; }", kit_default];
function shaded(part2, ...styles) {
  const root = part2.attachShadow({ mode: "open" });
  root.append(...part2.childNodes);
  root.adoptedStyleSheets = [...LOOKS, ...styles].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return root;
}

// assets/components/graph_view.css
var graph_view_default = "/* What the player's graph has not: marks of a checked answer, edges that can be edited, and a frame of its own. */\n\n.pane { position: relative; }\n.pane .stage-frame { grid-area: auto; }\n.pane .stage { contain: none; }\n.pane .legend { margin-top: 0.4rem; }\n.pane .legend li { cursor: default; }\n.pane .badge text { dominant-baseline: auto; }\n\n.node.open { cursor: pointer; }\n.node.open:hover .body { stroke: var(--accent); stroke-width: 3.4px; stroke-dasharray: none; }\n.node.open:active .body { filter: brightness(0.9); }\n.node.right .body { fill: color-mix(in srgb, var(--motif) 34%, var(--paper)); stroke: var(--motif); stroke-width: 2.6px; }\n.node.right text { fill: var(--ink); }\n.node.wrong .body { fill: color-mix(in srgb, var(--extra) 28%, var(--paper)); stroke: var(--extra); stroke-width: 2.6px; }\n.node.wrong text { fill: var(--ink); }\n\n.overlay { pointer-events: none; }\n.ring.picked { stroke: var(--accent); stroke-width: 3.2px; }\n.ring.first { stroke: var(--accent); stroke-width: 2.6px; stroke-dasharray: 5 3; }\n.mark circle { stroke: var(--paper); stroke-width: 1.2px; }\n.mark text { fill: #fff; text-anchor: middle; font-weight: 700; }\n.mark.right circle { fill: var(--motif); }\n.mark.wrong circle { fill: var(--extra); }\n\n.edge-hit { stroke: transparent; stroke-width: 14px; cursor: pointer; }\n.edge-hit:hover { stroke: color-mix(in srgb, var(--extra) 35%, transparent); }\n\n.group-mark {\n  display: inline-grid; place-items: center; min-width: 1.15rem; height: 1.15rem; border-radius: 50%; font-size: 0.72rem; font-weight: 700;\n  background: var(--group); color: var(--on-group);\n}\n";

// assets/player/sight.js
var STRIP = 34;
var ROOM2 = [460, 340];
var LINES = [420, 190];
var LARGE = 36;
var MOST2 = 0.6;
function createSight(stage, partButton) {
  const sight = { graph: null, camera: null, key: null };
  let part2 = null;
  sight.open = (story) => {
    const other = sight.key !== story.graphKey;
    if (other) {
      sight.camera?.destroy();
      Object.assign(sight, mountGraph(stage, story, () => ROOM2, STRIP), { key: story.graphKey });
    }
    const { trace, reasons, motif, links } = story;
    const told = reasons.flatMap(({ nodes }) => nodes);
    const core = [...told.length ? told : motif, ...trace.final.nodes];
    part2 = partBox(sight.graph, core);
    sight.graph.know({
      reasons: story.outlined ? reasons.map(({ nodes }) => nodes) : [],
      rings: story.rings,
      shown: story.shown,
      shares: trace.edge_marginals,
      near: part2 && nearTo(core, links, sight.graph.points, part2)
    });
    partButton.hidden = !part2;
    if (other) sight.look(part2 !== null);
  };
  sight.look = (closely) => {
    stage.classList.toggle("focused", closely);
    if (closely) sight.lookAt(part2);
    else sight.camera.fit();
  };
  return sight;
}
function mountGraph(stage, story, room, strip = 0) {
  const size = () => [stage.clientWidth || 600, stage.clientHeight || 450];
  const graph = createGraph(story);
  stage.replaceChildren(graph.svg);
  const camera = createCamera(stage, graph.svg, {
    home: () => framed(graph.box, size(), story.written ? LINES : room(), strip),
    changed: (box) => graph.scaled(box[2] / size()[0])
  });
  function lookAt(part2) {
    const [x, y, width] = framed(part2, size(), [0, 0], strip);
    camera.show(inside(camera.home, x, y, Math.min(width, camera.home[2])));
  }
  return { graph, camera, lookAt };
}
function nearTo(core, links, points, [x, y, width, height]) {
  const seen2 = (node) => {
    const [left, top] = [points[node][0] - x, points[node][1] - y];
    return left >= 0 && left <= width && top >= 0 && top <= height;
  };
  return new Set(core.flatMap((node) => [node, ...links[node].filter(seen2)]));
}
function partBox({ points, unit, radius, box, written: written2 }, core) {
  if (written2 || points.length <= LARGE || !core.length) return null;
  const pad = Math.max(0.7 * unit, 4 * radius);
  const part2 = bounds(core.map((node) => points[node]), pad);
  return part2[2] * part2[3] < MOST2 * box[2] * box[3] ? part2 : null;
}

// assets/components/button_graph.js
var FEW = 16;
var ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function createButtonGraph(act, { room, tools = false }) {
  const stage = el("div", { class: "stage" });
  const zoom = () => zoomTools((factor) => view.camera?.zoom(factor), () => view.camera?.fit());
  const element = el("div", { class: "stage-frame" }, stage, ...tools ? [zoom()] : []);
  createTip(element, (event) => {
    const item = offered && itemAt(event);
    const words2 = () => (offered.tip ?? offered.name)(item);
    return item && [item.element.querySelector(".body") ?? item.element, words2];
  });
  const view = { element, graph: null, camera: null, items: [], overlay: null };
  let [key, offered] = ["", null];
  const focused = () => view.items.find((item) => item.element === element.getRootNode().activeElement);
  view.build = ({ nodes, edges, molecule = false, written: written2 = false, shapes = null, hits = true }) => {
    const next = JSON.stringify([nodes, edges, written2, hits]);
    if (next === key) return false;
    const held = focused();
    const before = view.camera && { box: view.camera.box, home: view.camera.home.join() };
    key = next;
    view.camera?.destroy();
    Object.assign(view, mountGraph(stage, { trace: { nodes, edges }, molecule, written: written2, shapes }, room));
    const { graph } = view;
    const lines = hits ? edges.map((edge) => svgEl("path", { class: "edge-hit", d: graph.lineOf(edge) })) : [];
    graph.svg.querySelector(".nodes").before(svgEl("g", { class: "edge-hits" }, ...lines));
    view.overlay = svgEl("g", { class: "overlay" });
    graph.svg.append(view.overlay);
    const kept2 = before?.home === view.camera.home.join();
    if (kept2) view.camera.show(before.box);
    const drawn = (node) => graph.svg.querySelector(`.node[data-node="${node}"]`);
    view.items = [
      ...graph.points.map((place, index) => ({ kind: "node", index, element: drawn(index), place })),
      ...lines.map((line, index) => ({ kind: "edge", index, element: line, place: graph.middleOf(edges[index]) }))
    ];
    if (held) view.item(held.kind, held.index)?.element.focus({ preventScroll: true });
    return !kept2;
  };
  view.item = (kind, index) => view.items.find((item) => item.kind === kind && item.index === index);
  view.offer = (given) => {
    offered = given;
    const open2 = view.items.filter(offered.open);
    const active = focused();
    const reached = open2.includes(active) ? active : open2.find(({ kind }) => kind === "node") ?? open2[0];
    for (const item of view.items) {
      const chosen = open2.includes(item);
      const first = open2.length <= FEW || item === reached;
      put(item.element, "role", chosen ? "button" : item.kind === "node" ? "img" : null);
      put(item.element, "tabindex", chosen ? first ? 0 : -1 : null);
      put(item.element, "aria-label", offered.name(item));
      put(item.element, "aria-pressed", chosen ? offered.pressed?.(item) ?? null : null);
      item.element.classList.toggle("open", chosen);
    }
  };
  view.ring = (name, [cx, cy], times) => svgEl("circle", { class: `ring ${name}`, cx, cy, r: view.graph.radius * times });
  const itemAt = (event) => view.items.find((item) => item.element.contains(event.target));
  const choose = (item) => item && offered.open(item) && act.choose?.(item);
  function keydown(event) {
    if (event.key === "Escape") return act.escape?.();
    const item = itemAt(event);
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return void 0;
    const arrow = offered.arrows !== false && ARROWS[event.key];
    if (!arrow && event.key !== "Enter" && event.key !== " ") return void 0;
    event.preventDefault();
    if (!arrow) return choose(item);
    event.stopPropagation();
    const next = towards(item, arrow);
    if (!next) return void 0;
    if (item.element.tabIndex === 0 && next.element.tabIndex < 0) put(item.element, "tabindex", -1);
    put(next.element, "tabindex", 0);
    return next.element.focus({ preventScroll: true });
  }
  function towards(item, [dx, dy]) {
    let [best, cost] = [null, Infinity];
    for (const other of view.items.filter(offered.open)) {
      const [u, v] = [other.place[0] - item.place[0], other.place[1] - item.place[1]];
      const along = u * dx + v * dy;
      const across = Math.abs(u * dy) + Math.abs(v * dx);
      if (along > 1e-6 && along + 2 * across < cost) [best, cost] = [other, along + 2 * across];
    }
    return best;
  }
  stage.addEventListener("click", (event) => !view.camera.dragged && choose(itemAt(event)));
  stage.addEventListener("keydown", keydown);
  onPointing(stage, (event) => act.over?.(itemAt(event) ?? null), () => act.over?.(null));
  view.destroy = () => view.camera?.destroy();
  return view;
}

// assets/components/graph_view.js
var BASE_ROLES = ["start", "member", "added"];
var FLAGS = ["start", "added", "cut", "parent", "right", "wrong", "picked"];
var ROOMY = [310, 190];
var MARKS = { right: "✓", wrong: "✗" };
var LEGEND = [...STATE_ROLES, ["picked", "picked by you"], ["right", "right"], ["wrong", "wrong"]];
var MEANINGS = Object.fromEntries(LEGEND);
function lookOf(roles) {
  const inside2 = roles.some((role2) => BASE_ROLES.includes(role2));
  const role = inside2 ? "member" : roles.includes("frontier") ? "frontier" : "outside";
  return { role, flags: FLAGS.filter((flag) => roles.includes(flag)), scale: 1, strength: 0.35 };
}
function waysOf(data, looks) {
  const strong = new Set(data.highlighted.map(([a, b]) => `${a}-${b}`));
  return data.edges.map(([a, b]) => {
    if (strong.has(`${a}-${b}`) || strong.has(`${b}-${a}`)) return "found";
    const roles = [looks[a].role, looks[b].role];
    if (roles.every((role) => role === "member")) return "inside";
    return roles.includes("member") && roles.includes("frontier") ? "reach" : "outside";
  });
}
function paneSwatch(role) {
  const picture = swatch(role);
  if (MARKS[role]) picture.firstChild.append(svgEl("text", { "font-size": 9, dy: "0.36em" }, MARKS[role]));
  return picture;
}
function createGraphPane(act) {
  const escape = () => pane.first !== null && letGo();
  const over = (item) => act.over?.(item?.kind === "node" ? item.index : null);
  const view = createButtonGraph({ choose, escape, over }, { room: () => ROOMY });
  const legend = el("ul", { class: "legend", "aria-label": "Legend" });
  const element = el("div", { class: "pane" }, view.element, legend);
  const pane = { element, data: null, first: null };
  function drawOverlay() {
    const { points, radius } = view.graph;
    const parts = pane.data.nodes.flatMap(({ roles }, node) => {
      const own = [];
      if (roles.includes("picked")) own.push(view.ring("picked", points[node], 1.5));
      if (pane.first === node) own.push(view.ring("first", points[node], 1.7));
      const mark = ["right", "wrong"].find((name) => roles.includes(name));
      if (!mark) return own;
      const size = Math.max(radius * 0.62, 6);
      const spot = points[node].map((value) => round(value - radius * 0.95));
      const letter = svgEl("text", { "font-size": size * 1.35, dy: "0.36em" }, MARKS[mark]);
      const place = { class: `mark ${mark}`, transform: `translate(${spot.join(" ")})` };
      return [...own, svgEl("g", place, svgEl("circle", { r: size }), letter)];
    });
    view.overlay.replaceChildren(...parts);
  }
  function meaning(node) {
    const { roles, tip: words2 } = pane.data.nodes[node];
    return words2 || roles.map((role) => MEANINGS[role]).filter(Boolean).join(", ") || "outside";
  }
  function named({ kind, index }, between = ": ") {
    const { nodes, edges } = pane.data;
    if (kind === "node") return `${nodes[index].label}${between}${meaning(index)}`;
    return `Link ${edges[index].map((node) => nodes[node].label).join(", ")}: click to remove it`;
  }
  function showLegend(data, pieces) {
    const present = new Set(data.nodes.flatMap(({ roles }) => roles.length ? roles : ["outside"]));
    if (!data.nodes.some(({ roles }) => !roles.includes("start") && roles.includes("member"))) present.delete("member");
    const entries = LEGEND.filter(([role]) => present.has(role));
    const items = entries.map(([role, text]) => el("li", {}, paneSwatch(role), text));
    const hulls = pieces.map(
      ({ number, name }) => el("li", {}, el("span", { class: `group-mark ${groupClass(number)}` }, String(number)), name)
    );
    legend.replaceChildren(...items, ...hulls);
    legend.hidden = !items.length && !hulls.length;
  }
  pane.show = (data) => {
    const before = pane.data;
    pane.data = data;
    if (!data.edits || before?.edits !== data.edits) pane.first = null;
    view.element.style.height = `${data.height / 16}rem`;
    const nodes = data.nodes.map(({ x, y, label }, id) => ({ position: [x, y], label, id }));
    const edges = data.edges.map(([source, target]) => ({ source, target, order: 1, in_motif: false }));
    view.build({ nodes, edges, hits: data.edits });
    put(view.graph.svg, "aria-label", data.description || "Graph");
    const looks = data.nodes.map(({ roles }) => lookOf(roles));
    const members = looks.flatMap(({ role }, node) => role === "member" ? [node] : []);
    view.graph.show({ looks, ways: waysOf(data, looks), members, mode: "state" });
    const pieces = Object.entries(data.hulls).map(([name, own], index) => ({ number: index + 1, name, nodes: own }));
    view.graph.showGroups(pieces);
    view.offer({
      open: ({ kind, index }) => kind === "edge" || data.clickable.includes(index),
      pressed: ({ kind, index }) => kind === "node" && data.nodes[index].roles.includes("picked") ? "true" : null,
      name: (item) => named(item),
      tip: (item) => named(item, " · "),
      arrows: data.arrows
    });
    showLegend(data, pieces);
    drawOverlay();
  };
  pane.showPieces = (pieces) => view.graph.showGroups(pieces);
  pane.light = (nodes) => view.graph.light(nodes);
  function choose({ kind, index }) {
    if (kind === "edge") return act.edge(...pane.data.edges[index]);
    if (!pane.data.edits) return act.node(index);
    if (pane.first === null) pane.first = index;
    else {
      if (pane.first !== index) act.edge(pane.first, index);
      pane.first = null;
    }
    return drawOverlay();
  }
  function letGo() {
    pane.first = null;
    drawOverlay();
  }
  pane.destroy = view.destroy;
  return pane;
}

// assets/player/graph.css
var graph_default = `/* The graph, the swatches of the legend and the small pictures. Roles differ in colour and in rim, ring or dash. */

.graph { display: block; width: 100%; height: 100%; font-family: var(--st-font, sans-serif); font-size-adjust: 0.486; } /* Source Sans: others are as large */
.graph .bubble { fill: none; stroke: var(--accent); stroke-opacity: 0.13; stroke-linecap: round; stroke-linejoin: round; }
.graph .outline { fill: var(--answer); stroke: var(--answer); stroke-linecap: round; stroke-linejoin: round; }
.graph .outline-inside { fill: var(--paper); stroke: var(--paper); stroke-linecap: round; stroke-linejoin: round; }
.graph .group { fill: none; stroke: var(--group); stroke-opacity: 0.32; stroke-linecap: round; stroke-linejoin: round; }
.graph.grouped .bubble { stroke-opacity: 0; }
.graph:is([data-mode="end"], [data-mode="answer"]) .bubble { stroke-opacity: 0; }

.edge { fill: none; stroke: var(--plain); stroke-opacity: 0.5; stroke-linecap: round; stroke-width: calc(1.4px * var(--thin)); }
.edge.inside { stroke: var(--set); stroke-opacity: 1; stroke-width: calc(3.4px * var(--thin)); }
.edge.reach { stroke: var(--frontier); stroke-opacity: 0.8; stroke-width: calc(1.7px * var(--thin)); stroke-dasharray: calc(5px * var(--thin)) calc(4px * var(--thin)); }
.edge.found { stroke: var(--accent); stroke-opacity: 1; stroke-width: calc(4.4px * var(--thin)); }
.edge.hit { stroke: var(--motif); stroke-opacity: 1; stroke-width: calc(5px * var(--thin)); }
.edge.missed { stroke: var(--motif); stroke-opacity: 0.95; stroke-width: calc(2.6px * var(--thin)); stroke-dasharray: calc(7px * var(--thin)) calc(5px * var(--thin)); }
.edge.extra { stroke: var(--extra); stroke-opacity: 0.95; stroke-width: calc(2.8px * var(--thin)); }
.molecule .edge { stroke-opacity: 0.65; stroke-width: calc(1.7px * var(--thin)); }
.molecule .edge.inside { stroke-opacity: 1; stroke-width: calc(2.6px * var(--thin)); }
.molecule .edge:is(.hit, .found) { stroke-opacity: 1; stroke-width: calc(3.6px * var(--thin)); }
.molecule .edge:is(.missed, .extra) { stroke-opacity: 1; stroke-width: calc(2.4px * var(--thin)); }
.with-motif .edge.true:not(.hit, .missed) { stroke: var(--motif); stroke-opacity: 1; }
.with-motif .edge.true.outside { stroke-dasharray: calc(7px * var(--thin)) calc(5px * var(--thin)); stroke-width: calc(2.2px * var(--thin)); }
.many .edge.outside { stroke-opacity: 0.22; }
.many .edge.reach { stroke-opacity: 0.28; stroke-dasharray: none; }
.many .edge:is(.outside, .reach) { vector-effect: non-scaling-stroke; stroke-width: 1px; }
.graph[data-mode="answer"] .edge { stroke-width: calc((0.9px + 5.6px * var(--held)) * var(--thin)); stroke-opacity: calc(0.3 + 0.7 * var(--held)); }
.molecule[data-mode="answer"] .edge { stroke-width: calc((1.2px + 2.6px * var(--held)) * var(--thin)); }
.focused .far.outside { opacity: 0.3; }
.crosses { fill: none; stroke: var(--extra); stroke-linecap: round; }

.node .body { stroke-width: 1.3px; fill: color-mix(in srgb, var(--plain) 18%, var(--paper)); stroke: color-mix(in srgb, var(--plain) 70%, var(--paper)); }
.node text { fill: color-mix(in srgb, var(--ink) 72%, var(--paper)); text-anchor: middle; pointer-events: none; user-select: none; }
.many .node.outside .body, .graph:is([data-mode="end"], [data-mode="answer"]) .node.outside .body {
  fill: color-mix(in srgb, var(--plain) 10%, var(--paper)); stroke: color-mix(in srgb, var(--plain) 38%, var(--paper));
}
.many .node.outside text, .graph:is([data-mode="end"], [data-mode="answer"]) .node.outside text { fill: color-mix(in srgb, var(--ink) 45%, var(--paper)); }

.node.member .body { fill: var(--set); stroke: var(--paper); stroke-width: 1.5px; }
.node.member text { fill: var(--paper); font-weight: 600; }
.node.frontier .body {
  fill: color-mix(in srgb, var(--frontier) calc(14% + 70% * var(--strength)), var(--paper));
  stroke: var(--frontier); stroke-width: 2px; stroke-dasharray: 4 2.6;
}
.node.frontier text { fill: var(--ink); font-weight: 600; }
.node.start .body { fill: var(--start); stroke: var(--paper); }
.node.start text { fill: var(--on-start); font-weight: 700; }
.node.added .body { fill: var(--action); stroke: var(--action-rim); stroke-width: 2.2px; }
.node.added text { fill: #fff; }
.node.added.start .body { fill: var(--start); }
.node.hit .body { fill: color-mix(in srgb, var(--motif) 34%, var(--paper)); stroke: var(--motif); stroke-width: 2.6px; }
.node.missed .body { fill: var(--paper); stroke: var(--motif); stroke-width: 1.8px; stroke-dasharray: 4 3; }
.node.extra .body { fill: color-mix(in srgb, var(--extra) 26%, var(--paper)); stroke: var(--extra); stroke-width: 1.6px; }
.node.found .body { fill: color-mix(in srgb, var(--accent) 30%, var(--paper)); stroke: var(--accent); stroke-width: 2.2px; }
.node.hit text, .node.missed text, .node.extra text, .node.found text { fill: var(--ink); font-weight: 600; }
.node.start.hit .body, .node.start.extra .body, .node.start.found .body { fill: var(--start); }
.node.start.hit text, .node.start.extra text, .node.start.found text { fill: var(--on-start); }

.ring { fill: none; pointer-events: none; stroke-width: 2px; }
.ring.start { stroke: var(--start); stroke-width: 2.2px; }
.ring.cut { stroke: var(--cut); stroke-width: 1.8px; }
.ring.parent { stroke: var(--parent); stroke-width: 2.2px; stroke-dasharray: 0.1 4; stroke-linecap: round; }
.ring.frontier { stroke: var(--frontier); stroke-width: calc(1.6px + 1.8px * var(--strength)); stroke-dasharray: 4 2.6; }
.ring.added { stroke: var(--ink); stroke-width: 2.6px; }
.many .ring, .many .node .body { stroke-width: 1px; }
.many .ring.parent { stroke-dasharray: 0.1 2; stroke-width: 1.4px; }

.badge circle { fill: var(--group); stroke: var(--paper); }
.badge text { fill: var(--on-group); text-anchor: middle; font-weight: 700; }
.badges { pointer-events: none; }

/* Atoms keep their element's colour; the roles are on the rim and the rings. */
.molecule .node .body { fill: var(--element, var(--plain)); stroke: color-mix(in srgb, var(--element, var(--plain)) 60%, var(--ink)); }
.molecule .node text { fill: var(--on-element, #fff); font-weight: 600; }
.molecule .node { --faded: color-mix(in srgb, var(--element, var(--plain)) 40%, var(--paper)); }
.molecule .node.outside .body, .molecule:is([data-mode="end"], [data-mode="answer"]) .node.outside .body { fill: var(--faded); stroke: var(--faded); }
.molecule .node.outside text, .molecule:is([data-mode="end"], [data-mode="answer"]) .node.outside text { fill: color-mix(in srgb, var(--on-element, #fff) 55%, var(--faded)); }
.molecule .node.frontier .body {
  fill: color-mix(in srgb, var(--element, var(--plain)) calc(62% + 38% * var(--strength)), var(--paper));
  stroke: var(--faded); stroke-dasharray: none; stroke-width: 1px;
}
.molecule .node.start:is(.member, .hit, .extra, .found) .body { fill: var(--element, var(--plain)); }
.molecule .node.start:is(.member, .hit, .extra, .found) text { fill: var(--on-element, #fff); }
.molecule .node.member .body { stroke: var(--ink); stroke-width: 1.8px; }
.molecule .node.hit .body { stroke: var(--motif); stroke-width: 3px; }
.molecule .node.found .body { stroke: var(--accent); stroke-width: 3px; }
.molecule .node.extra .body { stroke: var(--extra); stroke-width: 2.4px; }
.molecule .node.missed .body { stroke: var(--motif); stroke-width: 2.4px; }

/* A sentence: words are text until they have a role; boxes, rims and rings tell the roles. */
.written .node .body { fill: var(--paper); stroke: none; }
.written .node text { fill: var(--ink); }
.written .node.outside .body, .written:is([data-mode="end"], [data-mode="answer"]) .node.outside .body { fill: color-mix(in srgb, var(--paper) 80%, transparent); stroke: none; }
.written:is([data-mode="end"], [data-mode="answer"]) .node.outside text { fill: color-mix(in srgb, var(--ink) 62%, var(--paper)); }
.written .node.member .body { fill: var(--set); }
.written .node.member text { fill: var(--paper); }
.written .node.frontier .body {
  fill: color-mix(in srgb, var(--frontier) calc(10% + 55% * var(--strength)), var(--paper));
  stroke: var(--frontier); stroke-width: 1.6px; stroke-dasharray: 4 2.6;
}
.written .node.start .body { fill: var(--start); }
.written .node.start text { fill: var(--on-start); }
.written .node.added:not(.start) .body { fill: var(--action); stroke: var(--action-rim); stroke-width: 2.2px; }
.written .node.added:not(.start) text { fill: #fff; }
.written .node.found .body { fill: color-mix(in srgb, var(--accent) 26%, var(--paper)); stroke: var(--accent); stroke-width: 1.6px; }
.written .node.start.found .body { fill: var(--start); stroke: none; }
.written .node.found:not(.start) text { fill: var(--ink); }
.written .node.lit .body { stroke: var(--accent); stroke-width: 3px; }
.written .bubble, .written .group { stroke-linecap: butt; }
.written .edge { stroke-width: 1.3px; }
.written .edge.inside { stroke-width: 2.6px; }
.written .edge.found { stroke-width: 3px; }
.written[data-mode="answer"] .edge { stroke-width: calc(0.9px + 3px * var(--held)); }

.node .index { font-size: 0.6em; font-weight: 500; }

/* Too small to write on: the set and what may come next keep their labels, above the nodes, at a size that can be read. */
.crowded .node text { display: none; }
.crowded .node:is(.member, .hit, .extra, .missed, .found, .lit, .likely) text {
  display: inline; font-size: calc(var(--label) * var(--pixel)); fill: var(--ink); font-weight: 600; transform: translateY(calc(-2px - var(--label) * var(--pixel)));
  paint-order: stroke; stroke: var(--paper); stroke-width: calc(4 * var(--pixel)); stroke-linejoin: round;
}

.lettered .node text { font-size: calc(var(--label) * var(--pixel)); }

.node.lit { filter: drop-shadow(0 0 4px var(--accent)); }
.node.lit .body { stroke: var(--accent); stroke-width: 3px; stroke-dasharray: none; }
.node.glow .body { stroke: var(--accent); stroke-dasharray: none; }
.manual .stage .node.frontier { cursor: pointer; }
.manual .stage .node.frontier:hover .body, .stage .node:focus-visible .body { stroke: var(--accent); stroke-width: 3.4px; }
.stage .node:focus-visible { outline: none; }
.taking .stage, .taking .stop-chip { opacity: 0.6; }

.tween .node :is(.body, text) { transition: fill 0.25s; }

/* The shown reason has a thick outline, the others thin ones. */
.graph .contour .thin { fill: none; stroke: color-mix(in srgb, var(--answer) 55%, var(--paper)); stroke-linecap: round; stroke-linejoin: round; }
.swatch .contour { fill: none; stroke: var(--answer); stroke-width: 1.5px; }
:is(.contour.outlined, [aria-pressed="true"] .contour) { stroke-width: 2.4px; }
`;

// assets/player/panels.css
var panels_default = '/* The panels beside the graph. */\n\n.panel h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem; margin: 0.55rem 0 0.3rem; padding: 0; font-size: var(--large); font-weight: 650; }\n.panel h3 small { font-weight: 400; font-size: var(--tiny); color: var(--muted); }\n.panel p { margin: 0.35rem 0; }\n.panel ul { list-style: none; margin: 0; padding: 0; }\n.note { color: var(--muted); font-size: var(--small); }\n.symbol { border-bottom: 1px dotted color-mix(in srgb, currentColor 50%, transparent); cursor: help; white-space: nowrap; }\n.symbol.parent, .term.parent { color: var(--parent-ink); }\n.symbol.frontier, .term.frontier { color: var(--frontier-ink); }\n.symbol.stop, .term.stop { font-weight: 600; }\n.symbol.residual { font-weight: 600; }\n\n.gauge { display: grid; grid-template-columns: fit-content(12em) 1fr 4.2em; align-items: center; gap: 0.6rem; padding: 0.1rem 0.15rem 0.45rem; flex: none; }\n.gauge-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.gauge .track { position: relative; height: 0.85rem; }\n.gauge .fill { background: var(--accent); }\n.gauge .whole { position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -2px; background: var(--ink); }\n.gauge .value { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }\n\n.balance { display: grid; grid-template-columns: fit-content(7em) max-content minmax(2rem, 1fr) minmax(2rem, 1fr) max-content fit-content(7em); } /* both bars on one scale */\n.total { display: flex; justify-content: space-between; gap: 0.4rem; padding: 0 0.4rem 0.15rem; font-size: var(--small); color: var(--muted); }\n.total b { color: var(--ink); font-variant-numeric: tabular-nums; }\n.total-in { border-right: 1px solid var(--line); flex-direction: row-reverse; }\n.side-in { border-right: 1px solid var(--line); }\n.bar-row { display: grid; align-items: center; gap: 0.4rem; height: 1.32rem; padding: 0 0.15rem; border-radius: 0.3rem; font-size: var(--small); }\n.bar-row .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.bar-row .value { text-align: right; font-variant-numeric: tabular-nums; color: var(--muted); white-space: nowrap; }\n.track { display: flex; height: 0.72rem; border-radius: 2px; background: color-mix(in srgb, var(--plain) 12%, transparent); overflow: hidden; }\n.fill { display: block; width: 100%; transform: scaleX(var(--share, 0)); transform-origin: left; background: var(--plain); }\n.tween .fill { transition: transform 0.3s; }\n.side-in, .side-out { display: grid; align-content: start; grid-template-columns: subgrid; }\n:is(.total-in, .side-in) { grid-column: 1 / 4; }\n:is(.total-out, .side-out) { grid-column: 4 / 7; }\n.side-in .bar-row, .side-out .bar-row { grid-column: 1 / -1; grid-template-columns: subgrid; gap: 0; padding: 0; }\n.balance .bar-row .value { padding: 0 0.5rem; }\n.side-out .track { position: relative; overflow: visible; order: -1; border-radius: 0 2px 2px 0; }\n.side-out .name { order: 1; }\n.mark { position: absolute; top: -2px; bottom: -2px; width: 2px; margin-left: -1px; background: var(--accent); box-shadow: 0 0 0 1px var(--paper); }\n.side-in .track { order: 1; border-radius: 2px 0 0 2px; justify-content: flex-end; }\n.side-in .fill { transform-origin: right; }\n.bar-row.rest .fill { width: calc(100% * var(--share, 0)); transform: none; } /* a hatching must not be squeezed */\n.bar-row.parent .fill { background: var(--parent); }\n.bar-row.parent .name { color: var(--parent-ink); }\n.bar-row.frontier .fill { background: var(--frontier); }\n.bar-row.rest .fill { background: repeating-linear-gradient(45deg, var(--frontier) 0 3px, transparent 3px 6px); }\n.side-in .bar-row.rest .fill { background: repeating-linear-gradient(45deg, var(--parent) 0 3px, transparent 3px 6px); }\n.bar-row.stop .fill { background: var(--ink); }\n.bar-row.stop .name { font-weight: 600; }\n.bar-row.gnn .fill { background: var(--accent); }\n.bar-row.rest .name { color: var(--muted); }\n.bar-row.lit { background: color-mix(in srgb, var(--accent) 18%, transparent); }\n.bar-row.chosen .name { font-weight: 700; }\n.bar-row.chosen .name::before { content: "▸ "; color: var(--accent); }\n\n.formula { margin: 0.5rem 0 0; padding: 0.35rem 0.6rem; border-radius: 0.5rem; background: var(--soft); font-size: var(--small); }\n.equation { margin: 0.15rem 0 !important; font-variant-numeric: tabular-nums; }\n.formula .numbers { font-weight: 500; }\n.residual-line { color: var(--muted); }\n.residual-line b, .residual-line .symbol { color: var(--ink); }\n\n.theorem { padding: 0.4rem 0.6rem; border-left: 3px solid var(--cut); background: var(--soft); border-radius: 0 0.4rem 0.4rem 0; }\n.matrix-frame { overflow: auto; max-height: 22rem; }\n.matrix { border-collapse: separate; border-spacing: 2px; font-size: min(0.8rem, calc(24rem / (var(--count) + 3))); font-variant-numeric: tabular-nums; }\n.matrix th, .matrix td { min-width: 2.3em; height: 2.1em; padding: 0 0.25em; text-align: center; font-weight: 400; border-radius: 0.3em; color: var(--muted); cursor: default; white-space: nowrap; }\n.matrix th { max-width: 8em; overflow: hidden; text-overflow: ellipsis; }\n.matrix td:empty { min-width: 0; }\n.matrix tbody td { background: color-mix(in srgb, var(--plain) 8%, transparent); }\n.matrix th.cut { color: var(--cut-ink); font-weight: 700; }\n.matrix th.cut::before { content: "◎ "; }\n.matrix td[class*="group-"] { background: color-mix(in srgb, var(--group) 34%, var(--paper)); color: var(--ink); font-weight: 600; }\n.matrix tr:hover td[data-row], .matrix tr:focus-within td[data-row] { outline: 1px solid var(--cut); }\n.matrix .lit { outline: 2px solid var(--accent); }\n\n.headline b { font-size: 1.15rem; }\n.terms { width: 100%; border-collapse: collapse; font-size: var(--small); font-variant-numeric: tabular-nums; }\n.terms th { text-align: left; font-weight: 400; padding: 0.2rem 0.3rem 0.2rem 0; }\n.terms thead th { color: var(--muted); font-size: var(--tiny); }\n.terms td { padding: 0.2rem 0.5rem 0.2rem 0; }\n.terms tfoot tr { border-top: 1px solid var(--line); font-weight: 600; }\n.terms tfoot th { font-weight: 600; }\n.terms .cost { display: grid; grid-template-columns: 1fr 4em; align-items: center; gap: 0.4rem; padding-right: 0; }\n.terms .cost .value { text-align: right; }\n.terms .fill { background: var(--accent); }\n.terms .unused { opacity: 0.5; }\n.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.35rem 1rem; margin: 0.7rem 0 0; padding-top: 0.6rem; border-top: 1px solid var(--line); }\n.facts dt { color: var(--muted); }\n:is(.facts dt, .reason span)::first-letter { text-transform: uppercase; }\n.facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }\n\n.answer .rule { margin-top: 0.7rem; font-size: var(--large); }\n.answer .rule summary { width: fit-content; color: var(--muted); cursor: pointer; }\n.answer-bars { display: grid; grid-template-columns: fit-content(13em) minmax(2rem, 1fr) max-content; }\n.answer-bars .bar-row { grid-column: 1 / -1; grid-template-columns: subgrid; height: 1.7rem; font-size: var(--large); }\n.answer-bars .value { color: var(--ink); font-weight: 600; }\n.answer-bars .without .fill { background: repeating-linear-gradient(45deg, var(--accent) 0 3px, transparent 3px 6px); width: calc(100% * var(--share, 0)); transform: none; }\n.answer-bars .all .fill { background: var(--plain); }\n.nearest { padding-left: 0.6rem; border-left: 3px solid var(--answer); }\n.states .states-stage { max-height: calc(var(--tall) - 11rem); }\n';

// assets/player/player.css
var player_default = '/* The frame: graph on the left, details on the right; below one another where there is no room. */\n\n.player {\n  --set: color-mix(in srgb, var(--ink) 58%, var(--plain));\n  --action-rim: color-mix(in srgb, var(--ink) 25%, #fff);\n  --answer: color-mix(in srgb, var(--ink) 82%, var(--paper));\n  --tall: min(var(--height, 640px), max(27rem, 100vh - var(--used, 0px))); /* seen without scrolling */\n  --tiny: 0.75rem; --small: 0.8rem; --base: 0.875rem; --large: 0.95rem;\n  position: relative; width: 100%; container-type: inline-size; text-align: left;\n  font: 400 var(--base)/1.4 var(--st-font, "Source Sans", system-ui, sans-serif); background: var(--paper);\n}\n.player *, .player *::before { box-sizing: border-box; }\n.player:focus { outline: none; }\n.player:focus-visible .stage-frame { border-color: var(--accent); }\n.player [hidden] { display: none !important; }\n\n.frame {\n  display: grid; gap: 0.6rem 1.1rem; height: var(--tall);\n  grid-template: "headline headline" auto "stage side" minmax(0, 1fr) "caption side" auto "controls side" auto "legend side" auto / minmax(0, 58fr) minmax(0, 42fr);\n}\n.with-states .frame { grid-template-columns: minmax(0, 47fr) minmax(0, 53fr); }\n.with-states .controls { flex-wrap: wrap; gap: 0.2rem 0.75rem; }\n.with-states:not(.few) .time { order: -1; flex: 1 0 100%; }\n.with-states .extras { margin-left: auto; }\n.headline-row { grid-area: headline; }\n.player .sentence {\n  margin: 0; padding: 0.5rem 0.9rem; border-left: 0.3rem solid var(--answer); border-radius: 0.2rem 0.6rem 0.6rem 0.2rem;\n  background: var(--soft); font-size: 1.22rem; line-height: 1.4; font-weight: 600; overflow-wrap: anywhere;\n}\n.views { grid-area: views; display: none; }\n.views button { flex: 1; height: 2.4rem; border: 1px solid var(--line); background: none; cursor: pointer; }\n.views button:first-child { border-radius: 0.6rem 0 0 0.6rem; }\n.views button:last-child { border-radius: 0 0.6rem 0.6rem 0; border-left: 0; }\n.views button[aria-pressed="true"] { color: var(--accent); font-weight: 600; background: color-mix(in srgb, var(--accent) 14%, var(--paper)); }\n.stage-frame { grid-area: stage; position: relative; border: 1px solid var(--line); border-radius: 0.7rem; overflow: hidden; min-height: 0; }\n.stage { position: absolute; inset: 0; touch-action: pan-y; contain: strict; }\n.zoomed.stage { cursor: grab; touch-action: none; }\n.zoomed.stage:active { cursor: grabbing; }\n.tools { position: absolute; top: 0.5rem; right: 0.5rem; display: flex; flex-direction: column; gap: 0.25rem; }\n\n.caption { grid-area: caption; margin: 0; min-height: 2.8em; line-height: 1.4; }\n.controls { grid-area: controls; display: flex; align-items: center; gap: 0.75rem; }\n.keys, .extras, .time { display: flex; align-items: center; gap: 0.25rem; }\n.time { flex: 1; gap: 0.6rem; min-width: 0; }\n.counter { min-width: 3.2em; text-align: right; font-variant-numeric: tabular-nums; color: var(--muted); white-space: nowrap; }\n\n.player button, .player select { font: inherit; color: inherit; }\n.tools button, .controls button, .speed {\n  display: inline-grid; place-items: center; height: 2.1rem; min-width: 2.1rem; padding: 0; cursor: pointer;\n  border: 1px solid var(--line); border-radius: 0.5rem; background: var(--paper);\n}\n.tools button { height: 1.8rem; min-width: 1.8rem; opacity: 0.8; }\n.controls .play { height: 2.5rem; min-width: 2.5rem; border-radius: 50%; border-color: var(--accent); background: var(--accent); color: var(--paper); }\n.speed { padding: 0 0.35rem; }\n.tools button:hover, .controls button:hover:not(:disabled), .speed:hover { border-color: var(--accent); opacity: 1; }\n.player :is(button, select, summary, input, [tabindex]):focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }\n.player .node:focus-visible, .player:focus-visible { outline: none; }\n.player :is(.tab, .tab-body):focus-visible { outline-offset: -2px; }\n.controls button:disabled { opacity: 0.35; cursor: default; }\n.controls button[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); background: color-mix(in srgb, var(--accent) 14%, var(--paper)); }\n.icon { width: 1.15rem; height: 1.15rem; fill: currentColor; display: block; }\n\n.scrub { appearance: none; border-radius: 0.4rem; flex: 1; min-width: 3rem; height: 1.6rem; margin: 0; background: none; cursor: pointer; }\n.scrub::-webkit-slider-runnable-track { height: 5px; border-radius: 3px; background: linear-gradient(to right, var(--accent) var(--done), var(--line) var(--done)); }\n.scrub::-moz-range-track { height: 5px; border-radius: 3px; background: linear-gradient(to right, var(--accent) var(--done), var(--line) var(--done)); }\n.scrub::-webkit-slider-thumb { appearance: none; width: 15px; height: 15px; margin-top: -5px; border-radius: 50%; background: var(--accent); border: 2px solid var(--paper); }\n.scrub::-moz-range-thumb { width: 12px; height: 12px; border-radius: 50%; background: var(--accent); border: 2px solid var(--paper); }\n\n.stop-chip {\n  position: absolute; left: 0.7rem; bottom: 0.7rem; padding: 0.25rem 0.75rem; border: 1.5px solid var(--muted); font-weight: 600;\n  font-size: var(--small); background: var(--paper); border-radius: 0.55rem; font-variant-numeric: tabular-nums;\n}\n.stop-chip.chosen { background: var(--ink); color: var(--paper); border-color: var(--ink); }\n.manual .stop-chip:not(:disabled) { cursor: pointer; border-color: var(--accent); }\n.manual .stop-chip:not(:disabled):hover { background: var(--accent); color: var(--paper); }\n.stop-chip:disabled { color: var(--muted); }\n.stop-chip.chosen:disabled { color: var(--paper); }\n.instead { position: absolute; left: 50%; bottom: 0.6rem; transform: translateX(-50%); padding: 0.3rem 0.8rem; cursor: pointer; border: 1.5px solid var(--start); border-radius: 1rem; background: var(--paper); color: var(--ink); font-weight: 600; }\n.holding { position: absolute; left: 0.7rem; top: 0.6rem; padding: 0.1rem 0.6rem; border-radius: 1rem; font-size: var(--tiny); color: var(--muted); background: var(--soft); }\n\n.legend { grid-area: legend; display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; margin: 0; padding: 0; list-style: none; font-size: var(--small); color: var(--muted); }\n.legend li { display: inline-flex; align-items: center; gap: 0.25rem; cursor: default; }\n.legend .absent { opacity: 0.45; }\n.swatch { width: 1.5rem; height: 1.25rem; flex: none; }\n\n/* Few tools: what everybody needs; a graph of which a part is shown can be seen whole. */\n.few:not(.presenting) :is(.extras, .present, .first, .last, .answer :is(.facts:not(:has(.truth)), .facts > :not(.truth), .rule), .tools button, .formula, .total b) { display: none; }\n.few :is(.stage.focused ~ .tools .fit, .stage:not(.focused) ~ .tools .part) { display: inline-grid; }\n\n.side { grid-area: side; display: flex; flex-direction: column; min-height: 0; min-width: 0; }\n.tabs { display: flex; flex-wrap: wrap; gap: 0 0.1rem; border-bottom: 1px solid var(--line); flex: none; }\n.tab { padding: 0.35rem 0.6rem; border: 0; background: none; cursor: pointer; color: var(--muted); border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap; }\n.player .tab[aria-selected="true"] { color: var(--accent); border-bottom-color: var(--accent); font-weight: 600; }\n.tab:hover { color: var(--ink); }\n.tab-body { flex: 1; min-height: 0; overflow: hidden auto; padding: 0.2rem 0.1rem 0; }\n\n/* For those in the last row: larger letters, and nothing but the graph, what it shows and how it goes on. */\n.player.presenting { --tall: var(--height); --tiny: 1rem; --small: 1rem; --base: 1.1rem; --large: 1.15rem; }\n.presenting .sentence { font-size: 1.5rem; line-height: 1.3; }\n.presenting :is(.extras, .tools, .instead) { display: none; }\n.controls .present span { padding: 0 0.6rem; font-size: var(--small); white-space: nowrap; }\n.presenting .controls .present { display: var(--leave, inline-grid); }\n.presenting .present .icon { display: none; }\n.presenting .legend { gap: 0 0.9rem; }\n.presenting .caption { min-height: 1.4em; }\n.presenting .bar-row { height: 1.7rem; }\n.presenting .tab { padding: 0.35rem 0.4rem; }\n.presenting .formula { display: none; }\n.few.presenting :is(.mark, .compared) { display: none; }\n.few.presenting .flow { display: var(--flow, block); }\n\n@container (max-width: 759px) {\n  .frame { height: auto; grid-template: "stage" max(20rem, 46vh) "controls" auto "headline" auto "views" auto "caption" auto "legend" auto "side" auto / minmax(0, 1fr); }\n  .with-states .frame { grid-template: "side" auto "controls" auto "headline" auto "views" auto "caption" auto / minmax(0, 1fr); }\n  .with-states :is(.stage-frame, .legend) { display: none; }\n  .views:not([hidden]) { display: flex; }\n  .tab-states { display: none; }\n  .player .sentence { font-size: 1.08rem; padding: 0.45rem 0.7rem; }\n  .controls { flex-wrap: wrap; gap: 0.4rem; }\n  .player:not(.few) .time { order: -1; flex: 1 0 100%; }\n  .keys { gap: 0.35rem; }\n  .extras { margin-left: auto; }\n  .with-states .controls { gap: 0.4rem; }\n  .controls .keys button { height: 2.7rem; min-width: 2.7rem; }\n  .controls .keys :is(.first, .last) { display: none; } /* the scrubber above reaches them */\n  .controls .keys .play { min-width: 3rem; height: 3rem; }\n  .caption { min-height: 4.2em; }\n  .tab { padding: 0.5rem 0.28rem; }\n  .tab-body { overflow: visible; }\n}\n@container (max-width: 379px) {\n  .controls .keys { gap: 0.15rem; }\n  .controls .keys button { min-width: 2.2rem; }\n}\n@media (prefers-reduced-motion: reduce) {\n  .player * { transition: none !important; animation: none !important; }\n}\n\n.reasons { display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: center; margin-top: 0.35rem; }\n.reasons[hidden] { display: none; }\n.reasons .reason {\n  display: inline-flex; align-items: center; gap: 0.35rem; padding: 0.15rem 0.6rem; border-radius: 1rem; cursor: pointer;\n  font: inherit; font-size: 0.88rem; color: inherit; background: none; border: 1px solid color-mix(in srgb, var(--ink) 25%, transparent);\n}\n.reasons .reason[aria-pressed="true"] { border-color: var(--answer); background: color-mix(in srgb, var(--answer) 14%, transparent); font-weight: 600; }\n.reasons .other { font-size: 0.88rem; opacity: 0.75; }\n';

// assets/state_graph/picture.js
var NARROW2 = 560;
var THUMB = 150;
var STEP = 0.5;
var USUAL = 16;
var FEW2 = { boxes: 24, rows: 4 };
function createStatePicture(root, hooks) {
  const place = { body: el("div", { class: "picture" }), width: 0, height: 0 };
  const stage = el("div", { class: "states-stage" }, place.body);
  root.append(stage);
  let [data, scene, shape, look, shown, held] = [null, null, "", {}, {}, null];
  const redraw = onceAFrame(draw);
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: pointed });
  hub.choose = ({ kind, key }) => kind === "state" && Number(key) >= 0 && hooks.report("state", Number(key));
  const graph = createStateGraph({ place, hub, colours, redraw, look: () => look });
  const rewards = createRewards(place.body, (change) => hooks.report("reward", change), (k) => (held = k, pointed()));
  const observer = new ResizeObserver(measure);
  observer.observe(root);
  const boxOf = (state) => scene.boxes.findIndex(({ states }) => state !== null && states.includes(state));
  const get = (name) => name === "reward" ? scene.boxes.map(({ reward }) => reward) : shown[name] ?? null;
  function draw() {
    if (!scene || !place.width || !root.isConnected) return;
    scene.target = shown.target;
    graph.draw({ scene, get });
    const lit = scene.keys.indexOf(hub.lit?.key);
    const current = lit < 0 ? held ?? graph.marks.selected ?? 0 : lit;
    rewards.place(scene.boxes, graph.placeOf, (k) => `stops here with ${percent(shown.stop[k])}`, current, place.width);
    hub.say();
  }
  function pointed() {
    hooks.over?.(scene.boxes[scene.keys.indexOf(hub.over?.key)] ?? null);
    redraw();
  }
  function measure() {
    if (!data || !stage.clientWidth) return;
    colours.read();
    const columns = 1 + Math.max(...scene.column);
    const rows = Math.max(...Array.from({ length: columns }, (_, k) => scene.column.filter((at) => at === k).length));
    const roomy = scene.boxes.length <= FEW2.boxes && rows <= FEW2.rows;
    const bars = shown.stop !== null;
    const card = roomy ? [92, data.picture.named ? 54 : 46] : [50, 30];
    const below = roomy ? (bars ? 30 : 4) + (data.draggable ? 18 : 0) : bars ? 8 : 0;
    const cell = card[1] + below + (roomy ? 14 : 7);
    const zoom = roomy ? zoomOf(stage.clientWidth / (columns * (card[0] + 12))) : 1;
    const width = columns * Math.max(stage.clientWidth / zoom / columns, roomy ? 58 : 44);
    const height = TOP + Math.min(Math.max(data.height - TOP, rows * cell), 1.7 * rows * cell);
    const sizes = { card, below, least: 8, pipe: card[1] - 6, side: width / columns / 2 };
    look = { ...sizes, live: true, bars, roomy, rewards: data.draggable };
    Object.assign(place, { width, height, zoom });
    Object.assign(place.body.style, { width: `${width}px`, height: `${height}px`, zoom });
    redraw();
  }
  function mark() {
    const path2 = new Map(data.path.map((state, at) => [boxOf(state), at]));
    const selected = boxOf(data.selected);
    graph.marks = { path: path2, selected: selected < 0 ? null : selected, flags: graph.marks?.flags ?? /* @__PURE__ */ new Map() };
    redraw();
  }
  function flag(states) {
    const boxes = states.map((state, at) => [boxOf(state), at + 1]).filter(([box]) => box >= 0);
    graph.marks.flags = new Map(boxes.reverse());
    redraw();
  }
  function select(state) {
    if (data.selected === state) return;
    data.selected = state;
    mark();
    draw();
    if (graph.marks.selected === null || !place.width) return;
    const { x, y } = graph.placeOf(graph.marks.selected);
    stage.scrollTo({ left: x - stage.clientWidth / 2, top: y - stage.clientHeight / 2, behavior: "instant" });
  }
  function show(next) {
    data = next;
    const { picture } = next;
    const now = shapeOf(next);
    shown = valuesOf(picture);
    if (now === shape) scene.boxes = picture.boxes;
    else {
      [shape, scene, held] = [now, pictureScene(picture), null];
      rewards.build(picture.boxes, next.draggable ? next.rewardMax : null);
    }
    mark();
    measure();
  }
  const destroy = () => {
    observer.disconnect();
    redraw.stop();
  };
  return { show, flag, select, destroy };
}
function zoomOf(most) {
  const letters = parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL;
  return Math.max(1, Math.min(letters, most));
}
var NUMBERS = ["flow", "stop", "target", "reward", "path"];
var shapeOf = ({ picture, height, draggable }) => JSON.stringify([picture, height, draggable], (name, value) => NUMBERS.includes(name) ? value === null : value);
function valuesOf({ boxes, links }) {
  const known = (values) => values.some((value) => value === null) ? null : values;
  const of = (name) => known(boxes.map((box) => box[name]));
  return { flow: known(links.map(({ flow }) => flow)), stop: of("stop"), target: of("target") };
}
function pictureScene({ boxes, links, graph_nodes, graph_edges, start, named }) {
  const place = new Map(graph_nodes.map(([id], node) => [id, node]));
  const number = new Map(boxes.map(({ id }, k) => [id, k]));
  const rest = boxes.map(({ id }) => id < 0);
  return {
    boxes,
    nodes: graph_nodes.map(([, name, x, y]) => ({ x, y: -y, name })),
    edges: graph_edges.map(([a, b]) => [place.get(a), place.get(b), 1, false]),
    start: place.get(start),
    listed: true,
    states: boxes.map(({ nodes }) => nodes.map((id) => place.get(id))),
    keys: boxes.map(({ id }) => String(id)),
    column: boxes.map(({ column }) => column),
    links: links.map(({ source, target }) => [number.get(source), number.get(target)]),
    added: links.map(({ node }) => node ? `+${node}` : ""),
    names: named ? boxes.map(({ name }, k) => rest[k] ? null : name) : null,
    labels: boxes.map(({ name }, k) => rest[k] ? name : null),
    counts: boxes.map(({ states }) => states.length),
    last: rest
  };
}
function createRewards(body, report, changed) {
  let sliders = [];
  function slider({ id, name }, k, max) {
    const moved = (value) => {
      changed(k);
      report({ state: id, value, settled: false });
    };
    const settled = (value) => report({ state: id, value, settled: true });
    const made = createSlider({ label: `Reward of ${name}`, min: 0, max, step: STEP, moved, settled });
    made.input.classList.add("reward");
    made.input.addEventListener("pointerenter", () => changed(k));
    return made;
  }
  function build(boxes, most) {
    for (const { input } of sliders) input.remove();
    sliders = most === null ? [] : boxes.map((box, k) => slider(box, k, most));
    body.append(...sliders.map(({ input }) => input));
  }
  const place = (boxes, placeOf2, words2, current, width) => sliders.forEach(({ input, set, place: stand }, k) => {
    input.classList.toggle("current", k === current);
    input.hidden = width < NARROW2 && k !== current;
    const { x, y, w, h } = placeOf2(k);
    const wide = width < NARROW2 ? THUMB : 2 * w - 4;
    stand(Math.min(Math.max(x - wide / 2, 0), width - wide), y + h + 14, wide);
    set(boxes[k].reward, `${plain(boxes[k].reward)}, ${words2(k)}`);
  });
  return { build, place };
}

// assets/state_graph/state_graph.css
var state_graph_default = "/* The state graph: a canvas that may be wider than its stage, and sliders over it. */\n\n.instance-graph { overflow: hidden; }\n.instance-graph path { fill: none; stroke-linecap: round; }\n.instance-graph .wanted { stroke: color-mix(in srgb, var(--ink) 55%, var(--paper)); }\n.instance-graph .inside { stroke: var(--paper); }\n.instance-graph .held { stroke: var(--water); }\n.instance-graph .motif .held { stroke: var(--motif); }\n.instance-graph .bond { stroke: var(--paper); stroke-width: 1px; }\n.instance-graph .node { cursor: pointer; }\n.instance-graph .node circle { fill: color-mix(in srgb, var(--element, var(--plain)) 22%, var(--paper)); stroke: color-mix(in srgb, var(--element, var(--plain)) 75%, var(--paper)); stroke-width: 1.3px; }\n.instance-graph .node.motif circle { stroke: var(--motif); stroke-width: 2.6px; }\n.instance-graph .node.start circle { fill: var(--start); stroke: var(--paper); }\n.instance-graph .node .ring { fill: none !important; stroke: var(--start) !important; stroke-width: 2px !important; }\n.instance-graph .node.start.motif .ring { stroke: var(--motif) !important; }\n.instance-graph .node.far { opacity: 0.45; }\n.instance-graph text { fill: var(--ink); text-anchor: middle; font-weight: 600; pointer-events: none; user-select: none; }\n.instance-graph .start text { fill: var(--on-start); }\n.instance-graph.lighting :is(.node, .edge):not(.lit) { opacity: 0.35; }\n.instance-graph .lit circle { stroke: var(--accent); stroke-width: 3.4px; }\n\n.state-graph {\n  position: relative; display: flex; gap: 0.75rem; align-items: flex-start;\n  .states-stage { flex: 1 1 auto; min-width: 0; overflow: auto; scrollbar-width: thin; }\n  .picture { position: relative; }\n  canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; user-select: none; }\n  :is(canvas, svg):focus { outline: none; }\n  :is(canvas, svg):focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: 0.4rem; }\n  .over { cursor: pointer; }\n}\n";

// assets/lessons/lesson.css
var lesson_default = '/* A lesson: pictures side by side, buttons, and what is said. */\n\n.lesson-body { display: flex; flex-direction: column; gap: 0.6rem; }\n.two { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0.6rem 1.4rem; align-items: start; }\n.two.wide { grid-template-columns: minmax(0, 3fr) minmax(0, 1fr); }\n.two.right { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }\n.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin: 0.4rem 0; }\n.buttons[hidden] { display: none; }\nbutton { padding: 0.3rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: none; color: inherit; font: inherit; cursor: pointer; }\nbutton:hover:enabled { border-color: var(--accent); color: var(--accent); }\nbutton:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }\nbutton:disabled { opacity: 0.45; cursor: default; }\nbutton:is([aria-checked="true"], [aria-pressed="true"]) { background: var(--accent); border-color: var(--accent); color: var(--paper); }\na { color: var(--accent); }\np { margin: 0 0 0.35rem; line-height: 1.5; }\n.note { padding: 0.5rem 0.9rem; border-radius: 0.5rem; background: color-mix(in srgb, var(--accent) 10%, var(--paper)); }\n.note.good { background: color-mix(in srgb, #009e73 16%, var(--paper)); }\nul { margin: 0.3rem 0; padding: 0; list-style: none; }\nli { padding: 0.15rem 0 0.15rem 0.6rem; border-left: 3px solid var(--answered, var(--line)); margin-bottom: 0.3rem; }\n.good { --answered: #009e73; }\n.bad { --answered: #d55e00; }\n@media (max-width: 860px) { .two, .two:is(.wide, .right) { grid-template-columns: minmax(0, 1fr); } }\n';

// assets/lessons/lesson.js
function lesson(create) {
  return keptView((parentElement) => {
    let [open2, tell] = [null, null];
    function show({ state, ...content }, { setStateValue }) {
      tell = setStateValue;
      if (!open2) {
        const body = el("div", { class: "kit lesson-body" });
        parentElement.querySelector(".lesson").append(body);
        shaded(body.parentElement, content.roles, lesson_default);
        open2 = create(body, content, (next) => tell("state", { ...next, at: performance.now() }));
      }
      open2(state ?? {});
    }
    return { show };
  });
}
function part(roles, kind, ...styles) {
  const inside2 = el("div", { class: `kit ${kind}` });
  const element = el("div", { class: "part" }, inside2);
  shaded(element, roles, ...styles);
  return { element, inside: inside2 };
}
function graphPart({ roles }, choose) {
  const { element, inside: inside2 } = part(roles, "player graph-view", graph_default, player_default, panels_default, graph_view_default);
  const pane = createGraphPane({ node: choose });
  inside2.append(pane.element);
  const plain2 = { hulls: {}, highlighted: [], edits: false };
  return { element, show: (data) => pane.show({ ...plain2, ...data }) };
}
function statePart({ roles }, report) {
  const { element, inside: inside2 } = part(roles, "state-graph", state_graph_default);
  return { element, ...createStatePicture(inside2, { report }) };
}
var keyOf = (nodes) => [...nodes].sort((a, b) => a - b).join();
function roleIn(members, edges, id) {
  if (members.includes(id)) return "member";
  const linked = edges.some(([a, b]) => a === id && members.includes(b) || b === id && members.includes(a));
  return linked ? "frontier" : "outside";
}
function buttons(acts, { fixed }) {
  const made = Object.entries(acts).map(([label, onclick]) => el("button", { type: "button", onclick }, label));
  return el("div", { class: "buttons", hidden: fixed }, ...made);
}

// assets/lessons/orders.js
var orders_default = lesson((body, content, report) => {
  const { nodes, edges, picture, goal, ways, fixed } = content;
  const stateOf = new Map(picture.boxes.map(({ id, nodes: held }) => [keyOf(held), id]));
  const labels = nodes.map(({ label }) => label);
  let order = [picture.start];
  const found = /* @__PURE__ */ new Set();
  const graph = graphPart(content, (node) => go([...order, node]));
  const states = statePart(content, (_, state) => {
    const at = path2(order).indexOf(state);
    const next = frontier(order).find((node) => stateOf.get(keyOf([...order, node])) === state);
    if (at >= 0) go(order.slice(0, at + 1));
    else if (next !== void 0) go([...order, next]);
  });
  const keep = (end) => () => go(order.slice(0, end));
  const back = buttons({ "Start again": keep(1), "Step back": keep(-1) }, content);
  const [way2, score] = [el("p"), el("p", { class: "note", role: "status" })];
  const [left, right] = [el("div", {}, graph.element, back), el("div", {}, states.element, way2)];
  body.append(el("div", { class: "two right" }, left, right), score);
  const word = (some) => some.map((node) => labels[node]).join("");
  const arrows = (some) => some.map((node) => labels[node]).join(" → ");
  const path2 = (some) => some.map((_, k) => stateOf.get(keyOf(some.slice(0, k + 1))));
  const frontier = (some) => nodes.flatMap((_, id) => roleIn(some, edges, id) === "frontier" ? [id] : []);
  function read(text) {
    const spelt = [...text ?? ""].map((letter) => labels.indexOf(letter));
    const walk = spelt.every((node, k) => k ? frontier(spelt.slice(0, k)).includes(node) : node === picture.start);
    return walk && spelt.length ? spelt : null;
  }
  const arrived = (some) => keyOf(some) === keyOf(goal);
  function go(next) {
    order = next;
    draw();
    report({ order: order.length > 1 ? word(order) : "", found: [...found].sort().join(".") });
  }
  function draw() {
    if (arrived(order)) found.add(word(order));
    const open2 = frontier(order);
    const roles = (id) => [...id === order[0] ? ["start"] : [], roleIn(order, edges, id)];
    const drawn = nodes.map((node, id) => ({ ...node, roles: roles(id) }));
    const description = `The set ${word(order)}; nodes that can come next: ${word(open2)}.`;
    graph.show({ nodes: drawn, edges, clickable: open2, description, height: 215 });
    const at = path2(order);
    const view = { draggable: false, rewardMax: 0, height: 250 };
    states.show({ ...view, picture: { ...picture, path: at }, selected: at.at(-1), path: at });
    for (const button2 of back.children) put(button2, "disabled", order.length > 1 ? null : true);
    const actions = [...open2.map((node) => `add ${labels[node]}`), "STOP"].join(", ");
    setText(way2, `You went ${arrows(order)}. State: ${word([...order].sort())}. Actions now: ${actions}.`);
    const listed = found.size ? ` (${[...found].map((some) => arrows(read(some))).join("; ")})` : "";
    const count = `Orders found to ${word(goal)}: ${found.size} of ${ways}`;
    const again = fixed ? `choose ${labels[picture.start]} in the DAG` : "press Start again";
    const many = `Another order, the same state. ${count}${listed}. In the DAG all of them end in one box.`;
    const first = `You arrived. ${count}. Now ${again} and take another way.`;
    setText(score, !arrived(order) ? `${count}${listed}.` : found.size > 1 ? many : first);
    score.classList.toggle("good", arrived(order) && found.size > 1);
  }
  return (link) => {
    order = read(link.order) ?? [picture.start];
    found.clear();
    for (const some of (link.found ?? "").split(".")) if (read(some) && arrived(read(some))) found.add(some);
    draw();
  };
});

// assets/lessons/puzzles.js
var puzzles_default = lesson((body, content, report) => {
  const { puzzles, explorer } = content;
  let [at, checked] = [0, false];
  const picked = /* @__PURE__ */ new Set();
  const graph = graphPart(content, (node) => {
    if (!picked.delete(node)) picked.add(node);
    checked = false;
    draw();
  });
  const check = () => (checked = true, draw());
  const another = () => {
    open2((at + 1) % puzzles.length);
    report({ state: at ? String(at + 1) : "" });
  };
  const [hint, lab] = [el("p"), el("a", { "data-inside": "" }, "Open this state in the cut-vertex lab")];
  const replies = el("div", { role: "status" });
  const beside = el("div", {}, hint, buttons({ Check: check, "Another state": another }, content), replies);
  if (explorer) beside.append(lab);
  body.append(el("div", { class: "two" }, graph.element, beside));
  function draw() {
    const { words: words2, nodes, edges, start, lost, link } = puzzles[at];
    const members = Object.keys(lost).map(Number);
    const free = members.filter((node) => node !== start && !lost[node].length);
    const name = (node) => nodes[node].label;
    const reason = (node) => {
      if (node === start) return `${name(node)} is the start node: every set contains it, so it stays.`;
      if (!lost[node].length) return `without ${name(node)} the rest stays in one piece.`;
      const away = listing(lost[node].map(name), Infinity);
      return `without ${name(node)} the ${lost[node].length > 1 ? "nodes" : "node"} ${away} would be cut off.`;
    };
    const wrong = members.filter((node) => picked.has(node) && !free.includes(node));
    const missed = free.filter((node) => !picked.has(node));
    const right = free.filter((node) => picked.has(node));
    function rolesOf(node) {
      if (!members.includes(node)) return ["outside"];
      const roles = node === start ? ["member", "start"] : ["member"];
      if (!checked) return picked.has(node) ? [...roles, "picked"] : roles;
      if (right.includes(node)) return [...roles, "right"];
      if (missed.includes(node)) return [...roles, "parent"];
      return [...roles, ...picked.has(node) ? ["wrong"] : [], ...node === start ? [] : ["cut"]];
    }
    const drawn = nodes.map((node, k) => ({ ...node, roles: rolesOf(k), tip: checked && k in lost ? reason(k) : "" }));
    const first = checked ? wrong.find((node) => node !== start) : void 0;
    const held = members.filter((node) => node !== first && !lost[first]?.includes(node));
    const description = `A graph. The set contains ${members.map(name).join(", ")}; it starts at ${name(start)}.`;
    const without = first === void 0 ? "" : `without ${name(first)}`;
    const hulls = without && { [`${without}: still with the start`]: held, [`${without}: cut off`]: lost[first] };
    graph.show({ nodes: drawn, edges, hulls: hulls || {}, clickable: members, description, height: 330 });
    hint.replaceChildren(el("b", {}, `State ${at + 1} of ${puzzles.length}. `), words2);
    lab.href = `lab?${link}`;
    const all = plural(free.length, "valid parent");
    const done = el("p", { class: "note good" }, `Correct: ${all}, one for each node that you may remove.`);
    const say = (kind, said) => (node) => el("li", { class: kind }, el("b", {}, name(node)), ` · ${said}: ${reason(node)}`);
    const list = [
      ...wrong.map(say("bad", "Not removable")),
      ...missed.map(say("bad", "Missed")),
      ...right.map(say("good", "Right"))
    ];
    const perfect = !wrong.length && !missed.length;
    replies.replaceChildren(...checked ? [...perfect ? [done] : [], el("ul", {}, ...list)] : []);
  }
  function open2(number) {
    [at, checked] = [number, false];
    picked.clear();
    draw();
  }
  return ({ state }) => {
    const number = Number(state ?? 1) - 1;
    const known = Number.isInteger(number) && puzzles[number] ? number : 0;
    if (known !== at || !hint.hasChildNodes()) open2(known);
  };
});

// assets/lessons/rewards.js
var SAME = 1e-5;
var rewards_default = lesson((body, content, report) => {
  const { nodes, edges, start, sets, predicted, best, fixed } = content;
  const costs = Object.values(sets);
  const names = (some) => some.map((node) => nodes[node].label).join(", ");
  let [picked, shown] = [[start], false];
  const graph = graphPart(content, (node) => change(picked.includes(node) ? picked.filter((other) => other !== node) : [...picked, node], shown));
  const [reward, note] = [el("p"), el("p", { class: "note" })];
  const show = { "Show the best": () => change(picked, true), "Start again": () => change([start], false) };
  const row = buttons(show, content);
  const words2 = el("div", { role: "status" }, reward, note);
  body.append(el("div", { class: "two" }, graph.element, el("div", {}, words2, row)));
  function change(next, known) {
    [picked, shown] = [next, known];
    draw();
    const others = picked.filter((node) => node !== start).sort((a, b) => a - b);
    report({ set: others.join("."), best: shown ? "1" : "" });
  }
  function draw() {
    const marks = (id) => [id === start && "start", shown && best.includes(id) && "right"].filter(Boolean);
    const drawn = nodes.map((node, id) => ({ ...node, roles: [roleIn(picked, edges, id), ...marks(id)] }));
    const clickable = fixed ? [] : nodes.flatMap((_, id) => id === start ? [] : [id]);
    graph.show({ nodes: drawn, edges, clickable, description: `Your subgraph: ${names(picked)}`, height: 330 });
    const cost = sets[keyOf(picked)];
    const better = costs.filter((other) => other < cost - SAME).length;
    const says = (some) => `“${predicted}” with ${percent(Math.exp(-some))}`;
    const log = (some) => `log R = −1 · cross-entropy = ${signed(-some)}`;
    const none = "This set is not connected, or too large: no walk builds it.";
    const alone = () => `For this part alone the GNN predicts ${says(cost)}: ${log(cost)}.`;
    setText(reward, cost === void 0 ? none : `${alone()} Better ones: ${better} of ${costs.length}.`);
    const highest = `The best, ${names(best)}: ${says(sets[keyOf(best)])}, log R = ${signed(-sets[keyOf(best)])}.`;
    setText(note, shown ? highest : better === 0 ? "You found a best one." : "");
    note.hidden = !note.textContent;
    row.children[0].disabled = shown || picked.length < 2;
    row.children[1].disabled = !shown && picked.length < 2;
  }
  return ({ set, best: known }) => {
    const others = (set || "").split(".").filter(Boolean).map(Number).filter((node) => nodes[node] && node !== start);
    [picked, shown] = [[start, ...new Set(others)], known === "1"];
    draw();
  };
});

// assets/lessons/flows.js
function solve(links, reward) {
  const through = [...reward];
  const flow = links.map(() => 0);
  for (let state = reward.length - 1; state > 0; state--) {
    const into = links.flatMap(({ target }, k) => target === state ? [k] : []);
    for (const k of into) through[links[k].source] += flow[k] = through[state] / into.length;
  }
  return { through, flow };
}
function sample(weights, count) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = weights.map(() => 0);
  let random = 1;
  for (let n = 0; n < count; n++) {
    random = 48271 * random % 2147483647;
    let rest = random / 2147483647 * total;
    let k = 0;
    while (k < weights.length - 1 && rest >= weights[k]) rest -= weights[k++];
    counts[k] += 1;
  }
  return counts;
}

// assets/lessons/sequences.css
var sequences_default = ".sequences .stage { position: relative; display: flex; flex-wrap: wrap; gap: 0.5rem 1.7rem; }\n.panel { flex: 1 1 19rem; min-width: 0; padding: 0.3rem 0.5rem; border: 1px solid var(--line); border-radius: 0.6rem; transition: opacity 0.5s; }\n.panel p { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; margin: 0 0.2rem 0.2rem; font-size: 0.8rem; }\n.panel span { font-size: 0.72rem; opacity: 0.75; }\n.panel .picture { position: relative; }\n.panel canvas { position: absolute; inset: 0; width: 100%; height: 100%; }\n.panel canvas:focus { outline: none; }\n.panel canvas:focus-visible { outline: 2px solid var(--accent); border-radius: 0.4rem; }\n.flyer { position: absolute; left: 0; top: 0; padding: 0 0.4rem; border: 1.2px dashed var(--wrong); border-radius: 0.4rem; background: var(--paper);\n  font-size: 0.78rem; font-weight: 600; pointer-events: none; }\n\n/* the picture that is not drawn from at the moment steps back */\n.merged .tree, .apart .sets { opacity: 0.38; }\n.merged .sets, .apart .tree { border-color: var(--accent); }\n\n@media (prefers-reduced-motion: reduce) {\n  .panel { transition: none; }\n}\n";

// assets/lessons/table.css
var table_default = "table { width: 100%; border-collapse: collapse; font-size: 0.84rem; line-height: 1.2; font-variant-numeric: tabular-nums; }\ncaption { caption-side: bottom; padding: 0.2rem 0.3rem; text-align: left; font-weight: 600; }\ncaption:empty { display: none; }\nth, td { padding: 0.08rem 0.5rem; text-align: right; font-weight: 400; white-space: nowrap; }\nthead th { font-size: 0.78rem; opacity: 0.75; vertical-align: bottom; }\nth:first-child { text-align: left; padding-left: 0.3rem; }\nth:nth-child(3) { text-align: left; }\ntbody th { font-weight: 600; }\ntbody tr { border-top: 1px solid var(--line); }\ntr.marked { background: color-mix(in srgb, var(--accent) 10%, transparent); }\ntd.bars { position: relative; width: 45%; min-width: 5rem; padding: 0.15rem 0; }\n.bar { display: block; height: 0.8rem; border-radius: 0 3px 3px 0; background: var(--drawn); transition: width 0.6s; }\n.goal { position: absolute; top: 0.1rem; bottom: 0.1rem; width: 0; border-left: 2.5px solid currentColor; transition: left 0.6s; }\n.stops .bar { background: var(--stop); }\n.stops :is(.bar, .goal) { transition-duration: 0.18s; }\n.stops :is(th, td) { padding-left: 0.2rem; padding-right: 0.2rem; }\n.stops td { padding-top: 0.25rem; padding-bottom: 0.25rem; }\n.stops td.bars { width: 34%; min-width: 3rem; }\n@media (max-width: 640px) {\n  th, td { padding-left: 0.25rem; padding-right: 0.25rem; }\n  th:nth-child(3) { font-size: 0; }\n  td.bars { min-width: 2.5rem; width: 25%; }\n}\n@media (prefers-reduced-motion: reduce) { .bar, .goal { transition: none; } }\n";

// assets/lessons/table.js
function createTable({ roles }, kind, heads, names, marked) {
  const { element, inside: inside2 } = part(roles, kind, table_default);
  const bars = () => el("td", { class: "bars" }, el("span", { class: "bar" }), el("span", { class: "goal" }));
  const row = (name) => el(
    "tr",
    { class: name === marked ? "marked" : null },
    el("th", { scope: "row" }, name),
    el("td"),
    bars(),
    ...heads.slice(3).map(() => el("td"))
  );
  const head = el("tr", {}, ...heads.map((title) => el("th", { scope: "col" }, title)));
  const [rows, sum] = [names.map(row), el("caption")];
  inside2.append(el("table", {}, sum, el("thead", {}, head), el("tbody", {}, ...rows)));
  function show(lines, words2 = "") {
    const most = 1.05 * Math.max(...lines.flatMap(({ bar, mark }) => [bar, mark]));
    lines.forEach(({ cells, bar, mark }, k) => {
      const [, first, drawn, ...rest] = rows[k].cells;
      drawn.children[0].style.width = `${100 * bar / most}%`;
      drawn.children[1].style.left = `${100 * mark / most}%`;
      [first, ...rest].forEach((cell, column) => setText(cell, cells[column]));
    });
    setText(sum, words2);
  }
  return { element, show };
}

// assets/lessons/sequences.js
var ROW = 36;
var COLUMNS = ["Set", "Orders", "Sampled (bar) and R/Z (line)", "Sampled", "R/Z", "Sampled ÷ R/Z"];
var LOOK2 = { card: [64, 24], below: 12, least: 8, pipe: 1, side: 42, live: true };
var [BATCH, MOST3] = [1e3, 2e5];
var REWARDS = { equal: "All equal", toy: "Triangle best" };
var sequences_default2 = lesson((body, content, report) => {
  const { sequences, orders } = content;
  let [merged, reward, draws] = [false, "equal", BATCH];
  const turn = () => change({ now: !merged });
  const merge = el("button", { type: "button", role: "switch", onclick: turn }, "Merge equal sets");
  const more = buttons({
    "Sample 1,000 more": () => change({ count: draws + BATCH }),
    "Sample 20,000 more": () => change({ count: draws + 20 * BATCH }),
    "All equal": () => change({ other: "equal" }),
    "Triangle best": () => change({ other: "toy" })
  }, content);
  const [pictures, words2] = [part(content.roles, "sequences", sequences_default), el("p", { role: "status" })];
  const table = createTable(content, "copies", COLUMNS, content.states.map(({ name }) => name));
  more.prepend(merge);
  body.append(more, pictures.element, table.element, words2);
  const show = createView(pictures.inside, content);
  function change({ now = merged, other = reward, count = other === reward ? draws : BATCH }) {
    [merged, reward, draws] = [now, other, Math.min(count, MOST3)];
    draw();
    const all = { merge: merged ? "1" : "", reward: reward === "equal" ? "" : reward };
    report({ ...all, draws: draws === BATCH ? "" : String(draws) });
  }
  function draw() {
    const weights = content.rewards[reward];
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const bySequence = merged ? [] : sample(sequences.map(({ state }) => weights[state]), draws);
    const byState = merged ? sample(weights, draws) : weights.map((_, state) => sum(bySequence.filter((_count, k2) => sequences[k2].state === state)));
    const target = weights.map((weight) => weight / sum(weights));
    const frequency = byState.map((count) => count / draws);
    show({ merged, bySequence, byState });
    table.show(frequency.map((drawn, k2) => {
      const shares = [percent(drawn, 1), percent(target[k2], 1)];
      return { cells: [String(orders[k2]), ...shares, `× ${(drawn / target[k2]).toFixed(2)}`], bar: drawn, mark: target[k2] };
    }));
    const [full, most] = [draws >= MOST3, orders.indexOf(Math.max(...orders))];
    put(merge, "aria-checked", String(merged));
    [...more.querySelectorAll("button:not([role])")].forEach((button2, k2) => {
      if (k2 < 2) button2.disabled = full;
      else put(button2, "aria-pressed", String(button2.textContent === REWARDS[reward]));
    });
    const [name, k] = [content.states[most].name, orders[most]];
    const [got, wanted] = [frequency[most], target[most]].map((share) => percent(share, 1));
    const copies = sum(weights.map((weight, state) => weight * orders[state]));
    const expected = percent(k * weights[most] / copies, 1);
    const off = sum(frequency.map((share, state) => Math.abs(share - target[state]))) / 2;
    const ratio = `k·R / ΣkR = ${k} · ${plain(weights[most])} / ${plain(copies)} = ${expected}`;
    const apart = `${got} are ${name} instead of ${wanted}. It is in the tree ${k} times: ${ratio}.`;
    const one = "Its copies are one state now, and every factor goes to 1: P = R/Z.";
    const [often, far] = [merged ? `${got} are ${name}; ${wanted} should be. ${one}` : apart, off.toFixed(3)];
    setText(words2, `Of ${thousands(draws)} samples, ${often} Total variation from R/Z: ${far}.`);
  }
  return (link) => {
    const count = BATCH * Math.floor(Number(link.draws) / BATCH);
    [merged, reward] = [link.merge === "1", link.reward === "toy" ? "toy" : "equal"];
    draws = Math.min(Math.max(count || BATCH, BATCH), MOST3);
    draw();
  };
});
function createView(root, content) {
  const { sequences, states, steps, orders } = content;
  const stage = el("div", { class: "stage" });
  root.append(stage);
  const redraw = onceAFrame(() => {
    if (shown) colours.read();
    for (const panel2 of [tree, sets]) draw(panel2);
  });
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: redraw });
  hub.choose = () => {
  };
  new ResizeObserver(redraw).observe(stage);
  const sizes = sequences.map(({ name }) => name.length);
  const height = 22 + ROW * Math.max(...sizes.map((size) => sizes.filter((other) => other === size).length));
  const links = sequences.flatMap(({ parent }, k) => parent >= 0 ? [[parent, k]] : []);
  const more = "dashed: a set that is here more than once";
  const tree = createPanel2("tree", "Tree of sequences", more, sequences, links, sequences.map(({ state }) => state));
  const sets = createPanel2("sets", "DAG of sets", "each set is here once", states, steps, orders.map((_, k) => k));
  let shown = null;
  function createPanel2(kind, title, note, boxes, ways, of) {
    const body = el("div", { class: "picture" });
    const heading = el("p", {}, el("b", {}, `${title}: ${boxes.length} states`), el("span", {}, note));
    stage.append(el("section", { class: `panel ${kind}` }, heading, body));
    const place = { body, width: 0, height };
    const graph = createStateGraph({ place, hub, colours, redraw, look: () => LOOK2 });
    const [keys, labels] = [of.map(String), boxes.map(({ name }) => name)];
    const scene = { nodes: [], listed: true, sized: true, copies: true, states: boxes.map(() => []) };
    const counts = of.map((set) => of.filter((other) => other === set).length);
    const column = labels.map((name) => name.length - 1);
    Object.assign(scene, { labels, keys, links: ways, counts, column });
    return { place, graph, scene, numbers: [] };
  }
  function draw({ place, graph, scene, numbers: numbers2 }) {
    place.width = place.body.clientWidth;
    if (!shown || !place.width) return;
    place.body.style.height = `${height}px`;
    graph.draw({ scene, get: (name) => name === "notes" ? numbers2 : null });
  }
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

// assets/lessons/water.js
var water_default = lesson((body, content, report) => {
  const { picture, reward: first, most, goal, wanted, fixed } = content;
  const names = picture.boxes.map(({ name }) => name);
  let [reward, chosen] = [first, 0];
  const graph = statePart(content, heard);
  const table = createTable(content, "stops", ["State", "R", "", "P(stop)", "R/Z"], names, goal);
  const [balance, step, reached] = ["p", "p", "p"].map((tag) => el(tag));
  const scaled = (factor) => () => change(reward.map((value) => factor * value));
  const acts = { "Double all": scaled(2), "Halve all": scaled(0.5), Reset: () => change(first) };
  const row = buttons(acts, content);
  const words2 = el("div", {}, graph.element, balance, step);
  body.append(el("div", { class: "two wide" }, words2, el("div", {}, table.element, reached, row)));
  function tell() {
    const same2 = reward.every((value, k) => value === first[k]);
    report({ r: same2 ? "" : reward.join("_"), s: names[chosen] === goal ? "" : names[chosen] });
  }
  function change(next) {
    reward = next;
    draw();
    tell();
  }
  function heard(kind, value) {
    if (kind === "state") chosen = value;
    else {
      reward = reward.with(value.state, value.value);
      if (!reward.some(Boolean)) reward = reward.with(value.state, 0.5);
    }
    draw();
    if (kind === "state" || value.settled) tell();
  }
  const listed = (flow, end, other, way2) => picture.links.flatMap((link, k) => link[end] === chosen ? [`${plain(flow[k])} ${way2} ${names[link[other]]}`] : []);
  function draw() {
    const { through, flow } = solve(picture.links, reward);
    const share = (amount3) => amount3 / through[0];
    const boxes = picture.boxes.map((box, k) => {
      const stop = share(reward[k]);
      return { ...box, flow: share(through[k]), stop, target: stop, reward: reward[k] };
    });
    const links = picture.links.map((link, k) => ({ ...link, flow: share(flow[k]) }));
    const view = { draggable: !fixed, rewardMax: most, selected: chosen, path: [], height: 325 };
    graph.show({ ...view, picture: { ...picture, boxes, links } });
    const lines = reward.map((amount3) => {
      const text = percent(share(amount3), 1);
      return { cells: [plain(amount3), text, text], bar: share(amount3), mark: share(amount3) };
    });
    table.show(lines, `Sum of all R: Z = ${plain(through[0])}`);
    const into = listed(flow, "target", "source", "from").join(" + ") || "Z, all the water";
    const onward = listed(flow, "source", "target", "to");
    const out = [`${plain(reward[chosen])} stops here`, ...onward].join(" + ");
    balance.replaceChildren(el("b", {}, names[chosen]), ` · in: ${into} = ${plain(through[chosen])} = out: ${out}.`);
    const last = picture.links.findLastIndex(({ source }) => source === chosen);
    const onto = last < 0 ? "stops" : `goes on to ${names[picture.links[last].target]}`;
    const amount2 = last < 0 ? reward[chosen] : flow[last];
    const ratio = `${plain(amount2)} / ${plain(through[chosen])} = ${percent(amount2 / through[chosen])}`;
    setText(step, through[chosen] ? `From ${names[chosen]} a walk ${onto} with probability ${ratio}.` : "");
    const got = share(reward[names.indexOf(goal)]);
    const open2 = `Goal: ${goal} at ${percent(wanted)} or more. It is at ${percent(got, 1)}.`;
    setText(reached, got < wanted ? open2 : `✓ ${goal} has ${percent(got, 1)}: done. Now the question below.`);
    const [double, halve] = row.children;
    double.disabled = 2 * Math.max(...reward) > most;
    halve.disabled = Math.max(...reward) < 1;
  }
  return ({ r, s }) => {
    const values = (r ?? "").split("_").map(Number);
    const sound = values.length === first.length && values.every((value) => value >= 0 && value <= most);
    reward = sound && values.some(Boolean) ? values : first;
    chosen = names.indexOf(names.includes(s) ? s : goal);
    draw();
  };
});

// assets/player/links.js
var LINKED = "[data-node], [data-nodes], [data-row]";
function createLinks({ root, side, panels }, now) {
  createTip(root, (event) => {
    const node = event.target.closest?.(".stage .node");
    return node && [node.querySelector(".body"), () => now().story.tip(now().frame, Number(node.dataset.node))];
  });
  let asked = null;
  let explained = false;
  function light(target) {
    const { story, frame: frame2, graph, tab } = now();
    asked = target && root.contains(target) ? target : null;
    const { node, nodes, ...rest } = asked?.dataset ?? {};
    const row = numberOr(rest.row);
    const lit = row !== null ? [row] : (nodes ?? node ?? "").split(" ").filter(Boolean).map(Number);
    graph.light(lit);
    graph.showGroups(row === null || frame2 === story.end ? [] : childGroups(story.step(frame2), row));
    if (tab === "cuts" && (row !== null || explained)) panels.cuts.explain(story, frame2, row);
    explained = row !== null;
    const few = lit.length > 0 && lit.length < 3;
    for (const each of side.querySelectorAll("[data-nodes]")) {
      const own = each.dataset.nodes.split(" ");
      each.classList.toggle("lit", few && own.length < 3 && lit.some((index) => own.includes(String(index))));
    }
  }
  function pointed(event) {
    const target = event.target.closest?.(LINKED) ?? null;
    if (target !== asked) light(target);
  }
  const left = () => light(null);
  for (const name of ["pointerover", "focusin"]) root.addEventListener(name, pointed);
  root.addEventListener("pointerleave", left);
  return { refresh: () => light(asked), clear: left };
}

// assets/player/save.js
var STROKE = ["stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin"];
var LOOKS2 = ["fill", "fill-opacity", ...STROKE, "opacity", "display"];
var TEXT_LOOKS = ["font-family", "font-size", "font-weight", "text-anchor", "paint-order", "transform"];
function plainColour(value) {
  return value.replace(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g, (_, r, g, b, a) => {
    const [red, green, blue] = [r, g, b].map((part2) => Math.round(255 * Number(part2)));
    return a === void 0 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${a})`;
  });
}
function standalonePicture(svg, background) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const computed = getComputedStyle(original);
    const written2 = ["text", "tspan"].includes(original.tagName) ? TEXT_LOOKS : [];
    const inline = [...LOOKS2, ...written2].map((name) => [name, computed.getPropertyValue(name)]).filter(([name, value]) => value && !(value === "none" && !["fill", "stroke", "display"].includes(name))).map(([name, value]) => `${name}:${plainColour(value)}`);
    copies[index].setAttribute("style", inline.join(";"));
    copies[index].removeAttribute("class");
    copies[index].removeAttribute("tabindex");
  });
  copy.querySelectorAll("*").forEach((element) => element.style.display === "none" && element.remove());
  const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  copy.prepend(svgEl("rect", { x, y, width, height, style: `fill:${plainColour(background)}` }));
  put(copy, "width", Math.round(width));
  put(copy, "height", Math.round(height));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}
function download(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
}
var svgBlob = (text) => new Blob([text], { type: "image/svg+xml" });
async function saveSvg(svg, background, name) {
  download(svgBlob(standalonePicture(svg, background).text), `${name}.svg`);
}
async function savePng(svg, background, name) {
  const { text, width, height } = standalonePicture(svg, background);
  const scale = Math.max(2, 1600 / width);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = el("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  const pen = canvas.getContext("2d");
  pen.fillStyle = background;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  download(blob, `${name}.png`);
}

// assets/player/bars.js
var LONGEST = 8;
function collapsed(rows, what) {
  const sorted = [...rows].sort((a, b) => b.log_flow - a.log_flow || a.key - b.key);
  if (rows.length <= LONGEST + 1) return sorted;
  const shown = sorted.slice(0, LONGEST);
  const chosen = sorted.findIndex((row) => row.chosen);
  if (chosen >= LONGEST) shown[LONGEST - 1] = sorted[chosen];
  const rest = sorted.filter((row) => !shown.includes(row));
  const sum = (name) => rest.reduce((total, row) => total + row[name], 0);
  const more = {
    key: "rest",
    kind: "rest",
    what,
    name: `and ${rest.length} more`,
    nodes: rest.flatMap(({ nodes }) => nodes),
    log_flow: logSum(rest.map(({ log_flow }) => log_flow)),
    probability: sum("probability"),
    other: rest[0].other === null ? null : sum("other")
  };
  return [...shown, more];
}
function actionRows(story, step) {
  const frontier = step.frontier.map(({ node, log_flow, probability }, index) => ({
    key: node,
    kind: "frontier",
    name: story.name(node),
    nodes: [node],
    log_flow,
    probability,
    other: step.other?.frontier[index] ?? null,
    chosen: node === step.chosen
  }));
  const chosen = step.chosen === null && story.end !== null;
  const stop = { key: "stop", kind: "stop", name: "STOP", nodes: [], ...step.stop, other: step.other?.stop ?? null };
  return [...collapsed(frontier, "frontier nodes"), { ...stop, chosen }];
}
function setBar(line, share) {
  const length = (share > 0 ? Math.min(1, Math.max(share, 6e-3)) : 0).toFixed(4);
  const { style } = line.firstChild;
  if (style.getPropertyValue("--share") !== length) style.setProperty("--share", length);
}
function setMark(line, share) {
  const mark = line.lastChild;
  mark.hidden = share === null;
  if (share !== null) mark.style.left = `${(100 * share).toFixed(2)}%`;
}
var track = (...marks) => el("span", { class: "track" }, el("span", { class: "fill" }), ...marks);
function makeBarRow(row, tag = "li") {
  return el(
    tag,
    { class: `bar-row ${row.kind}`, type: tag === "button" ? "button" : null },
    el("span", { class: "name" }),
    track(),
    el("span", { class: "value" })
  );
}
function updateBarRow(element, row, share, value, tip) {
  put(element, "data-nodes", row.nodes.join(" "));
  put(element, "data-tip", tip);
  element.classList.toggle("chosen", Boolean(row.chosen));
  const [name, line, number] = element.children;
  setText(name, row.name);
  setText(number, value);
  setBar(line, share);
}
function createGauge() {
  const [name, value] = [el("span", { class: "gauge-name" }), el("b", { class: "value" })];
  const whole = el("span", { class: "whole" });
  const line = track(whole);
  const element = el("div", { class: "gauge" }, name, line, value);
  function show(story, frame2) {
    const { predicted, probabilities: probabilities2 } = story.trace.prediction;
    const atAnswer = frame2 === story.cover;
    const share = atAnswer ? story.answer.alone[predicted] : story.step(frame2).reward.probability;
    setText(name, story.asks);
    setText(value, percent(share));
    setBar(line, share);
    whole.style.left = `${100 * probabilities2[predicted]}%`;
    const all = percent(probabilities2[predicted]);
    const seen2 = atAnswer ? "the answer" : "this set";
    const now = `The ${story.asked} gives “${story.className}” ${percent(share)} when it sees ${seen2} only`;
    put(element, "data-tip", `${now}; the mark is at ${all}, what the GNN gives when it sees everything`);
  }
  return { element, show };
}

// assets/player/answer.js
function createHeadline(act) {
  const sentence = el("p", { class: "sentence" });
  const tabs = el("div", { class: "reasons", role: "group", "aria-label": "Reasons" });
  const element = el("div", { class: "headline-row", hidden: true }, sentence, tabs);
  function show({ answer, cover, reasons, reasonNouns, shares, shown }) {
    element.hidden = cover === null;
    if (element.hidden) return;
    setText(sentence, solid(answer.sentence));
    tabs.hidden = reasons.length < 2;
    const rows = tabs.hidden ? [] : shares.map((share, index) => ({ ...reasons[index], share, number: reasons[index] ? index + 1 : 0 }));
    const make = (row) => makeTab(row, act);
    keyed(tabs, rows, ({ number }) => String(number), make, (child, { number, name, nodes, share }) => {
      const text = number ? `${reasonNouns[number - 1]} ${number}: ${share}` : `other ${share}`;
      setText(child.querySelector("span"), text);
      if (!number) return;
      put(child, "aria-pressed", number === shown + 1);
      put(child, "data-nodes", nodes.join(" "));
      put(child, "data-tip", `${name}: ${share} of samples. Click to see and play it.`);
    });
  }
  return { element, show };
}
function makeTab({ number }, act) {
  if (!number) return el("span", { class: "other" }, el("span"));
  const tab = { type: "button", class: `reason reason-${number}`, onclick: () => act.reason(number) };
  return el("button", tab, swatch(`reason-${number}`), el("span"));
}
function createAnswerPanel() {
  const ruled = el("p");
  const rule = el("details", { class: "rule" }, el("summary", {}, "How is this decided?"), ruled);
  const all = el("p", { class: "note", hidden: true }, "It is everything that the GNN can see here.");
  const near = el("p", { class: "note elsewhere", hidden: true });
  const bars = el("ul", { class: "answer-bars" });
  const facts = el("dl", { class: "facts" });
  const [asked, ofClass] = [el("span", { class: "asked" }), el("small", { class: "of-class" })];
  const parts = [bars, facts, all, near, rule];
  const element = panel("answer", "Answer", [asked, ofClass], ...parts);
  function show(story) {
    const { answer, reasons, shown } = story;
    if (!answer) return;
    setText(ruled, story.rule);
    const several = reasons.length > 1;
    setText(asked, `What the GNN predicts${several ? ` with ${story.reasonNoun} ${shown + 1}` : ""}`);
    setText(ofClass, `probability of “${story.className}”`);
    all.hidden = answer.verdict !== "whole";
    near.hidden = !story.apart;
    setText(near, `Play shows another subgraph. ${story.apart}`);
    const rows = story.rows.map(([key, name, share, tip]) => ({ kind: `gnn ${key}`, name, nodes: [], share, tip }));
    keyed(bars, rows, ({ kind }) => kind, (row) => makeBarRow(row), (child, row) => updateBarRow(child, row, row.share, percent(row.share), row.tip));
    facts.replaceChildren(...story.facts.flatMap(([name, value, tip, kind]) => [
      el("dt", { class: kind }, tip ? symbol(name, tip) : name),
      el("dd", { class: kind }, value)
    ]));
  }
  return { element, show };
}

// assets/player/controls.js
var SPEEDS = [0.5, 1, 2, 4];
function createControls(act) {
  const play = button("Play (space)", ICONS.play, act.toggle, { class: "play" });
  const heard = { moved: act.scrub, settled: act.scrubbed, wait: 0 };
  const scrub = createSlider({ label: "Step", kind: "scrub", step: 1, ...heard });
  const counter = el("output", { class: "counter", "aria-hidden": "true" });
  const speed = speedMenu("Speed", SPEEDS, act.speed);
  const motif = button("Show the true motif", ICONS.motif, act.motif, { class: "motif", "aria-pressed": "false" });
  const present = button("Present (P)", ICONS.present, act.present, { class: "present", "aria-pressed": "false" });
  const leave = el("span", {}, "Leave (Esc)");
  present.append(leave);
  const saves = ["PNG", "SVG"].map(
    (format) => el("button", { type: "button", "data-tip": "Save this picture", onclick: () => act.save(format) }, format)
  );
  const steps = [
    button("First step (Home)", ICONS.first, () => act.goTo(0), { class: "first" }),
    button("Step back (←)", ICONS.back, () => act.move(-1), { class: "back" }),
    play,
    button("Step forward (→)", ICONS.forward, () => act.move(1), { class: "forward" }),
    button("Last step (End)", ICONS.last, () => act.goTo(Infinity), { class: "last" })
  ];
  const element = el(
    "div",
    { class: "controls", role: "toolbar", "aria-label": "Playback" },
    el("div", { class: "keys" }, ...steps),
    el("div", { class: "time" }, scrub.input, counter),
    el("div", { class: "extras" }, speed, motif, ...saves),
    present
  );
  function show({ frame: frame2, story, playing, withMotif, presenting: presenting2, sentence }) {
    const { first, last, end, cover, known } = story;
    relabel(play, playing ? "Pause (space)" : "Play (space)", playing ? ICONS.pause : ICONS.play);
    put(play, "data-playing", playing);
    scrub.set(frame2, sentence, { min: first, max: last });
    const step = `${frame2} / ${end === null ? last : last - 1}`;
    setText(counter, frame2 === cover ? "answer" : frame2 === end ? "result" : step);
    put(motif, "aria-pressed", withMotif);
    motif.hidden = !known;
    put(present, "aria-pressed", presenting2);
    leave.hidden = !presenting2;
    relabel(present, presenting2 ? "Leave (Esc)" : "Present (P)", ICONS.present);
    steps[0].disabled = frame2 === 0;
    steps[1].disabled = frame2 === first;
    for (const index of [3, 4]) steps[index].disabled = frame2 === last;
  }
  return { element, show };
}

// assets/player/flow.js
var MEANING = {
  in: "what flows into this state s, summed over its valid parents: the sets that are still connected without u",
  parent: "F(s∖{u} → s), the flow of the step that adds u to the parent s∖{u}",
  out: "what flows on, summed over the frontier: every node v that could be added",
  frontier: "F(s → s∪{v}), the flow of the step that adds the frontier node v",
  stop: "F(s → STOP), the flow that ends here: a trained policy has it equal to the reward R(s)",
  policy: "the probability of each action a in the state s: its flow, divided by all that flows out",
  scale: "a bar's length is its share of the larger of the two sums; log F is a natural logarithm, since flows span many orders of magnitude",
  residual: "log in − log out: zero where the flows match exactly, as exact flows do and those of a perfectly trained policy would"
};
function createFlowPanel() {
  const inSide = el("ul", { class: "side-in", "aria-label": "In-flow from each valid parent" });
  const outSide = el("ul", { class: "side-out", "aria-label": "Out-flow to each frontier node and STOP" });
  const totals = ["in", "out"].map((side) => el("div", { class: `total total-${side}` }, el("span"), el("b")));
  const formula = el("div", { class: "formula" });
  const compared = el("small", { class: "compared" });
  const scales = el("small", { "data-tip": MEANING.scale }, "bars: share of the larger side · numbers: log F, ");
  scales.append(symbol("π(a│s)", MEANING.policy));
  const balance = el("div", { class: "balance" }, ...totals, inSide, outSide);
  const element = panel("flow", "Flow balance", ["Flow balance", scales, compared], balance, formula);
  function show(story, frame2) {
    const step = story.step(frame2);
    const log_in = step.log_in_flow;
    const scale = Math.max(log_in ?? -Infinity, step.log_out_flow);
    const share = (log) => scale === -Infinity ? 0 : Math.exp(log - scale);
    const parent = ({ removed, log_flow }) => ({ key: removed, kind: "parent", name: `s∖${story.name(removed)}`, nodes: [removed], log_flow });
    const parents = collapsed(step.parents.map(parent), "parents");
    const rows = actionRows(story, step);
    const others = story.trace.flows === "exact" ? "learned" : "exact";
    setText(compared, step.other ? `thin mark: by ${others} flows` : "");
    const tipOf = (row) => {
      const flow = `log F = ${signed(row.log_flow)}, F = ${amount(row.log_flow)}`;
      if (row.kind === "parent") return `The parent without ${story.name(row.nodes[0])} → this set: ${flow}`;
      const beside = (row.other ?? null) === null ? "" : `, by ${others} flows ${percent(row.other)}`;
      const chance = row.probability === void 0 ? "" : `, π = ${percent(row.probability)}${beside}`;
      if (row.kind === "stop") return `This set → STOP: ${flow}${chance}`;
      if (row.kind === "frontier") return `This set → with ${row.name}: ${flow}${chance}`;
      return `${row.nodes.length} other ${row.what} together: ${flow}${chance}`;
    };
    keyed(inSide, parents, (row) => row.key, makeBarRow, (child, row) => {
      updateBarRow(child, row, share(row.log_flow), signed(row.log_flow), tipOf(row));
    });
    keyed(outSide, rows, (row) => row.key, makeActionRow, (child, row) => {
      const value = `${signed(row.log_flow)} · ${percent(row.probability)}`;
      updateBarRow(child, row, share(row.log_flow), value, tipOf(row));
      setMark(child.children[1], row.other === null ? null : row.other * share(step.log_out_flow));
    });
    setText(totals[0].children[0], log_in === null ? "s₀ is the source" : "in-flow");
    setText(totals[0].children[1], log_in === null ? "" : signed(log_in));
    setText(totals[1].children[0], "out-flow");
    setText(totals[1].children[1], signed(step.log_out_flow));
    formula.replaceChildren(...log_in === null ? sourceLines(story, step) : equationLines(step));
  }
  return { element, show };
}
function makeActionRow(row) {
  const child = makeBarRow(row);
  child.children[1].append(el("span", { class: "mark" }));
  return child;
}
function sourceLines(story, step) {
  const exact = story.trace.log_z_exact;
  const line = el("p", { class: "equation" });
  line.append(
    symbol(
      "log Z",
      "the log of the total flow: all that leaves s₀; with P ∝ R it is the sum of all rewards",
      "residual"
    ),
    " = log ",
    symbol("Σ F(s₀ → ·)", MEANING.out, "frontier"),
    ` = ${signed(step.log_out_flow, 3)}`
  );
  if (exact !== null) line.append(` · exact: ${signed(exact, 3)}`);
  return [line];
}
function equationLines(step) {
  const frontier = logSum(step.frontier.map(({ log_flow }) => log_flow));
  const words2 = el("p", { class: "equation" });
  words2.append(symbol("Σᵤ F(s∖{u} → s)", MEANING.parent, "parent"), " = ");
  if (step.frontier.length) words2.append(symbol("Σᵥ F(s → s∪{v})", MEANING.frontier, "frontier"), " + ");
  words2.append(symbol("F(s → STOP)", MEANING.stop, "stop"));
  const equal = step.residual !== null && Math.abs(step.residual) < 0.05;
  const numbers2 = el("p", { class: "equation numbers" });
  const term = (kind, log) => el("span", { class: `term ${kind}` }, amount(log));
  numbers2.append(term("parent", step.log_in_flow), el("b", {}, equal ? " ≈ " : " ≠ "));
  if (step.frontier.length) numbers2.append(term("frontier", frontier), " + ");
  numbers2.append(term("stop", step.stop.log_flow));
  const residual = el("p", { class: "equation residual-line" });
  residual.append(symbol("residual", MEANING.residual, "residual"));
  if (step.residual === null) residual.append(": undefined, one side is zero");
  else {
    const ratio = Math.exp(step.residual);
    residual.append(
      ` = ${signed(step.log_in_flow, 3)} − (${signed(step.log_out_flow, 3)}) = `,
      el("b", {}, signed(step.residual, 3)),
      ` · in is ${ratio >= 0.01 && ratio < 1e3 ? ratio.toPrecision(3) : amount(step.residual)} × out`
    );
  }
  return [words2, numbers2, residual];
}

// assets/player/reward.js
function createRewardPanel() {
  const headline = el("p", { class: "equation headline" });
  const rows = el("tbody");
  const [costs, sum] = [el("th", { scope: "col" }), el("span", { class: "value" })];
  const heads = ["term", "measured", "× price"].map((text) => el("th", { scope: "col" }, text));
  const all = el("th", { scope: "row", colspan: 3 }, "Σ costs = −log R(s)");
  const table = el(
    "table",
    { class: "terms" },
    el("thead", {}, el("tr", {}, ...heads, costs)),
    rows,
    el("tfoot", {}, el("tr", {}, all, el("td", { class: "cost" }, el("span"), sum)))
  );
  const meaning = "the reward of stopping at this set: the cheaper it is in these terms, the larger";
  const title = [symbol("R(s)", meaning), " reward", el("small", {}, "if it stopped here")];
  const element = panel("reward", "Reward", title, headline, table);
  function show(story, frame2) {
    const { reward } = story.step(frame2);
    const { terms } = reward;
    const words2 = new Map(story.trace.reward_terms.map((term) => [term.name, term]));
    const beta = plain(reward.beta);
    const digits = Math.abs(reward.log_reward) < 1 ? 3 : 2;
    const measured = reward.beta > 10 ? 4 : 3;
    const shown = addends(terms.map(({ contribution }) => reward.beta * contribution), -reward.log_reward, digits);
    headline.replaceChildren(
      symbol("log R(s)", "the natural logarithm of the reward", "residual"),
      " = −",
      symbol("β", `the reward exponent, ${beta} here: how strongly better explanations are preferred`),
      " · Σ price · measured = ",
      el("b", {}, signed(reward.log_reward, digits))
    );
    costs.replaceChildren(
      "costs (",
      symbol(`× β = ${beta}`, "a term takes β · price · measured from log R(s)"),
      ")"
    );
    setText(sum, signed(-reward.log_reward, digits));
    const most = Math.max(...terms.map(({ contribution }) => Math.abs(contribution)), 1e-9);
    rows.replaceChildren(...terms.map(({ name, value, price, contribution }, index) => {
      const bar = track();
      setBar(bar, Math.abs(contribution) / most);
      return el(
        "tr",
        { class: price === 0 && "unused" },
        el("th", { scope: "row" }, symbol(words2.get(name).symbol, words2.get(name).title)),
        el("td", {}, Number.isInteger(value) ? plain(value) : signed(value, measured)),
        // counts are whole
        el("td", {}, `× ${price}`),
        el("td", { class: "cost" }, bar, el("span", { class: "value" }, price === 0 ? "0" : shown[index]))
      );
    }));
  }
  return { element, show };
}

// assets/player/shell.js
var TABS = [
  ["answer", "Answer"],
  ["states", "States"],
  ["flow", "Flows"],
  ["cuts", "Cut vertices"],
  ["reward", "Reward"]
];
function createShell(act, states) {
  const shell = {
    headline: createHeadline(act),
    stage: el("div", { class: "stage" }),
    stopChip: el("button", { type: "button", class: "stop-chip", onclick: () => act.take(null) }),
    instead: el("button", { type: "button", class: "instead", hidden: true, onclick: () => act.explain() }),
    holding: el("span", { class: "holding", hidden: true }, "paused while you look"),
    caption: el("p", { class: "caption" }),
    live: el("p", { class: "unseen", "aria-live": "polite" }),
    controls: createControls(act),
    legend: createLegend(),
    gauge: createGauge(),
    panels: {
      answer: createAnswerPanel(),
      ...states ? { states } : {},
      flow: createFlowPanel(),
      cuts: createCutsPanel(),
      reward: createRewardPanel()
    }
  };
  shell.partButton = button("Show what matters", ICONS.part, act.part, { class: "part" });
  const tools = zoomTools(act.zoom, act.fit, shell.partButton);
  const shown = TABS.filter(([name]) => shell.panels[name]);
  shell.tabs = createTabs("Details", shown, act.openTab);
  for (const tab of shell.tabs.tabs) tab.classList.add("tab", `tab-${tab.dataset.tab}`);
  shell.bodies = shown.map(([name, text]) => {
    const body = { class: "tab-body", role: "tabpanel", "aria-label": text, tabindex: 0 };
    return el("div", body, shell.panels[name].element);
  });
  shell.side = el("div", { class: "side" }, shell.gauge.element, shell.tabs.element, ...shell.bodies);
  shell.views = el(
    "div",
    { class: "views", role: "group", "aria-label": "View" },
    el("button", { type: "button", "data-view": "graph", onclick: () => act.seeGraph() }, "Graph"),
    el("button", { type: "button", "data-view": "states", onclick: () => act.openTab("states") }, "States")
  );
  const { headline, views, stage, stopChip, instead, holding } = shell;
  const { caption, controls, legend, side, live } = shell;
  shell.view = el("div", { class: "stage-frame" }, stage, tools, stopChip, instead, holding);
  const parts = [headline.element, views, shell.view, caption, controls.element, legend.element, side];
  const frame2 = el("div", { class: "frame" }, ...parts);
  const root = { class: "kit player", tabindex: 0, role: "region", "aria-label": "Trajectory player" };
  shell.root = el("div", root, frame2, live);
  return shell;
}
function showStop(chip, { step, mode }, { open: open2, chosen }) {
  const ended = mode === "end";
  chip.hidden = mode === "answer";
  chip.disabled = !open2 || ended;
  chip.classList.toggle("chosen", ended || chosen);
  setText(chip, ended ? "STOPPED" : `STOP ${percent(step.stop.probability)}`);
  const flow = `π = ${percent(step.stop.probability)}, log F = ${signed(step.stop.log_flow)}`;
  const only = step.stop.forced ? "; it is the only action left" : "";
  put(chip, "data-tip", ended ? "The policy stopped here" : `STOP ends the trajectory here: ${flow}${only}`);
}

// assets/player/player.js
var PACE2 = 1500;
var FAR_AWAY = { least: 16, size: 16, long: false };
var FEW3 = ["answer", "states", "flow"];
var SETTLE2 = 450;
var KEPT = ["view", "present"];
function createPlayer(host, callbacks, createStates = null) {
  const state = {
    frame: null,
    playing: false,
    held: false,
    // playing, but the pointer is on the graph
    speed: 1,
    withMotif: false,
    presenting: false,
    tab: "flow",
    chosenTab: "flow",
    // the one to go back to from the answer
    picked: null,
    // the node that could be explained instead
    opened: null,
    // the last initialStep
    reason: null
    // the number of the one that was chosen
  };
  let [story, options, given] = [null, {}, null];
  let playTimer = null;
  const reports = createReports(callbacks, state);
  const { ask } = reports;
  const act = {
    toggle: () => state.playing ? pause() : play(),
    move: (by) => goTo(state.frame + by),
    goTo,
    scrub: (frame2) => change(() => render(frame2)),
    scrubbed: reports.step,
    speed: (value) => set({ speed: value }),
    motif: () => set({ withMotif: !state.withMotif }),
    openTab,
    seeGraph: () => openTab(ownTab(state.frame) ?? state.chosenTab),
    cover: () => story.cover !== null && goTo(story.cover),
    reason: choose,
    present: () => {
      adopt({ presenting: !state.presenting });
      render();
      ask("present", state.presenting);
    },
    leave: () => state.presenting && act.present(),
    zoom: (factor) => sight.camera.zoom(factor),
    fit: () => sight.look(false),
    part: () => sight.look(true),
    lookAt: (nodes) => sight.graph.light(nodes),
    way: (place) => ask("way", place),
    take,
    explain: () => ask("explain", state.picked),
    save
  };
  const shell = createShell(act, createStates?.(act));
  const { root, stage, view, side, panels } = shell;
  const sight = createSight(stage, shell.partButton);
  const links = createLinks(shell, () => ({ story, graph: sight.graph, frame: state.frame, tab: state.tab }));
  const keys = {
    ArrowRight: () => act.move(1),
    ArrowLeft: () => act.move(-1),
    " ": () => act.toggle(),
    Home: () => goTo(0),
    End: () => goTo(Infinity),
    Escape: () => act.leave(),
    p: () => act.present(),
    a: () => act.cover()
  };
  const forgetKeys = listenToKeys(root, keys, { own: "select, [role=tablist]" });
  host.append(root);
  function set(values) {
    Object.assign(state, values);
    render();
    schedule();
    if ("speed" in values) root.focus({ preventScroll: true });
  }
  function adopt(values) {
    Object.assign(state, values);
    root.classList.toggle("presenting", state.presenting);
    const height = state.presenting ? "calc(100vh - var(--above, 3.2rem))" : `${options.height ?? 640}px`;
    root.style.setProperty("--height", height);
    sight.graph?.write(state.presenting ? FAR_AWAY : void 0);
  }
  function openTab(name) {
    if (name !== ownTab(state.frame) && name !== "states") state.chosenTab = name;
    const [before, cover] = [state.tab, state.frame === story.cover];
    set({ tab: name });
    if (name === "answer") goTo(story.cover);
    else if (cover && name !== "states") goTo(0);
    if (name === "states" !== (before === "states")) ask("view", name === "states" ? name : "");
  }
  function schedule() {
    clearTimeout(playTimer);
    if (!state.playing || state.held) return;
    playTimer = setTimeout(advance, PACE2 / state.speed);
  }
  function advance() {
    if (state.frame < story.last) render(state.frame + 1);
    if (state.frame === story.last) pause();
    else schedule();
  }
  function play() {
    state.playing = true;
    state.held = false;
    render(state.frame === story.last ? 0 : Math.max(state.frame, 0));
    schedule();
  }
  function change(how) {
    clearTimeout(playTimer);
    state.playing = state.held = false;
    how();
  }
  function pause() {
    change(() => render());
    reports.step();
  }
  function goTo(frame2) {
    change(() => render(Math.min(Math.max(frame2, story.first), story.last)));
    reports.soon();
  }
  function hold(wanted) {
    if (!state.playing || state.held === wanted) return;
    state.held = wanted;
    shell.holding.hidden = !wanted;
    schedule();
  }
  function choose(number) {
    if (number === state.reason || !story.reasons[number - 1]) return;
    state.reason = number;
    begin(createStory(given, { ended: story.end !== null, covered: story.covered, reason: number }));
    change(() => render(story.first));
    reports.known(story.first);
    ask("reason", number);
  }
  function take(node) {
    if (!options.manual || state.frame === story.end) return;
    change(() => render());
    ask("take", { node, step: state.frame });
  }
  function save(format) {
    const { dataset, index, made } = story.trace;
    const name = `${dataset}-${made.name ?? index}-step-${state.frame}`.replace(/[^\w.-]+/g, "_");
    const paper = getComputedStyle(root).backgroundColor;
    links.clear();
    (format === "PNG" ? savePng : saveSvg)(sight.graph.svg, paper, name);
  }
  const ownTab = (frame2) => story.cover !== null && [story.cover, story.end].includes(frame2) ? "answer" : null;
  function render(frame2 = state.frame) {
    const before = state.frame;
    state.frame = frame2;
    if (before !== frame2 && state.tab !== "states") {
      state.tab = ownTab(frame2) ?? (before === null || state.tab === ownTab(before) ? state.chosenTab : state.tab);
    }
    const scene = story.scene(frame2);
    drawGraph(scene);
    drawWords(frame2);
    const chosen = scene.step.chosen === null && story.end !== null;
    showStop(shell.stopChip, scene, { open: Boolean(options.manual), chosen });
    shell.holding.hidden = !state.held;
    shell.headline.show(story);
    shell.legend.show(story, frame2);
    shell.gauge.show(story, frame2);
    shell.gauge.element.hidden = frame2 === story.cover;
    drawTab();
    links.refresh();
  }
  function drawGraph(scene) {
    const { graph } = sight;
    const { step, mode } = scene;
    root.classList.toggle("with-motif", state.withMotif && story.known);
    root.classList.toggle("tween", !lessMotion() && !graph.many);
    graph.show(scene);
    const open2 = options.manual && mode === "state" ? step.frontier.map(({ node }) => node) : [];
    graph.offer(open2, (node) => story.tip(state.frame, node));
  }
  function drawWords(frame2) {
    const sentence = story.sentence(frame2);
    setText(shell.caption, sentence);
    put(sight.graph.svg, "aria-label", sentence);
    const heard = frame2 === story.cover ? story.answer.sentence : `Step ${frame2} of ${story.last}. ${sentence}`;
    if (!state.playing || state.speed <= 1) setText(shell.live, heard);
    shell.controls.show({ ...state, story, sentence });
  }
  function drawTab() {
    const missing = { answer: story.cover === null, states: !panels.states || !(options.states || callbacks.view) };
    shell.tabs.select(state.tab);
    shell.tabs.tabs.forEach((tab, index) => {
      const name = tab.dataset.tab;
      const open2 = name === state.tab;
      tab.hidden = !open2 && (missing[name] || options.few && !FEW3.includes(name));
      shell.bodies[index].hidden = !open2;
    });
    const beside = state.tab === "states";
    root.classList.toggle("with-states", beside);
    shell.views.hidden = missing.states;
    [...shell.views.children].forEach((each) => put(each, "aria-pressed", each.dataset.view === "states" === beside));
    panels[state.tab].show(story, state.frame);
  }
  for (const part2 of [view, side]) {
    part2.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && hold(true));
    part2.addEventListener("pointerleave", () => hold(false));
  }
  function chose(event) {
    const node = event.target.closest?.(".node.frontier");
    if (!options.manual || !node || event.type === "click" && sight.camera.dragged) return;
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    take(Number(node.dataset.node));
  }
  stage.addEventListener("click", chose);
  stage.addEventListener("keydown", chose);
  function pick(event) {
    const node = callbacks.explain && !options.manual && !sight.camera.dragged && event.target.closest?.(".node");
    state.picked = node ? Number(node.dataset.node) : null;
    shell.instead.hidden = state.picked === null || state.picked === story.trace.target;
    if (!shell.instead.hidden) setText(shell.instead, `Explain ${story.name(state.picked)} instead`);
  }
  stage.addEventListener("click", pick);
  function show(data) {
    const told = options;
    options = data.options ?? {};
    root.classList.toggle("manual", Boolean(options.manual));
    root.classList.toggle("few", Boolean(options.few));
    panels.states?.give(options.states ?? null);
    const ended = !options.manual || Boolean(options.ended);
    const covered = !options.manual;
    given = data;
    const other = story?.text !== data.trace;
    const asked = other || options.reason !== told.reason;
    const reason = asked ? options.reason ?? null : state.reason;
    const same2 = story && !other && story.covered === covered && story.end !== null === ended;
    const fresh = !same2 || reason !== state.reason;
    state.reason = reason;
    if (fresh) begin(createStory(data, { ended, covered, reason }));
    const changed = (name) => options[name] !== void 0 && options[name] !== told[name];
    adopt(changed("presenting") ? { presenting: options.presenting } : {});
    if (changed("view") && options.view === "states" !== (state.tab === "states")) {
      state.tab = options.view || (fresh ? null : ownTab(state.frame)) || state.chosenTab;
    }
    const wanted = options.initialStep ?? null;
    const moves = fresh || wanted !== null && wanted !== state.opened;
    if (moves) state.opened = wanted;
    const start = options.manual ? story.last : options.atAnswer ? story.first : 0;
    const frame2 = moves ? Math.min(Math.max(wanted ?? start, story.first), story.last) : state.frame;
    if (fresh || frame2 !== state.frame) {
      reports.known(frame2);
      change(() => render(frame2));
    } else render();
    if (fresh && options.autoplay && frame2 === 0 && !state.playing && !options.manual && !lessMotion()) play();
  }
  function begin(next) {
    story = next;
    shell.instead.hidden = true;
    Object.assign(state, { frame: null, picked: null });
    if (story.cover === null && state.chosenTab === "answer") state.chosenTab = "flow";
    if (state.tab !== "states") state.tab = state.chosenTab;
    sight.open(story);
  }
  function destroy() {
    clearTimeout(playTimer);
    reports.destroy();
    forgetKeys();
    panels.states?.destroy();
    sight.camera?.destroy();
    root.remove();
  }
  return { show, destroy };
}
function createReports(callbacks, state) {
  let [timer, reported] = [null, null];
  function step() {
    clearTimeout(timer);
    if (state.frame === reported || state.playing) return;
    reported = state.frame;
    callbacks.step?.(state.frame);
  }
  function soon(times = 1) {
    clearTimeout(timer);
    timer = setTimeout(step, times * SETTLE2);
  }
  function ask(what, value) {
    clearTimeout(timer);
    if (KEPT.includes(what)) soon(4);
    callbacks[what]?.(value);
  }
  const known = (frame2) => reported = frame2;
  return { step, soon, ask, known, destroy: () => clearTimeout(timer) };
}

// assets/train/bar.js
var SPEEDS2 = [0.25, 0.5, 1, 2, 4];
var RESET = "M12 5V1L7 6l5 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z";
var STEP2 = "M6 5v14l9-7zM16.5 5H19v14h-2.5z";
function createBar(act) {
  const run = button("Run (space)", ICONS.play, act.run, { class: "run" });
  const training = el(
    "div",
    { class: "group training", role: "group", "aria-label": "Training" },
    el("b", { class: "of" }, "Training"),
    run,
    button("One training step (→ at the newest)", STEP2, () => act.command("step"), { class: "one" }),
    button("Reset the training (R)", RESET, () => act.command("reset"), { class: "reset" })
  );
  const play = button("Play", ICONS.play, act.toggle, { class: "play" });
  const [back, forward] = [
    button("One frame back (←)", ICONS.back, () => act.move(-1), { class: "back" }),
    button("One frame on (→)", ICONS.forward, () => act.move(1), { class: "forward" })
  ];
  const label = el("b", { class: "of" }, "Replay");
  const replay = el("div", { class: "group", role: "group", "aria-label": "Replay" }, label, back, play, forward);
  const heard = { moved: act.scrub, settled: act.scrubbed, wait: 0 };
  const scrub = createSlider({ label: "Training step", kind: "scrub", step: "any", ...heard });
  const marks = el("div", { class: "marks", "aria-hidden": "true" });
  const counter = el("output", { class: "counter" }, el("span"), el("span", { class: "seconds" }));
  const now = el("button", { type: "button", class: "now", hidden: true, onclick: act.follow }, "Go to now");
  const standing = el("p", { class: "words", role: "status", hidden: true });
  const element = el(
    "div",
    { class: "bar", role: "toolbar", "aria-label": "Clock" },
    training,
    replay,
    el("div", { class: "time" }, scrub.input, marks),
    counter,
    now,
    speedMenu("Replay speed", SPEEDS2, act.speed),
    standing
  );
  function show({ clock, live, seconds }) {
    const last = Math.max(0, clock.ticks.length - 1);
    training.hidden = label.hidden = !live;
    standing.hidden = !live?.words;
    setText(standing, `Training: ${live?.words ?? ""}`);
    relabel(run, live?.running ? "Pause (space)" : "Run (space)", live?.running ? ICONS.pause : ICONS.play);
    put(run, "data-running", Boolean(live?.running));
    const key = live ? "" : " (space)";
    relabel(play, `${clock.playing ? "Pause the replay" : "Replay"}${key}`, clock.playing ? ICONS.pause : ICONS.play);
    put(play, "data-playing", clock.playing);
    scrub.input.disabled = play.disabled = last === 0;
    const words2 = `step ${thousands(Math.round(clock.step))} of ${thousands(clock.ticks[last] ?? 0)}`;
    scrub.set(clock.at, words2, { max: Math.max(last, 1) });
    setText(counter.firstChild, live ? `Replay: ${words2}` : words2);
    setText(counter.lastChild, seconds === null ? "" : ` · ${seconds.toFixed(1)} s`);
    now.hidden = live === null || clock.following || last === 0;
    back.disabled = clock.at === 0;
    forward.disabled = clock.atEnd();
  }
  function mark({ ticks, changes }, placeOf2) {
    const last = Math.max(1, ticks.length - 1);
    keyed(marks, changes, ([step]) => step, () => el("i", { class: "mark" }), (item, [step, words2]) => {
      item.style.setProperty("--at", placeOf2(ticks, step) / last);
      put(item, "data-tip", `Changed at step ${thousands(step)}${words2}`);
    });
  }
  return { element, show, mark };
}

// assets/state_graph/instance_graph.js
var LARGER2 = 1.2;
var WIDEST = 9;
function createInstanceGraph(body, hub) {
  let picture = null;
  function build(scene) {
    const svg = svgEl("svg", { class: "instance-graph", tabindex: 0, role: "application" });
    put(svg, "aria-label", `The graph. ${KEYS}`);
    const { points, radius, unit, box } = layOut(scene.nodes.map(({ x, y }) => ({ position: [x, y] })), LARGER2);
    const reached = new Set(scene.states.flat());
    const thin = Math.min(1, Math.max(0.4, radius / 11));
    const edges = scene.edges.map(([a, b, order, motif], k) => {
      const line = (name, wide2, lines2 = 1) => svgEl("path", { class: name, d: edgeLines(points[a], points[b], lines2, unit), "stroke-width": wide2 });
      const share = scene.target_marginals?.[k] ?? 0;
      const wide = share > 5e-3 ? 1 + WIDEST * share * thin : 0;
      const lines = [line("wanted", wide && wide + 2.4 * thin), line("inside", wide), line("held", null)];
      if (order > 1) lines.push(line("bond", 1, order));
      return svgEl("g", { class: motif ? "edge motif" : "edge" }, ...lines);
    });
    const nodes = scene.nodes.map(({ element, name, motif }, node) => {
      const start = node === scene.start;
      const atom = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
      const kind = `node${start ? " start" : ""}${motif ? " motif" : ""}${reached.has(node) ? "" : " far"}${atom}`;
      const about = { class: kind, "data-node": node, transform: `translate(${points[node].map(round).join(" ")})` };
      const text = element ?? name;
      const size = Math.min(radius, radius * 2.4 / Math.max(text.length, 1));
      const ring2 = start ? [svgEl("circle", { class: "ring", r: radius * 1.35 })] : [];
      const letters = svgEl("text", { "font-size": size, dy: "0.35em" }, text);
      return svgEl("g", about, svgEl("circle", { r: radius }), ...ring2, letters);
    });
    svg.append(svgEl("g", {}, ...edges), svgEl("g", {}, ...nodes));
    const part2 = partBox({ points, radius, unit, box }, [...reached]);
    put(svg, "viewBox", (part2 ?? box).map(round).join(" "));
    body.replaceChildren(svg);
    pointable(svg, hub, { find: find2, walk });
    return { scene, svg, edges, nodes, thin };
  }
  function draw(scene, shares, lit) {
    if (picture?.scene !== scene) picture = build(scene);
    picture.shares = shares;
    picture.edges.forEach((edge, k) => {
      const held = edge.querySelector(".held");
      put(held, "stroke-width", shares ? round(0.6 + WIDEST * shares[k] * picture.thin) : 2);
      put(held, "stroke-opacity", shares ? 0.3 + 0.7 * Math.min(1, 1.6 * shares[k]) : 1);
    });
    const inside2 = new Set(lit);
    picture.svg.classList.toggle("lighting", lit.length > 0);
    picture.nodes.forEach((node, k) => node.classList.toggle("lit", inside2.has(k)));
    scene.edges.forEach(([a, b], k) => picture.edges[k].classList.toggle("lit", inside2.has(a) && inside2.has(b)));
  }
  const found = (node) => {
    const text = () => {
      const { scene, shares } = picture;
      const chance = (k) => shares ? ` ${percent(shares[k])}` : "";
      const parts = scene.edges.flatMap(
        ([a, b], k) => a === node || b === node ? [`to ${scene.nodes[a === node ? b : a].name}${chance(k)}`] : []
      );
      const { name, motif } = scene.nodes[node];
      const role = `${node === scene.start ? ", the start" : ""}${motif ? ", in the true motif" : ""}`;
      return `Node ${name}${role} · edges ${parts.slice(0, 6).join(", ")}`;
    };
    return { selection: { kind: "node", node }, element: picture.nodes[node], text };
  };
  function find2(x, y, event) {
    const node = event.target.closest?.(".node");
    return node ? found(Number(node.dataset.node)) : null;
  }
  function walk(dx, dy) {
    const count = picture.nodes.length;
    const now = hub.lit?.kind === "node" ? hub.lit.node : picture.scene.start;
    return found((now + dx + dy + count) % count);
  }
  return { draw };
}
var nodesOf = (selection) => selection?.kind === "state" ? selection.nodes : selection?.kind === "node" ? [selection.node] : [];

// assets/train/panel.js
function createPanel(name, lane, title, resized = () => {
}) {
  const sees = el("p", { class: "sees" });
  const owner = el("span", { class: `of-lane lane-${lane}` });
  const body = el("div", { class: "picture" });
  const panel2 = {
    name,
    lane,
    body,
    onScreen: true,
    // whether it is on the screen
    width: 0,
    height: 0,
    say: (text) => setText(sees, text),
    belongTo: (text) => setText(owner, text)
  };
  panel2.element = el(
    "section",
    { class: `panel panel-${name}`, "data-view": name, "data-lane": lane ?? "both", "aria-label": title },
    el("div", { class: "top" }, el("h3", {}, title), owner, sees),
    body
  );
  const sizes = new ResizeObserver(() => {
    const [width, height] = [body.clientWidth, body.clientHeight];
    if (!width || width === panel2.width && height === panel2.height) return;
    Object.assign(panel2, { width, height });
    resized();
  });
  const look = (entries) => {
    const before = panel2.onScreen;
    panel2.onScreen = entries.at(-1).isIntersecting;
    if (panel2.onScreen && !before) resized();
  };
  const sight = new IntersectionObserver(look, { rootMargin: "120px" });
  sizes.observe(body);
  sight.observe(panel2.element);
  panel2.destroy = () => {
    sizes.disconnect();
    sight.disconnect();
  };
  return panel2;
}
function createStatesPanel({ lane, hub, colours, redraw }) {
  const panel2 = createPanel("dag", lane, "The states, and where flow goes", redraw);
  const graph = createStateGraph({ place: panel2, hub, colours, redraw });
  const entries = LEGEND2.map(([name, text]) => el("li", {}, el("i", { class: name }), text));
  const legend = el("ul", { class: "legend" }, ...entries);
  panel2.element.append(legend);
  function draw(moment) {
    graph.draw(moment);
    if (!moment || !panel2.width) return;
    const { listed, links, nodes } = moment.scene;
    const drawn = drawnOf(links.length);
    const many = links.length > drawn ? `, the ${drawn} strongest of ${thousands(links.length)} links` : "";
    const count = plural(moment.get("residuals").length, "state");
    const columns = nodes.length ? "size" : "distance from the start";
    const most = plural(moment.scene.column.at(-1) + 1, "node");
    const small = `${count} of at most ${most}${many}. Larger ones grow from them: too many to show.`;
    panel2.say(listed ? `${count} in columns by ${columns}${many}.` : small);
    legend.classList.toggle("partial", !listed);
  }
  return { panel: panel2, draw };
}
var LEGEND2 = [
  ["flow", "learned flow"],
  ["exact", "one right flow"],
  ["ends", "stops here"],
  ["residual", "residual 0 … 2"],
  ["unseen-state", "never visited"]
];
function createGraphPanel({ lane, hub, redraw }) {
  const panel2 = createPanel("graph", lane, "The graph", redraw);
  const graph = createInstanceGraph(panel2.body, hub);
  function draw(moment) {
    if (!moment) return;
    const { scene } = moment;
    graph.draw(scene, moment.get("marginals"), nodesOf(hub.lit));
    const end = scene.listed ? "Outline: the aim." : "Counted in the latest trajectories.";
    panel2.say(`A wider edge is found more often. ${end}${scene.has_truth ? " Green: true motif." : ""}`);
  }
  return { panel: panel2, draw };
}

// assets/train/curves.js
var HIGH3 = 74;
var [LEFT, RIGHT, TOP2, BOTTOM] = [4, 6, 6, 4];
var LEAST = 1e-6;
var CURVES = [
  { name: "total_variation", title: "Total variation", about: "how much probability stands on wrong states", floor: 0 },
  { name: "loss", title: "Loss (log)", about: "what training makes small", log: true },
  {
    name: "residual",
    title: "Mean residual (visited)",
    about: "|log in − log out|, mean over visited states: those of the latest trajectories. Others do not count, so it can be small while the answer is wrong",
    floor: 0
  },
  { name: "log_z", title: "log Z", about: "learned; dotted: the true one", truth: "log_z" },
  { name: "log_reward", title: "Mean log R", about: "of the latest trajectories" },
  { name: "modes", title: "Modes visited", about: "share of all modes of P ∝ R", floor: 0, ceiling: 1 },
  {
    name: "auc",
    title: "AUC of the edges",
    about: "edges ordered by P(edge is found), against the true motif. It says little about the policy: the order can be right before it has learned, and a target that is spread over many subgraphs can give 0.5",
    floor: 0.4,
    ceiling: 1
  }
];
function createCurves({ redraw, goTo }) {
  const panel2 = createPanel("curves", null, "Curves", redraw);
  const plots = CURVES.map((curve) => createPlot(curve, goTo));
  const list = el("div", { class: "plots" }, ...plots.map(({ element }) => element));
  panel2.body.append(list);
  panel2.say("Each number over the training steps. Click in a curve to go there.");
  const build = (lanes) => plots.forEach((plot) => plot.build(lanes));
  const draw = (moments, step) => plots.forEach((plot) => plot.draw(moments, step));
  return { panel: panel2, build, draw };
}
function createPlot(curve, goTo) {
  const { name, title, about, log } = curve;
  const label = `${title}: ${about}`;
  const shape = { class: "plot", preserveAspectRatio: "none", viewBox: `0 0 200 ${HIGH3}` };
  const svg = svgEl("svg", { ...shape, role: "img", "aria-label": label });
  const values = el("span", { class: "values" });
  const range = el("span");
  const element = el(
    "figure",
    { "data-curve": name, "data-tip": label },
    el("figcaption", {}, title, el("small", {}, about)),
    svg,
    el("p", { class: "below" }, range, values)
  );
  const cursor = svgEl("line", { class: "cursor", y1: TOP2 - 4, y2: HIGH3 - BOTTOM });
  const past = svgEl("svg", { width: 0, height: HIGH3, overflow: "hidden", "aria-hidden": "true" });
  let scale = null;
  svg.addEventListener("click", (event) => {
    const frame2 = svg.getBoundingClientRect();
    const share = (event.clientX - frame2.left) / frame2.width * 200;
    if (scale) goTo((share - LEFT) / (200 - LEFT - RIGHT) * scale.last);
  });
  const level = (value) => log ? Math.log(Math.max(value, LEAST)) : value;
  const x = (step) => LEFT + step / scale.last * (200 - LEFT - RIGHT);
  const y = (value) => {
    const share = (level(value) - scale.low) / (scale.high - scale.low);
    return HIGH3 - BOTTOM - Math.min(1.04, Math.max(-0.03, share)) * (HIGH3 - TOP2 - BOTTOM);
  };
  function build(lanes) {
    const series = lanes.map(({ frames }) => frames.filter((frame2) => Number.isFinite(frame2[name])));
    const truths = lanes.map((lane) => curve.truth ? truthOf(lane) : []);
    const all = [...series.flatMap((frames) => frames.map((frame2) => frame2[name])), ...truths.flat().map(([, v]) => v)];
    element.hidden = !all.length;
    if (!all.length) return;
    const levels = all.map(level);
    const [least, most] = [Math.min(...levels), Math.max(...levels)];
    const low = Math.min(curve.floor ?? least, least);
    const high = Math.max(curve.ceiling ?? most, low + (log ? 0.5 : 0.05), most);
    const last = Math.max(1, ...lanes.flatMap(({ frames }) => frames.slice(-1).map(({ step }) => step)));
    scale = { low, high, last };
    const lines = series.map((frames, lane) => {
      const points = pointsOf(frames.map((frame2) => [x(frame2.step), y(frame2[name])]));
      return ["curve ahead", "curve"].map((kind) => svgEl("polyline", { class: `${kind} lane-${lane}`, points }));
    });
    const levelled = truths.flatMap(
      (truth, lane) => truth.length ? [svgEl("polyline", { class: `truth lane-${lane}`, points: pointsOf(truth.map(atTruth)) })] : []
    );
    past.replaceChildren(...lines.map(([, line]) => line));
    svg.replaceChildren(...levelled, ...lines.map(([ahead]) => ahead), past, cursor);
    values.replaceChildren(...lines.map((_, lane) => el("b", { class: `lane-${lane}` })));
    const shown = (value) => written2(log ? Math.exp(value) : value);
    setText(range, `${shown(low)} to ${shown(high)}`);
  }
  const atTruth = ([step, value]) => [x(step), y(value)];
  const written2 = name === "modes" ? percent : steady;
  function draw(moments, step) {
    if (element.hidden || !scale) return;
    for (const [part2, name2] of [[cursor, "x1"], [cursor, "x2"], [past, "width"]]) put(part2, name2, x(step));
    moments.forEach((moment, lane) => {
      const value = moment?.get(name) ?? null;
      setText(values.children[lane], value === null ? "–" : words2(value));
    });
  }
  const words2 = name === "log_z" || name === "log_reward" ? (value) => signed(value) : written2;
  return { element, build, draw };
}
var pointsOf = (points) => points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
function truthOf({ scenes, frames }) {
  return scenes.flatMap((scene, k) => {
    if (scene.log_z === null || !frames[scene.from]) return [];
    const next = scenes[k + 1] && frames[scenes[k + 1].from];
    const until = (next ?? frames.at(-1)).step;
    return [[frames[scene.from].step, scene.log_z], [until, scene.log_z]];
  });
}

// assets/train/stops.js
var PITCH = 7;
var PICTURED = 30;
var NAMED = 24;
var [LEFT2, TOP3] = [40, 8];
var PEAK = 0.5;
var ROOTS = [0, 0.01, 0.05, 0.2, 0.5, 1];
function ticksOf(top) {
  const step = [2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2].find((each) => top / each <= 4) ?? 0.25;
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, k) => k * step);
}
function topOf(moment, order) {
  const [values, { target }] = [moment.get("stop") ?? moment.get("visits"), moment.scene];
  return order.reduce((best, k) => Math.max(best, values[k] ?? 0, target?.[k] ?? 0), 4e-3);
}
function othersWords(moment, others) {
  const sum = (of) => others.reduce((total, state) => total + of[state], 0);
  return `${plural(others.length, "other")}: ${chances(sum(moment.get("stop")), sum(moment.scene.target))}`;
}
function createStops({ lane, hub, colours, redraw }) {
  const panel2 = createPanel("stop", lane, "Where trajectories stop", redraw);
  const surface = createSurface(panel2, "P(stop) of each state beside R over Z");
  const { canvas, pen } = surface;
  let shown = { moment: null, order: [], pitch: PITCH };
  function ordered(moment) {
    const { scene } = moment;
    const room = Math.max(4, Math.floor((panel2.width - LEFT2 - 6) / PITCH));
    if (shown.moment?.scene === scene && shown.room === room && scene.target) return shown;
    const by = scene.target ?? moment.get("visits");
    const all = Array.from(by, (_, state) => state).sort((a, b) => by[b] - by[a] || a - b);
    return { order: all.slice(0, room), others: scene.target ? all.slice(room) : [], room };
  }
  function draw(moment, all = [moment]) {
    if (!panel2.width) return;
    surface.clear();
    if (!moment) return;
    const { scene } = moment;
    const { target } = scene;
    const values = target ? moment.get("stop") : moment.get("visits");
    if (!values) return;
    const { order, others, room } = ordered(moment);
    const pitch = Math.min(56, (panel2.width - LEFT2 - 6) / order.length);
    const pictured = pitch >= (scene.names ? NAMED : PICTURED);
    const bottom = panel2.height - (pictured ? Math.min(pitch, 34) + 6 : 18);
    shown = { moment, order, others, room, pitch, bottom };
    const alike = all.filter((other) => other && other.scene.target?.[order[0]] === target?.[order[0]]);
    const root = target?.[order[0]] > PEAK;
    const ticks = root ? ROOTS : ticksOf(Math.max(...alike.map((other) => topOf(other, order))));
    shown.level = (share) => (bottom - TOP3) * (root ? Math.sqrt(share) : share / ticks.at(-1));
    axis(ticks, bottom);
    order.forEach((state, k) => {
      const x = LEFT2 + k * pitch;
      bar(x, pitch, values[state], target?.[state], { bottom, dim: isDim(scene, state) });
      if (pictured) {
        const size = Math.floor(Math.min(pitch - 4, 34));
        stampState(pen, scene, state, x + pitch / 2, bottom + 3 + size / 2, [size, size], colours);
      }
    });
    if (!pictured) under(moment, others, bottom);
    say(moment, order.length, others.length);
  }
  const isDim = (scene, state) => hub.lit !== null && !holds(hub.lit, scene, state);
  function axis(ticks, bottom) {
    pen.textAlign = "right";
    let last = bottom + 99;
    for (const value of ticks) {
      const y = bottom - shown.level(value);
      if (last - y < 11) continue;
      last = y;
      pen.fillStyle = blend(colours.ink, colours.paper, 0.12);
      pen.fillRect(LEFT2 - 2, Math.round(y), panel2.width - LEFT2, 1);
      pen.fillStyle = blend(colours.ink, colours.paper, 0.7);
      pen.fillText(percent(value, ticks[1] < 0.01 ? 1 : 0), LEFT2 - 5, y + 4);
    }
  }
  function bar(x, pitch, value, wanted, { bottom, dim }) {
    const high = shown.level;
    const width = Math.max(1.5, pitch * 0.72);
    const left = x + (pitch - width) / 2;
    const [right, tall] = [Math.min(value, wanted ?? value), high(value)];
    pen.globalAlpha = dim ? 0.25 : 1;
    pen.fillStyle = blend(wanted === void 0 ? colours.water : colours.stop, colours.paper, 0.9);
    pen.fillRect(left, bottom - high(right), width, high(right));
    pen.fillStyle = blend(colours.off, colours.paper, 0.85);
    pen.fillRect(left, bottom - tall, width, tall - high(right));
    if (wanted !== void 0 && wanted !== null) {
      pen.fillStyle = blend(colours.ink, colours.paper);
      const reach = Math.min(3, (pitch - width) / 2);
      pen.fillRect(left - reach, bottom - high(wanted) - 1, width + 2 * reach, 2);
    }
    pen.globalAlpha = 1;
  }
  function under(moment, others, bottom) {
    const first = moment.scene.target ? "the largest target first" : "the most visited first";
    pen.fillStyle = blend(colours.ink, colours.paper, 0.7);
    pen.textAlign = "left";
    pen.fillText(others.length ? othersWords(moment, others) : first, LEFT2, bottom + 13);
  }
  function say(moment, count, others) {
    if (!moment.scene.target) {
      panel2.say("Share of trajectories through a state. P(stop) and R/Z: not known, as not all states are listed.");
      return;
    }
    const all = others ? `The ${count} states with the largest target, the largest first. ` : "";
    const scale = moment.scene.target[shown.order[0]] > PEAK ? " Square-root scale." : "";
    panel2.say(`${all}Bar: P(stop). Mark: R/Z, the aim. Orange: too much.${scale}`);
  }
  const found = (k) => {
    const { moment, order, pitch, bottom } = shown;
    const state = order[k];
    if (state === void 0) return null;
    const nodes = moment.scene.states[state];
    return {
      selection: { kind: "state", key: moment.scene.keys[state], nodes },
      box: [LEFT2 + k * pitch, TOP3, pitch, bottom - TOP3],
      text: () => stateTip(shown.moment, state)
    };
  };
  pointable(canvas, hub, {
    find(x) {
      const k = Math.floor((x - LEFT2) / shown.pitch);
      return shown.moment ? found(k) : null;
    },
    walk(dx) {
      const { moment, order } = shown;
      if (!moment) return null;
      const now = order.indexOf(moment.scene.keys.indexOf(hub.lit?.key));
      return found(now < 0 ? 0 : Math.min(order.length - 1, Math.max(0, now + dx)));
    }
  });
  return { panel: panel2, draw };
}

// assets/train/board.js
var VIEWS = [
  ["dag", "States", createStatesPanel],
  ["stop", "P(stop)", createStops],
  ["graph", "Graph", createGraphPanel]
];
var HINT = "Point at a state or a node: it lights up in all views. A click pins it, Escape releases it.";
var TOUCH_HINT = "Tap a state or a node: it lights up in all views. Tap again to release it.";
function createBoard(count, { hub, colours, redraw, goTo, choose, only, bare }) {
  const heads = Array.from({ length: count }, (_, lane) => createHead(lane, count));
  const wanted = VIEWS.filter(([name]) => (only?.includes(name) ?? true) && !(bare && name === "graph"));
  const views = wanted.flatMap(
    ([, , create]) => heads.map((_, lane) => create({ lane, hub, colours, redraw }))
  );
  const curves = createCurves({ redraw, goTo });
  const names = [...wanted.map(([name, title]) => [name, title]), ["curves", "Curves"]];
  const tabs = createTabs("View", names, choose);
  const panels = [...views.map(({ panel: panel2 }) => panel2), curves.panel];
  const kind = `board lanes-${count}${only ? " some" : ""}${bare ? " bare" : ""}`;
  const board = el("div", { class: kind }, ...panels.map(({ element: element2 }) => element2));
  const top = el("div", { class: "heads" }, ...heads.map((head) => head.element));
  const element = el("div", {}, top, tabs.element, board);
  function open2(name) {
    const known = names.some(([each]) => each === name) ? name : names[0][0];
    for (const panel2 of panels) panel2.element.classList.toggle("open", panel2.name === known);
    tabs.select(known);
    return known;
  }
  function build(lanes) {
    curves.build(lanes);
    for (const { panel: panel2, ...view } of views) {
      if (count > 1) panel2.belongTo(lanes[panel2.lane].name);
      view.build?.(lanes[panel2.lane]);
    }
  }
  function draw(moments, lanes, { step, playing }) {
    heads.forEach((head, lane) => head.draw(lanes[lane], moments[lane], { lit: hub.lit, playing }));
    for (const view of views) if (view.panel.onScreen) view.draw(moments[view.panel.lane], moments);
    if (curves.panel.onScreen) curves.draw(moments, step);
  }
  const destroy = () => panels.forEach((panel2) => panel2.destroy());
  return { element, open: open2, build, draw, destroy };
}
function createHead(lane, count) {
  const name = el("h2");
  const figures = el("p", { class: "figures" });
  const about = el("p", { class: "about", "aria-live": "polite" });
  const end = el("p", { class: "end" });
  const sign = count > 1 ? [el("i", { class: `sign lane-${lane}`, "aria-hidden": "true" })] : [];
  const element = el("div", { class: "head" }, el("div", { class: "name" }, ...sign, name, figures, end), about);
  function draw({ name: title, end: says, frames }, moment, { lit, playing }) {
    put(about, "aria-live", playing ? "off" : "polite");
    setText(name, title);
    setText(figures, moment ? figuresOf(moment) : "waiting for the first frame …");
    const over = moment && moment.number === frames.length - 1;
    setText(end, says && over ? says : "");
    setText(about, !moment || !lit ? lane ? "" : onTouch() ? TOUCH_HINT : HINT : selectionWords(moment, lit));
    about.classList.toggle("resting", !moment || !lit);
  }
  return { element, draw };
}
function figuresOf(moment) {
  const [far, z] = ["total_variation", "log_z"].map((name) => moment.get(name));
  const parts = [];
  if (far !== null) parts.push(`total variation ${steady(far)}`);
  const truth = moment.scene.log_z;
  if (z !== null) parts.push(truth === null ? `log Z ${signed(z)}` : `log Z ${signed(z)}, true ${signed(truth)}`);
  return parts.join(" · ");
}

// assets/train/clock.js
var WHOLE2 = 16;
var PACE3 = 12;
var WAIT = 0.7;
function createClock({ changed, rested }) {
  const clock = { ticks: [], at: 0, playing: false, following: false, speed: 1 };
  let [timer, before, rate] = [0, 0, 1];
  const last = () => Math.max(0, clock.ticks.length - 1);
  Object.defineProperty(clock, "step", {
    get() {
      const low = Math.floor(clock.at);
      const [from, to] = [clock.ticks[low] ?? 0, clock.ticks[low + 1] ?? clock.ticks[low] ?? 0];
      return from + (to - from) * (clock.at - low);
    }
  });
  clock.atEnd = () => clock.at >= last();
  function set(at) {
    clock.at = Math.min(Math.max(at, 0), last());
    changed();
  }
  function turn(now) {
    timer = 0;
    const seconds = Math.min(0.1, Math.max(0, now - before) / 1e3);
    before = now;
    if (clock.playing) {
      const pace = Math.min(PACE3, Math.max(last() / WHOLE2, 0.5)) * clock.speed;
      set(clock.at + seconds * pace);
      if (clock.atEnd()) clock.pause();
    } else if (clock.following) {
      set(lessMotion() ? last() : clock.at + seconds * rate);
    }
    run();
  }
  function run() {
    if (timer || !(clock.playing || clock.following && !clock.atEnd())) return;
    before = performance.now();
    timer = requestAnimationFrame(turn);
  }
  const hurry = () => {
    rate = Math.max(1, (last() - clock.at) / WAIT);
  };
  clock.know = (ticks) => {
    const { step } = clock;
    const fresh = clock.ticks.length === 0;
    clock.ticks = ticks;
    if (clock.following && fresh) clock.at = last();
    else clock.at = fresh ? clock.at : placeOf(ticks, step);
    hurry();
    run();
  };
  clock.play = () => {
    Object.assign(clock, { playing: true, following: false });
    if (clock.atEnd()) clock.at = 0;
    changed();
    run();
  };
  clock.pause = () => {
    clock.playing = false;
    changed();
    rested();
  };
  clock.go = (at) => {
    Object.assign(clock, { playing: false, following: false });
    set(at);
  };
  clock.move = (by) => {
    clock.go(by > 0 ? Math.floor(clock.at + 1e-6) + by : Math.ceil(clock.at - 1e-6) + by);
    rested();
  };
  clock.goToStep = (step) => clock.go(placeOf(clock.ticks, step));
  clock.follow = () => {
    Object.assign(clock, { playing: false, following: true });
    hurry();
    changed();
    rested();
    run();
  };
  clock.stop = () => cancelAnimationFrame(timer);
  return clock;
}
function placeOf(ticks, step) {
  const above = ticks.findIndex((tick) => tick >= step);
  if (above < 0) return Math.max(0, ticks.length - 1);
  if (above === 0 || ticks[above] === step) return above;
  return above - 1 + (step - ticks[above - 1]) / (ticks[above] - ticks[above - 1]);
}

// assets/train/scene.js
var keyOf2 = (nodes) => [...nodes].sort((a, b) => a - b).join(",");
function createScene(raw) {
  const states = raw.nodes.length ? raw.states : raw.states.map((_, state) => [state]);
  return {
    ...raw,
    states,
    keys: states.map(keyOf2),
    target: raw.target && probabilities(raw.target),
    exact: raw.exact && probabilities(raw.exact),
    column: raw.column ?? states.map((nodes) => nodes.length - 1)
  };
}
var TOP4 = 65535;
var FARTHEST = 8;
function numbers(text, from) {
  const bytes = atob(text);
  const values = new Float32Array(bytes.length >> 1);
  for (let k = 0; k < values.length; k += 1) {
    values[k] = from((bytes.charCodeAt(2 * k) + 256 * bytes.charCodeAt(2 * k + 1)) / TOP4);
  }
  return values;
}
var probabilities = (text) => numbers(text, (share) => share * share);
var residuals = (text) => numbers(text, (share) => (2 * share - 1) * FARTHEST);

// assets/train/stream.js
var CODES = { stop: probabilities, flow: probabilities, visits: probabilities, residuals };
function createTape() {
  const tape = { token: null, lanes: [], ticks: [], changes: [] };
  const decoded = /* @__PURE__ */ new WeakMap();
  tape.take = ({ token, changes, lanes: parts }) => {
    const other = token !== tape.token || parts.length !== tape.lanes.length;
    const known = other ? parts.map(() => createLane(decoded)) : tape.lanes;
    if (parts.some((part2, k) => part2.from > known[k].frames.length)) return known.map(({ frames }) => frames.length);
    Object.assign(tape, { token, changes, lanes: known });
    parts.forEach((part2, k) => known[k].take(part2));
    tape.ticks = [...new Set(known.flatMap(({ frames }) => frames.map(({ step }) => step)))].sort((a, b) => a - b);
    return null;
  };
  return tape;
}
function createLane(decoded) {
  const lane = { name: "", end: null, scenes: [], frames: [] };
  lane.take = (part2) => {
    Object.assign(lane, { name: part2.name, end: part2.end });
    lane.scenes = [...lane.scenes.filter((scene) => scene.from < part2.from), ...part2.scenes.map(createScene)];
    lane.frames = [...lane.frames.slice(0, part2.from), ...part2.frames];
  };
  lane.at = (step) => {
    const { frames } = lane;
    if (!frames.length) return null;
    let [low, high] = [0, frames.length];
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (frames[middle].step <= step) low = middle;
      else high = middle;
    }
    const [frame2, next] = [frames[low], frames[Math.min(low + 1, frames.length - 1)]];
    const goes = next.scene === frame2.scene && next.step > frame2.step;
    const share = goes ? Math.min(1, Math.max(0, (step - frame2.step) / (next.step - frame2.step))) : 0;
    return createMoment(lane, { number: low, frame: frame2, next, share }, decoded);
  };
  return lane;
}
function createMoment(lane, { number, frame: frame2, next, share }, decoded) {
  const scene = lane.scenes[frame2.scene];
  const mixed = /* @__PURE__ */ new Map();
  const read = (some, name) => {
    if (some[name] == null || !CODES[name]) return some[name] ?? null;
    if (!decoded.has(some)) decoded.set(some, {});
    const kept2 = decoded.get(some);
    kept2[name] ??= CODES[name](some[name]);
    return kept2[name];
  };
  const get = (name) => {
    if (!mixed.has(name)) {
      const [from, to] = [read(frame2, name), read(next, name)];
      mixed.set(name, share === 0 ? from : mix(from, to, share));
    }
    return mixed.get(name);
  };
  return { lane, scene, number, frame: frame2, share, step: frame2.step + share * (next.step - frame2.step), get };
}

// assets/train/train.js
var SETTLE3 = 450;
function createTrain(host, callbacks) {
  const root = el("div", { class: "kit train", tabindex: 0, role: "region", "aria-label": "Training, watched" });
  host.append(root);
  const tape = createTape();
  const redraw = onceAFrame(draw);
  const clock = createClock({ changed: redraw, rested });
  const colours = createColours(root, redraw);
  const hub = createHub(root, {
    changed: redraw,
    pinned: (selection) => callbacks.state?.(selection?.kind === "state" ? selection.nodes : null)
  });
  const act = {
    toggle: () => clock.playing ? clock.pause() : clock.play(),
    run: () => command(live?.running ? "pause" : "run"),
    command,
    move: clock.move,
    scrub: clock.go,
    scrubbed: rested,
    goTo: (at) => (clock.go(at), rested()),
    follow: clock.follow,
    speed: (value) => (clock.speed = value, root.focus({ preventScroll: true })),
    space: () => live ? act.run() : act.toggle(),
    on: () => live && !live.running && clock.atEnd() ? command("step") : clock.move(1),
    end: () => live ? clock.follow() : act.goTo(Infinity),
    again: () => live ? command("reset") : act.goTo(0),
    release: hub.release
  };
  const bar = createBar(act);
  root.append(bar.element);
  const keys = {
    ArrowRight: act.on,
    ArrowLeft: () => act.move(-1),
    " ": act.space,
    Home: () => act.goTo(0),
    End: act.end,
    Escape: act.release,
    r: act.again
  };
  const own = { own: "select, [role=tablist]", scrubber: [" ", "r"], always: ["Escape"] };
  const forgetKeys = listenToKeys(root, keys, own);
  let [board, live, view, reported, opened] = [null, null, null, null, null];
  let [reporting, pinnedBefore] = [0, null];
  function command(name) {
    if (!live) return false;
    if (name !== "pause") {
      clock.follow();
      reported = null;
    }
    callbacks.command?.(name);
    return true;
  }
  function rested() {
    clearTimeout(reporting);
    reporting = setTimeout(() => {
      const step = clock.following ? null : Math.round(clock.step);
      if (clock.playing || step === reported) return;
      reported = step;
      callbacks.step?.(step);
    }, SETTLE3);
  }
  function choose(name) {
    if (view === name) return;
    view = board.open(name);
    callbacks.view?.(view);
    redraw();
  }
  function draw() {
    if (!board || !root.isConnected) return;
    const { step } = clock;
    const moments = tape.lanes.map((lane) => lane.at(step));
    const seconds = moments.flatMap((moment) => moment ? [moment.get("seconds")] : []);
    bar.show({ clock, live, seconds: seconds.length ? Math.max(...seconds) : null });
    board.draw(moments, tape.lanes, clock);
    put(root, "data-step", Math.round(step));
    hub.say();
  }
  function show(payload) {
    const before = tape.token;
    const frames = tape.take(payload);
    if (frames) {
      callbacks.lacks?.({ token: payload.token, frames });
      return;
    }
    live = payload.live ?? null;
    root.classList.toggle("presenting", Boolean(payload.presenting));
    colours.read();
    const fresh = before !== tape.token || !board;
    if (fresh) begin(payload);
    clock.know(tape.ticks);
    if (fresh) start(payload);
    else if (payload.opened?.step != null && payload.opened.step !== opened) clock.goToStep(payload.opened.step);
    pinAnew(payload.opened?.state ?? null);
    opened = payload.opened?.step ?? null;
    board.build(tape.lanes);
    bar.mark(tape, placeOf);
    redraw();
  }
  function pinAnew(nodes) {
    const key = nodes && keyOf2(nodes);
    if (key === pinnedBefore) return;
    pinnedBefore = key;
    const known = tape.lanes.some(({ scenes }) => scenes.some(({ keys: all }) => all.includes(key)));
    hub.pin = known ? { kind: "state", key, nodes } : null;
  }
  function begin({ opened: wanted, only }) {
    board?.destroy();
    board?.element.remove();
    const goTo = (step) => (clock.goToStep(step), rested());
    const bare = tape.lanes.every(({ scenes }) => scenes.length && !scenes[0].nodes.length);
    board = createBoard(tape.lanes.length, { hub, colours, redraw, goTo, choose, only, bare });
    view = board.open(wanted?.view ?? view);
    root.append(board.element);
    Object.assign(clock, { ticks: [], at: 0, playing: false, following: false });
  }
  function start({ opened: wanted }) {
    const step = wanted?.step ?? null;
    reported = step;
    hub.over = null;
    [hub.pin, pinnedBefore] = [null, null];
    if (step !== null) clock.goToStep(step);
    else if (live) clock.follow();
    else if (!lessMotion()) clock.play();
    else act.goTo(Infinity);
  }
  function destroy() {
    clock.stop();
    redraw.stop();
    clearTimeout(reporting);
    forgetKeys();
    board?.destroy();
    root.remove();
  }
  return { show, destroy };
}

// assets/site/views.js
var ASKED = new URLSearchParams(window.location.search);
var TOURED = ASKED.has("tour");
var ignore = () => {
};
var mount = (view, parentElement, data) => view({ data: [data], parentElement, setTriggerValue: ignore, setStateValue: ignore });
var component = (view, ...styles) => (host, data) => mount(view, shaded(host, ...styles), data);
var lesson2 = (view) => (host, data) => mount(view, host, data);
function showTour(host, stops) {
  const number = Number(ASKED.get("tour"));
  const stop = stops[number - 1];
  if (stop?.page !== (window.location.pathname.split("/").pop() || "index.html")) return;
  const ways = { back: stops[number - 2]?.address, next: stops[number]?.address, end: "index.html" };
  put(document.body, "data-tour", number);
  host.hidden = false;
  component(tour_bar_default2, tour_bar_default)(host, { ...stop, ...ways, number, of: stops.length });
}
var VIEWS2 = {
  hero: component(hero_default2, graph_default, player_default, panels_default, hero_default),
  player: (host, { options, ...data }) => {
    const toured = TOURED && { autoplay: false, atAnswer: true, few: true, presenting: true };
    createPlayer(host, {}).show({ ...data, options: { ...options, ...toured } });
  },
  train: (host, data) => createTrain(host, {}).show({ ...data, presenting: TOURED, opened: { view: ASKED.get("see") } }),
  glossary: component(glossary_view_default2, glossary_view_default),
  hand: component(hand_view_default2, hand_view_default),
  water: lesson2(water_default),
  orders: lesson2(orders_default),
  sequences: lesson2(sequences_default2),
  puzzles: lesson2(puzzles_default),
  rewards: lesson2(rewards_default)
};

// assets/site/site.js
var page = document.documentElement;
var dataOf = (element) => JSON.parse(element.nextElementSibling.textContent);
document.querySelector(".theme").addEventListener("click", () => {
  const dark = page.dataset.theme ? page.dataset.theme === "dark" : prefersDark();
  put(page, "data-theme", dark ? "light" : "dark");
  try {
    localStorage.setItem("theme", page.dataset.theme);
  } catch {
  }
});
var seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    VIEWS2[target.dataset.mount](target, dataOf(target));
  }
}, { rootMargin: "200px" });
for (const view of document.querySelectorAll("[data-mount]")) seen.observe(view);
var guide = document.querySelector(".guide");
showTour(guide, dataOf(guide));
for (const question of document.querySelectorAll(".question")) {
  const { right, replies } = dataOf(question);
  question.addEventListener("change", ({ target }) => {
    const answer = Math.min(Math.max(Number(target.value), 0), replies.length - 1);
    put(question, "data-answered", answer === right ? "right" : "wrong");
    setText(question.querySelector("output"), replies[answer]);
  });
}
