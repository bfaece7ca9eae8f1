// What was drawn: a table with bars, and how far off each set is against its number of orders.

const COLUMNS = ["Set", "Orders", "Drawn (bar) and R/Z (line)", "Drawn", "R/Z", "Drawn ÷ R/Z"];
const PLOT = { width: 300, height: 212, left: 38, right: 14, top: 12, bottom: 36 };

function html(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const percent = (value) => `${(100 * value).toFixed(1)} %`;

function buildTable(holder, data) {
  const table = html("table");
  const head = html("tr");
  COLUMNS.forEach((name, i) => {
    const cell = html("th", i === 2 ? "bars" : "", name);
    cell.scope = "col";
    head.append(cell);
  });
  const rows = data.states.map(({ name }, state) => {
    const row = html("tr");
    row.dataset.state = state;
    const first = html("th", "", name);
    first.scope = "row";
    const bar = html("td", "bars");
    bar.append(html("span", "bar"), html("span", "goal"));
    row.append(first, html("td", "", String(data.orders[state])), bar, html("td"), html("td"), html("td", "times"));
    return row;
  });
  const body = html("tbody");
  body.append(...rows);
  const top = html("thead");
  top.append(head);
  table.append(top, body);
  holder.replaceChildren(table);
  return rows;
}

function updateTable(rows, data) {
  const most = 1.05 * Math.max(...data.frequency, ...data.target);
  rows.forEach((row, i) => {
    const [, , bar, drawn, goal, times] = row.children;
    bar.children[0].style.width = `${(100 * data.frequency[i]) / most}%`;
    bar.children[1].style.left = `${(100 * data.target[i]) / most}%`;
    drawn.textContent = percent(data.frequency[i]);
    goal.textContent = percent(data.target[i]);
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
  svg.append(draw("path", { d: `M${left},${top} V${height - bottom} H${width - right}` }, "axis"));
  for (let k = 1; k <= orders; k += 1) {
    svg.append(write(draw("text", { x: x(k), y: height - bottom + 15, "text-anchor": "middle" }), k));
  }
  for (let value = 0; value <= most; value += most > 2 ? 1 : 0.5) {
    svg.append(write(draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }), value));
  }
  svg.append(write(draw("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }), "orders k"));
  svg.append(draw("path", { d: `M${left},${y(1)} H${width - right}` }, "right"));
  svg.append(write(draw("text", { x: left + 5, y: y(1) - 6 }), "right: 1"));
}

// The axes, and a point for each set; the name where no other set has as many orders.
function buildPlot(holder, data) {
  const scale = plotScale(data);
  const svg = draw("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img" });
  axes(svg, scale);
  const line = svg.appendChild(draw("path", {}, "expected"));
  const points = data.states.map(({ name }, state) => {
    const point = draw("g", { "data-state": state }, "point");
    point.append(draw("circle", { r: 4.5 }));
    const alone = data.orders.filter((k) => k === data.orders[state]).length === 1;
    if (alone) point.append(write(draw("text", { x: -7, y: -6, "text-anchor": "end" }), name));
    svg.append(point);
    return point;
  });
  holder.replaceChildren(html("figcaption", "", "Drawn ÷ R/Z, against orders"), svg);
  return { svg, scale, line, points, highest: data.highest };
}

function updatePlot({ svg, scale, line, points }, data) {
  const { x, y, orders } = scale;
  const end = data.expectedFactor[data.orders.indexOf(orders)];
  line.setAttribute("d", `M${x(0)},${y(data.merged ? end : 0)} L${x(orders)},${y(end)}`);
  points.forEach((point, i) => {
    point.style.transform = `translate(${x(data.orders[i])}px, ${y(data.factor[i])}px)`;
  });
  const told = data.merged ? "It stays at 1, however many orders a set has." : "It grows with the number of orders.";
  svg.setAttribute("aria-label", `Frequency divided by R over Z, against the number of orders. ${told}`);
}
