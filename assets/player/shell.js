// The player's frame: graph, caption, controls and legend on the left, the panels in tabs on the right.

import { el, put, setText } from "../kit/dom.js";
import { createTabs } from "../kit/keys.js";
import { percent, signed } from "../kit/numbers.js";
import { createAnswerPanel, createHeadline } from "./answer.js";
import { createGauge } from "./bars.js";
import { createControls } from "./controls.js";
import { createFlowPanel } from "./flow.js";
import { createCutsPanel } from "./matrix.js";
import { ICONS, button, zoomTools } from "./parts.js";
import { createRewardPanel } from "./reward.js";
import { createLegend } from "./roles.js";

const TABS = [
  ["answer", "Answer"],
  ["states", "States"],
  ["flow", "Flows"],
  ["cuts", "Cut vertices"],
  ["reward", "Reward"],
];

export function createShell(act, states) {
  const shell = {
    headline: createHeadline(act),
    stage: el("div", { class: "stage" }),
    stopChip: el("button", { type: "button", class: "stop-chip", onclick: () => act.take(null) }),
    instead: el("button", { type: "button", class: "instead", hidden: true, onclick: () => act.explain() }),
    holding: el("span", { class: "holding", hidden: true }, "paused while you look"),
    caption: el("p", { class: "caption" }),
    live: el("p", { class: "unseen", "aria-live": "polite" }),
    controls: createControls(act),
    legend: createLegend(),
    gauge: createGauge(),
    panels: {
      answer: createAnswerPanel(),
      ...(states ? { states } : {}),
      flow: createFlowPanel(),
      cuts: createCutsPanel(),
      reward: createRewardPanel(),
    },
  };
  shell.partButton = button("Show what matters", ICONS.part, act.part, { class: "part" });
  const tools = zoomTools(act.zoom, act.fit, shell.partButton);
  const shown = TABS.filter(([name]) => shell.panels[name]);
  shell.tabs = createTabs("Details", shown, act.openTab);
  for (const tab of shell.tabs.tabs) tab.classList.add("tab", `tab-${tab.dataset.tab}`);
  shell.bodies = shown.map(([name, text]) => {
    const body = { class: "tab-body", role: "tabpanel", "aria-label": text, tabindex: 0 };
    return el("div", body, shell.panels[name].element);
  });
  shell.side = el("div", { class: "side" }, shell.gauge.element, shell.tabs.element, ...shell.bodies);
  // Where there is no room for both beside one another, one sees the graph or the states.
  shell.views = el(
    "div",
    { class: "views", role: "group", "aria-label": "View" },
    el("button", { type: "button", "data-view": "graph", onclick: () => act.seeGraph() }, "Graph"),
    el("button", { type: "button", "data-view": "states", onclick: () => act.openTab("states") }, "States"),
  );
  const { headline, views, stage, stopChip, instead, holding } = shell;
  const { caption, controls, legend, side, live } = shell;
  shell.view = el("div", { class: "stage-frame" }, stage, tools, stopChip, instead, holding);
  const parts = [headline.element, views, shell.view, caption, controls.element, legend.element, side];
  const frame = el("div", { class: "frame" }, ...parts);
  const root = { class: "kit player", tabindex: 0, role: "region", "aria-label": "Trajectory player" };
  shell.root = el("div", root, frame, live);
  return shell;
}

// STOP is an action like the others; it stands in the corner of the graph.
export function showStop(chip, { step, mode }, { open, chosen }) {
  const ended = mode === "end";
  chip.hidden = mode === "answer";
  chip.disabled = !open || ended;
  chip.classList.toggle("chosen", ended || chosen);
  setText(chip, ended ? "STOPPED" : `STOP ${percent(step.stop.probability)}`);
  const flow = `π = ${percent(step.stop.probability)}, log F = ${signed(step.stop.log_flow)}`;
  const only = step.stop.forced ? "; it is the only action left" : "";
  put(chip, "data-tip", ended ? "The policy stopped here" : `STOP ends the trajectory here: ${flow}${only}`);
}
