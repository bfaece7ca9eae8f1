// A table of states for lessons 1 and 3: a bar and a mark of each, among cells of text.

import { el, setText } from "../kit/dom.js";
import { part } from "./lesson.js";
import style from "./table.css";

// `heads` are those of the columns, of which the third has the bars; one state is perhaps `marked`. `show` hears for each
// state what stands in its cells, and the shares of its bar and of its mark; and a sum.
export function createTable({ roles }, kind, heads, names, marked) {
  const { element, inside } = part(roles, kind, style);
  const bars = () => el("td", { class: "bars" }, el("span", { class: "bar" }), el("span", { class: "goal" }));
  const row = (name) => el("tr", { class: name === marked ? "marked" : null },
    el("th", { scope: "row" }, name), el("td"), bars(), ...heads.slice(3).map(() => el("td")));
  const head = el("tr", {}, ...heads.map((title) => el("th", { scope: "col" }, title)));
  const [rows, sum] = [names.map(row), el("caption")];
  inside.append(el("table", {}, sum, el("thead", {}, head), el("tbody", {}, ...rows)));

  function show(lines, words = "") {
    const most = 1.05 * Math.max(...lines.flatMap(({ bar, mark }) => [bar, mark]));
    lines.forEach(({ cells, bar, mark }, k) => {
      const [, first, drawn, ...rest] = rows[k].cells;
      drawn.children[0].style.width = `${(100 * bar) / most}%`;
      drawn.children[1].style.left = `${(100 * mark) / most}%`;
      [first, ...rest].forEach((cell, column) => setText(cell, cells[column]));
    });
    setText(sum, words);
  }
  return { element, show };
}
