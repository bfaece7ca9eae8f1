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
function keyed(parent, items, keyOf2, make, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = String(keyOf2(item));
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
function createTabs(label, entries, open) {
  const tabs = entries.map(
    ([name, title]) => el("button", { type: "button", role: "tab", "data-tab": name, onclick: () => open(name) }, title)
  );
  const element = el("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: go }, ...tabs);
  function go(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const seen = tabs.filter((tab) => !tab.hidden);
    const next = seen.at((seen.findIndex((tab) => tab.tabIndex === 0) + by) % seen.length);
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
function createTip(root, find = () => null) {
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
    const found = named ? [named, () => named.dataset.tip] : find(event);
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

// assets/kit/paths.js
var round = (value) => Math.round(value * 10) / 10;
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
function steady(value) {
  const size = Math.abs(value);
  if (size < 5e-4) return size === 0 ? "0" : "≈ 0";
  return signed(value, size >= 100 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3);
}
var thousands = (count) => count.toLocaleString("en");
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

// assets/train/bar.js
var SPEEDS = [0.25, 0.5, 1, 2, 4];
var RESET = "M12 5V1L7 6l5 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z";
var STEP = "M6 5v14l9-7zM16.5 5H19v14h-2.5z";
function createBar(act) {
  const run = button("Run (space)", ICONS.play, act.run, { class: "run" });
  const training = el(
    "div",
    { class: "group training", role: "group", "aria-label": "Training" },
    el("b", { class: "of" }, "Training"),
    run,
    button("One training step (→ at the newest)", STEP, () => act.command("step"), { class: "one" }),
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
    speedMenu("Replay speed", SPEEDS, act.speed),
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
  const seen = visits ? held.filter((state) => visits[state] > 0) : held;
  return `${what}: ${plural(seen.length, visits ? "visited state" : "state")}`;
}
function holds(selection, scene, state) {
  if (selection.kind === "node") return scene.states[state].includes(selection.node);
  return scene.keys[state] === selection.key;
}

// assets/player/shapes.js
var REACH = [600, 430];
var UNIT = 70;
var RADIUS = { share: 0.36, least: 3.4, most: 17 };
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
var HIGH = 1.7 * EM;

// assets/player/sight.js
var LARGE = 36;
var MOST2 = 0.6;
function partBox({ points, unit, radius, box, written: written2 }, core) {
  if (written2 || points.length <= LARGE || !core.length) return null;
  const pad = Math.max(0.7 * unit, 4 * radius);
  const part = bounds(core.map((node) => points[node]), pad);
  return part[2] * part[3] < MOST2 * box[2] * box[3] ? part : null;
}

// assets/state_graph/instance_graph.js
var LARGER = 1.2;
var WIDEST = 9;
function createInstanceGraph(body, hub) {
  let picture = null;
  function build(scene) {
    const svg = svgEl("svg", { class: "instance-graph", tabindex: 0, role: "application" });
    put(svg, "aria-label", `The graph. ${KEYS}`);
    const { points, radius, unit, box } = layOut(scene.nodes.map(({ x, y }) => ({ position: [x, y] })), LARGER);
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
    const part = partBox({ points, radius, unit, box }, [...reached]);
    put(svg, "viewBox", (part ?? box).map(round).join(" "));
    body.replaceChildren(svg);
    pointable(svg, hub, { find, walk });
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
  function find(x, y, event) {
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
    const seen = !visits || visits[state] > 0;
    pen.globalAlpha = dim(state) ? 0.2 : 1;
    if (stop && stop[state] * pipe > 0.4) {
      const high = stop[state] * pipe;
      const middle = y[state] + tall[state] / 2 - (drains?.[state] ?? high) / 2;
      pen.fillStyle = ends;
      pen.fillRect(x[state] + w, middle - high / 2, DRAIN, high);
    }
    pen.fillStyle = seen && residuals2 ? shade(residuals2[state]) : paper;
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
  function find(x, y) {
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
  pointable(canvas, hub, { find, walk: move });
  return view;
}
var nearest = (column, y, at) => column.reduce((best, state) => Math.abs(y[state] - at) < Math.abs(y[best] - at) ? state : best, column[0]);

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
  const entries = LEGEND.map(([name, text]) => el("li", {}, el("i", { class: name }), text));
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
var LEGEND = [
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
var HIGH2 = 74;
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
  const shape = { class: "plot", preserveAspectRatio: "none", viewBox: `0 0 200 ${HIGH2}` };
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
  const cursor = svgEl("line", { class: "cursor", y1: TOP2 - 4, y2: HIGH2 - BOTTOM });
  const past = svgEl("svg", { width: 0, height: HIGH2, overflow: "hidden", "aria-hidden": "true" });
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
    return HIGH2 - BOTTOM - Math.min(1.04, Math.max(-0.03, share)) * (HIGH2 - TOP2 - BOTTOM);
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
    for (const [part, name2] of [[cursor, "x1"], [cursor, "x2"], [past, "width"]]) put(part, name2, x(step));
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
  function open(name) {
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
  return { element, open, build, draw, destroy };
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
var PACE = 12;
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
      const pace = Math.min(PACE, Math.max(last() / WHOLE2, 0.5)) * clock.speed;
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
var keyOf = (nodes) => [...nodes].sort((a, b) => a - b).join(",");
function createScene(raw) {
  const states = raw.nodes.length ? raw.states : raw.states.map((_, state) => [state]);
  return {
    ...raw,
    states,
    keys: states.map(keyOf),
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
    if (parts.some((part, k) => part.from > known[k].frames.length)) return known.map(({ frames }) => frames.length);
    Object.assign(tape, { token, changes, lanes: known });
    parts.forEach((part, k) => known[k].take(part));
    tape.ticks = [...new Set(known.flatMap(({ frames }) => frames.map(({ step }) => step)))].sort((a, b) => a - b);
    return null;
  };
  return tape;
}
function createLane(decoded) {
  const lane = { name: "", end: null, scenes: [], frames: [] };
  lane.take = (part) => {
    Object.assign(lane, { name: part.name, end: part.end });
    lane.scenes = [...lane.scenes.filter((scene) => scene.from < part.from), ...part.scenes.map(createScene)];
    lane.frames = [...lane.frames.slice(0, part.from), ...part.frames];
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
var SETTLE = 450;
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
    }, SETTLE);
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
    const key = nodes && keyOf(nodes);
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

// assets/train/standalone.js
var page = JSON.parse(document.getElementById("data").textContent);
createTrain(document.querySelector(".train-host"), {}).show(page);
