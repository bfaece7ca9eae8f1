// Rows with a name, a bar and a number, as the flow and the policy panels use them.

import { el, put, setText } from "../kit/dom.js";
import { logSum } from "../kit/numbers.js";

export const LONGEST = 8; // actions shown one by one; the others are summed in one row

// The actions of a state, strongest first: frontier nodes, one row for all that do not fit, and STOP.
export function actionRows(story, step) {
  const sorted = [...step.frontier].sort((a, b) => b.log_flow - a.log_flow || a.node - b.node);
  const shown = sorted.slice(0, LONGEST);
  const chosen = sorted.findIndex(({ node }) => node === step.chosen);
  if (chosen >= LONGEST) shown[LONGEST - 1] = sorted[chosen];
  const rest = sorted.filter((action) => !shown.includes(action));
  const beside = new Map(step.frontier.map(({ node }, index) => [node, step.other?.frontier[index] ?? null]));
  const rows = shown.map(({ node, log_flow, probability }) => ({
    key: node,
    kind: "frontier",
    name: story.name(node),
    nodes: [node],
    log_flow,
    probability,
    other: beside.get(node), // what the other kind of flows gives it, null if that is not known
    chosen: node === step.chosen,
  }));
  if (rest.length) {
    rows.push({
      key: "rest",
      kind: "rest",
      what: "frontier nodes",
      name: `and ${rest.length} more`,
      nodes: rest.map(({ node }) => node),
      log_flow: logSum(rest.map(({ log_flow }) => log_flow)),
      probability: rest.reduce((sum, { probability }) => sum + probability, 0),
      other: step.other ? rest.reduce((sum, { node }) => sum + beside.get(node), 0) : null,
    });
  }
  const { log_flow, probability, forced } = step.stop;
  rows.push({
    key: "stop",
    kind: "stop",
    name: "STOP",
    nodes: [],
    log_flow,
    probability,
    other: step.other?.stop ?? null,
    forced,
    chosen: step.chosen === null && story.end !== null,
  });
  return rows;
}

// Something above zero stays visible as a hairline.
export function setBar(track, share) {
  const length = (share > 0 ? Math.min(1, Math.max(share, 0.006)) : 0).toFixed(4);
  const { style } = track.firstChild;
  if (style.getPropertyValue("--share") !== length) style.setProperty("--share", length);
}

// A thin mark on a bar, for something to compare with; none where that is not known.
export function setMark(track, share) {
  const mark = track.lastChild;
  mark.hidden = share === null;
  if (share !== null) mark.style.left = `${(100 * share).toFixed(2)}%`;
}

export function makeBarRow(row, tag = "li") {
  return el(
    tag,
    { class: `bar-row ${row.kind}`, type: tag === "button" ? "button" : null },
    el("span", { class: "name" }),
    el("span", { class: "track" }, el("span", { class: "fill" })),
    el("span", { class: "value" }),
  );
}

export function updateBarRow(element, row, share, value, tip) {
  put(element, "data-nodes", row.nodes.join(" "));
  put(element, "data-tip", tip);
  element.classList.toggle("chosen", Boolean(row.chosen));
  const [name, track, number] = element.children;
  setText(name, row.name);
  setText(number, value);
  setBar(track, share);
}
