// Lesson 1: a row for each state and where walks stop; rows are kept, so that bars can grow and shrink.

import { el, keyed, setText } from "../kit/dom.js";
import { percent, plain } from "../kit/numbers.js";

export function showStops(root, rows, marked) {
  if (!root.firstChild) root.append(newTable());
  keyed(root.querySelector("tbody"), rows, (row) => rows.indexOf(row), newRow, (element, row) => {
    element.classList.toggle("marked", row.name === marked);
    const [name, amount, bars, got, want] = element.cells;
    setText(name, row.name);
    setText(amount, plain(row.reward));
    setText(got, percent(row.stop, 1));
    setText(want, percent(row.target, 1));
    [row.stop, row.target].forEach((share, k) => (bars.children[k].style.width = `${100 * share}%`));
  });
  setText(root.querySelector(".z"), `Z = ${plain(rows.reduce((sum, { reward }) => sum + reward, 0))}`);
}

function newTable() {
  const head = (...inside) => el("th", { scope: "col" }, ...inside);
  const key = (kind) => el("span", { class: `key ${kind}` });
  const bars = el("th", { scope: "col", "aria-label": "Bars" });
  const heads = [head("State"), head("R"), bars, head(key("got"), "P(stop)"), head(key("want"), "R / Z")];
  const sums = [el("td", {}, "Sum"), el("td", { class: "z", colspan: 4 })];
  return el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody"), el("tfoot", {}, el("tr", {}, ...sums)));
}

function newRow() {
  const bars = ["got", "want"].map((kind) => el("div", { class: `bar ${kind}` }));
  return el("tr", {}, el("td", { class: "name" }), el("td"), el("td", { class: "bars" }, ...bars), el("td"), el("td"));
}
