// The answer: at most three reasons. Its sentence is the headline, with a button for each reason where there are
// several; the panel says what the GNN makes of the chosen one, by which rule it was found, and what plays.

import { el, keyed, put, setText } from "../kit/dom.js";
import { percent, solid } from "../kit/numbers.js";
import { makeBarRow, updateBarRow } from "./bars.js";
import { panel, symbol } from "./parts.js";
import { swatch } from "./roles.js";

// The sentence and the reasons.
export function createHeadline(act) {
  const sentence = el("p", { class: "sentence" });
  const tabs = el("div", { class: "reasons", role: "group", "aria-label": "Reasons" });
  const element = el("div", { class: "headline-row", hidden: true }, sentence, tabs);
  function show({ answer, cover, reasons, reasonNouns, shares, shown }) {
    element.hidden = cover === null;
    if (element.hidden) return;
    setText(sentence, solid(answer.sentence));
    tabs.hidden = reasons.length < 2;
    const rows = tabs.hidden ? [] : shares.map((share, index) => (
      { ...reasons[index], share, number: reasons[index] ? index + 1 : 0 }
    ));
    const make = (row) => makeTab(row, act);
    keyed(tabs, rows, ({ number }) => String(number), make, (child, { number, name, nodes, share }) => {
      const text = number ? `${reasonNouns[number - 1]} ${number}: ${share}` : `other ${share}`;
      setText(child.querySelector("span"), text);
      if (!number) return;
      put(child, "aria-pressed", number === shown + 1);
      put(child, "data-nodes", nodes.join(" "));
      put(child, "data-tip", `${name}: ${share} of samples. Click to see and play it.`);
    });
  }
  return { element, show };
}

function makeTab({ number }, act) {
  if (!number) return el("span", { class: "other" }, el("span"));
  const tab = { type: "button", class: `reason reason-${number}`, onclick: () => act.reason(number) };
  return el("button", tab, swatch(`reason-${number}`), el("span"));
}

export function createAnswerPanel() {
  const ruled = el("p");
  const rule = el("details", { class: "rule" }, el("summary", {}, "How is this decided?"), ruled);
  const all = el("p", { class: "note", hidden: true }, "It is everything that the GNN can see here.");
  const near = el("p", { class: "note elsewhere", hidden: true });
  const bars = el("ul", { class: "answer-bars" });
  const facts = el("dl", { class: "facts" });
  const [asked, ofClass] = [el("span", { class: "asked" }), el("small", { class: "of-class" })];
  const parts = [bars, facts, all, near, rule];
  const element = panel("answer", "Answer", [asked, ofClass], ...parts);

  function show(story) {
    const { answer, reasons, shown } = story;
    if (!answer) return;
    setText(ruled, story.rule);
    const several = reasons.length > 1;
    setText(asked, `What the GNN predicts${several ? ` with ${story.reasonNoun} ${shown + 1}` : ""}`);
    setText(ofClass, `probability of “${story.className}”`);
    all.hidden = answer.verdict !== "whole";
    near.hidden = !story.apart;
    setText(near, `Play shows another subgraph. ${story.apart}`);
    const rows = story.rows.map(([key, name, share, tip]) => ({ kind: `gnn ${key}`, name, nodes: [], share, tip }));
    keyed(bars, rows, ({ kind }) => kind, (row) => makeBarRow(row), (child, row) =>
      updateBarRow(child, row, row.share, percent(row.share), row.tip));
    facts.replaceChildren(...story.facts.flatMap(([name, value, tip, kind]) => [
      el("dt", { class: kind }, tip ? symbol(name, tip) : name), el("dd", { class: kind }, value),
    ]));
  }
  return { element, show };
}
