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
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  setText(root.querySelector(".z"), `Z = ${plain(total("reward"))}`);
  const [got, want] = root.querySelectorAll(".all");
  const whole = (share) => percent(Math.round(100 * share) / 100, 0); // rounded parts may not sum up to 1
  setText(got, whole(total("stop")));
  setText(want, whole(total("target")));
}

function newTable() {
  const head = (...inside) => el("th", { scope: "col" }, ...inside);
  const key = (kind) => el("span", { class: `key ${kind}` });
  const bars = el("th", { scope: "col", "aria-label": "Bars" });
  const heads = [head("State"), head("R"), bars, head(key("got"), "P(stop)"), head(key("want"), "R / Z")];
  const all = [0, 1].map(() => el("td", { class: "all" }));
  const sums = [el("td", {}, "Sum"), el("td", { class: "z", colspan: 2 }), ...all];
  return el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody"), el("tfoot", {}, el("tr", {}, ...sums)));
}

function newRow() {
  const bars = ["got", "want"].map((kind) => el("div", { class: `bar ${kind}` }));
  return el("tr", {}, el("td", { class: "name" }), el("td"), el("td", { class: "bars" }, ...bars), el("td"), el("td"));
}
