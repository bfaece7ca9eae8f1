// The answer: what the draws agree on. Its sentence stands above everything; the panel says by which rule it was found,
// what the GNN makes of it, and whether the trajectory that plays ends there.

import { el, keyed, setText } from "../kit/dom.js";
import { percent, plural, solid } from "../kit/numbers.js";
import { makeBarRow, updateBarRow } from "./bars.js";
import { symbol } from "./parts.js";
import { swatch } from "./roles.js";

// The sentence above the graph; a click shows the answer again.
export function createHeadline(act) {
  const sentence = el("button", { type: "button", class: "sentence", onclick: () => act.cover() });
  const element = el("div", { class: "headline-row", hidden: true }, sentence);
  function show({ answer, cover }, frame) {
    element.hidden = sentence.hidden = cover === null;
    if (element.hidden) return;
    setText(sentence, solid(answer.sentence));
    sentence.classList.toggle("here", frame === cover);
    sentence.dataset.tip = frame === cover ? "What the draws agree on" : "Show the answer again (A)";
  }
  return { element, show };
}

function ruleOf({ threshold, grown, exact }, { drawn, nouns: { node, edge }, asked }) {
  const share = threshold === 0.5 ? "half" : percent(threshold);
  const held = exact
    ? `Every ${edge} that is in a drawn subgraph with a probability of ${threshold === 0.5 ? "½" : share} or more`
    : `Every ${edge} that at least ${share} of the ${plural(drawn, "draw")} hold`;
  const more = grown ? `; grown by ${plural(grown, node)} until the ${asked} keeps its class` : "";
  return `${held}, and what joins them${more}.`;
}

export function createAnswerPanel() {
  const rule = el("p", { class: "rule" });
  const all = el("p", { class: "note", hidden: true }, "It is everything that the GNN can see here.");
  const near = el("p", { class: "note nearest", hidden: true });
  const bars = el("ul", { class: "answer-bars" });
  const facts = el("dl", { class: "facts" });
  const counts = el("ul", { class: "counts" });
  const element = el(
    "section",
    { class: "panel answer", "aria-label": "Answer" },
    el("h3", {}, el("span", { class: "asked" }), el("small", { class: "of-class" })),
    bars,
    el("h3", {}, "The rule"),
    rule,
    all,
    near,
    counts,
    facts,
  );
  const [asked, ofClass] = [element.querySelector(".asked"), element.querySelector(".of-class")];

  function show(story) {
    const { answer, trace } = story;
    if (!answer) return;
    const { predicted, probabilities } = trace.prediction;
    setText(asked, `What the ${story.asked} says`);
    setText(ofClass, `probability of “${story.className}”`);
    setText(rule, ruleOf(answer, story));
    all.hidden = !answer.whole;
    const { more, less } = story.apart();
    near.hidden = !more.length && !less.length;
    if (!near.hidden) setText(near, `Play shows another subgraph. ${story.beside()}`);
    const rows = [
      ["alone", "the answer alone", answer.alone[predicted], "when it sees the answer and nothing else"],
      ["without", "without it", answer.without[predicted], "when the answer’s edges are taken away"],
      ["all", `the whole${story.whose}`, probabilities[predicted], "when it sees everything"],
    ].map(([key, name, share, when]) => ({ key, kind: `gnn ${key}`, name, nodes: [], share, when }));
    keyed(bars, rows, ({ key }) => key, (row) => makeBarRow(row), (child, row) => {
      const who = row.key === "all" ? "GNN" : story.asked;
      updateBarRow(child, row, row.share, percent(row.share), `The ${who} gives “${story.className}” this ${row.when}`);
    });
    showCounts(counts, story, answer);
    const list = [[story.sizes, `${answer.nodes.length}, ${answer.edges.length}`]];
    if (story.drawn) list.push(
      ["Draws that end there", `${answer.drawn} of ${story.drawn}`, "how many of the draws are exactly this subgraph"],
    );
    if (answer.probability !== null) {
      list.push(["P(ends there)", percent(answer.probability), "the exact probability that a draw ends exactly there"]);
    }
    facts.replaceChildren(...factRows(list));
  }
  return { element, show };
}

export const factRows = (list) =>
  list.flatMap(([name, value, tip]) => [el("dt", {}, tip ? symbol(name, tip) : name), el("dd", {}, value)]);

// How many edges of a subgraph are true; where no true motif is known only how many there are.
export function showCounts(list, story, subgraph) {
  const { hit, missed, extra, found } = story.counts(subgraph);
  const kinds = story.known
    ? [["hit", hit, "found, and true"], ["missed", missed, "true, but missed"], ["extra", extra, "found, but extra"]]
    : [["found", found, "found"]];
  list.replaceChildren(
    ...kinds.map(
      ([kind, count, text]) => el(
        "li",
        { class: kind },
        swatch(kind),
        el("b", {}, String(count)),
        el("span", {}, `${story.nouns.edge}${count === 1 ? "" : "s"} ${text}`),
      ),
    ),
  );
}
