// One state: pipes in, pipes out. A pipe's grip is a slider; the sums and the residual follow at once.

import { el, put, putAll, svgEl } from "../../../assets/kit/dom.js";
import { plain, plusMinus } from "../../../assets/kit/numbers.js";
import { curve } from "../../../assets/kit/paths.js";

const HIGH = 232;
const WIDEST = 720; // as much as there is room for, so that numbers are large enough to touch
const PIXELS = 16; // to drag for one unit of flow
const PIPE = 3.4; // width of one unit of flow

export default function (component) {
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
  const rows = (count, i) => 46 + (count > 1 ? (i * 116) / (count - 1) : 58);
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
  group.onpointerup = group.onpointercancel = () => { root.dragging = null; tell(); };
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
    el("b", {}, even ? "0: balanced" : plusMinus(off)),
  );
}
