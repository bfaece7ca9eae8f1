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
function keyed(parent, items, keyOf, make, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = String(keyOf(item));
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
function logSum(logs) {
  const most = Math.max(-Infinity, ...logs);
  return most === -Infinity ? most : most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}
var plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
function listing(names, most = 4) {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
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
  const numbers = [...new Set(row)].filter((number) => number > 0).sort((a, b) => a - b);
  return numbers.map((number) => ({ number, nodes: row.flatMap((each, place) => each === number ? [place] : []) }));
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
var LOOKS = ["fill", "fill-opacity", ...STROKE, "opacity", "display"];
var TEXT_LOOKS = ["font-family", "font-size", "font-weight", "text-anchor", "paint-order", "transform"];
function plainColour(value) {
  return value.replace(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g, (_, r, g, b, a) => {
    const [red, green, blue] = [r, g, b].map((part) => Math.round(255 * Number(part)));
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
    const inline = [...LOOKS, ...written2].map((name) => [name, computed.getPropertyValue(name)]).filter(([name, value]) => value && !(value === "none" && !["fill", "stroke", "display"].includes(name))).map(([name, value]) => `${name}:${plainColour(value)}`);
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
    const { predicted, probabilities } = story.trace.prediction;
    const atAnswer = frame2 === story.cover;
    const share = atAnswer ? story.answer.alone[predicted] : story.step(frame2).reward.probability;
    setText(name, story.asks);
    setText(value, percent(share));
    setBar(line, share);
    whole.style.left = `${100 * probabilities[predicted]}%`;
    const all = percent(probabilities[predicted]);
    const seen = atAnswer ? "the answer" : "this set";
    const now = `The ${story.asked} gives “${story.className}” ${percent(share)} when it sees ${seen} only`;
    put(element, "data-tip", `${now}; the mark is at ${all}, what the GNN gives when it sees everything`);
  }
  return { element, show };
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
  function show({ frame: frame2, story, playing, withMotif, presenting, sentence }) {
    const { first, last, end, cover, known } = story;
    relabel(play, playing ? "Pause (space)" : "Play (space)", playing ? ICONS.pause : ICONS.play);
    put(play, "data-playing", playing);
    scrub.set(frame2, sentence, { min: first, max: last });
    const step = `${frame2} / ${end === null ? last : last - 1}`;
    setText(counter, frame2 === cover ? "answer" : frame2 === end ? "result" : step);
    put(motif, "aria-pressed", withMotif);
    motif.hidden = !known;
    put(present, "aria-pressed", presenting);
    leave.hidden = !presenting;
    relabel(present, presenting ? "Leave (Esc)" : "Present (P)", ICONS.present);
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
  const numbers = el("p", { class: "equation numbers" });
  const term = (kind, log) => el("span", { class: `term ${kind}` }, amount(log));
  numbers.append(term("parent", step.log_in_flow), el("b", {}, equal ? " ≈ " : " ≠ "));
  if (step.frontier.length) numbers.append(term("frontier", frontier), " + ");
  numbers.append(term("stop", step.stop.log_flow));
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
  return [words2, numbers, residual];
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
function showStop(chip, { step, mode }, { open, chosen }) {
  const ended = mode === "end";
  chip.hidden = mode === "answer";
  chip.disabled = !open || ended;
  chip.classList.toggle("chosen", ended || chosen);
  setText(chip, ended ? "STOPPED" : `STOP ${percent(step.stop.probability)}`);
  const flow = `π = ${percent(step.stop.probability)}, log F = ${signed(step.stop.log_flow)}`;
  const only = step.stop.forced ? "; it is the only action left" : "";
  put(chip, "data-tip", ended ? "The policy stopped here" : `STOP ends the trajectory here: ${flow}${only}`);
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
      const [way, wide] = [band(agreed) + filled.join(""), radius * (3.9 + 0.4 * level)];
      return { lines: [way, way], widths: [wide, wide - (level ? 0.5 : 1) * 2 * Math.max(1.6, radius * 0.16)] };
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
var HIGH = 1.7 * EM;
var PAD = 14;
var middleOf = ([a, b, c, d]) => [0, 1].map((axis) => (a[axis] + 3 * b[axis] + 3 * c[axis] + d[axis]) / 8);
function layOutWords(nodes, { widths, arcs }) {
  const scaled = ([x, y]) => [x * UNIT2, -y * UNIT2];
  const halves = widths.map((width) => width * UNIT2 / 2);
  const raw = nodes.map(({ position }) => scaled(position));
  const curves = arcs.map((curve) => curve.map(scaled));
  const [left, right] = span(raw.flatMap(([x], node) => [x - halves[node], x + halves[node]]));
  const heights2 = [...raw.flatMap(([, y]) => [y - HIGH / 2, y + HIGH]), ...curves.map((curve) => middleOf(curve)[1])];
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
    const [wide, high] = [2 * (halves[node] + more), HIGH + 2 * more];
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
    bandWidth: HIGH + 0.5 * EM,
    label: (node) => [svgEl("text", { "font-size": round(EM), dy: "0.35em" }, nodes[node].label)],
    outline(agreed, _, level) {
      const line = stretches(agreed, halves, points, HIGH / 2 + (0.3 + 0.28 * level) * EM);
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
    scene.ways.forEach((way, index) => {
      const { source, target, in_motif } = edges[index];
      const faded = isFar(source) || isFar(target) ? " far" : "";
      const classes = `edge ${way}${in_motif ? " true" : ""}${faded}`;
      if (drawn.ways[index] === classes) return;
      drawn.ways[index] = classes;
      edgeEls[index].setAttribute("class", classes);
    });
    nodeLayers.raise(scene.members);
    edgeLayers.raise(scene.ways.flatMap((way, index) => way === "outside" || way === "reach" ? [] : [index]));
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
  const places = { box, points, radius, unit, written: story.written, lineOf: shape.line, middleOf: shape.middle };
  return { svg, ...places, many, know, show, light, showGroups, offer, scaled, write };
}

// assets/player/sight.js
var STRIP = 34;
var ROOM = [460, 340];
var LINES = [420, 190];
var LARGE = 36;
var MOST = 0.6;
function createSight(stage, partButton) {
  const sight = { graph: null, camera: null, key: null };
  let part = null;
  sight.open = (story) => {
    const other = sight.key !== story.graphKey;
    if (other) {
      sight.camera?.destroy();
      Object.assign(sight, mountGraph(stage, story, () => ROOM, STRIP), { key: story.graphKey });
    }
    const { trace, reasons, motif, links } = story;
    const told = reasons.flatMap(({ nodes }) => nodes);
    const core = [...told.length ? told : motif, ...trace.final.nodes];
    part = partBox(sight.graph, core);
    sight.graph.know({
      reasons: story.outlined ? reasons.map(({ nodes }) => nodes) : [],
      rings: story.rings,
      shown: story.shown,
      shares: trace.edge_marginals,
      near: part && nearTo(core, links, sight.graph.points, part)
    });
    partButton.hidden = !part;
    if (other) sight.look(part !== null);
  };
  sight.look = (closely) => {
    stage.classList.toggle("focused", closely);
    if (closely) sight.lookAt(part);
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
  function lookAt(part) {
    const [x, y, width] = framed(part, size(), [0, 0], strip);
    camera.show(inside(camera.home, x, y, Math.min(width, camera.home[2])));
  }
  return { graph, camera, lookAt };
}
function nearTo(core, links, points, [x, y, width, height]) {
  const seen = (node) => {
    const [left, top] = [points[node][0] - x, points[node][1] - y];
    return left >= 0 && left <= width && top >= 0 && top <= height;
  };
  return new Set(core.flatMap((node) => [node, ...links[node].filter(seen)]));
}
function partBox({ points, unit, radius, box, written: written2 }, core) {
  if (written2 || points.length <= LARGE || !core.length) return null;
  const pad = Math.max(0.7 * unit, 4 * radius);
  const part = bounds(core.map((node) => points[node]), pad);
  return part[2] * part[3] < MOST * box[2] * box[3] ? part : null;
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
  const open = (node) => looks[node].role === "frontier";
  const ways = edges.map(({ source, target }) => {
    if (inside2.has(source) && inside2.has(target)) return "inside";
    return inside2.has(source) && open(target) || inside2.has(target) && open(source) ? "reach" : "outside";
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

// assets/player/player.js
var PACE = 1500;
var FAR_AWAY = { least: 16, size: 16, long: false };
var FEW = ["answer", "states", "flow"];
var SETTLE = 450;
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
    playTimer = setTimeout(advance, PACE / state.speed);
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
    const open = options.manual && mode === "state" ? step.frontier.map(({ node }) => node) : [];
    graph.offer(open, (node) => story.tip(state.frame, node));
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
      const open = name === state.tab;
      tab.hidden = !open && (missing[name] || options.few && !FEW.includes(name));
      shell.bodies[index].hidden = !open;
    });
    const beside = state.tab === "states";
    root.classList.toggle("with-states", beside);
    shell.views.hidden = missing.states;
    [...shell.views.children].forEach((each) => put(each, "aria-pressed", each.dataset.view === "states" === beside));
    panels[state.tab].show(story, state.frame);
  }
  for (const part of [view, side]) {
    part.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && hold(true));
    part.addEventListener("pointerleave", () => hold(false));
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
    timer = setTimeout(step, times * SETTLE);
  }
  function ask(what, value) {
    clearTimeout(timer);
    if (KEPT.includes(what)) soon(4);
    callbacks[what]?.(value);
  }
  const known = (frame2) => reported = frame2;
  return { step, soon, ask, known, destroy: () => clearTimeout(timer) };
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
var MOST2 = 9;
function stateName(scene, state, nodes = scene.states[state]) {
  const known = scene.labels?.[state] ?? scene.names?.[state];
  if (known) return known;
  const names = nodes.slice(0, MOST2).map((node) => scene.nodes[node].name);
  return `{${names.join(", ")}${nodes.length > MOST2 ? ", …" : ""}}`;
}
function columnName(scene, k, short = false) {
  const [count, noun] = scene.nodes.length || scene.sized ? [k + 1, "node"] : [k, "action"];
  return short ? String(count) : plural(count, noun);
}
var chances = (stop, target) => `P(stop) ${percent(Math.min(1, stop))}, R/Z ${percent(Math.min(1, target))}`;
function stateTip(moment, state) {
  const { scene } = moment;
  const [stop, residuals, visits, reward] = ["stop", "residuals", "visits", "reward"].map((name) => moment.get(name));
  const parts = [stateName(scene, state)];
  if (stop) parts.push(chances(stop[state] ?? 0, scene.target?.[state] ?? 0));
  const last = !scene.listed && scene.column[state] === scene.column.at(-1);
  if (state > 0 && !last && residuals) parts.push(`residual ${plusMinus(residuals[state])}`);
  if (visits) parts.push(visits[state] ? `on ${percent(visits[state])} of trajectories so far` : "not visited so far");
  if (reward?.[state] != null) parts.push(`R ${plain(reward[state])}`);
  else if (scene.log_reward?.[state] != null) parts.push(`log R ${signed(scene.log_reward[state])}`);
  return parts.join(" · ");
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
  const view = { canvas, marks: null, placeOf, move };
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
    const [flow, stop, residuals, visits] = ["flow", "stop", "residuals", "visits"].map((name) => moment.get(name));
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

// assets/state_graph/picture.js
var NARROW = 560;
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
  const place = (boxes, placeOf, words2, current, width) => sliders.forEach(({ input, set, place: stand }, k) => {
    input.classList.toggle("current", k === current);
    input.hidden = width < NARROW && k !== current;
    const { x, y, w, h } = placeOf(k);
    const wide = width < NARROW ? THUMB : 2 * w - 4;
    stand(Math.min(Math.max(x - wide / 2, 0), width - wide), y + h + 14, wide);
    set(boxes[k].reward, `${plain(boxes[k].reward)}, ${words2(k)}`);
  });
  return { build, place };
}

// assets/player/states.js
var WAITING = "The states are being listed; the player plays on meanwhile.";
function createStatesPanel(act) {
  const words2 = el("p", { class: "note" });
  const root = el("div", { class: "state-graph" });
  const element = el("section", { class: "panel states", "aria-label": "States" }, words2, root);
  const over = (box) => act.lookAt(box?.nodes ?? []);
  const graph = createStatePicture(root, { report: (_, state) => choose(state), over });
  let [given, picture] = [null, null];
  function choose(state) {
    const box = picture.boxes.find(({ id }) => id === state);
    const at = picture.path.findIndex((each) => box.states.includes(each));
    if (at >= 0) act.goTo(at);
    else act.way(state);
  }
  function give(states) {
    setText(words2, states?.words ?? WAITING);
    root.hidden = !states;
    if (!states || states === given) return;
    given = states;
    picture = states.picture;
    const { path: path2 } = picture;
    graph.show({ picture, path: path2, draggable: false, selected: null, height: 360 });
  }
  function show(story, frame2) {
    if (root.hidden) return;
    graph.flag(story.reasons.map(({ nodes }) => stateOf(nodes)));
    if (frame2 === story.cover) graph.select(stateOf(story.answer.nodes));
    else graph.select(picture.path[Math.min(frame2, picture.path.length - 1)]);
  }
  function stateOf(nodes) {
    const wanted = [...nodes].sort((a, b) => a - b).join(" ");
    return picture.boxes.find((box) => box.id >= 0 && box.nodes.join(" ") === wanted)?.id ?? null;
  }
  return { element, give, show, destroy: graph.destroy };
}

// assets/player/standalone_states.js
var page = JSON.parse(document.getElementById("data").textContent);
createPlayer(document.querySelector(".player-host"), {}, createStatesPanel).show(page);
