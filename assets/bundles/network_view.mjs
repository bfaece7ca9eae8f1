// assets/kit/camera.js
var ZOOM_STEP = 1.4;
var CLOSEST = 24;
var DRAG = 4;
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
function parseSvg(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
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
    const words = meant && meant.target.isConnected !== false && meant.words();
    if (words) setText(element, words);
    else hide();
    return Boolean(words);
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

// pages/ui/components/network_view.js
var STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
var nodeOf = (event) => event.target.closest?.("[data-node]");
var network_view_default = keptView((parentElement) => {
  const root = parentElement.querySelector(".view");
  const [stage, legend] = ["stage", "legend"].map((name) => el("div", { class: name }));
  root.append(stage, zoomTools((factor) => camera.zoom(factor), () => camera.fit()), legend);
  const tip = createTip(root);
  let [source, svg, camera, pick] = [null, null, null, null];
  stage.addEventListener("click", (event) => {
    const node = nodeOf(event);
    if (node && !camera.dragged) pick(Number(node.dataset.node));
  });
  stage.addEventListener("keydown", (event) => {
    const [node, by] = [nodeOf(event), STEPS[event.key]];
    if (!by && (!node || !["Enter", " "].includes(event.key))) return;
    event.preventDefault();
    if (by) go([...svg.querySelectorAll("[data-node]")], node, by);
    else pick(Number(node.dataset.node));
  });
  function go(nodes, from, by) {
    const to = nodes.at((nodes.indexOf(from) + (from || by > 0 ? by : 0)) % nodes.length);
    for (const [name, value] of [["tabindex", -1], ["role", "img"], ["aria-label", to.dataset.tip]]) {
      to.setAttribute(name, value);
    }
    to.focus();
  }
  const told = (event) => event.target.closest?.("[data-tip]");
  const pointed = (event) => told(event) ? tip.show(told(event), told(event).dataset.tip) : tip.hide();
  onPointing(root, pointed, tip.hide);
  function draw(text, enlarge) {
    tip.hide();
    source = text;
    svg = parseSvg(text);
    const home = svg.getAttribute("viewBox").split(" ").map(Number);
    svg.style.maxWidth = `${Math.round(home[2] * enlarge)}px`;
    stage.replaceChildren(svg);
    const before = camera;
    before?.destroy();
    camera = createCamera(stage, svg, { home: () => home });
    if (before?.home.join() === home.join()) camera.show(before.box);
  }
  function markSelected(id) {
    svg.querySelector(".selected")?.remove();
    const node = id == null ? null : svg.querySelector(`[data-node="${Number(id)}"]`);
    if (!node) return;
    const { x, y, width, height } = node.getBBox();
    const place = { cx: x + width / 2, cy: y + height / 2, r: Math.max(9, width * 1.2) };
    svg.append(svgEl("circle", { class: "ring selected", ...place, "stroke-width": 3, "pointer-events": "none" }));
  }
  function show(data, { setTriggerValue }) {
    pick = (node) => data.clickable && setTriggerValue("pick", node);
    root.classList.toggle("clickable", data.clickable);
    if (source !== data.svg) draw(data.svg, data.enlarge);
    if (data.clickable) svg.setAttribute("tabindex", 0);
    markSelected(data.selected);
    legend.replaceChildren(...data.legend.map((entry) => el("span", {}, parseSvg(entry.svg), entry.text)));
  }
  return { show, destroy: () => camera?.destroy() };
});
export {
  network_view_default as default
};
