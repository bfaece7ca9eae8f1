// A row for each state; rows are kept, so that bars can grow and shrink.

import { el, keyed, setText } from "../../../assets/kit/dom.js";
import { percent, plain } from "../../../assets/kit/numbers.js";

export default function ({ data: [{ rows, marked }], parentElement }) {
  keyed(parentElement.querySelector("tbody"), rows, (row) => rows.indexOf(row), newRow, (element, row) => {
    element.classList.toggle("marked", row.name === marked);
    const [name, amount, bars, got, want] = element.cells;
    setText(name, row.name);
    setText(amount, plain(row.reward));
    setText(got, percent(row.stop, 1));
    setText(want, percent(row.target, 1));
    [row.stop, row.target].forEach((share, k) => (bars.children[k].style.width = `${100 * share}%`));
  });
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  setText(parentElement.querySelector(".z"), `Z = ${plain(total("reward"))}`);
  const [got, want] = parentElement.querySelectorAll(".all");
  const whole = (share) => percent(Math.round(100 * share) / 100, 0); // rounded parts may not sum up to 1
  setText(got, whole(total("stop")));
  setText(want, whole(total("target")));
}

function newRow() {
  const bars = ["got", "want"].map((kind) => el("div", { class: `bar ${kind}` }));
  return el("tr", {}, el("td", { class: "name" }), el("td"), el("td", { class: "bars" }, ...bars), el("td"), el("td"));
}
