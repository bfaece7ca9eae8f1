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

// assets/kit/numbers.js
var subscript = (number) => [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
var plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
function listing(names, most = 4) {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

// pages/ui/components/graph_view.css
var graph_view_default = "/* What the player's graph has not: marks of a checked answer, edges that can be edited, and a frame of its own. */\n\n.pane { position: relative; }\n.pane .stage-frame { grid-area: auto; }\n.pane .stage { contain: none; }\n.pane .legend { margin-top: 0.4rem; }\n.pane .legend li { cursor: default; }\n.pane .badge text { dominant-baseline: auto; }\n\n.node.open { cursor: pointer; }\n.node.open:hover .body { stroke: var(--accent); stroke-width: 3.4px; stroke-dasharray: none; }\n.node.open:active .body { filter: brightness(0.9); }\n.node.right .body { fill: color-mix(in srgb, var(--motif) 34%, var(--paper)); stroke: var(--motif); stroke-width: 2.6px; }\n.node.right text { fill: var(--ink); }\n.node.wrong .body { fill: color-mix(in srgb, var(--extra) 28%, var(--paper)); stroke: var(--extra); stroke-width: 2.6px; }\n.node.wrong text { fill: var(--ink); }\n\n.overlay { pointer-events: none; }\n.ring.picked { stroke: var(--accent); stroke-width: 3.2px; }\n.ring.first { stroke: var(--accent); stroke-width: 2.6px; stroke-dasharray: 5 3; }\n.mark circle { stroke: var(--paper); stroke-width: 1.2px; }\n.mark text { fill: #fff; text-anchor: middle; font-weight: 700; }\n.mark.right circle { fill: var(--motif); }\n.mark.wrong circle { fill: var(--extra); }\n\n.edge-hit { stroke: transparent; stroke-width: 14px; cursor: pointer; }\n.edge-hit:hover { stroke: color-mix(in srgb, var(--extra) 35%, transparent); }\n\n.group-mark {\n  display: inline-grid; place-items: center; min-width: 1.15rem; height: 1.15rem; border-radius: 50%; font-size: 0.72rem; font-weight: 700;\n  background: var(--group); color: var(--on-group);\n}\n";

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

// assets/player/matrix.js
var groupClass = (number) => `group-${(number - 1) % 4}`;

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
  function lookAt(part2) {
    const [x, y, width] = framed(part2, size(), [0, 0], strip);
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
.folded { display: none; }
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
.node.removed .body { fill: var(--paper); stroke: var(--parent); stroke-dasharray: 1 3; stroke-linecap: round; }
.node.removed text { fill: var(--parent); }
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
.written .node.removed .body { stroke: var(--parent); stroke-width: 1.6px; }
.written .node.removed text { fill: var(--parent); }
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
.pulse { position: absolute; width: 40px; height: 40px; margin: -20px; border-radius: 50%; background: var(--ink); opacity: 0; pointer-events: none; }

/* The shown reason is a thick outline. The lines of the others are thin: long dashes, dashes and dots. */
.contour { fill: none; stroke: var(--answer); stroke-width: calc(1.5 * var(--pixel, 1px)); stroke-linecap: round; }
.contour.reason-1 { stroke-dasharray: calc(13 * var(--pixel, 1px)) calc(5 * var(--pixel, 1px)); }
.contour.reason-2 { stroke-dasharray: calc(7 * var(--pixel, 1px)) calc(5 * var(--pixel, 1px)); }
.contour.reason-3 { stroke-dasharray: calc(0.1 * var(--pixel, 1px)) calc(4.5 * var(--pixel, 1px)); stroke-width: calc(2.6 * var(--pixel, 1px)); }
:is(.contour.outlined, [aria-pressed="true"] .contour) { stroke-width: 2.4px; stroke-dasharray: none; }
.other-outlines { opacity: 0.6; }
`;

// assets/player/panels.css
var panels_default = '/* The panels beside the graph. */\n\n.panel h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem; margin: 0.55rem 0 0.3rem; padding: 0; font-size: var(--large); font-weight: 650; }\n.panel h3 small { font-weight: 400; font-size: var(--tiny); color: var(--muted); }\n.panel p { margin: 0.35rem 0; }\n.panel ul { list-style: none; margin: 0; padding: 0; }\n.note { color: var(--muted); font-size: var(--small); }\n.symbol { border-bottom: 1px dotted color-mix(in srgb, currentColor 50%, transparent); cursor: help; white-space: nowrap; }\n.symbol.parent, .term.parent { color: var(--parent-ink); }\n.symbol.frontier, .term.frontier { color: var(--frontier-ink); }\n.symbol.stop, .term.stop { font-weight: 600; }\n.symbol.residual { font-weight: 600; }\n\n.gauge { display: grid; grid-template-columns: fit-content(12em) 1fr 4.2em; align-items: center; gap: 0.6rem; padding: 0.1rem 0.15rem 0.45rem; flex: none; }\n.gauge-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.gauge .track { position: relative; height: 0.85rem; }\n.gauge .fill { background: var(--accent); }\n.gauge .whole { position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -2px; background: var(--ink); }\n.gauge .value { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }\n\n.balance { display: grid; grid-template-columns: 1fr 1fr; }\n.total { display: flex; justify-content: space-between; gap: 0.4rem; padding: 0 0.4rem 0.15rem; font-size: var(--small); color: var(--muted); }\n.total b { color: var(--ink); font-variant-numeric: tabular-nums; }\n.total-in { border-right: 1px solid var(--line); flex-direction: row-reverse; }\n.side-in { border-right: 1px solid var(--line); }\n.bar-row { display: grid; align-items: center; gap: 0.4rem; height: 1.32rem; padding: 0 0.15rem; border-radius: 0.3rem; font-size: var(--small); }\n.bar-row .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.bar-row .value { text-align: right; font-variant-numeric: tabular-nums; color: var(--muted); white-space: nowrap; }\n.track { display: flex; height: 0.72rem; border-radius: 2px; background: color-mix(in srgb, var(--plain) 12%, transparent); overflow: hidden; }\n.fill { display: block; width: 100%; transform: scaleX(var(--share, 0)); transform-origin: left; background: var(--plain); }\n.tween .fill { transition: transform 0.3s; }\n.side-in, .side-out { display: grid; align-content: start; column-gap: 0.5rem; }\n.side-in { grid-template-columns: fit-content(7em) max-content minmax(2rem, 1fr); }\n.side-out { grid-template-columns: minmax(2rem, 1fr) max-content fit-content(7em); }\n.side-in .bar-row, .side-out .bar-row { grid-column: 1 / -1; grid-template-columns: subgrid; padding: 0; }\n.side-out .track { order: -1; border-radius: 0 2px 2px 0; }\n.side-out .name { order: 1; }\n.side-in .track { order: 1; border-radius: 2px 0 0 2px; justify-content: flex-end; }\n.side-in .fill { transform-origin: right; }\n.bar-row.rest .fill { width: calc(100% * var(--share, 0)); transform: none; } /* a hatching must not be squeezed */\n.bar-row.parent .fill { background: var(--parent); }\n.bar-row.parent .name { color: var(--parent-ink); }\n.bar-row.frontier .fill { background: var(--frontier); }\n.bar-row.rest .fill { background: repeating-linear-gradient(45deg, var(--frontier) 0 3px, transparent 3px 6px); }\n.side-in .bar-row.rest .fill { background: repeating-linear-gradient(45deg, var(--parent) 0 3px, transparent 3px 6px); }\n.bar-row.stop .fill { background: var(--ink); }\n.bar-row.stop .name { font-weight: 600; }\n.bar-row.gnn .fill { background: var(--accent); }\n.bar-row.rest .name { color: var(--muted); }\n.bar-row.lit, .policy-rows button.bar-row.lit { background: color-mix(in srgb, var(--accent) 18%, transparent); }\n.bar-row.chosen .name { font-weight: 700; }\n.bar-row.chosen .name::before { content: "▸ "; color: var(--accent); }\n\n.formula { margin: 0.5rem 0 0; padding: 0.35rem 0.6rem; border-radius: 0.5rem; background: var(--soft); font-size: var(--small); }\n.equation { margin: 0.15rem 0 !important; font-variant-numeric: tabular-nums; }\n.formula .numbers { font-weight: 500; }\n.residual-line { color: var(--muted); }\n.residual-line b, .residual-line .symbol { color: var(--ink); }\n\n.policy-rows { display: grid; grid-template-columns: 1fr; gap: 0.05rem 1.2rem; }\n.policy-rows.long { grid-template-columns: 1fr 1fr; }\n.policy-rows .bar-row { grid-template-columns: 4.2em minmax(1.5rem, 1fr) 4em; }\n.policy-rows .bar-row.rest { grid-template-columns: 8.6em minmax(1rem, 1fr) 4em; }\n.policy-rows .track { position: relative; overflow: visible; }\n.policy-rows .mark { position: absolute; top: -2px; bottom: -2px; width: 2px; margin-left: -1px; background: var(--accent); box-shadow: 0 0 0 1px var(--paper); }\n.policy-rows button.bar-row { border: 1px solid var(--line); background: none; cursor: pointer; text-align: left; height: 1.6rem; }\n.policy-rows button.bar-row:hover { border-color: var(--accent); }\n\n.theorem { padding: 0.4rem 0.6rem; border-left: 3px solid var(--cut); background: var(--soft); border-radius: 0 0.4rem 0.4rem 0; }\n.matrix-frame { overflow: auto; max-height: 22rem; }\n.matrix { border-collapse: separate; border-spacing: 2px; font-size: min(0.8rem, calc(24rem / (var(--count) + 3))); font-variant-numeric: tabular-nums; }\n.matrix th, .matrix td { min-width: 2.3em; height: 2.1em; padding: 0 0.25em; text-align: center; font-weight: 400; border-radius: 0.3em; color: var(--muted); cursor: default; white-space: nowrap; }\n.matrix th { max-width: 8em; overflow: hidden; text-overflow: ellipsis; }\n.matrix td:empty { min-width: 0; }\n.matrix tbody td { background: color-mix(in srgb, var(--plain) 8%, transparent); }\n.matrix th.cut { color: var(--cut-ink); font-weight: 700; }\n.matrix th.cut::before { content: "◎ "; }\n.matrix td[class*="group-"] { background: color-mix(in srgb, var(--group) 34%, var(--paper)); color: var(--ink); font-weight: 600; }\n.matrix tr:hover td[data-row], .matrix tr:focus-within td[data-row] { outline: 1px solid var(--cut); }\n.matrix .lit { outline: 2px solid var(--accent); }\n\n.thumbs { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.2rem, 1fr)); gap: 0.5rem; }\n.thumb { display: grid; gap: 0.1rem; padding: 0.4rem; cursor: pointer; border: 1px solid var(--line); border-radius: 0.6rem; background: none; text-align: center; }\n.thumb:hover, .thumb.lit, .thumb[aria-pressed="true"] { border-color: var(--parent); background: color-mix(in srgb, var(--parent) 10%, transparent); }\n.thumb-picture { width: 100%; height: 4.6rem; }\n.thumb-picture .line { fill: none; stroke: var(--set); }\n.thumb-picture circle { fill: var(--set); }\n.thumb-picture circle.start { fill: var(--start); }\n.thumb-picture .line.gone { stroke: var(--parent); stroke-opacity: 0.5; stroke-dasharray: 2 4; }\n.thumb-picture circle.gone { fill: var(--paper); stroke: var(--parent); stroke-linecap: round; }\n.thumb-name { font-weight: 600; color: var(--parent-ink); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.thumb-flow { font-size: var(--tiny); color: var(--muted); font-variant-numeric: tabular-nums; }\n\n.headline b { font-size: 1.15rem; }\n.terms { width: 100%; border-collapse: collapse; font-size: var(--small); font-variant-numeric: tabular-nums; }\n.terms th { text-align: left; font-weight: 400; padding: 0.2rem 0.3rem 0.2rem 0; }\n.terms thead th { color: var(--muted); font-size: var(--tiny); }\n.terms td { padding: 0.2rem 0.5rem 0.2rem 0; }\n.terms tfoot tr { border-top: 1px solid var(--line); font-weight: 600; }\n.terms tfoot th { font-weight: 600; }\n.terms .cost { display: grid; grid-template-columns: 1fr 4em; align-items: center; gap: 0.4rem; padding-right: 0; }\n.terms .cost .value { text-align: right; }\n.terms .fill { background: var(--accent); }\n.terms .unused { opacity: 0.5; }\n.probabilities .bar-row { grid-template-columns: 5.5em 1fr 4em; }\n.course svg { width: 100%; max-width: 26rem; display: block; margin-top: 0.4rem; }\n.course .base { stroke: var(--line); fill: none; }\n.course .line { stroke: var(--accent); fill: none; stroke-width: 1.8; }\n.course circle { fill: var(--paper); stroke: var(--accent); stroke-width: 1.8; cursor: pointer; }\n.course circle.now { fill: var(--accent); }\n\n.counts li { display: flex; align-items: center; gap: 0.5rem; padding: 0.2rem 0; font-size: var(--large); }\n.counts .swatch { width: 2rem; }\n.counts b { min-width: 1.2em; text-align: right; font-size: 1.25rem; font-variant-numeric: tabular-nums; }\n.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.35rem 1rem; margin: 0.7rem 0 0; padding-top: 0.6rem; border-top: 1px solid var(--line); }\n.facts dt { color: var(--muted); }\n.facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }\n\n.answer .rule { margin-top: 0.7rem; font-size: var(--large); }\n.answer .rule summary { width: fit-content; color: var(--muted); cursor: pointer; }\n.answer-bars { display: grid; grid-template-columns: fit-content(13em) minmax(2rem, 1fr) max-content; }\n.answer-bars .bar-row { grid-column: 1 / -1; grid-template-columns: subgrid; height: 1.7rem; font-size: var(--large); }\n.answer-bars .value { color: var(--ink); font-weight: 600; }\n.answer-bars .without .fill { background: repeating-linear-gradient(45deg, var(--accent) 0 3px, transparent 3px 6px); width: calc(100% * var(--share, 0)); transform: none; }\n.answer-bars .all .fill { background: var(--plain); }\n.nearest { padding-left: 0.6rem; border-left: 3px solid var(--answer); }\n.beside-answer { font-size: var(--large); font-weight: 600; }\n.states .states-stage { max-height: calc(var(--tall) - 11rem); }\n';

// assets/player/player.css
var player_default = '/* The frame: graph on the left, details on the right; below one another where there is no room. */\n\n.player {\n  --set: color-mix(in srgb, var(--ink) 58%, var(--plain));\n  --action-rim: color-mix(in srgb, var(--ink) 25%, #fff);\n  --answer: color-mix(in srgb, var(--ink) 82%, var(--paper));\n  --tall: min(var(--height, 640px), max(27rem, 100vh - var(--used, 0px))); /* seen without scrolling */\n  --tiny: 0.75rem; --small: 0.8rem; --base: 0.875rem; --large: 0.95rem;\n  position: relative; width: 100%; container-type: inline-size; text-align: left;\n  font: 400 var(--base)/1.4 var(--st-font, "Source Sans", system-ui, sans-serif); background: var(--paper);\n}\n.player *, .player *::before { box-sizing: border-box; }\n.player:focus { outline: none; }\n.player:focus-visible .stage-frame { border-color: var(--accent); }\n.player [hidden] { display: none !important; }\n\n.frame {\n  display: grid; gap: 0.6rem 1.1rem; height: var(--tall);\n  grid-template: "headline headline" auto "stage side" minmax(0, 1fr) "caption side" auto "controls side" auto "legend side" auto / minmax(0, 58fr) minmax(0, 42fr);\n}\n.with-states .frame { grid-template-columns: minmax(0, 47fr) minmax(0, 53fr); }\n.with-states .controls { flex-wrap: wrap; gap: 0.2rem 0.75rem; }\n.with-states:not(.few) .time { order: -1; flex: 1 0 100%; }\n.with-states .extras { margin-left: auto; }\n.headline-row { grid-area: headline; }\n.player .sentence {\n  margin: 0; padding: 0.5rem 0.9rem; border-left: 0.3rem solid var(--answer); border-radius: 0.2rem 0.6rem 0.6rem 0.2rem;\n  background: var(--soft); font-size: 1.22rem; line-height: 1.4; font-weight: 600; overflow-wrap: anywhere;\n}\n.views { grid-area: views; display: none; }\n.views button { flex: 1; height: 2.4rem; border: 1px solid var(--line); background: none; cursor: pointer; }\n.views button:first-child { border-radius: 0.6rem 0 0 0.6rem; }\n.views button:last-child { border-radius: 0 0.6rem 0.6rem 0; border-left: 0; }\n.views button[aria-pressed="true"] { color: var(--accent); font-weight: 600; background: color-mix(in srgb, var(--accent) 14%, var(--paper)); }\n.stage-frame { grid-area: stage; position: relative; border: 1px solid var(--line); border-radius: 0.7rem; overflow: hidden; min-height: 0; }\n.stage { position: absolute; inset: 0; touch-action: pan-y; contain: strict; }\n.zoomed.stage { cursor: grab; touch-action: none; }\n.zoomed.stage:active { cursor: grabbing; }\n.tools { position: absolute; top: 0.5rem; right: 0.5rem; display: flex; flex-direction: column; gap: 0.25rem; }\n\n.caption { grid-area: caption; margin: 0; min-height: 2.8em; line-height: 1.4; }\n.controls { grid-area: controls; display: flex; align-items: center; gap: 0.75rem; }\n.keys, .extras, .time { display: flex; align-items: center; gap: 0.25rem; }\n.time { flex: 1; gap: 0.6rem; min-width: 0; }\n.counter { min-width: 3.2em; text-align: right; font-variant-numeric: tabular-nums; color: var(--muted); white-space: nowrap; }\n\n.player button, .player select { font: inherit; color: inherit; }\n.tools button, .controls button, .save, .speed {\n  display: inline-grid; place-items: center; height: 2.1rem; min-width: 2.1rem; padding: 0; cursor: pointer;\n  border: 1px solid var(--line); border-radius: 0.5rem; background: var(--paper);\n}\n.tools button { height: 1.8rem; min-width: 1.8rem; opacity: 0.8; }\n.controls .play { height: 2.5rem; min-width: 2.5rem; border-radius: 50%; border-color: var(--accent); background: var(--accent); color: var(--paper); }\n.speed { padding: 0 0.35rem; }\n.tools button:hover, .controls button:hover:not(:disabled), .save:hover, .speed:hover { border-color: var(--accent); opacity: 1; }\n.player :is(button, select, summary, input, [tabindex]):focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }\n.player .node:focus-visible, .player:focus-visible { outline: none; }\n.player :is(.tab, .tab-body):focus-visible { outline-offset: -2px; }\n.controls button:disabled { opacity: 0.35; cursor: default; }\n.controls button[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); background: color-mix(in srgb, var(--accent) 14%, var(--paper)); }\n.icon { width: 1.15rem; height: 1.15rem; fill: currentColor; display: block; }\n\n.scrub { appearance: none; border-radius: 0.4rem; flex: 1; min-width: 3rem; height: 1.6rem; margin: 0; background: none; cursor: pointer; }\n.scrub::-webkit-slider-runnable-track { height: 5px; border-radius: 3px; background: linear-gradient(to right, var(--accent) var(--done), var(--line) var(--done)); }\n.scrub::-moz-range-track { height: 5px; border-radius: 3px; background: linear-gradient(to right, var(--accent) var(--done), var(--line) var(--done)); }\n.scrub::-webkit-slider-thumb { appearance: none; width: 15px; height: 15px; margin-top: -5px; border-radius: 50%; background: var(--accent); border: 2px solid var(--paper); }\n.scrub::-moz-range-thumb { width: 12px; height: 12px; border-radius: 50%; background: var(--accent); border: 2px solid var(--paper); }\n\n.menu { position: relative; }\n.save { box-sizing: border-box; }\n.menu-list { position: absolute; right: 0; bottom: calc(100% + 0.3rem); z-index: 4; padding: 0.3rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--paper); box-shadow: 0 6px 20px rgb(0 0 0 / 18%); }\n.controls .menu-list button { display: block; width: 100%; padding: 0 0.7rem; border: 0; text-align: left; white-space: nowrap; }\n.controls .menu-list button:hover, .controls .menu-list button:focus-visible { background: var(--soft); }\n\n.stop-chip {\n  position: absolute; left: 0.7rem; bottom: 0.7rem; padding: 0.25rem 0.75rem; border: 1.5px solid var(--muted); font-weight: 600;\n  font-size: var(--small); background: var(--paper); border-radius: 0.55rem; font-variant-numeric: tabular-nums;\n}\n.stop-chip.chosen { background: var(--ink); color: var(--paper); border-color: var(--ink); }\n.manual .stop-chip:not(:disabled) { cursor: pointer; border-color: var(--accent); }\n.manual .stop-chip:not(:disabled):hover { background: var(--accent); color: var(--paper); }\n.stop-chip:disabled { color: var(--muted); }\n.stop-chip.chosen:disabled { color: var(--paper); }\n.banner { position: absolute; left: 50%; top: 0.6rem; transform: translateX(-50%); padding: 0.3rem 0.8rem; cursor: pointer; border: 1.5px dotted var(--parent); border-radius: 1rem; background: var(--paper); color: var(--parent); font-weight: 600; }\n.instead { position: absolute; left: 50%; bottom: 0.6rem; transform: translateX(-50%); padding: 0.3rem 0.8rem; cursor: pointer; border: 1.5px solid var(--start); border-radius: 1rem; background: var(--paper); color: var(--ink); font-weight: 600; }\n.holding { position: absolute; left: 0.7rem; top: 0.6rem; padding: 0.1rem 0.6rem; border-radius: 1rem; font-size: var(--tiny); color: var(--muted); background: var(--soft); }\n\n.legend { grid-area: legend; display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; margin: 0; padding: 0; list-style: none; font-size: var(--small); color: var(--muted); }\n.legend li { display: inline-flex; align-items: center; gap: 0.25rem; cursor: default; }\n.legend .absent { opacity: 0.45; }\n.swatch { width: 1.5rem; height: 1.25rem; flex: none; }\n\n/* Few tools: what everybody needs; a graph of which a part is shown can be seen whole. */\n.few:not(.presenting) :is(.extras, .present, .first, .last, .answer :is(.facts, .rule), .tools button, .formula, .total b) { display: none; }\n.few :is(.stage.focused ~ .tools .fit, .stage:not(.focused) ~ .tools .part) { display: inline-grid; }\n\n.side { grid-area: side; display: flex; flex-direction: column; min-height: 0; min-width: 0; }\n.tabs { display: flex; flex-wrap: wrap; gap: 0 0.1rem; border-bottom: 1px solid var(--line); flex: none; }\n.tab { padding: 0.35rem 0.6rem; border: 0; background: none; cursor: pointer; color: var(--muted); border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap; }\n.player .tab[aria-selected="true"] { color: var(--accent); border-bottom-color: var(--accent); font-weight: 600; }\n.tab:hover { color: var(--ink); }\n.tab-body { flex: 1; min-height: 0; overflow: hidden auto; padding: 0.2rem 0.1rem 0; }\n\n/* For those in the last row: larger letters, and nothing but the graph, what it shows and how it goes on. */\n.player.presenting { --tall: var(--height); --tiny: 1rem; --small: 1rem; --base: 1.1rem; --large: 1.15rem; }\n.presenting .sentence { font-size: 1.5rem; line-height: 1.3; }\n.presenting :is(.extras, .tools, .instead) { display: none; }\n.controls .present span { padding: 0 0.6rem; font-size: var(--small); white-space: nowrap; }\n.presenting .controls .present { display: var(--leave, inline-grid); }\n.presenting .present .icon { display: none; }\n.presenting .legend { gap: 0 0.9rem; }\n.presenting .caption { min-height: 1.4em; }\n.presenting .bar-row { height: 1.7rem; }\n.presenting .tab { padding: 0.35rem 0.4rem; }\n.presenting .formula { display: none; }\n.few.presenting :is(.policy .symbol, .policy .mark, .compared) { display: none; }\n.few.presenting .flow { display: var(--flow, block); }\n.few.presenting .policy small { font-size: var(--large); font-weight: 650; color: var(--ink); }\n.few.presenting .policy small::first-letter { text-transform: uppercase; }\n\n@container (max-width: 759px) {\n  .frame { height: auto; grid-template: "stage" max(20rem, 46vh) "controls" auto "headline" auto "views" auto "caption" auto "legend" auto "side" auto / minmax(0, 1fr); }\n  .with-states .frame { grid-template: "side" auto "controls" auto "headline" auto "views" auto "caption" auto / minmax(0, 1fr); }\n  .with-states :is(.stage-frame, .legend) { display: none; }\n  .views:not([hidden]) { display: flex; }\n  .tab-states { display: none; }\n  .player .sentence { font-size: 1.08rem; padding: 0.45rem 0.7rem; }\n  .controls { flex-wrap: wrap; gap: 0.4rem; }\n  .player:not(.few) .time { order: -1; flex: 1 0 100%; }\n  .keys { gap: 0.35rem; }\n  .extras { margin-left: auto; }\n  .with-states .controls { gap: 0.4rem; }\n  .controls .keys button { height: 2.7rem; min-width: 2.7rem; }\n  .controls .keys :is(.first, .last) { display: none; } /* the scrubber above reaches them */\n  .controls .keys .play { min-width: 3rem; height: 3rem; }\n  .caption { min-height: 4.2em; }\n  .tab { padding: 0.5rem 0.28rem; }\n  .tab-body { overflow: visible; }\n}\n@container (max-width: 379px) {\n  .controls .keys { gap: 0.15rem; }\n  .controls .keys button { min-width: 2.2rem; }\n}\n@media (prefers-reduced-motion: reduce) {\n  .player * { transition: none !important; animation: none !important; }\n}\n\n.reasons { display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: center; margin-top: 0.35rem; }\n.reasons[hidden] { display: none; }\n.reasons .reason {\n  display: inline-flex; align-items: center; gap: 0.35rem; padding: 0.15rem 0.6rem; border-radius: 1rem; cursor: pointer;\n  font: inherit; font-size: 0.88rem; color: inherit; background: none; border: 1px solid color-mix(in srgb, var(--ink) 25%, transparent);\n}\n.reasons .reason[aria-pressed="true"] { border-color: var(--answer); background: color-mix(in srgb, var(--answer) 14%, transparent); font-weight: 600; }\n.reasons .other { font-size: 0.88rem; opacity: 0.75; }\n';

// assets/lessons/lesson.css
var lesson_default = '/* A lesson: pictures side by side, buttons, and what is said. */\n\n.lesson-body { display: flex; flex-direction: column; gap: 0.6rem; }\n.two { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0.6rem 1.4rem; align-items: start; }\n.two.wide { grid-template-columns: minmax(0, 3fr) minmax(0, 1fr); }\n.two.right { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }\n.buttons { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin: 0.4rem 0; }\n.buttons[hidden] { display: none; }\nbutton { padding: 0.3rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: none; color: inherit; font: inherit; cursor: pointer; }\nbutton:hover:enabled { border-color: var(--accent); color: var(--accent); }\nbutton:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }\nbutton:disabled { opacity: 0.45; cursor: default; }\nbutton:is([aria-checked="true"], [aria-pressed="true"]) { background: var(--accent); border-color: var(--accent); color: var(--paper); }\na { color: var(--accent); }\np { margin: 0 0 0.35rem; line-height: 1.5; }\n.note { padding: 0.5rem 0.9rem; border-radius: 0.5rem; background: color-mix(in srgb, var(--accent) 10%, var(--paper)); }\n.note.good { background: color-mix(in srgb, #009e73 16%, var(--paper)); }\nul { margin: 0.3rem 0; padding: 0; list-style: none; }\nli { padding: 0.15rem 0 0.15rem 0.6rem; border-left: 3px solid var(--answered, var(--line)); margin-bottom: 0.3rem; }\n.good { --answered: #009e73; }\n.bad { --answered: #d55e00; }\n@media (max-width: 860px) { .two, .two:is(.wide, .right) { grid-template-columns: minmax(0, 1fr); } }\n';

// assets/lessons/lesson.js
function lesson(create) {
  return keptView((parentElement) => {
    let [open, tell] = [null, null];
    function show({ state, ...content }, { setTriggerValue }) {
      tell = setTriggerValue;
      if (!open) {
        const body = el("div", { class: "kit lesson-body" });
        parentElement.querySelector(".lesson").append(body);
        shaded(body.parentElement, content.roles, lesson_default);
        open = create(body, content, (next) => tell("state", next));
      }
      open(state ?? {});
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
function buttons(acts, { fixed }) {
  const made = Object.entries(acts).map(([label, onclick]) => el("button", { type: "button", onclick }, label));
  return el("div", { class: "buttons", hidden: fixed }, ...made);
}

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
    open((at + 1) % puzzles.length);
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
  function open(number) {
    [at, checked] = [number, false];
    picked.clear();
    draw();
  }
  return ({ state }) => {
    const number = Number(state ?? 1) - 1;
    const known = Number.isInteger(number) && puzzles[number] ? number : 0;
    if (known !== at || !hint.hasChildNodes()) open(known);
  };
});
export {
  puzzles_default as default
};
