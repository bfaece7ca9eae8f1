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

// assets/kit/numbers.js
var MINUS = "−";
var SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
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

// assets/kit/paths.js
function curve([x0, y0], [x1, y1]) {
  const middle = (x0 + x1) / 2;
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}

// pages/ui/components/hand_view.js
var HIGH = 232;
var WIDEST = 720;
var PIXELS = 16;
var PIPE = 3.4;
function hand_view_default(component) {
  const { data: [data], parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".hand");
  root.report = (flows) => setStateValue("flows", flows);
  const shape = JSON.stringify({ ...data, flows: 0 });
  if (root.shape !== shape) {
    root.shape = shape;
    root.wide = Math.max(340, Math.min(WIDEST, root.clientWidth || WIDEST));
    root.pipes = build(root, data);
    root.flows = null;
  }
  if (!root.dragging && JSON.stringify(data.flows) !== JSON.stringify(root.flows)) {
    root.flows = [...data.flows];
    draw(root, data);
  }
}
function card(x, y, name, className = "") {
  const group = svgEl("g", { class: `card ${className}`, transform: `translate(${x} ${y})` });
  group.append(svgEl("rect", { x: -30, y: -17, width: 60, height: 34, rx: 9 }), svgEl("text", { y: 5 }, name));
  return group;
}
function build(root, data) {
  const { wide } = root;
  const about = { role: "group", "aria-label": `Flows around ${data.state}` };
  const picture = svgEl("svg", { viewBox: `0 0 ${wide} ${HIGH}`, ...about });
  const rows = (count, i) => 46 + (count > 1 ? i * 116 / (count - 1) : 58);
  const middle = [wide / 2, 104];
  const cards = [];
  const pipes = [];
  const add = (from, to, label, className) => {
    const pipe = svgEl("path", { class: `pipe ${className}`, d: curve(from, to) });
    picture.append(pipe);
    pipes.push({ pipe, label, at: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2] });
  };
  data.parents.forEach((name, i) => {
    const from = [34, rows(data.parents.length, i)];
    add(from, middle, `from ${name} to ${data.state}`, "in");
    cards.push(card(...from, name));
  });
  data.children.forEach((name, i) => {
    const to = [wide - 34, rows(data.children.length + 1, i)];
    add(middle, to, `from ${data.state} to ${name}`, "out");
    cards.push(card(...to, name));
  });
  const stop = [wide - 34, rows(data.children.length + 1, data.children.length)];
  add(middle, stop, "", "stop");
  const drain = pipes.pop();
  drain.pipe.style.strokeWidth = `${PIPE * data.reward}px`;
  cards.push(card(...stop, "STOP", "stop"), card(...middle, data.state, "own"));
  const fixed = { class: "fixed", x: drain.at[0], y: drain.at[1] + 5 };
  picture.append(...cards, svgEl("text", fixed, `R = ${plain(data.reward)}`));
  pipes.forEach((one, number) => {
    one.grip = grip(root, data, number, one);
    picture.append(one.grip.group);
  });
  root.gauge = ["in", "out"].map((name, i) => gauge(picture, wide / 2, name, HIGH - 34 + 18 * i));
  root.querySelector(".stage").replaceChildren(picture);
  return pipes;
}
function gauge(picture, middle, name, y) {
  const bar = svgEl("rect", { class: `sum ${name}`, x: middle - 120, y, height: 12, rx: 3 });
  const value = svgEl("text", { class: "total", y: y + 11 });
  picture.append(svgEl("text", { class: "side", x: middle - 128, y: y + 11 }, name), bar, value);
  return { bar, value };
}
function grip(root, data, number, { label, at }) {
  const group = svgEl("g", { class: "grip", transform: `translate(${at[0]} ${at[1]})` });
  const value = svgEl("text", { y: 5 });
  group.append(svgEl("rect", { x: -31, y: -16, width: 62, height: 32, rx: 16 }), value);
  if (data.fixed) return { group, value };
  putAll(group, { role: "slider", tabindex: 0, "aria-label": `Flow ${label}` });
  putAll(group, { "aria-valuemin": data.step, "aria-valuemax": data.most });
  const set = (wanted) => {
    const steps = Math.round(Math.min(data.most, Math.max(data.step, wanted)) / data.step);
    root.flows[number] = Number((steps * data.step).toFixed(6));
    draw(root, data);
  };
  const tell = () => root.report([...root.flows]);
  group.onpointerdown = (event) => {
    group.setPointerCapture(event.pointerId);
    group.focus();
    root.dragging = { x: event.clientX, y: event.clientY, from: root.flows[number] };
  };
  group.onpointermove = (event) => {
    const held = root.dragging;
    if (held) set(held.from + (event.clientX - held.x - (event.clientY - held.y)) / PIXELS);
  };
  group.onpointerup = group.onpointercancel = () => {
    root.dragging = null;
    tell();
  };
  group.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 4, PageDown: -4 }[event.key];
    if (!by && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    if (by) set(root.flows[number] + by * data.step);
    else set(event.key === "Home" ? data.step : data.most);
    clearTimeout(root.telling);
    root.telling = setTimeout(tell, 300);
  };
  return { group, value };
}
function draw(root, data) {
  const count = data.parents.length;
  const [inward, outward] = [root.flows.slice(0, count), [...root.flows.slice(count), data.reward]];
  const [into, out] = [inward, outward].map((flows) => flows.reduce((sum, flow) => sum + flow, 0));
  root.pipes.forEach(({ pipe, grip: held }, i) => {
    pipe.style.strokeWidth = `${PIPE * root.flows[i]}px`;
    held.value.textContent = data.fixed ? plain(root.flows[i]) : `‹  ${plain(root.flows[i])}  ›`;
    put(held.group, "aria-valuenow", root.flows[i]);
  });
  const scale = 240 / Math.max(into, out, data.most + data.reward);
  [into, out].forEach((sum, i) => {
    put(root.gauge[i].bar, "width", sum * scale);
    put(root.gauge[i].value, "x", root.wide / 2 - 114 + sum * scale);
    root.gauge[i].value.textContent = plain(sum);
  });
  const off = Math.log(into) - Math.log(out);
  const even = Math.abs(into - out) < 1e-9;
  root.classList.toggle("even", even);
  const plus = (flows) => flows.map(plain).join(" + ");
  root.querySelector(".formula").replaceChildren(
    `residual = log(${plus(inward)}) − log(${plus(outward)}) = log ${plain(into)} − log ${plain(out)} = `,
    el("b", {}, even ? "0: balanced" : plusMinus(off))
  );
}
export {
  hand_view_default as default
};
