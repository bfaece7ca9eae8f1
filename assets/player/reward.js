// The reward of the current set, term by term until it adds up to log R.

import { el, setText } from "../kit/dom.js";
import { addends, plain, signed } from "../kit/numbers.js";
import { setBar, track } from "./bars.js";
import { panel, symbol } from "./parts.js";

export function createRewardPanel() {
  const headline = el("p", { class: "equation headline" });
  const rows = el("tbody");
  const [costs, sum] = [el("th", { scope: "col" }), el("span", { class: "value" })];
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
  const element = panel("reward", "Reward", title, headline, table);

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
    rows.replaceChildren(...terms.map(({ name, value, price, contribution }, index) => {
      const bar = track();
      setBar(bar, Math.abs(contribution) / most);
      return el(
        "tr",
        { class: price === 0 && "unused" },
        el("th", { scope: "row" }, symbol(words.get(name).symbol, words.get(name).title)),
        el("td", {}, Number.isInteger(value) ? plain(value) : signed(value, measured)), // counts are whole
        el("td", {}, `× ${price}`),
        el("td", { class: "cost" }, bar, el("span", { class: "value" }, price === 0 ? "0" : shown[index])),
      );
    }));
  }
  return { element, show };
}
