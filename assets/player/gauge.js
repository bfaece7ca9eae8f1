// Always in sight: how sure the GNN is of the explained class when it sees the current set only.

import { el, put, setText } from "../kit/dom.js";
import { percent } from "../kit/numbers.js";
import { setBar } from "./bars.js";

export function createGauge() {
  const [name, value] = [el("span", { class: "gauge-name" }), el("b", { class: "value" })];
  const fill = el("span", { class: "fill" });
  const whole = el("span", { class: "whole" });
  const element = el("div", { class: "gauge" }, name, el("span", { class: "track" }, fill, whole), value);

  function show(story, frame) {
    const { predicted, probabilities } = story.trace.prediction;
    const atAnswer = frame === story.cover;
    const share = atAnswer ? story.answer.alone[predicted] : story.step(frame).reward.probability;
    setText(name, story.asks);
    setText(value, percent(share));
    setBar(fill.parentNode, share);
    whole.style.left = `${100 * probabilities[predicted]}%`;
    const all = percent(probabilities[predicted]);
    const seen = atAnswer ? "the answer" : "this set";
    const now = `The ${story.asked} gives “${story.className}” ${percent(share)} when it sees ${seen} only`;
    put(element, "data-tip", `${now}; the mark is at ${all}, what the GNN gives when it sees everything`);
  }
  return { element, show };
}
