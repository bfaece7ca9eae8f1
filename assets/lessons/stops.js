// Lesson 1: a row for each state and where walks stop.

import { el, setText } from "../kit/dom.js";
import { percent, plain } from "../kit/numbers.js";

const BARS = ["got", "want"];

// A table of states by their names, of which one is marked; the function that it returns shows other numbers.
export function createStops(root, names, marked) {
  const key = (kind, text) => [el("span", { class: `key ${kind}` }), text];
  const heads = [["State"], ["R"], [], key("got", "P(stop)"), key("want", "R / Z")];
  const bars = () => el("td", { class: "bars" }, ...BARS.map((kind) => el("div", { class: `bar ${kind}` })));
  const row = (name) => el("tr", { class: name === marked ? "marked" : null },
    el("td", { class: "name" }, name), el("td"), bars(), el("td"), el("td"));
  const [rows, sum] = [names.map(row), el("td", { class: "z", colspan: 4 })];
  const head = el("tr", {}, ...heads.map((inside) => el("th", { scope: "col" }, ...inside)));
  const foot = el("tfoot", {}, el("tr", {}, el("td", {}, "Sum"), sum));
  root.append(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows), foot));
  return (reward, shares) => {
    rows.forEach(({ cells: [, amount, bar, got, want] }, k) => {
      setText(amount, plain(reward[k]));
      for (const cell of [got, want]) setText(cell, percent(shares[k], 1));
      for (const part of bar.children) part.style.width = `${100 * shares[k]}%`;
    });
    setText(sum, `Z = ${plain(reward.reduce((total, value) => total + value, 0))}`);
  };
}
