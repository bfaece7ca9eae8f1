// Panels of the training view. Each is made once and has draw(at), where `at` is a snapshot number that need not be
// whole: geometry moves evenly between two snapshots, numbers are always those of a real one.

import { el, put, putAll, svgEl } from "../../../assets/kit/dom.js";
import { percent, plusMinus, steady, thousands } from "../../../assets/kit/numbers.js";
import { between, curve } from "../../../assets/kit/paths.js";

const HIGH = 164;

// A list of snapshots at a number that need not be whole.
function snapshot(rows, at) {
  const before = Math.floor(at);
  return between(rows[before], rows[Math.min(before + 1, rows.length - 1)], at - before);
}

function frameOf({ kind, title }, wide, role = "img") {
  const picture = svgEl("svg", { viewBox: `0 0 ${wide} ${HIGH}`, role, "aria-label": title });
  return { box: el("section", { class: `panel ${kind}` }, el("h4", {}, title), picture), picture };
}

const times = (count) => `${thousands(count)} ${count === 1 ? "time" : "times"}`;

const key = (text) => el("p", { class: "key" }, text);

// The state DAG: flow as width, imbalance as colour and number

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
      value.textContent = i === 0 ? "start" : Math.abs(residual) < 0.005 ? "✓ 0.00" : plusMinus(residual);
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
    value,
  );
  group.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    pick();
  };
  return { group, value };
}

// In-flow and out-flow of one state, with its numbers

export function formula(panel, state, now, place) {
  const sum = (pick, other) =>
    panel.edges
      .map((edge, i) => [edge, panel.flow[now][i]])
      .filter(([edge]) => edge[pick] === state)
      .map(([edge, flow]) => `${steady(flow)} ${other === 0 ? "from" : "to"} ${panel.names[edge[other]]}`);
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
    ` · visited ${times(panel.visits[now][state])}`,
  );
}

// A bar for each state, with a mark where it should end

function barsPanel(panel, { wide }) {
  const { box, picture } = frameOf(panel, wide);
  const most = Math.max(...panel.exact, ...panel.learned[panel.learned.length - 1], 0.05);
  const room = HIGH / panel.names.length;
  const left = 52;
  const length = (value) => (Math.min(value, most * 1.06) / (most * 1.06)) * (wide - left - 58);
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
      value,
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

// Curves over the steps: what has been, and faintly what is to come

function linesPanel(panel, { wide, steps }) {
  const { box, picture } = frameOf(panel, wide);
  const [left, right, top, bottom] = [34, wide - 10, 8, HIGH - 20];
  const most = panel.top ?? Math.max(...panel.series.flatMap((one) => one.values)) * 1.05;
  const x = (step) => left + (step / steps[steps.length - 1]) * (right - left);
  const y = (value) => bottom - (Math.min(value, most) / most) * (bottom - top);
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
  const entries = all.map(({ name, colour, mark }, i) =>
    el("li", { class: `sign ${mark}`, style: `--colour: ${colour}` }, el("i"), el("span", {}, name), values[i]),
  );
  return { list: el("ul", { class: "legend" }, ...entries), values };
}

// Learned values beside the true one, on one axis

function levelsPanel(panel, { wide }) {
  const { box, picture } = frameOf(panel, wide);
  const [left, right, top, bottom] = [40, wide - 6, 10, HIGH - 26];
  const all = [...panel.exact, ...panel.series.flatMap((one) => one.values.flat())];
  const [low, high] = [Math.floor(2 * Math.min(...all)) / 2 - 0.1, Math.ceil(2 * Math.max(...all)) / 2];
  const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const each = (right - left) / panel.names.length;
  const gap = (high - low) > 4 ? 1 : 0.5;
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
    const made = one.mark === "level"
      ? [svgEl("line", { class: "through", x1: left, x2: right })]
      : panel.names.map((_, i) => {
          const x = left + (i + 0.5) * each + (number - (panel.series.length - 1) / 2) * Math.min(14, each / 5);
          return one.mark === "dot"
            ? svgEl("circle", { class: "dot", cx: x, r: 5 })
            : svgEl("rect", { class: "square", x: x - 4.5, width: 9, height: 9 });
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
      values[number].textContent = worst < 0.0005 ? "off by less than 0.0005" : `off by up to ${steady(worst)}`;
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

// By kind; each is made from its data and { wide, steps, choose }.
export const MAKERS = { flow: flowPanel, bars: barsPanel, lines: linesPanel, levels: levelsPanel };
