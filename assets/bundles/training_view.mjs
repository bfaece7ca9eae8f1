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

// assets/kit/numbers.js
var MINUS = "−";
function percent(share2, digits = usefulDigits(share2)) {
  const [value, least] = [100 * share2, 10 ** -digits];
  let text = value.toFixed(digits);
  if (share2 > 0 && value < least / 2) text = `<${least.toFixed(digits)}`;
  if (share2 < 1 && value >= 100 - least / 2) text = `>${(100 - least).toFixed(digits)}`;
  return `${text} %`;
}
function usefulDigits(share2) {
  if (share2 === 0 || share2 === 1) return 0;
  return share2 < 995e-5 ? 2 : share2 < 0.0995 || share2 > 0.99 ? 1 : 0;
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
function steady(value) {
  const size = Math.abs(value);
  if (size < 5e-4) return size === 0 ? "0" : "≈ 0";
  return signed(value, size >= 100 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3);
}
var thousands = (count) => count.toLocaleString("en");

// assets/kit/paths.js
function curve([x0, y0], [x1, y1]) {
  const middle = (x0 + x1) / 2;
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}
function between(from, to, share2) {
  if (Array.isArray(to)) return to.map((value, i) => between(from[i], value, share2));
  if (to !== null && typeof to === "object") {
    return Object.fromEntries(Object.entries(to).map(([key2, value]) => [key2, between(from[key2], value, share2)]));
  }
  return to === null ? null : (from ?? to) * (1 - share2) + to * share2;
}

// pages/ui/components/training_panels.js
var HIGH = 164;
function snapshot(rows, at) {
  const before = Math.floor(at);
  return between(rows[before], rows[Math.min(before + 1, rows.length - 1)], at - before);
}
function frameOf({ kind, title }, wide, role = "img") {
  const picture = svgEl("svg", { viewBox: `0 0 ${wide} ${HIGH}`, role, "aria-label": title });
  return { box: el("section", { class: `panel ${kind}` }, el("h4", {}, title), picture), picture };
}
var times = (count) => `${thousands(count)} ${count === 1 ? "time" : "times"}`;
var key = (text) => el("p", { class: "key" }, text);
function flowPanel(panel, { wide, choose }) {
  const { box, picture } = frameOf(panel, wide, "group");
  const spot = panel.places.map(([x, y]) => [30 + x * (wide - 60), HIGH * (0.46 + 1.1 * (y - 0.5))]);
  const most = Math.max(...panel.flow[panel.flow.length - 1], 1e-9);
  const edges = panel.edges.map(([from, to]) => svgEl("path", { class: "edge", d: curve(spot[from], spot[to]) }));
  const states = panel.names.map((name, number) => stateBox(name, spot[number], () => choose(number)));
  picture.append(...edges, ...states.map((state) => state.group));
  box.append(key("Pipe: flow. Number: residual. Dashed: never visited."));
  const draw = (at, chosen) => {
    const flow = snapshot(panel.flow, at);
    const off = snapshot(panel.residual, at);
    const now = Math.floor(at);
    edges.forEach((edge, i) => {
      edge.style.strokeWidth = `${0.8 + 15 * Math.min(1, flow[i] / most)}px`;
      edge.style.setProperty("--share", `${share(off[panel.edges[i][1]])}%`);
    });
    states.forEach(({ group, value }, i) => {
      const residual = panel.residual[now][i];
      group.style.setProperty("--share", `${share(off[i])}%`);
      group.classList.toggle("unvisited", panel.visits[now][i] === 0);
      group.classList.toggle("level", Math.abs(residual) < 0.05);
      group.classList.toggle("chosen", i === chosen);
      put(group, "aria-pressed", i === chosen);
      value.textContent = i === 0 ? "start" : Math.abs(residual) < 5e-3 ? "✓ 0.00" : plusMinus(residual);
      const about = `State ${panel.names[i]}: residual ${plusMinus(residual)}, visited ${times(panel.visits[now][i])}`;
      put(group, "aria-label", about);
      group.firstChild.textContent = about;
    });
  };
  return { box, draw };
}
function share(residual) {
  return Math.round(100 * Math.min(1, Math.abs(residual) / 2));
}
function stateBox(name, [x, y], pick) {
  const value = svgEl("text", { class: "off", y: 25 });
  const group = svgEl(
    "g",
    { class: "state", tabindex: 0, role: "button", transform: `translate(${x} ${y})`, onclick: pick },
    svgEl("title"),
    svgEl("rect", { x: -26, y: -12, width: 52, height: 24, rx: 7 }),
    svgEl("text", { class: "name", y: 4 }, name),
    value
  );
  group.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    pick();
  };
  return { group, value };
}
function formula(panel, state, now, place) {
  const sum = (pick, other) => panel.edges.map((edge, i) => [edge, panel.flow[now][i]]).filter(([edge]) => edge[pick] === state).map(([edge, flow]) => `${steady(flow)} ${other === 0 ? "from" : "to"} ${panel.names[edge[other]]}`);
  place.replaceChildren(el("b", {}, `${panel.names[state]}  `));
  const inward = sum(1, 0).join(" + ");
  const outward = [...sum(0, 1), `${steady(panel.reward[state])} = R`].join(" + ");
  const [into, out] = [panel.in_flow, panel.out_flow].map((flows) => steady(flows[now][state]));
  if (!inward) {
    place.append(`All water starts here, nothing flows in. Out: ${outward}, together ${out}.`);
    return;
  }
  const off = panel.residual[now][state];
  place.append(
    `in: ${inward}, together ${into} · out: ${outward}, together ${out} · `,
    el("span", { class: Math.abs(off) < 0.05 ? "good" : "bad" }, `residual ${plusMinus(off)}`),
    ` · visited ${times(panel.visits[now][state])}`
  );
}
function barsPanel(panel, { wide }) {
  const { box, picture } = frameOf(panel, wide);
  const most = Math.max(...panel.exact, ...panel.learned[panel.learned.length - 1], 0.05);
  const room = HIGH / panel.names.length;
  const left = 52;
  const length = (value) => Math.min(value, most * 1.06) / (most * 1.06) * (wide - left - 58);
  const rows = panel.names.map((name, i) => {
    const y = i * room;
    const bar = svgEl("rect", { class: "bar", x: left, y: y + room * 0.2, height: room * 0.6, rx: 2 });
    const value = svgEl("text", { class: "value", x: wide - 2, y: y + room * 0.5 + 4 });
    const end = left + length(panel.exact[i]);
    picture.append(
      svgEl("rect", { class: "track", x: left, y: y + room * 0.2, height: room * 0.6, width: wide - left - 58, rx: 2 }),
      bar,
      svgEl("line", { class: "exact", x1: end, x2: end, y1: y + room * 0.08, y2: y + room * 0.92 }),
      svgEl("text", { class: "name", x: left - 6, y: y + room * 0.5 + 4 }, name),
      value
    );
    return { bar, value };
  });
  box.append(key("Bar: learned so far. Upright mark: R / Z, where it should end."));
  const draw = (at) => {
    const learned = snapshot(panel.learned, at);
    rows.forEach(({ bar, value }, i) => {
      put(bar, "width", Math.max(0, length(learned[i])));
      value.textContent = percent(panel.learned[Math.floor(at)][i], 1);
    });
  };
  return { box, draw };
}
function linesPanel(panel, { wide, steps }) {
  const { box, picture } = frameOf(panel, wide);
  const [left, right, top, bottom] = [34, wide - 10, 8, HIGH - 20];
  const most = panel.top ?? Math.max(...panel.series.flatMap((one) => one.values)) * 1.05;
  const x = (step) => left + step / steps[steps.length - 1] * (right - left);
  const y = (value) => bottom - Math.min(value, most) / most * (bottom - top);
  for (const part of [0, 0.5, 1]) {
    picture.append(svgEl("line", { class: "grid", x1: left, x2: right, y1: y(part * most), y2: y(part * most) }));
    picture.append(svgEl("text", { class: "tick", x: left - 5, y: y(part * most) + 4 }, (part * most).toFixed(2)));
  }
  picture.append(svgEl("text", { class: "tick", x: left + 4, y: HIGH - 5 }, "0"));
  picture.append(svgEl("text", { class: "tick", x: right, y: HIGH - 5 }, `${steps[steps.length - 1]} steps`));
  const cursor = svgEl("line", { class: "cursor", y1: top, y2: bottom });
  const curves = panel.series.map((one) => {
    const points = one.values.map((value, i) => `${x(steps[i])},${y(value)}`);
    const ahead = svgEl("polyline", { class: `curve ahead ${one.mark}`, points: points.join(" ") });
    const line = svgEl("polyline", { class: `curve ${one.mark}` });
    const dot = svgEl("circle", { class: "dot", r: 4.5 });
    for (const part of [ahead, line, dot]) part.style.setProperty("--colour", one.colour);
    picture.append(ahead, line, dot);
    return { line, dot, points };
  });
  picture.append(cursor);
  const { list, values } = legend(panel.series);
  box.append(list);
  const draw = (at) => {
    const now = Math.floor(at);
    const step = snapshot(steps, at);
    putAll(cursor, { x1: x(step), x2: x(step) });
    curves.forEach(({ line, dot, points }, i) => {
      const value = snapshot(panel.series[i].values, at);
      put(line, "points", [...points.slice(0, now + 1), `${x(step)},${y(value)}`].join(" "));
      putAll(dot, { cx: x(step), cy: y(value) });
      values[i].textContent = steady(panel.series[i].values[now]);
    });
  };
  return { box, draw };
}
function legend(all) {
  const values = all.map(() => el("b"));
  const entries = all.map(
    ({ name, colour, mark }, i) => el("li", { class: `sign ${mark}`, style: `--colour: ${colour}` }, el("i"), el("span", {}, name), values[i])
  );
  return { list: el("ul", { class: "legend" }, ...entries), values };
}
function levelsPanel(panel, { wide }) {
  const { box, picture } = frameOf(panel, wide);
  const [left, right, top, bottom] = [40, wide - 6, 10, HIGH - 26];
  const all = [...panel.exact, ...panel.series.flatMap((one) => one.values.flat())];
  const [low, high] = [Math.floor(2 * Math.min(...all)) / 2 - 0.1, Math.ceil(2 * Math.max(...all)) / 2];
  const y = (value) => bottom - (value - low) / (high - low) * (bottom - top);
  const each = (right - left) / panel.names.length;
  const gap = high - low > 4 ? 1 : 0.5;
  for (let value = Math.ceil(low / gap) * gap; value <= high; value += gap) {
    picture.append(svgEl("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }));
    picture.append(svgEl("text", { class: "tick", x: left - 5, y: y(value) + 4 }, value.toFixed(1)));
  }
  panel.exact.forEach((value, i) => {
    const x = left + i * each;
    const width = Math.min(each * 0.8, 110);
    const from = x + (each - width) / 2;
    picture.append(svgEl("line", { class: "exact", x1: from, x2: from + width, y1: y(value), y2: y(value) }));
    picture.append(svgEl("text", { class: "name middle", x: x + each / 2, y: HIGH - 8 }, panel.names[i]));
  });
  const marks = panel.series.map((one, number) => {
    const made = one.mark === "level" ? [svgEl("line", { class: "through", x1: left, x2: right })] : panel.names.map((_, i) => {
      const x = left + (i + 0.5) * each + (number - (panel.series.length - 1) / 2) * Math.min(14, each / 5);
      return one.mark === "dot" ? svgEl("circle", { class: "dot", cx: x, r: 5 }) : svgEl("rect", { class: "square", x: x - 4.5, width: 9, height: 9 });
    });
    for (const mark of made) mark.style.setProperty("--colour", one.colour);
    picture.append(...made);
    return made;
  });
  const { list, values } = legend(panel.series);
  box.append(list);
  const draw = (at) => {
    const now = Math.floor(at);
    panel.series.forEach((one, number) => {
      const learned = snapshot(one.values, at);
      const worst = Math.max(...one.values[now].map((value, i) => Math.abs(value - panel.exact[i])));
      values[number].textContent = worst < 5e-4 ? "off by less than 0.0005" : `off by up to ${steady(worst)}`;
      marks[number].forEach((mark, i) => {
        const place = y(learned[i]);
        if (one.mark === "level") putAll(mark, { y1: place, y2: place });
        else if (one.mark === "dot") put(mark, "cy", place);
        else put(mark, "y", place - 4.5);
      });
    });
  };
  return { box, draw };
}
var MAKERS = { flow: flowPanel, bars: barsPanel, lines: linesPanel, levels: levelsPanel };

// pages/ui/components/training_view.js
var SECONDS = 7;
var NARROWEST = 304;
var [GAP, EDGE] = [12, 24];
var training_view_default = keptView((parentElement) => createView(parentElement.querySelector(".training")));
function createView(root) {
  let shown = "";
  const observer = new ResizeObserver(() => root.player?.resized());
  observer.observe(root);
  return {
    show(data, { setStateValue }) {
      root.report = (run, number) => setStateValue("frame", { run, number });
      const text = JSON.stringify(data);
      if (shown === text) return;
      shown = text;
      root.player?.end();
      root.player = new TrainingPlayer(root, data, root.player?.chosen);
    },
    destroy() {
      observer.disconnect();
      root.player.end();
    }
  };
}
var TrainingPlayer = class {
  constructor(root, data, chosen) {
    Object.assign(this, { root, data, last: data.steps.length - 1, at: 0, timer: 0 });
    this.find = (name) => root.querySelector(name);
    this.flow = data.panels.find((panel) => panel.kind === "flow");
    this.chosen = this.flow ? Math.min(chosen ?? this.worst(), this.flow.names.length - 1) : null;
    this.build();
    this.listen();
    const calm = lessMotion();
    this.show(data.opened ?? (calm ? this.last : 0));
    if (data.opened === null && !calm) this.play();
    else this.buttons();
    if (data.opened === null && calm) this.settle();
  }
  build() {
    this.width = this.root.clientWidth;
    const columns = Math.max(1, Math.min(this.data.panels.length, Math.floor((this.width + GAP) / (NARROWEST + GAP))));
    const wide = Math.max(240, Math.round((this.width - GAP * (columns - 1)) / columns - EDGE));
    const about = { wide, steps: this.data.steps, choose: (state) => this.choose(state) };
    this.panels = this.data.panels.map((panel) => MAKERS[panel.kind](panel, about));
    this.find(".panels").replaceChildren(...this.panels.map((panel) => panel.box));
  }
  resized() {
    if (Math.abs(this.root.clientWidth - this.width) < 16) return;
    this.build();
    this.show(this.at);
  }
  // The state that is furthest from balance at the beginning
  worst() {
    const off = this.flow.residual[0].map(Math.abs);
    return off.indexOf(Math.max(...off));
  }
  listen() {
    const range = this.find("input");
    range.max = this.last;
    range.oninput = () => {
      this.pause(false);
      this.show(Number(range.value));
    };
    range.onchange = () => this.settle();
    this.find(".play").onclick = () => this.timer ? this.pause() : this.play();
    this.find(".back").onclick = () => this.step(-1);
    this.find(".on").onclick = () => this.step(1);
    this.root.onkeydown = (event) => {
      if (event.target === range && event.key.startsWith("Arrow")) return;
      if (event.key === "ArrowRight") this.step(1);
      else if (event.key === "ArrowLeft") this.step(-1);
      else if (event.key === " " && event.target.localName !== "button") this.find(".play").click();
      else return;
      event.preventDefault();
    };
  }
  choose(state) {
    this.chosen = state;
    this.show(this.at);
  }
  step(by) {
    this.pause(false);
    this.show(Math.max(0, Math.min(this.last, Math.floor(this.at) + by)));
    this.settle();
  }
  play() {
    if (this.at >= this.last) this.show(0);
    let before = performance.now();
    const turn = (now) => {
      if (!this.root.isConnected) return;
      this.show(Math.min(this.last, this.at + Math.max(0, now - before) / 1e3 / SECONDS * this.last));
      before = now;
      if (this.at >= this.last) this.pause();
      else this.timer = requestAnimationFrame(turn);
    };
    this.timer = requestAnimationFrame(turn);
    this.buttons();
  }
  pause(settle = true) {
    cancelAnimationFrame(this.timer);
    this.timer = 0;
    this.buttons();
    if (settle) {
      this.show(Math.floor(this.at));
      this.settle();
    }
  }
  // Another training takes its place, or the page is left: nothing is said any more
  end() {
    this.pause(false);
    clearTimeout(this.telling);
  }
  // At rest: say where we are, to people who listen and to Python
  settle() {
    const numbers = [...this.root.querySelectorAll(".lines .legend li")].map((entry) => entry.textContent);
    this.find(".said").textContent = `Step ${this.data.steps[Math.floor(this.at)]}. ${numbers.join(", ")}`;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.root.report(this.data.run, Math.floor(this.at)), 250);
  }
  buttons() {
    const button = this.find(".play");
    const [sign, word] = this.timer ? ["❚❚", "Pause"] : this.at >= this.last ? ["↺", "Play again"] : ["▶", "Play"];
    button.textContent = `${sign} ${word}`;
  }
  show(at) {
    this.at = at;
    for (const panel of this.panels) panel.draw(at, this.chosen);
    if (this.flow) formula(this.flow, this.chosen, Math.floor(at), this.find(".formula"));
    this.find("input").value = Math.floor(at);
    const steps = this.data.steps;
    const words = `step ${steps[Math.floor(at)]} of ${steps[this.last]}`;
    this.find("output").textContent = words;
    this.find("input").setAttribute("aria-valuetext", words);
    if (!this.timer) this.buttons();
  }
};
export {
  training_view_default as default
};
