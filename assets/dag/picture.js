// The DOM of a state DAG: `build` makes it, `draw` gives it its numbers.

import { putAll, svgEl } from "../kit/dom.js";
import { percent, plural } from "../kit/numbers.js";
import { centre, ports, spine, thumbnail } from "./drawing.js";
import { buildSlider, drawReward } from "./slider.js";

export function build(view) {
  const { data, size } = view;
  const { picture } = data;
  const svg = svgEl("svg", { width: size.width, height: size.height, viewBox: `0 0 ${size.width} ${size.height}` });
  const what = `State DAG: ${picture.num_states} states in columns by size, the start on the left.`;
  putAll(svg, { role: "group", "aria-label": what });
  for (let k = 0; k < size.columns; k += 1) {
    const text = size.across > 70 ? plural(k + 1, "node") : String(k + 1);
    svg.append(word(text, "size word", { x: size.across * (k + 0.5), y: 13 }));
  }
  const water = svgEl("g");
  const links = picture.links.map((link) => svgEl("path", { class: link.flow === null ? "link bare" : "link" }));
  water.append(...links);
  const streams = size.roomy ? picture.links.map(() => svgEl("path", { class: "stream" })) : [];
  const added = size.roomy ? picture.links.map((link) => word(link.node ? `+${link.node}` : "", "added")) : [];
  const boxes = picture.boxes.map((box) => buildBox(view, box));
  boxes[0].group.tabIndex = 0; // the others are reached by arrow keys
  svg.append(water, svgEl("g", { "aria-hidden": "true" }, ...streams, ...added), ...boxes.map((box) => box.group));
  view.parts = { links, streams, added, boxes };
  return svg;
}

const word = (text, name, at = {}) => svgEl("text", { class: name, ...at }, text);

function buildBox(view, box) {
  const { data, size } = view;
  const [x, y] = centre(box, size);
  const group = svgEl("g", { class: box.id < 0 ? "state rest" : "state", role: "button", tabindex: -1 });
  putAll(group, { transform: `translate(${x} ${y})` });
  const [w, h] = [size.boxW, size.boxH];
  const drain = svgEl("rect", { class: "drain", y: h / 2, height: 6 });
  const frame = { x: -w / 2, y: -h / 2, width: w, height: h, rx: size.roomy ? 9 : 6 };
  group.append(drain);
  if (box.count > 1) group.append(svgEl("rect", { ...frame, x: frame.x + 3, y: frame.y - 3, class: "behind" }));
  group.append(svgEl("rect", { ...frame, class: "card" }));
  const named = size.roomy && data.picture.named && box.id >= 0;
  if (box.id < 0) group.append(word(size.boxW > 60 ? box.name : `+${box.count}`, "word", { y: 4 }));
  else {
    const picture = thumbnail(data.picture, box.nodes, w - 8, named ? h - 20 : h - 6, size.roomy ? 3 : 1.9);
    if (named) picture.setAttribute("transform", "translate(0 -8)");
    group.append(picture);
  }
  if (named) group.append(word(box.name, "name", { y: h / 2 - 6 }));
  const parts = { group, drain };
  const top = h / 2 + 6;
  if (box.stop !== null) {
    const bar = { x: -w / 2, y: size.roomy ? top : h / 2 + 2, height: size.roomy ? 6 : 4, rx: 2 };
    parts.fill = svgEl("rect", { ...bar, class: "ends" });
    parts.wanted = svgEl("rect", { y: bar.y - 2, width: 2, height: bar.height + 4, class: "wanted" });
    group.append(svgEl("rect", { ...bar, width: w, class: "groove" }), parts.fill, parts.wanted);
  }
  if (size.roomy && box.stop !== null) {
    parts.text = word("", "percent", { y: top + 20 + (data.draggable ? 17 : 0) });
    group.append(parts.text);
  }
  listen(view, group, box);
  if (data.draggable && box.id >= 0 && size.roomy) {
    parts.slider = buildSlider(view, box, top + 17);
    group.append(parts.slider.group);
  }
  return parts;
}

function listen(view, group, box) {
  const { boxes } = view.data.picture;
  group.addEventListener("pointerover", (event) => {
    if (view.held === null && !event.target.closest(".slider")) view.tell(current(view, box));
  });
  group.addEventListener("pointerleave", () => view.held === null && view.tell(null));
  group.addEventListener("focus", () => group.matches(":focus-visible") && view.tell(current(view, box)));
  group.addEventListener("blur", () => view.tell(null));
  group.addEventListener("click", (event) => !event.target.closest(".slider") && view.choose(current(view, box)));
  group.addEventListener("keydown", (event) => {
    if (event.target !== group) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      view.choose(current(view, box));
      return;
    }
    const next = neighbour(boxes, box, event.key);
    if (!next) return;
    event.preventDefault();
    group.tabIndex = -1;
    const other = view.parts.boxes[boxes.indexOf(next)].group;
    other.tabIndex = 0;
    other.focus();
  });
}

export const current = (view, box) => view.data.picture.boxes.find((other) => other.id === box.id) ?? box;

function neighbour(boxes, box, key) {
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const upwards = { ArrowUp: -1, ArrowDown: 1 }[key];
  const nearest = (some) => some.sort((a, b) => Math.abs(a.row - box.row) - Math.abs(b.row - box.row))[0];
  if (sideways) return nearest(boxes.filter((other) => other.column === box.column + sideways));
  const same = boxes.filter((other) => other.column === box.column);
  if (upwards) return nearest(same.filter((other) => Math.sign(other.row - box.row) === upwards));
  return null;
}

export function draw(view) {
  const { parts, size, shown, data } = view;
  const ends = ports(data.picture, shown.flows, size);
  const most = size.roomy ? 1 : Math.max(...shown.stop, ...shown.target, 1e-9); // a full bar
  ends.forEach((end, k) => {
    const d = spine(end);
    const follows = parts.links[k].classList.contains("path");
    putAll(parts.links[k], { d, "stroke-width": Math.max(end.thick, follows ? 2.6 : 0) });
    if (!size.roomy) return;
    putAll(parts.streams[k], { d, "stroke-width": Math.min(4, end.thick * 0.45) });
    putAll(parts.streams[k], { visibility: end.thick > 3 ? "visible" : "hidden" });
    parts.added[k].classList.toggle("inside", end.thick > 13);
    putAll(parts.added[k], { x: (end.from[0] + end.to[0]) / 2, y: (end.from[1] + end.to[1]) / 2 + 4 });
  });
  data.picture.boxes.forEach((box, k) => {
    const { drain, fill, wanted } = parts.boxes[k];
    const stop = shown.stop[k];
    const wide = stop === null || shown.flows[0] === null ? 0 : Math.max(0, stop * size.pipe);
    putAll(drain, { x: -wide / 2, width: wide < 0.7 ? 0 : wide });
    if (stop !== null) {
      const target = shown.target[k];
      putAll(fill, { width: (size.boxW * stop) / most });
      putAll(wanted, { x: (size.boxW * (target ?? 0)) / most - size.boxW / 2 - 1 });
      putAll(wanted, { visibility: target === null || target < most / 100 ? "hidden" : "visible" });
    }
    drawReward(view, k);
    putAll(parts.boxes[k].group, { "aria-label": sentence(box, stop, shown.target[k]) });
  });
}

const stateName = (box) => `State ${box.name}, ${plural(box.nodes.length, "node")}`;

function sentence(box, stop, target) {
  const what = box.id < 0 ? `${plural(box.count, "more state")} from ${plural(box.size, "node")} on` : stateName(box);
  const ends = stop === null ? "" : `, stops here with ${percent(stop)}`;
  return `${what}${ends}${target === null ? "" : `, R over Z ${percent(target)}`}`;
}
