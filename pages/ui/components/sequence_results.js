// What was drawn: a table with bars, and how far off each set is against its number of orders.

import { el, put, svgEl } from "../../../assets/kit/dom.js";
import { percent } from "../../../assets/kit/numbers.js";

const COLUMNS = ["Set", "Orders", "Sampled (bar) and R/Z (line)", "Sampled", "R/Z", "Sampled ÷ R/Z"];
const PLOT = { width: 300, height: 166, left: 38, right: 14, top: 12, bottom: 36 };

export function buildTable(holder, data) {
  const heads = COLUMNS.map((name, i) => el("th", { scope: "col", class: i === 2 ? "bars" : null }, name));
  const rows = data.states.map(({ name }, state) =>
    el(
      "tr",
      { "data-state": state },
      el("th", { scope: "row" }, name),
      el("td", {}, String(data.orders[state])),
      el("td", { class: "bars" }, el("span", { class: "bar" }), el("span", { class: "goal" })),
      el("td"),
      el("td"),
      el("td", { class: "times" }),
    ),
  );
  holder.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows)));
  return rows;
}

export function updateTable(rows, data) {
  const most = 1.05 * Math.max(...data.frequency, ...data.target);
  rows.forEach((row, i) => {
    const [, , bar, drawn, goal, times] = row.children;
    bar.children[0].style.width = `${(100 * data.frequency[i]) / most}%`;
    bar.children[1].style.left = `${(100 * data.target[i]) / most}%`;
    drawn.textContent = percent(data.frequency[i], 1);
    goal.textContent = percent(data.target[i], 1);
    times.textContent = `× ${data.factor[i].toFixed(2)}`;
  });
}

function plotScale(data) {
  const orders = Math.max(...data.orders);
  const most = Math.ceil(2.2 * data.highest) / 2;
  const { width, height, left, right, top, bottom } = PLOT;
  return {
    orders,
    most,
    x: (k) => left + (k / (orders + 0.4)) * (width - left - right),
    y: (value) => height - bottom - (Math.min(value, most) / most) * (height - top - bottom),
  };
}

function axes(svg, { orders, most, x, y }) {
  const { width, height, left, right, bottom, top } = PLOT;
  const line = (name, d) => svg.append(svgEl("path", { class: name, d }));
  const write = (text, px, py, anchor) => svg.append(svgEl("text", { x: px, y: py, "text-anchor": anchor }, text));
  line("axis", `M${left},${top} V${height - bottom} H${width - right}`);
  for (let k = 1; k <= orders; k += 1) write(String(k), x(k), height - bottom + 15, "middle");
  for (let value = 0; value <= most; value += most > 2 ? 1 : 0.5) write(String(value), left - 6, y(value) + 4, "end");
  write("orders k", (left + width - right) / 2, height - 6, "middle");
  line("right", `M${left},${y(1)} H${width - right}`);
  write("right: 1", left + 5, y(1) - 6, "start");
}

// The axes, and a point for each set; the name where no other set has as many orders.
export function buildPlot(holder, data) {
  const scale = plotScale(data);
  const svg = svgEl("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img" });
  axes(svg, scale);
  const line = svgEl("path", { class: "expected" });
  const points = data.states.map(({ name }, state) => {
    const alone = data.orders.filter((k) => k === data.orders[state]).length === 1;
    const label = alone ? [svgEl("text", { x: -7, y: -6, "text-anchor": "end" }, name)] : [];
    return svgEl("g", { class: "point", "data-state": state }, svgEl("circle", { r: 4.5 }), ...label);
  });
  svg.append(line, ...points);
  holder.replaceChildren(el("figcaption", {}, "Sampled ÷ R/Z, against orders"), svg);
  return { svg, scale, line, points, highest: data.highest };
}

export function updatePlot({ svg, scale, line, points }, data) {
  const { x, y, orders } = scale;
  const end = data.expectedFactor[data.orders.indexOf(orders)];
  put(line, "d", `M${x(0)},${y(data.merged ? end : 0)} L${x(orders)},${y(end)}`);
  points.forEach((point, i) => {
    point.style.transform = `translate(${x(data.orders[i])}px, ${y(data.factor[i])}px)`;
  });
  const told = data.merged ? "It stays at 1, however many orders a set has." : "It grows with the number of orders.";
  put(svg, "aria-label", `Frequency divided by R over Z, against the number of orders. ${told}`);
}
