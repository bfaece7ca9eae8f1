// Rows with a name, a bar and a number, as the panels use them, and the gauge above them.

import { el, put, setText } from "../kit/dom.js";
import { logSum, percent } from "../kit/numbers.js";

const LONGEST = 8; // rows shown one by one; the others are summed in one

// Rows of flows, strongest first. Where there are many, the weakest are one row; the chosen one is always shown.
export function collapsed(rows, what) {
  const sorted = [...rows].sort((a, b) => b.log_flow - a.log_flow || a.key - b.key);
  if (rows.length <= LONGEST + 1) return sorted;
  const shown = sorted.slice(0, LONGEST);
  const chosen = sorted.findIndex((row) => row.chosen);
  if (chosen >= LONGEST) shown[LONGEST - 1] = sorted[chosen];
  const rest = sorted.filter((row) => !shown.includes(row));
  const sum = (name) => rest.reduce((total, row) => total + row[name], 0);
  const more = {
    key: "rest",
    kind: "rest",
    what,
    name: `and ${rest.length} more`,
    nodes: rest.flatMap(({ nodes }) => nodes),
    log_flow: logSum(rest.map(({ log_flow }) => log_flow)),
    probability: sum("probability"),
    other: rest[0].other === null ? null : sum("other"),
  };
  return [...shown, more];
}

// The actions of a state: frontier nodes and STOP. `other` is what the other kind of flows gives, null if that is not
// known.
export function actionRows(story, step) {
  const frontier = step.frontier.map(({ node, log_flow, probability }, index) => ({
    key: node,
    kind: "frontier",
    name: story.name(node),
    nodes: [node],
    log_flow,
    probability,
    other: step.other?.frontier[index] ?? null,
    chosen: node === step.chosen,
  }));
  const chosen = step.chosen === null && story.end !== null;
  const stop = { key: "stop", kind: "stop", name: "STOP", nodes: [], ...step.stop, other: step.other?.stop ?? null };
  return [...collapsed(frontier, "frontier nodes"), { ...stop, chosen }];
}

// Something above zero stays visible as a hairline.
export function setBar(line, share) {
  const length = (share > 0 ? Math.min(1, Math.max(share, 0.006)) : 0).toFixed(4);
  const { style } = line.firstChild;
  if (style.getPropertyValue("--share") !== length) style.setProperty("--share", length);
}

// A thin mark on a bar, for something to compare with; none where that is not known.
export function setMark(line, share) {
  const mark = line.lastChild;
  mark.hidden = share === null;
  if (share !== null) mark.style.left = `${(100 * share).toFixed(2)}%`;
}

export const track = (...marks) => el("span", { class: "track" }, el("span", { class: "fill" }), ...marks);

export function makeBarRow(row, tag = "li") {
  return el(
    tag,
    { class: `bar-row ${row.kind}`, type: tag === "button" ? "button" : null },
    el("span", { class: "name" }),
    track(),
    el("span", { class: "value" }),
  );
}

export function updateBarRow(element, row, share, value, tip) {
  put(element, "data-nodes", row.nodes.join(" "));
  put(element, "data-tip", tip);
  element.classList.toggle("chosen", Boolean(row.chosen));
  const [name, line, number] = element.children;
  setText(name, row.name);
  setText(number, value);
  setBar(line, share);
}

// The gauge is always in sight: how sure the GNN is of the explained class when it sees the current set only.
export function createGauge() {
  const [name, value] = [el("span", { class: "gauge-name" }), el("b", { class: "value" })];
  const whole = el("span", { class: "whole" });
  const line = track(whole);
  const element = el("div", { class: "gauge" }, name, line, value);

  function show(story, frame) {
    const { predicted, probabilities } = story.trace.prediction;
    const atAnswer = frame === story.cover;
    const share = atAnswer ? story.answer.alone[predicted] : story.step(frame).reward.probability;
    setText(name, story.asks);
    setText(value, percent(share));
    setBar(line, share);
    whole.style.left = `${100 * probabilities[predicted]}%`;
    const all = percent(probabilities[predicted]);
    const seen = atAnswer ? "the answer" : "this set";
    const now = `The ${story.asked} gives “${story.className}” ${percent(share)} when it sees ${seen} only`;
    put(element, "data-tip", `${now}; the mark is at ${all}, what the GNN gives when it sees everything`);
  }
  return { element, show };
}
