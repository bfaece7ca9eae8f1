// The board: a head for each lane, and all views of one or two lanes beside one another; on a phone one view at a time.

import { el, onTouch, put, setText } from "../kit/dom.js";
import { createTabs } from "../kit/keys.js";
import { signed, steady } from "../kit/numbers.js";
import { selectionWords } from "../state_graph/words.js";
import { createCurves } from "./curves.js";
import { createGraphPanel, createStatesPanel } from "./panel.js";
import { createStops } from "./stops.js";

const VIEWS = [
  ["dag", "States", createStatesPanel],
  ["stop", "P(stop)", createStops],
  ["graph", "Graph", createGraphPanel],
];
const HINT = "Point at a state or a node: it lights up in all views. A click pins it, Escape releases it.";
const TOUCH_HINT = "Tap a state or a node: it lights up in all views. Tap again to release it.";

// `only` names the views that are wanted besides the curves, null for all; `bare` says that there is no graph to show.
export function createBoard(count, { hub, colours, redraw, goTo, choose, only, bare }) {
  const heads = Array.from({ length: count }, (_, lane) => createHead(lane, count));
  const wanted = VIEWS.filter(([name]) => (only?.includes(name) ?? true) && !(bare && name === "graph"));
  const views = wanted.flatMap(([, , create]) =>
    heads.map((_, lane) => create({ lane, hub, colours, redraw })),
  );
  const curves = createCurves({ redraw, goTo });
  const names = [...wanted.map(([name, title]) => [name, title]), ["curves", "Curves"]];
  const tabs = createTabs("View", names, choose);
  const panels = [...views.map(({ panel }) => panel), curves.panel];
  const kind = `board lanes-${count}${only ? " some" : ""}${bare ? " bare" : ""}`;
  const board = el("div", { class: kind }, ...panels.map(({ element }) => element));
  const top = el("div", { class: "heads" }, ...heads.map((head) => head.element));
  const element = el("div", {}, top, tabs.element, board);

  // On a phone and in present mode this view is seen; elsewhere all are.
  function open(name) {
    const known = names.some(([each]) => each === name) ? name : names[0][0];
    for (const panel of panels) panel.element.classList.toggle("open", panel.name === known);
    tabs.select(known);
    return known;
  }

  function build(lanes) {
    curves.build(lanes);
    for (const { panel, ...view } of views) {
      if (count > 1) panel.belongTo(lanes[panel.lane].name);
      view.build?.(lanes[panel.lane]);
    }
  }
  function draw(moments, lanes, { step, playing }) {
    heads.forEach((head, lane) => head.draw(lanes[lane], moments[lane], { lit: hub.lit, playing }));
    for (const view of views) if (view.panel.onScreen) view.draw(moments[view.panel.lane], moments);
    if (curves.panel.onScreen) curves.draw(moments, step);
  }
  const destroy = () => panels.forEach((panel) => panel.destroy());
  return { element, open, build, draw, destroy };
}

function createHead(lane, count) {
  const name = el("h2");
  const figures = el("p", { class: "figures" });
  const about = el("p", { class: "about", "aria-live": "polite" });
  const end = el("p", { class: "end" });
  const sign = count > 1 ? [el("i", { class: `sign lane-${lane}`, "aria-hidden": "true" })] : [];
  const element = el("div", { class: "head" }, el("div", { class: "name" }, ...sign, name, figures, end), about);

  function draw({ name: title, end: says, frames }, moment, { lit, playing }) {
    put(about, "aria-live", playing ? "off" : "polite"); // nobody wants to hear numbers that run
    setText(name, title);
    setText(figures, moment ? figuresOf(moment) : "waiting for the first frame …");
    const over = moment && moment.number === frames.length - 1;
    setText(end, says && over ? says : "");
    setText(about, !moment || !lit ? (lane ? "" : onTouch() ? TOUCH_HINT : HINT) : selectionWords(moment, lit));
    about.classList.toggle("resting", !moment || !lit);
  }
  return { element, draw };
}

function figuresOf(moment) {
  const [far, z] = ["total_variation", "log_z"].map((name) => moment.get(name));
  const parts = [];
  if (far !== null) parts.push(`total variation ${steady(far)}`);
  const truth = moment.scene.log_z;
  if (z !== null) parts.push(truth === null ? `log Z ${signed(z)}` : `log Z ${signed(z)}, true ${signed(truth)}`);
  return parts.join(" · ");
}
