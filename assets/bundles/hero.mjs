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
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

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

// pages/ui/components/hero.js
var PACE = 1150;
var MARGIN = 34;
var LABEL = [14, 21];
var CROWD = 40;
var hero_default = keptView((parentElement) => {
  const root = parentElement.querySelector(".hero");
  const stage = svgEl("svg", { class: "stage", role: "img" });
  const verdict = el("p", { class: "verdict", hidden: true });
  const caption = el("p", { class: "caption", "aria-live": "polite" });
  const again = el("button", { type: "button", class: "again", onclick: () => toggle() });
  const dots = el("div", { class: "dots", "aria-hidden": "true" });
  const words = el("div", { class: "words" }, verdict, caption);
  root.append(el("div", { class: "picture" }, stage), words, el("div", { class: "row" }, again, dots));
  let [data, frame, timer, drawn, text] = [null, 0, null, null, null];
  const sized = new ResizeObserver(() => data && lay());
  sized.observe(stage);
  const last = () => data.frames.length;
  function play() {
    clearTimeout(timer);
    timer = frame < last() ? setTimeout(() => (show(frame + 1), play()), PACE) : null;
    say();
  }
  function toggle() {
    if (timer === null) {
      if (frame === last()) show(0);
      play();
    } else {
      clearTimeout(timer);
      timer = null;
      say();
    }
  }
  function say() {
    const word = timer !== null ? "Pause" : frame === last() ? "Play again" : "Play";
    setText(again, word);
  }
  function draw() {
    const lines = data.edges.map(([, , order, motif]) => {
      const count = Math.max(1, Math.min(3, order));
      const strokes = data.sentence ? [svgEl("path")] : Array.from({ length: count }, () => svgEl("line"));
      return svgEl("g", { class: "edge", "data-motif": motif }, ...strokes);
    });
    const circles = data.nodes.map(({ label, element }, number) => {
      const kind = element ? `node element element-${element.replace(/\W/g, "")}` : "node";
      const shape = data.sentence ? "rect" : "circle";
      const parts = [svgEl(shape, { class: "halo" }), svgEl(shape, { class: "body" }), svgEl("text", {}, label)];
      return svgEl("g", { class: kind, "data-node": number, "data-kind": kind }, ...parts);
    });
    stage.replaceChildren(...lines, ...circles);
    dots.replaceChildren(...data.frames.map(() => el("i")), el("i", { class: "answer" }));
    drawn = { lines, circles };
    root.classList.toggle("sentence", Boolean(data.sentence));
    lay();
  }
  function lay() {
    const [width, height] = [stage.clientWidth || 560, stage.clientHeight || 400];
    put(stage, "viewBox", `0 0 ${width} ${height}`);
    if (data.sentence) laySentence(width, height);
    else layGraph(width, height);
  }
  function laySentence(width, height) {
    const { em, high, wide, curves, box } = data.sentence;
    const [left, low, span, tall] = box;
    const scale = Math.min((width - MARGIN) / span, (height - MARGIN) / tall, LABEL[1] / em);
    const across = (x) => (x - left - span / 2) * scale + width / 2;
    const down = (y) => height / 2 - (y - low - tall / 2) * scale;
    drawn.circles.forEach((word, number) => {
      const { x, y } = data.nodes[number];
      put(word, "transform", `translate(${across(x).toFixed(1)} ${down(y).toFixed(1)})`);
      [4, 0].forEach((more, part) => {
        const [w, h] = [wide[number] * scale + 2 * more, high * scale + 2 * more];
        for (const [name, value] of Object.entries({ x: -w / 2, y: -h / 2, width: w, height: h, rx: 6 + more })) {
          put(word.children[part], name, value.toFixed(1));
        }
      });
      put(word.children[2], "font-size", em * scale);
    });
    drawn.lines.forEach((group, number) => {
      const [from, ...others] = curves[number].map(([x, y]) => `${across(x).toFixed(1)} ${down(y).toFixed(1)}`);
      put(group.children[0], "d", `M${from}C${others.join(" ")}`);
    });
  }
  function layGraph(width, height) {
    const [xs, ys] = [data.nodes.map((node) => node.x), data.nodes.map((node) => -node.y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [wide, high] = [Math.max(...xs) - left || 1, Math.max(...ys) - top || 1];
    const scale = Math.min((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / high, 150);
    const at = (number) => [
      (xs[number] - left - wide / 2) * scale + width / 2,
      (ys[number] - top - high / 2) * scale + height / 2
    ];
    const spans = data.edges.map(([a, b]) => Math.hypot(xs[a] - xs[b], ys[a] - ys[b]) * scale).sort((a, b) => a - b);
    const span = spans[Math.floor(spans.length / 2)] ?? 80;
    const least = data.nodes.length > CROWD ? 9 : LABEL[0];
    const letters = Math.min(LABEL[1], Math.max(least, span * 0.27));
    drawn.circles.forEach((circle, number) => {
      const { label, element } = data.nodes[number];
      const small = element === "H" ? 0.72 : 1;
      const radius = Math.max(letters * 0.95, 0.31 * letters * label.length + 5) * small;
      put(circle, "transform", `translate(${at(number).map((value) => value.toFixed(1)).join(" ")})`);
      put(circle.children[0], "r", radius + 5);
      put(circle.children[1], "r", radius);
      put(circle.children[2], "font-size", Math.max(letters * (element === "H" ? 0.85 : 1), least));
    });
    drawn.lines.forEach((group, number) => {
      const [a, b] = data.edges[number];
      const [[x1, y1], [x2, y2]] = [at(a), at(b)];
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [across, along] = [-(y2 - y1) / length, (x2 - x1) / length];
      [...group.children].forEach((line, place) => {
        const aside = (place - (group.children.length - 1) / 2) * 6;
        const [dx, dy] = [across * aside, along * aside];
        for (const [name, value] of Object.entries({ x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy })) {
          put(line, name, value);
        }
      });
    });
  }
  function show(next) {
    frame = next;
    const answer = frame === last();
    const { frames, end, known, start, edges } = data;
    const now = answer ? end : frames[frame];
    const [inside, open] = [new Set(answer ? end.nodes : now.members), new Set(answer ? [] : now.frontier)];
    const motif = new Set(edges.flatMap(([a, b, , wanted]) => wanted ? [a, b] : []));
    drawn.circles.forEach((circle, number) => {
      const held = inside.has(number);
      const right = known ? motif.has(number) ? "hit" : "extra" : "found";
      const role = answer && held ? right : held ? "member" : open.has(number) ? "frontier" : "outside";
      const more = `${number === start ? " start" : ""}${number === now.added ? " added" : ""}`;
      put(circle, "class", `${circle.dataset.kind} ${role}${more}`);
    });
    const kept = answer ? new Set(end.edges) : null;
    drawn.lines.forEach((line, number) => {
      const [a, b, , wanted] = edges[number];
      const held = answer ? kept.has(number) : inside.has(a) && inside.has(b);
      const right = known ? wanted ? "hit" : "extra" : "found";
      const missed = answer && known && wanted && !held;
      put(line, "class", `edge ${held ? answer ? right : "member" : missed ? "missed" : "outside"}`);
    });
    verdict.hidden = !answer;
    setText(verdict, end.verdict);
    setText(caption, now.says);
    put(stage, "aria-label", now.says);
    root.classList.toggle("answered", answer);
    [...dots.children].forEach((dot, number) => dot.classList.toggle("done", number <= frame));
    say();
  }
  function tellIdle(setTriggerValue) {
    const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 300));
    setTimeout(() => idle(() => setTriggerValue("idle", true), { timeout: 3e3 }), 300);
  }
  let told = false;
  return {
    show({ idle, ...rest }, { setTriggerValue }) {
      if (idle && !told) tellIdle(setTriggerValue);
      told ||= idle;
      if (text === JSON.stringify(rest)) return;
      text = JSON.stringify(rest);
      data = rest;
      clearTimeout(timer);
      timer = null;
      draw();
      show(lessMotion() ? last() : 0);
      if (!lessMotion()) play();
    },
    destroy() {
      clearTimeout(timer);
      sized.disconnect();
    }
  };
});
export {
  hero_default as default
};
