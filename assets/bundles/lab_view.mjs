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
function onScreen(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.bottom > 0 && box.top < innerHeight;
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
    const pressed = event.detail > 0 && event.target.closest?.("button");
    if (pressed && !pressed.closest(".menu")) root.focus({ preventScroll: true });
  }
  root.addEventListener("click", clicked);
  document.addEventListener("keydown", keydown);
  return () => document.removeEventListener("keydown", keydown);
}

// assets/kit/numbers.js
var subscript = (number) => [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
function listing(names, most = 4) {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

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
    putAll(input, range);
    if (value() !== next) input.value = next;
    put(input, "aria-valuetext", words2);
    paint();
  }
  function place(left, top, width) {
    Object.assign(input.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
  }
  return { input, set, place };
}

// assets/kit/tips.js
var GAP = 8;
var EDGE = 4;
function tipPlace(target, frame, [width, height]) {
  const left = target.left + target.width / 2 - frame.left - width / 2;
  const above = target.top - frame.top - height - GAP;
  return {
    left: Math.min(Math.max(left, EDGE), Math.max(frame.width - width - EDGE, EDGE)),
    top: above >= 0 ? above : target.bottom - frame.top + GAP
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
    const words2 = meant && meant.target.isConnected !== false && meant.words();
    if (words2) setText(element, words2);
    else hide();
    return Boolean(words2);
  }
  const watch = () => check() && requestAnimationFrame(watch);
  return { show, hide, check };
}
function onPointing(area, over, out) {
  for (const name of ["pointerover", "focusin"]) area.addEventListener(name, over);
  for (const name of ["pointerleave", "focusout"]) area.addEventListener(name, out);
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
  const onStage = ([x, y]) => [
    (x - camera.box[0]) / camera.box[2] * 100,
    (y - camera.box[1]) / camera.box[3] * 100
  ];
  return Object.assign(camera, { zoom, fit, show: setBox, onStage, destroy });
}

// assets/player/parts.js
var ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M15.5 5v14L6 12z",
  forward: "M8.5 5v14l9.5-7z",
  first: "M6 5h2.5v14H6zM19 5v14l-9.5-7z",
  last: "M15.5 5H18v14h-2.5zM5 5v14l9.5-7z",
  loop: "M12 5V2L8 6l4 4V7a5 5 0 0 1 4.3 7.6l1.5 1.5A7 7 0 0 0 12 5zM12 17a5 5 0 0 1-4.3-7.6L6.2 7.9A7 7 0 0 0 12 19v3l4-4-4-4z",
  motif: "M12 3l8 6v11H4V9zm0 2.6L6 10v8h12v-8z",
  save: "M11 3h2v8.4l2.6-2.6L17 10.2l-5 5-5-5 1.4-1.4 2.6 2.6zM5 18h14v2H5z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  hydrogens: "M5 4h2.4v6.6h5.2V4H15v16h-2.4v-7H7.4v7H5zM17 15h4v2h-4z",
  present: "M3 4h18v12h-8v2h3v2H8v-2h3v-2H3zm2 2v8h14V6z",
  part: "M11 2h2v3a7 7 0 0 1 6 6h3v2h-3a7 7 0 0 1-6 6v3h-2v-3a7 7 0 0 1-6-6H2v-2h3a7 7 0 0 1 6-6zM12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
  fit: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z"
};
var icon = (path) => svgEl("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, svgEl("path", { d: path }));
function button(label, path, onclick, extra = {}) {
  const about = { type: "button", "aria-label": label, "data-tip": label, onclick, ...extra };
  return el("button", about, icon(path));
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
  const numbers = [...new Set(row)].filter((number) => number > 0).sort((a, b) => a - b);
  return numbers.map((number) => ({ number, nodes: row.flatMap((each, place) => each === number ? [place] : []) }));
}
function rowSentence(name, pieces, listed) {
  const parts = pieces.map(({ number, nodes }) => `(${number}) ${listed(nodes)}`);
  return parts.length ? `Without ${name}, ${parts.length} pieces are left: ${parts.join("; ")}.` : `Without ${name} the others stay in one piece: it is not a cut vertex.`;
}
function columnSentence(matrix, j, nameOf) {
  const lies = matrix.flatMap((row, i) => row[j] ? [`piece ${row[j]} of ${nameOf(i)}`] : []);
  return lies.length ? `${nameOf(j)} lies in ${listing(lies)}.` : `${nameOf(j)}: no other node is a cut vertex.`;
}
function createMatrix() {
  const table = el("table", { class: "matrix" });
  const frame = { class: "matrix-frame", tabindex: 0, role: "group", "aria-label": "Cut-vertex matrix" };
  const element = el("div", frame, table);
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
    outline(agreed) {
      const rings = ringsOf(agreed, edges).map((ring) => `M${ring.map((node) => points[node].map(round)).join("L")}Z`);
      const [way2, wide] = [band(agreed) + rings.join(""), radius * 3.9];
      return { lines: [way2, way2], widths: [wide, wide - 2 * Math.max(1.6, radius * 0.16)] };
    },
    contour(agreed, level) {
      const inside2 = new Set(agreed);
      const own = edges.filter(({ source, target }) => inside2.has(source) && inside2.has(target));
      const placed = (list) => list.map((node) => points[node]);
      const ways = own.map(({ source, target }) => placed([source, target]));
      return around(placed(agreed), ways, ringsOf(agreed, edges).map(placed), radius * (1.95 + 0.2 * level));
    }
  };
}
function around(spots, ways, rings, away) {
  const inBand = ([x, y]) => rings.some((ring) => within([x, y], ring)) || ways.some((way2) => distance([x, y], way2) < 0.999 * away);
  const pieces = spots.map(([x, y]) => samples((share) => {
    const angle = 2 * Math.PI * share;
    return [x + away * Math.cos(angle), y + away * Math.sin(angle)];
  }));
  for (const [[x1, y1], [x2, y2]] of ways) {
    const long = Math.hypot(x2 - x1, y2 - y1) || 1;
    for (const side of [-away / long, away / long]) {
      const [dx, dy] = [side * (y2 - y1), -side * (x2 - x1)];
      pieces.push(samples((share) => [x1 + dx + share * (x2 - x1), y1 + dy + share * (y2 - y1)]));
    }
  }
  return pieces.map((piece) => {
    const outside = piece.map((place) => !inBand(place));
    const drawn = (place, at) => outside[at] ? `${outside[at - 1] ? "L" : "M"}${place.map(round).join(" ")}` : "";
    return piece.map(drawn).join("");
  }).join("");
}
var PLACES = 120;
var samples = (placeAt) => Array.from({ length: PLACES + 1 }, (_, at) => placeAt(at / PLACES));
function distance([x, y], [[x1, y1], [x2, y2]]) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const share = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1);
  const nearest = Math.min(Math.max(share, 0), 1);
  return Math.hypot(x - x1 - nearest * dx, y - y1 - nearest * dy);
}
function within([x, y], ring) {
  const crosses = ([x1, y1], [x2, y2]) => y1 > y !== y2 > y && x < x1 + (y - y1) / (y2 - y1) * (x2 - x1);
  return ring.filter((place, at) => crosses(place, ring[(at + 1) % ring.length])).length % 2 === 1;
}
function ringsOf(members, edges) {
  const inside2 = new Set(members);
  const near = new Map(members.map((node) => [node, []]));
  const own = edges.filter(({ source, target }) => inside2.has(source) && inside2.has(target));
  for (const { source, target } of own) {
    near.get(source).push(target);
    near.get(target).push(source);
  }
  const parent = new Map(members.length ? [[members[0], null]] : []);
  for (const node of parent.keys()) {
    for (const next of near.get(node)) if (!parent.has(next)) parent.set(next, node);
  }
  const wayUp = (node) => node === null || node === void 0 ? [] : [node, ...wayUp(parent.get(node))];
  const closes = ({ source, target }) => parent.get(source) !== target && parent.get(target) !== source;
  return own.filter(closes).map(({ source, target }) => {
    const [left, right] = [wayUp(source), wayUp(target)];
    const meet = left.find((node) => right.includes(node));
    return [...left.slice(0, left.indexOf(meet) + 1), ...right.slice(0, right.indexOf(meet)).reverse()];
  });
}
function typicalGap(points) {
  if (points.length < 2) return 1;
  const nearest = points.map(([x, y], i) => {
    let best = Infinity;
    points.forEach(([u, v], j) => {
      if (i !== j) best = Math.min(best, (x - u) ** 2 + (y - v) ** 2);
    });
    return Math.sqrt(best);
  });
  return Math.max(nearest.sort((a, b) => a - b)[Math.floor(nearest.length / 4)], 1e-6);
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
var [NARROW, WIDE] = [new Set("ijltfrI.,;:'’!|()[]-"), new Set("mwMW@%—…")];
var lettersWidth = (text) => [...text].reduce((sum, letter) => sum + (NARROW.has(letter) ? 0.34 : WIDE.has(letter) ? 0.95 : 0.61), 0);
var boxWidth = (text) => (Math.max(lettersWidth(text), 0.6) + 0.7) * EM;
var rise = (distance2) => (0.55 + 0.62 * Math.sqrt(Math.abs(distance2) / EM)) * EM;
var sameLine = ([, y0], [, y1]) => Math.abs(y0 - y1) < 0.01;
function layOutWords(nodes, edges) {
  const raw = nodes.map(({ position: [x, y] }) => [x * UNIT2, -y * UNIT2]);
  const halves = nodes.map(({ label }) => boxWidth(label) / 2);
  const [left] = span(raw.map(([x], node) => x - halves[node]));
  const [, right] = span(raw.map(([x], node) => x + halves[node]));
  const arcs = edges.map(({ source, target }) => [raw[source], raw[target]]).filter(([a, b]) => sameLine(a, b));
  const peaks = arcs.map(([[x0, y], [x1]]) => y - HIGH / 2 - rise(x1 - x0));
  const [top, bottom] = span([...raw.flatMap(([, y]) => [y - HIGH / 2, y + HIGH]), ...peaks]);
  const pad = 14;
  const points = raw.map(([x, y]) => [x - left + pad, y - top + pad]);
  return { points, radius: 0.7 * EM, unit: UNIT2, box: [0, 0, right - left + 2 * pad, bottom - top + 2 * pad] };
}
function arcPoints(one, other) {
  const [[x0, y0], [x1, y1]] = sameLine(one, other) === one[0] < other[0] ? [one, other] : [other, one];
  if (!sameLine(one, other)) {
    const [upper, lower] = one[1] < other[1] ? [one, other] : [other, one];
    const [from, to] = [upper[1] + HIGH / 2, lower[1] - HIGH / 2];
    const middle = (from + to) / 2;
    return [[upper[0], from], [upper[0], middle], [lower[0], middle], [lower[0], to]];
  }
  const lean = Math.min(0.35 * EM, (x1 - x0) / 4);
  const [left, right, top] = [x0 + lean, x1 - lean, y1 - HIGH / 2];
  const peak = top - rise(x1 - x0) * 4 / 3;
  const bend = 0.12 * (right - left);
  return [[left, y0 - HIGH / 2], [left + bend, peak], [right - bend, peak], [right, top]];
}
function arcLine(one, other) {
  const [start, ...rest] = arcPoints(one, other).map((place) => place.map(round).join(" "));
  return `M${start}C${rest.join(" ")}`;
}
function arcMiddle(one, other) {
  const [a, b, c, d] = arcPoints(one, other);
  return [0, 1].map((axis) => (a[axis] + 3 * b[axis] + 3 * c[axis] + d[axis]) / 8);
}
function stretches(members, nodes, points, below = 0) {
  const runs = [];
  for (const node of [...members].sort((a, b) => a - b)) {
    const [[x, y], half] = [points[node], boxWidth(nodes[node].label) / 2];
    const last = runs.at(-1);
    if (last && last.node === node - 1 && Math.abs(last.y - y) < 0.01) Object.assign(last, { node, right: x + half });
    else runs.push({ node, left: x - half, right: x + half, y });
  }
  return runs.map(({ left, right, y }) => `M${round(left)} ${round(y + below)}H${round(right)}`).join("");
}
function words(nodes, edges) {
  const box = (element, node, more) => {
    const [wide, high] = [boxWidth(nodes[node].label) + 2 * more, HIGH + 2 * more];
    put(element, "x", round(-wide / 2));
    put(element, "y", round(-high / 2));
    put(element, "width", round(wide));
    put(element, "height", round(high));
    put(element, "rx", round(0.32 * EM + more));
    return element;
  };
  const { points, radius, ...places } = layOutWords(nodes, edges);
  return {
    ...places,
    points,
    radius,
    body: () => svgEl("rect", { class: "body" }),
    fit: (body, node) => box(body, node, 0),
    ring: (name, node, reach) => box(svgEl("rect", { class: `ring ${name}` }), node, (reach - radius) * 0.62),
    line: ({ source, target }) => arcLine(points[source], points[target]),
    middle: ({ source, target }) => arcMiddle(points[source], points[target]),
    band: (members) => stretches(members, nodes, points),
    bandWidth: HIGH + 0.5 * EM,
    label: (node) => [svgEl("text", { "font-size": round(EM), dy: "0.35em" }, nodes[node].label)],
    outline(agreed) {
      return { lines: [stretches(agreed, nodes, points, HIGH / 2 + 0.3 * EM), ""], widths: [0.26 * EM, 0] };
    },
    contour: (agreed, level) => stretches(agreed, nodes, points, HIGH / 2 + (0.3 + 0.28 * (level + 1)) * EM)
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
  const shape = story.written ? words(nodes, edges) : discs(nodes, edges, story.times);
  const { points, radius, unit, box, band } = shape;
  const thin = Math.min(Math.max(radius / 12, 0.35), 1.1);
  const many = nodes.length > MANY;
  const hosts = hydrogenHosts(nodes, edges);
  const longest = Math.max(...nodes.map(({ label: text, id }) => Math.min((text || String(id)).length, 8)));
  const outline = ["outline", "outline-inside"].map((name) => svgEl("path", { class: name, d: "" }));
  const others = svgEl("g", { class: "other-outlines" });
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
    ...outline,
    others,
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
    agreed: /* @__PURE__ */ new Set(),
    // the nodes of all reasons
    folding: null,
    // how hydrogens are folded into their atoms; null if they are not
    label: LABEL,
    pixel: 1
  };
  const sizeOf = (node) => radius * (hosts.has(node) ? SMALL : 1);
  function rings(node, look, size) {
    const parts = [];
    let reach = size + radius * 0.16;
    const ring = (name, step) => {
      reach += radius * step;
      parts.push(shape.ring(name, node, reach));
    };
    if (look.flags.includes("added") && story.molecule) ring("added", 0.12);
    if (look.role === "frontier" && story.molecule) ring("frontier", 0.16);
    if (look.role === "removed") ring("parent", 0.22);
    if (look.flags.includes("start")) ring("start", 0.24);
    if (look.flags.includes("cut")) {
      ring("cut", 0.22);
      ring("cut", 0.3);
    }
    if (look.flags.includes("parent")) ring("parent", 0.24);
    return parts;
  }
  function label(node, size, hydrogens2) {
    if (shape.label) return shape.label(node);
    if (hosts.has(node)) return [];
    const text = withHydrogens(nodes[node].label || String(nodes[node].id), hydrogens2);
    const shown = text.length > 8 ? `${text.slice(0, 7)}…` : text;
    const fontSize = Math.min(size * 0.98, size * 2.5 / Math.max(shown.length, 1));
    const numbered = nodes[node].element && !hydrogens2;
    const index = numbered ? [svgEl("tspan", { class: "index", dy: "0.25em" }, String(nodes[node].id))] : [];
    return [svgEl("text", { "font-size": round(fontSize), dy: "0.35em" }, shown, ...index)];
  }
  const isFar = (node) => drawn.near !== null && !drawn.near.has(node);
  function drawNode(node, look, folded, hydrogens2) {
    const element = nodes[node].element;
    const coloured = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
    const more = (isFar(node) ? " far" : "") + (folded ? " folded" : "");
    const classes = ["node", look.role, ...look.flags].join(" ") + coloured + more;
    const size = sizeOf(node) * (story.molecule || story.written ? 1 : look.scale);
    const key = `${classes}/${look.scale.toFixed(3)}/${look.strength.toFixed(3)}/${hydrogens2}`;
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
    body.after(...label(node, sizeOf(node), hydrogens2));
  }
  function show(scene) {
    put(svg, "data-mode", scene.mode);
    const folded = drawn.folding ? foldedIn(hosts, scene.looks, drawn.agreed, drawn.folding.open) : /* @__PURE__ */ new Map();
    scene.looks.forEach((look, node) => {
      drawNode(node, look, folded.has(node), [...folded.values()].filter((host) => host === node).length);
    });
    scene.ways.forEach((way2, index) => {
      const { source, target, in_motif } = edges[index];
      const hidden = folded.has(source) || folded.has(target) ? " folded" : "";
      const faded = isFar(source) || isFar(target) ? " far" : "";
      const classes = `edge ${way2}${in_motif ? " true" : ""}${faded}${hidden}`;
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
  function know({ reasons, shown, shares, near }) {
    drawn.near = near;
    drawn.agreed = new Set(reasons.flat());
    const { lines, widths } = shape.outline(reasons[shown] ?? []);
    outline.forEach((path, at) => {
      put(path, "d", lines[at]);
      put(path, "stroke-width", round(widths[at]));
    });
    const thinly = reasons.map((nodes2, index) => index === shown ? null : shape.contour(nodes2, index));
    others.replaceChildren(
      ...thinly.flatMap((d, index) => d ? [svgEl("path", { class: `contour reason-${index + 1}`, d })] : [])
    );
    edgeEls.forEach((edge, index) => edge.style.setProperty("--held", (shares[index] ?? 0).toFixed(3)));
  }
  const fold = (wanted, open) => drawn.folding = wanted ? { open } : null;
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
    const open = new Set(actions);
    for (const node of drawn.offered) {
      if (!open.has(node)) ["tabindex", "role", "aria-label"].forEach((name) => nodeEls[node].removeAttribute(name));
    }
    for (const node of open) {
      put(nodeEls[node], "tabindex", 0);
      put(nodeEls[node], "role", "button");
      put(nodeEls[node], "aria-label", labelOf(node));
    }
    drawn.offered = open;
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
  const hydrogens = hosts.size > 0;
  const places = { box, points, radius, unit, lineOf: shape.line };
  return { svg, ...places, many, hydrogens, know, fold, show, light, showGroups, offer, scaled, write };
}
function hydrogenHosts(nodes, edges) {
  const bonds = nodes.map(() => []);
  for (const { source, target } of edges) {
    bonds[source].push(target);
    bonds[target].push(source);
  }
  const hangs = (node) => nodes[node].element === "H" && bonds[node].length === 1;
  const pairs = nodes.flatMap((_, node) => hangs(node) ? [[node, bonds[node][0]]] : []);
  return new Map(pairs.filter(([, host]) => nodes[host].element !== "H"));
}
function foldedIn(hosts, looks, agreed, open) {
  const silent = open ? ["outside"] : ["outside", "frontier"];
  return new Map(
    [...hosts].filter(
      ([node]) => silent.includes(looks[node].role) && !looks[node].flags.includes("start") && !agreed.has(node)
    )
  );
}
function withHydrogens(label, count) {
  if (!count) return label;
  return `${label}H${count > 1 ? subscript(count) : ""}`;
}

// assets/player/sight.js
var LINES = [420, 190];
function mountGraph(stage, story, room, strip = 0) {
  const size = () => [stage.clientWidth || 600, stage.clientHeight || 450];
  const graph = createGraph(story);
  stage.replaceChildren(graph.svg);
  const camera = createCamera(stage, graph.svg, {
    home: () => framed(graph.box, size(), story.written ? LINES : room(), strip),
    changed: (box) => graph.scaled(box[2] / size()[0])
  });
  function lookAt(part) {
    const [x, y, width] = framed(part, size(), [0, 0], strip);
    camera.show(inside(camera.home, x, y, Math.min(width, camera.home[2])));
  }
  return { graph, camera, lookAt };
}

// pages/ui/components/button_graph.js
var FEW = 16;
var ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function createButtonGraph(act, { room, tools = false }) {
  const stage = el("div", { class: "stage" });
  const zoom = () => zoomTools((factor) => view.camera?.zoom(factor), () => view.camera?.fit());
  const element = el("div", { class: "stage-frame" }, stage, ...tools ? [zoom()] : []);
  const tip = createTip(element);
  const view = { element, graph: null, camera: null, items: [], overlay: null };
  let [key, offered] = ["", null];
  const focused = () => view.items.find((item) => item.element === element.getRootNode().activeElement);
  view.build = ({ nodes, edges, molecule = false, written: written2 = false, hits = true }) => {
    const next = JSON.stringify([nodes, edges, written2, hits]);
    if (next === key) return false;
    const held = focused();
    const before = view.camera && { box: view.camera.box, home: view.camera.home.join() };
    key = next;
    view.camera?.destroy();
    Object.assign(view, mountGraph(stage, { trace: { nodes, edges }, molecule, written: written2 }, room));
    const { graph } = view;
    const lines = hits ? edges.map((edge) => svgEl("path", { class: "edge-hit", d: graph.lineOf(edge) })) : [];
    graph.svg.querySelector(".nodes").before(svgEl("g", { class: "edge-hits" }, ...lines));
    view.overlay = svgEl("g", { class: "overlay" });
    graph.svg.append(view.overlay);
    const kept = before?.home === view.camera.home.join();
    if (kept) view.camera.show(before.box);
    const drawn = (node) => graph.svg.querySelector(`.node[data-node="${node}"]`);
    const middle = ({ source, target }) => [0, 1].map((k) => (graph.points[source][k] + graph.points[target][k]) / 2);
    view.items = [
      ...graph.points.map((place, index) => ({ kind: "node", index, element: drawn(index), place })),
      ...lines.map((line, index) => ({ kind: "edge", index, element: line, place: middle(edges[index]) }))
    ];
    if (held) view.item(held.kind, held.index)?.element.focus({ preventScroll: true });
    return !kept;
  };
  view.item = (kind, index) => view.items.find((item) => item.kind === kind && item.index === index);
  view.offer = (given) => {
    offered = given;
    const open = view.items.filter(offered.open);
    const active = focused();
    const reached = open.includes(active) ? active : open.find(({ kind }) => kind === "node") ?? open[0];
    for (const item of view.items) {
      const chosen = open.includes(item);
      const first = open.length <= FEW || item === reached;
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
  function pointed(event) {
    const item = offered && itemAt(event);
    const words2 = () => (offered.tip ?? offered.name)(item);
    if (item) tip.show(item.element.querySelector?.(".body") ?? item.element, words2);
    else tip.hide();
    act.over?.(item ?? null);
  }
  onPointing(stage, pointed, () => {
    tip.hide();
    act.over?.(null);
  });
  view.destroy = () => view.camera?.destroy();
  return view;
}

// pages/ui/components/graph_view.js
var BASE_ROLES = ["start", "member", "added"];
var FLAGS = ["start", "added", "cut", "parent", "right", "wrong", "picked"];
var ROOMY = [310, 190];
var MARKS = { right: "✓", wrong: "✗" };
var MEANINGS = {
  start: "the start node",
  added: "just added",
  member: "in the set",
  frontier: "can be added next",
  outside: "outside",
  cut: "cut vertex",
  parent: "may be removed",
  right: "right",
  wrong: "wrong",
  picked: "picked by you"
};
var PANE_LEGEND = [
  ...STATE_ROLES.map(([role, text]) => [role, text]),
  ["picked", "picked by you"],
  ["right", "right"],
  ["wrong", "wrong"]
];
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
    const entries = PANE_LEGEND.filter(([role]) => present.has(role));
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

// pages/ui/components/lab_view.js
var REPORT_MS = 500;
var Z_MEANING = "the connectivity vector (eq. 14): 1 where the new node touches an earlier one";
var WAITING = "𝒵 of this step is being computed.";
var NEEDS_KEYS = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], [role=menu]";
var lab_view_default = keptView((parentElement) => createLab(parentElement.querySelector(".lab")));
function createLab(root) {
  const lab = { tell: () => {
  }, data: null, frame: 0, order: [], steps: null, awaited: null };
  const pane = createGraphPane({ node: take, edge: flip, over: overNode });
  const matrix = createMatrix();
  const bar = createStepBar((frame) => goTo(frame));
  const badge = el("b", { class: "case" });
  const words2 = el("span", {});
  const theorem = el("p", { class: "theorem", "aria-live": "polite" }, badge, words2);
  const note = el("p", { class: "note" });
  const head = el("h3", {}, "𝒵, the cut-vertex matrix", el("small", {}, "point at a row or a column"));
  const keyLine = el(
    "p",
    { class: "matrix-key" },
    el("span", { class: "box changed" }),
    "changed by this step",
    el("span", { class: "box new" }),
    "new row and column"
  );
  const side = el("div", { class: "lab-side panel" }, theorem, head, matrix.element, keyLine, note);
  const left = el("div", { class: "lab-left" }, pane.element, bar.element);
  root.replaceChildren(el("div", { class: "lab-frame" }, left, side));
  const tip = createTip(root);
  root.tabIndex = -1;
  const name = (node) => lab.data.nodes[node].label;
  const step = () => lab.steps?.[lab.frame] ?? null;
  const neighbours = (node) => lab.links[node];
  function roles() {
    const members = lab.order.slice(0, lab.frame + 1);
    const inside2 = new Set(members);
    const now = step();
    const of = (places) => new Set((places ?? []).map((place) => lab.order[place]));
    const [cut, free] = [of(now?.cut), of(now?.removable)];
    return lab.data.nodes.map((_, node) => {
      if (!inside2.has(node)) return neighbours(node).some((other) => inside2.has(other)) ? ["frontier"] : [];
      const found = ["member"];
      if (node === lab.order[0]) found.push("start");
      else if (node === members.at(-1)) found.push("added");
      if (cut.has(node)) found.push("cut");
      if (free.has(node)) found.push("parent");
      return found;
    });
  }
  function tipOf(node, own) {
    if (own.includes("frontier")) {
      const inside2 = new Set(lab.order.slice(0, lab.frame + 1));
      const touched = neighbours(node).filter((other) => inside2.has(other)).map(name);
      const what = inside2.size < 2 ? "" : touched.length > 1 ? ": case 2" : ": case 1";
      return `click to add it; it touches ${listing(touched)}${what}`;
    }
    if (own.includes("cut")) return "cut vertex: the set falls apart without it";
    if (own.includes("parent")) return "may be removed: the rest stays in one piece";
    return own.includes("start") ? "the start node: it always stays" : "";
  }
  function draw() {
    const { data } = lab;
    const all = roles();
    const nodes = data.nodes.map((node, index) => ({ ...node, roles: all[index], tip: tipOf(index, all[index]) }));
    const frontier = all.flatMap((own, node) => own.includes("frontier") ? [node] : []);
    const added = lab.order[lab.frame];
    const before = new Set(lab.order.slice(0, lab.frame));
    const members = lab.order.slice(0, lab.frame + 1).map(name);
    pane.show({
      nodes,
      edges: data.edges,
      edits: data.edits,
      hulls: {},
      height: data.height,
      arrows: data.edits,
      clickable: data.edits ? data.nodes.map((_, node) => node) : frontier,
      highlighted: neighbours(added).filter((other) => before.has(other)).map((other) => [added, other]),
      description: `Graph of ${nodes.length} nodes. The set: ${members.join(", ")}.`
    });
    bar.show(lab.frame, lab.order.length);
    drawSide(members);
  }
  function drawSide(members) {
    const now = step();
    side.classList.toggle("waiting", !now);
    if (!now) {
      setText(badge, "");
      setText(words2, WAITING);
      return;
    }
    setText(badge, lab.data.cases[now.case]);
    setText(words2, now.words);
    drawMatrix(now, lab.steps[lab.frame - 1]?.matrix, members);
    rest();
  }
  function drawMatrix(now, before, names) {
    const last = names.length - 1;
    const changed = new Set(now.changed.map(([i, j]) => `${i},${j}`));
    const touches = now.z.map((one, k) => el("td", { class: one ? "touches" : "", "data-nodes": k }, String(one)));
    const head2 = { scope: "row", class: "z-name", "data-tip": Z_MEANING, "aria-label": `z of ${names.at(-1)}` };
    const z = el("tr", { class: "z" }, el("th", head2, "z"), ...touches, el("td", { class: "nothing" }));
    matrix.show({
      matrix: now.matrix,
      keys: names.map((_, k) => k),
      names,
      cuts: new Set(now.cut),
      corner: el("td", { class: "corner", "data-tip": MATRIX_MEANING }, "𝒵"),
      top: last > 0 ? [z] : [],
      cell(i, j) {
        const fresh = last > 0 && (i === last || j === last) ? "new" : "";
        if (!changed.has(`${i},${j}`)) return { classes: fresh };
        return { classes: `${fresh} changed`, tip: `was ${before?.[i]?.[j] ?? 0}, is ${now.matrix[i][j]} now` };
      }
    });
  }
  function rest() {
    const now = step();
    if (!now) return;
    const names = (places) => listing(places.map((place) => name(lab.order[place])), 8);
    const free = now.removable.length ? `May be removed (valid parents): ${names(now.removable)}.` : "No node may be removed.";
    const cut = now.cut.length ? ` Cut vertices: ${names(now.cut)}.` : " No cut vertex.";
    setText(note, free + cut);
  }
  function point(row, column) {
    const now = step();
    if (!now) return;
    matrix.mark(row);
    const place = row ?? column;
    pane.light(place === null ? [] : [lab.order[place]]);
    const pieces = row === null ? [] : rowPieces(now.matrix[row]);
    pane.showPieces(pieces.map(({ number, nodes }) => ({ number, nodes: nodes.map((index) => lab.order[index]) })));
    if (row === null && column === null) return rest();
    const nameOf = (index) => name(lab.order[index]);
    if (row === null) return setText(note, columnSentence(now.matrix, column, nameOf));
    const pieceNames = (places) => listing(places.map(nameOf), 8);
    return setText(note, `${rowSentence(nameOf(row), pieces, pieceNames)} ${now.rows[row] ?? ""}`);
  }
  function overNode(node) {
    const place = node === null || lab.data.edits ? -1 : lab.order.slice(0, lab.frame + 1).indexOf(node);
    point(place < 0 ? null : place, null);
  }
  function goTo(frame) {
    const next = Math.min(Math.max(frame, 0), lab.order.length - 1);
    if (next === lab.frame) return;
    lab.frame = next;
    draw();
    clearTimeout(lab.timer);
    lab.timer = setTimeout(() => lab.tell("step", lab.frame), REPORT_MS);
  }
  function take(node) {
    clearTimeout(lab.timer);
    lab.order = [...lab.order.slice(0, lab.frame + 1), node];
    lab.steps = lab.steps?.slice(0, lab.frame + 1) ?? null;
    lab.awaited = [...lab.order];
    lab.frame += 1;
    draw();
    lab.tell("take", lab.order);
    root.focus({ preventScroll: true });
  }
  function flip(a, b) {
    clearTimeout(lab.timer);
    lab.tell("edge", [a, b]);
  }
  lab.show = (data, { setTriggerValue }) => {
    lab.tell = setTriggerValue;
    const another = lab.data?.shape !== data.shape;
    const edges = JSON.stringify(data.edges);
    const late = lab.awaited?.some((node, place) => data.order[place] !== node);
    if (!another && late && edges === lab.edges) return;
    lab.edges = edges;
    lab.awaited = null;
    Object.assign(lab, { data, order: data.order, steps: data.steps });
    lab.links = data.nodes.map(() => []);
    for (const [a, b] of data.edges) {
      lab.links[a].push(b);
      lab.links[b].push(a);
    }
    lab.frame = Math.min(another ? data.step : lab.frame, data.order.length - 1);
    draw();
  };
  function sidePointed(event) {
    const told = event.target.closest?.("[data-tip]");
    if (told) tip.show(told, told.dataset.tip);
    else tip.hide();
    const { row, column } = event.target.closest?.("[data-row], [data-column]")?.dataset ?? {};
    point(numberOr(row), numberOr(column));
  }
  onPointing(side, sidePointed, () => {
    tip.hide();
    point(null, null);
  });
  const go = (by) => () => goTo(lab.frame + by);
  const steps = { ArrowLeft: go(-1), ArrowRight: go(1), Home: go(-Infinity), End: go(Infinity) };
  const forgetKeys = listenToKeys(root, steps, { own: NEEDS_KEYS, anywhere: true });
  lab.destroy = () => {
    forgetKeys();
    clearTimeout(lab.timer);
    pane.destroy();
  };
  return lab;
}
function createStepBar(goTo) {
  let now = 0;
  const at = (label, path, where) => button(label, path, () => goTo(where()));
  const back = at("One node back (←)", ICONS.back, () => now - 1);
  const next = at("One node more (→)", ICONS.forward, () => now + 1);
  const scrub = createSlider({ label: "Nodes in the set", kind: "scrub", step: 1, moved: goTo });
  const counter = el("span", { class: "counter" });
  const element = el(
    "div",
    { class: "controls" },
    el("div", { class: "keys" }, back, next),
    el("div", { class: "time" }, scrub.input, counter)
  );
  function show(frame, steps) {
    now = frame;
    const words2 = `${frame + 1} of ${steps} nodes`;
    scrub.set(frame, words2, { max: steps - 1 });
    setText(counter, words2);
    back.disabled = frame === 0;
    next.disabled = frame === steps - 1;
  }
  return { element, show };
}
export {
  lab_view_default as default
};
