// Panels of the training view. Each is made once and has draw(at), where `at` is a snapshot number that need not be
// whole: geometry moves evenly between two snapshots, numbers are always those of a real one.

const SVG = "http://www.w3.org/2000/svg";
const HIGH = 190;
let WIDE = 360; // of a panel, in its own pixels: measured before the panels are made

function svg(name, attributes = {}, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function html(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function between(rows, at) {
  const before = Math.floor(at);
  const share = at - before;
  const [a, b] = [rows[before], rows[Math.min(before + 1, rows.length - 1)]];
  return Array.isArray(a) ? a.map((value, i) => value + share * (b[i] - value)) : a + share * (b - a);
}

function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 0.0005) return "≈ 0";
  return value.toFixed(size >= 100 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3).replace("-", "−");
}

function signed(value) {
  return Math.abs(value) < 0.005 ? "0.00" : (value > 0 ? "+" : "−") + Math.abs(value).toFixed(2);
}

function frameOf(panel) {
  const box = html("section", `panel ${panel.kind}`);
  box.append(html("h4", "", panel.title));
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": panel.title });
  box.append(picture);
  return { box, picture };
}

// The state DAG: flow as width, imbalance as colour and number

function flowPanel(panel, select) {
  const { box, picture } = frameOf(panel);
  picture.setAttribute("role", "group");
  const spot = panel.places.map(([x, y]) => [30 + x * (WIDE - 60), HIGH * (0.46 + 1.1 * (y - 0.5))]);
  const most = Math.max(...panel.flow[panel.flow.length - 1], 1e-9);
  const edges = panel.edges.map(([from, to]) => {
    const [[x1, y1], [x2, y2]] = [spot[from], spot[to]];
    const bend = (x2 - x1) / 2;
    return svg("path", { class: "edge", d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` });
  });
  const states = panel.names.map((name, number) => stateBox(name, spot[number], () => select(number)));
  picture.append(...edges, ...states.map((state) => state.group));
  box.append(html("p", "key", "Pipe: flow. Number: residual, log in-flow − log out-flow. Dashed: never visited."));
  const draw = (at, chosen) => {
    const flow = between(panel.flow, at);
    const off = between(panel.residual, at);
    const now = Math.floor(at);
    edges.forEach((edge, i) => {
      edge.style.strokeWidth = `${0.8 + 15 * Math.min(1, flow[i] / most)}px`;
      edge.style.setProperty("--share", `${share(off[panel.edges[i][1]])}%`);
    });
    states.forEach(({ group, value }, i) => {
      const residual = panel.residual[now][i];
      group.style.setProperty("--share", `${share(off[i])}%`);
      group.classList.toggle("unseen", panel.visits[now][i] === 0);
      group.classList.toggle("level", Math.abs(residual) < 0.05);
      group.classList.toggle("chosen", i === chosen);
      group.setAttribute("aria-pressed", String(i === chosen));
      value.textContent = i === 0 ? "start" : Math.abs(residual) < 0.005 ? "✓ 0.00" : signed(residual);
      const about = `State ${panel.names[i]}: residual ${signed(residual)}, visited ${panel.visits[now][i]} times`;
      group.setAttribute("aria-label", about);
      group.firstChild.textContent = about;
    });
  };
  return { box, draw };
}

function share(residual) {
  return Math.round(100 * Math.min(1, Math.abs(residual) / 2));
}

function stateBox(name, [x, y], pick) {
  const group = svg("g", { class: "state", tabindex: "0", role: "button", transform: `translate(${x} ${y})` });
  const value = svg("text", { class: "off", y: 25 });
  group.append(svg("title"), svg("rect", { x: -26, y: -12, width: 52, height: 24, rx: 7 }));
  group.append(svg("text", { class: "name", y: 4 }, name), value);
  group.onclick = pick;
  group.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    pick();
  };
  return { group, value };
}

// In-flow and out-flow of one state, with its numbers

function formula(panel, state, now, place) {
  const sum = (pick, other) =>
    panel.edges
      .map((edge, i) => [edge, panel.flow[now][i]])
      .filter(([edge]) => edge[pick] === state)
      .map(([edge, flow]) => `${short(flow)} ${other === 0 ? "from" : "to"} ${panel.names[edge[other]]}`);
  place.replaceChildren(html("b", "", `${panel.names[state]}  `));
  const inward = sum(1, 0).join(" + ");
  const outward = [...sum(0, 1), `${short(panel.reward[state])} = R`].join(" + ");
  if (!inward) {
    place.append(`All water starts here, nothing flows in. Out: ${outward}, together ${short(panel.out_flow[now][state])}.`);
    return;
  }
  const off = panel.residual[now][state];
  place.append(`in: ${inward}, together ${short(panel.in_flow[now][state])} · `);
  place.append(`out: ${outward}, together ${short(panel.out_flow[now][state])} · `);
  place.append(html("span", Math.abs(off) < 0.05 ? "good" : "bad", `residual ${signed(off)}`));
  place.append(` · visited ${panel.visits[now][state].toLocaleString("en")} times`);
}

// A bar for each state, with a mark where it should end

function barsPanel(panel) {
  const { box, picture } = frameOf(panel);
  const most = Math.max(...panel.exact, ...panel.learned[panel.learned.length - 1], 0.05);
  const room = HIGH / panel.names.length;
  const left = 52;
  const length = (value) => (Math.min(value, most * 1.06) / (most * 1.06)) * (WIDE - left - 58);
  const rows = panel.names.map((name, i) => {
    const y = i * room;
    const bar = svg("rect", { class: "bar", x: left, y: y + room * 0.2, height: room * 0.6, rx: 2 });
    const value = svg("text", { class: "value", x: WIDE - 2, y: y + room * 0.5 + 4 });
    const end = left + length(panel.exact[i]);
    picture.append(svg("rect", { class: "track", x: left, y: y + room * 0.2, height: room * 0.6, width: WIDE - left - 58, rx: 2 }));
    picture.append(bar, svg("line", { class: "exact", x1: end, x2: end, y1: y + room * 0.08, y2: y + room * 0.92 }));
    picture.append(svg("text", { class: "name", x: left - 6, y: y + room * 0.5 + 4 }, name), value);
    return { bar, value };
  });
  box.append(html("p", "key", "Bar: learned so far. Upright mark: R / Z, where it should end."));
  const draw = (at) => {
    const learned = between(panel.learned, at);
    rows.forEach(({ bar, value }, i) => {
      bar.setAttribute("width", Math.max(0, length(learned[i])));
      value.textContent = `${(100 * panel.learned[Math.floor(at)][i]).toFixed(1)} %`;
    });
  };
  return { box, draw };
}

// Curves over the steps: what has been, and faintly what is to come

function linesPanel(panel, steps) {
  const { box, picture } = frameOf(panel);
  const [left, right, top, bottom] = [34, WIDE - 10, 8, HIGH - 20];
  const most = panel.top ?? Math.max(...panel.series.flatMap((one) => one.values)) * 1.05;
  const x = (step) => left + (step / steps[steps.length - 1]) * (right - left);
  const y = (value) => bottom - (Math.min(value, most) / most) * (bottom - top);
  for (const part of [0, 0.5, 1]) {
    picture.append(svg("line", { class: "grid", x1: left, x2: right, y1: y(part * most), y2: y(part * most) }));
    picture.append(svg("text", { class: "tick", x: left - 5, y: y(part * most) + 4 }, (part * most).toFixed(2)));
  }
  picture.append(svg("text", { class: "tick", x: left + 4, y: HIGH - 5 }, "0"));
  picture.append(svg("text", { class: "tick", x: right, y: HIGH - 5 }, `${steps[steps.length - 1]} steps`));
  const cursor = svg("line", { class: "cursor", y1: top, y2: bottom });
  const curves = panel.series.map((one) => {
    const points = one.values.map((value, i) => `${x(steps[i])},${y(value)}`);
    const ahead = svg("polyline", { class: `curve ahead ${one.mark}`, points: points.join(" ") });
    const line = svg("polyline", { class: `curve ${one.mark}` });
    const dot = svg("circle", { class: "dot", r: 4.5 });
    for (const part of [ahead, line, dot]) part.style.setProperty("--colour", one.colour);
    picture.append(ahead, line, dot);
    return { line, dot, points };
  });
  picture.append(cursor);
  const { key, values } = legend(panel.series);
  box.append(key);
  const draw = (at) => {
    const now = Math.floor(at);
    const step = between(steps, at);
    cursor.setAttribute("x1", x(step));
    cursor.setAttribute("x2", x(step));
    curves.forEach(({ line, dot, points }, i) => {
      const value = between(panel.series[i].values, at);
      line.setAttribute("points", [...points.slice(0, now + 1), `${x(step)},${y(value)}`].join(" "));
      dot.setAttribute("cx", x(step));
      dot.setAttribute("cy", y(value));
      values[i].textContent = short(panel.series[i].values[now]);
    });
  };
  return { box, draw };
}

function legend(all) {
  const key = html("ul", "legend");
  const values = all.map((one) => {
    const entry = html("li", `sign ${one.mark}`);
    entry.style.setProperty("--colour", one.colour);
    const value = html("b", "");
    entry.append(html("i", ""), html("span", "", one.name), value);
    key.append(entry);
    return value;
  });
  return { key, values };
}

// Learned values beside the true one, on one axis

function levelsPanel(panel) {
  const { box, picture } = frameOf(panel);
  const [left, right, top, bottom] = [40, WIDE - 6, 10, HIGH - 26];
  const all = [...panel.exact, ...panel.series.flatMap((one) => one.values.flat())];
  const [low, high] = [Math.floor(2 * Math.min(...all)) / 2 - 0.1, Math.ceil(2 * Math.max(...all)) / 2];
  const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const each = (right - left) / panel.names.length;
  const gap = (high - low) > 4 ? 1 : 0.5;
  for (let value = Math.ceil(low / gap) * gap; value <= high; value += gap) {
    picture.append(svg("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }));
    picture.append(svg("text", { class: "tick", x: left - 5, y: y(value) + 4 }, value.toFixed(1)));
  }
  panel.exact.forEach((value, i) => {
    const x = left + i * each;
    const width = Math.min(each * 0.8, 110);
    const from = x + (each - width) / 2;
    picture.append(svg("line", { class: "exact", x1: from, x2: from + width, y1: y(value), y2: y(value) }));
    picture.append(svg("text", { class: "name middle", x: x + each / 2, y: HIGH - 8 }, panel.names[i]));
  });
  const marks = panel.series.map((one, number) => {
    const made = one.mark === "level"
      ? [svg("line", { class: "through", x1: left, x2: right })]
      : panel.names.map((_, i) => {
          const x = left + (i + 0.5) * each + (number - (panel.series.length - 1) / 2) * Math.min(14, each / 5);
          return one.mark === "dot"
            ? svg("circle", { class: "dot", cx: x, r: 5 })
            : svg("rect", { class: "square", x: x - 4.5, width: 9, height: 9 });
        });
    for (const mark of made) mark.style.setProperty("--colour", one.colour);
    picture.append(...made);
    return made;
  });
  const { key, values } = legend([...panel.series, { name: "the truth", colour: "currentColor", mark: "truth" }]);
  box.append(key);
  const draw = (at) => {
    const now = Math.floor(at);
    panel.series.forEach((one, number) => {
      const learned = between(one.values, at);
      const worst = Math.max(...one.values[now].map((value, i) => Math.abs(value - panel.exact[i])));
      values[number].textContent = worst < 0.0005 ? "off by less than 0.0005" : `off by up to ${short(worst)}`;
      marks[number].forEach((mark, i) => {
        const place = y(learned[i]);
        if (one.mark === "level") ["y1", "y2"].forEach((name) => mark.setAttribute(name, place));
        else if (one.mark === "dot") mark.setAttribute("cy", place);
        else mark.setAttribute("y", place - 4.5);
      });
    });
  };
  return { box, draw };
}
