// The reward of the current set, term by term, and what the GNN thinks of the set alone.

import { el, keyed, setText, svgEl } from "../kit/dom.js";
import { percent, signed } from "../kit/numbers.js";
import { round } from "../kit/paths.js";
import { makeBarRow, setBar, updateBarRow } from "./bars.js";
import { symbol } from "./parts.js";

export function createRewardPanel(act) {
  const headline = el("p", { class: "equation headline" });
  const rows = el("tbody");
  const bars = el("div", { class: "probabilities" });
  const course = el("div", { class: "course" });
  const element = el(
    "section",
    { class: "panel reward", "aria-label": "Reward" },
    el(
      "h3",
      {},
      symbol("R(s)", "the reward of stopping at this set; log R(s) = −β · (sum of the terms)"),
      " reward",
      el("small", {}, "if it stopped here"),
    ),
    headline,
    el(
      "table",
      { class: "terms" },
      el(
        "thead",
        {},
        el("tr", {}, ...["term", "measured", "price", "counts"].map((text) => el("th", { scope: "col" }, text))),
      ),
      rows,
    ),
    el("h3", {}, "What the GNN says", el("small", { class: "class-name" })),
    bars,
    course,
  );

  function show(story, frame) {
    const { reward } = story.step(frame);
    const { terms } = reward;
    const words = new Map(story.trace.reward_terms.map((term) => [term.name, term]));
    const total = terms.reduce((sum, { contribution }) => sum + contribution, 0);
    headline.replaceChildren(
      symbol("log R(s)", "the natural logarithm of the reward", "residual"),
      ` = −`,
      symbol("β", "the reward exponent: how much better a better explanation counts"),
      ` · Σ terms = −${reward.beta} · ${signed(total, 3)} = `,
      el("b", {}, signed(reward.log_reward)),
    );
    const most = Math.max(...terms.map(({ contribution }) => Math.abs(contribution)), 1e-9);
    keyed(
      rows,
      terms,
      ({ name }) => JSON.stringify(words.get(name)), // another trace may say it in other words
      ({ name }) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, symbol(words.get(name).symbol, words.get(name).title)),
          el("td"),
          el("td"),
          el(
            "td",
            { class: "cost" },
            el("span", { class: "track" }, el("span", { class: "fill" })),
            el("span", { class: "value" }),
          ),
        ),
      (row, { value, price, contribution }) => {
        setText(row.children[1], signed(value, 3));
        setText(row.children[2], `× ${price}`);
        setBar(row.children[3].firstChild, Math.abs(contribution) / most);
        setText(row.children[3].lastChild, signed(contribution, 3));
        row.classList.toggle("unused", price === 0);
      },
    );
    setText(element.querySelector(".class-name"), `probability of “${story.className}”`);
    const whole = story.trace.prediction.probabilities[story.trace.prediction.predicted];
    keyed(
      bars,
      [["set", "this set", reward.probability], ["whole", "everything", whole]],
      ([key]) => key,
      ([key]) => makeBarRow({ kind: key === "set" ? "gnn" : "whole" }, "div"),
      (child, [, name, share]) => updateBarRow(
        child,
        { name, nodes: [] },
        share,
        percent(share),
        `The GNN gives “${story.className}” ${percent(share)} when it sees ${name}`,
      ),
    );
    drawCourse(story, frame);
  }

  // The probability along the trajectory: one dot a step, clickable.
  function drawCourse(story, frame) {
    const { steps } = story.trace;
    const [width, height, pad] = [320, 64, 8];
    const x = (index) => pad + ((width - 2 * pad) * index) / Math.max(steps.length - 1, 1);
    const y = (share) => height - pad - (height - 2 * pad) * share;
    const at = Math.min(frame, steps.length - 1);
    const line = steps.map(
      ({ reward }, index) => `${index ? "L" : "M"}${round(x(index))} ${round(y(reward.probability))}`,
    ).join("");
    const dots = steps.map(({ reward }, index) =>
      svgEl("circle", {
        cx: round(x(index)),
        cy: round(y(reward.probability)),
        r: index === at ? 5 : 3.2,
        class: index === at ? "now" : "",
        "data-tip": `Step ${index}: ${percent(reward.probability)}`,
        onclick: () => act.goTo(index),
      }),
    );
    const label = `Probability at each step: ${steps.map(({ reward }) => percent(reward.probability)).join(", ")}`;
    course.replaceChildren(
      svgEl(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
        svgEl("path", { class: "base", d: `M${pad} ${y(0)}H${width - pad}M${pad} ${y(1)}H${width - pad}` }),
        svgEl("path", { class: "line", d: line }),
        ...dots,
      ),
      el("p", { class: "note" }, "The same probability, step by step (bottom 0 %, top 100 %)."),
    );
  }
  return { element, show };
}
