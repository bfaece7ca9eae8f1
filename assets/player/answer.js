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
    const { answer, trace, reasons, shown } = story;
    if (!answer) return;
    const { predicted, probabilities } = trace.prediction;
    setText(ruled, story.rule);
    const removed = (whose) => `when the ${story.nouns.edge}s of ${whose} are removed`;
    const several = reasons.length > 1;
    const noun = story.reasonNoun;
    const it = several ? `${noun} ${shown + 1}` : `the ${noun}`;
    setText(asked, several ? `What the GNN predicts with ${it}` : "What the GNN predicts");
    setText(ofClass, `probability of “${story.className}”`);
    all.hidden = answer.verdict !== "whole";
    near.hidden = !story.apart;
    setText(near, `Play shows another subgraph. ${story.apart}`);
    const alone = `${it} alone${story.whose && " (student)"}`;
    const rows = [
      ["alone", alone, answer.alone[predicted], `when it sees ${it} and nothing else`],
      ["without", "without it", answer.without[predicted], removed(it)],
      ...(several
        ? [["none", "without all of them", answer.without_all[predicted], removed("all of them")]]
        : []),
      ...(trace.target !== null && answer.edges.length
        ? [["start", `the ${story.nouns.node} alone`, trace.steps[0].reward.probability, "without any edge"]]
        : []),
      ["all", "the whole", probabilities[predicted], "when it sees everything"],
    ].map(([key, name, share, when]) => ({ key, kind: `gnn ${key}`, name, nodes: [], share, when }));
    keyed(bars, rows, ({ key }) => key, (row) => makeBarRow(row), (child, row) => {
      const who = row.key === "alone" ? story.asked : "GNN";
      updateBarRow(child, row, row.share, percent(row.share), `The ${who} gives “${story.className}” this ${row.when}`);
    });
    const how = answer.exact ? "the exact probability" : "the share of the samples";
    const list = [[`${story.nouns.node}s, ${story.nouns.edge}s`, `${answer.nodes.length}, ${answer.edges.length}`]];
    if (story.known) list.push([`True ${story.nouns.edge}s found`, story.truth, null, "truth"]);
    if (!several) list.push(  // else the reasons' buttons say it
      ["Samples that agree with it", percent(answer.share), `${how} of those that share half of their edges with it`],
    );
    if (story.drawn) list.push(
      ["Samples that end there", `${answer.drawn} of ${story.drawn}`, "how many samples are exactly this subgraph"],
    );
    if (answer.probability !== null) {
      const tip = "the exact probability that a sample ends exactly there";
      list.push(["P(ends there)", percent(answer.probability), tip]);
    }
    facts.replaceChildren(...factRows(list));
  }
  return { element, show };
}

const factRows = (list) =>
  list.flatMap(([name, value, tip, kind]) => [
    el("dt", { class: kind }, tip ? symbol(name, tip) : name), el("dd", { class: kind }, value),
  ]);
