// The reward of the current set, term by term until it adds up to log R, and what the GNN thinks of the set alone.

import { el, keyed, setText, svgEl } from "../kit/dom.js";
import { addends, percent, plain, signed } from "../kit/numbers.js";
import { round } from "../kit/paths.js";
import { makeBarRow, setBar, track, updateBarRow } from "./bars.js";
import { panel, symbol } from "./parts.js";

export function createRewardPanel(act) {
  const headline = el("p", { class: "equation headline" });
  const rows = el("tbody");
  const [costs, sum] = [el("th", { scope: "col" }), el("span", { class: "value" })];
  const bars = el("div", { class: "probabilities" });
  const course = el("div", { class: "course" });
  const [asked, ofClass] = [el("span", { class: "asked" }), el("small", { class: "class-name" })];
  const heads = ["term", "measured", "× price"].map((text) => el("th", { scope: "col" }, text));
  const all = el("th", { scope: "row", colspan: 3 }, "Σ costs = −log R(s)");
  const table = el(
    "table",
    { class: "terms" },
    el("thead", {}, el("tr", {}, ...heads, costs)),
    rows,
    el("tfoot", {}, el("tr", {}, all, el("td", { class: "cost" }, el("span"), sum))),
  );
  const meaning = "the reward of stopping at this set: the cheaper it is in these terms, the larger";
  const title = [symbol("R(s)", meaning), " reward", el("small", {}, "if it stopped here")];
  const element = panel("reward", "Reward", title, headline, table, el("h3", {}, asked, ofClass), bars, course);

  function show(story, frame) {
    const { reward } = story.step(frame);
    const { terms } = reward;
    const words = new Map(story.trace.reward_terms.map((term) => [term.name, term]));
    const beta = plain(reward.beta);
    const digits = Math.abs(reward.log_reward) < 1 ? 3 : 2;
    const measured = reward.beta > 10 ? 4 : 3; // so that one can check the product
    const shown = addends(terms.map(({ contribution }) => reward.beta * contribution), -reward.log_reward, digits);
    headline.replaceChildren(
      symbol("log R(s)", "the natural logarithm of the reward", "residual"),
      " = −",
      symbol("β", `the reward exponent, ${beta} here: how strongly better explanations are preferred`),
      " · Σ price · measured = ",
      el("b", {}, signed(reward.log_reward, digits)),
    );
    costs.replaceChildren(
      "costs (",
      symbol(`× β = ${beta}`, "a term takes β · price · measured from log R(s)"),
      ")",
    );
    setText(sum, signed(-reward.log_reward, digits));
    const most = Math.max(...terms.map(({ contribution }) => Math.abs(contribution)), 1e-9);
    keyed(
      rows,
      terms.map((term, index) => ({ ...term, cost: shown[index] })),
      ({ name }) => JSON.stringify(words.get(name)), // another trace may say it in other words
      ({ name }) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, symbol(words.get(name).symbol, words.get(name).title)),
          el("td"),
          el("td"),
          el("td", { class: "cost" }, track(), el("span", { class: "value" })),
        ),
      (row, { value, price, contribution, cost }) => {
        setText(row.children[1], Number.isInteger(value) ? plain(value) : signed(value, measured)); // counts are whole
        setText(row.children[2], `× ${price}`);
        setBar(row.children[3].firstChild, Math.abs(contribution) / most);
        setText(row.children[3].lastChild, price === 0 ? "0" : cost);
        row.classList.toggle("unused", price === 0);
      },
    );
    setText(asked, `What the ${story.asked} predicts`);
    setText(ofClass, `probability of “${story.className}”`);
    const whole = story.trace.prediction.probabilities[story.trace.prediction.predicted];
    keyed(
      bars,
      [["set", "this set", reward.probability], ["whole", `everything${story.whose}`, whole]],
      ([key]) => key,
      ([key]) => makeBarRow({ kind: key === "set" ? "gnn" : "whole" }, "div"),
      (child, [key, name, share]) => updateBarRow(
        child,
        { name, nodes: [] },
        share,
        percent(share),
        `The ${key === "set" ? story.asked : "GNN"} gives “${story.className}” ${percent(share)} when it sees ${name}`,
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
