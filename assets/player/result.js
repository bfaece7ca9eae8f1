// Where the trajectory ended: the found subgraph against the true motif, its reward and its probability.

import { el, setText } from "../kit/dom.js";
import { percent, signed } from "../kit/numbers.js";
import { factRows, showCounts } from "./answer.js";

export function createResultPanel() {
  const small = el("small");
  const beside = el("p", { class: "beside-answer" });
  const counts = el("ul", { class: "counts" });
  const facts = el("dl", { class: "facts" });
  const element = el(
    "section",
    { class: "panel result", "aria-label": "Result" },
    el("h3", {}, "Where it ended", small),
    beside,
    counts,
    facts,
  );

  function show(story) {
    const { trace } = story;
    const { hit, missed, extra } = story.counts();
    const { edge } = story.nouns;
    showCounts(counts, story, trace.final);
    beside.hidden = !story.answer;
    if (story.answer) setText(beside, story.beside());
    setText(small, story.known ? "found against true" : "what was found");
    const { final } = trace;
    const step = trace.steps.at(-1);
    const same = trace.samples.find(
      ({ nodes }) => nodes.length === final.nodes.length && nodes.every((node, index) => node === final.nodes[index]),
    );
    const listed = trace.log_z_exact === null ? null : final.log_reward - trace.log_z_exact;
    const exact = same?.log_probability_exact ?? listed;
    const chance = (log) => `${percent(Math.exp(log))} (log ${signed(log)})`;
    const list = [
      ["Flows", trace.flows, "learned by a policy, or exact: computed from the list of all connected subgraphs"],
      [story.nouns.sizes, `${final.nodes.length}, ${final.edges.length}`],
      ["log R", signed(final.log_reward), "the natural logarithm of the reward of this set"],
      [
        story.asks,
        percent(step.reward.probability),
        `what the ${story.asked} gives the explained class when it sees the found set only`,
      ],
      [
        "P(this order)",
        chance(final.log_trajectory_probability),
        "the probability of exactly these actions, one after the other",
      ],
    ];
    if (final.log_probability !== null) list.push(
      ["P(this set)", chance(final.log_probability), "the probability to stop at this set, by any order"],
    );
    if (exact !== null) list.push([
      "P(this set), exact",
      chance(exact),
      "the probability under P ∝ R, from all sets that there are: what a perfectly trained policy would give",
    ]);
    if (story.known && hit + extra > 0 && hit + missed > 0) {
      list.push([
        "Precision, recall",
        `${percent(hit / (hit + extra))}, ${percent(hit / (hit + missed))}`,
        `share of the found ${edge}s that are true, and of the true ${edge}s that were found`,
      ]);
    }
    facts.replaceChildren(...factRows(list));
  }
  return { element, show };
}
