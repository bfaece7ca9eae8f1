// 𝒵 as a table whose rows and columns can be pointed at or focused.

import { el } from "../kit/dom.js";
import { groupClass } from "./pieces.js";

// `show` takes the numbers, and for each row what stands for it in `data-row` and the like (`keys`), its name, and
// whether it is a cut vertex's; `cell(i, j)` has more classes and a tip of one, `top` rows above all, `corner` the cell
// that belongs to none.
export function createMatrix() {
  const table = el("table", { class: "matrix" });
  const frame = { class: "matrix-frame", tabindex: 0, role: "group", "aria-label": "Cut-vertex matrix" };
  const element = el("div", frame, table);

  function show({ matrix, keys, names, cuts, corner = el("td"), top = [], cell = () => ({}) }) {
    table.style.setProperty("--count", names.length);
    const heads = names.map((name, j) =>
      el("th", { scope: "col", "data-column": keys[j], "data-nodes": keys[j], tabindex: 0 }, name),
    );
    const rows = names.map((name, i) => {
      const kind = cuts.has(keys[i]) ? "cut" : "";
      const cells = matrix[i].map((number, j) => {
        const { classes = "", tip = null } = cell(i, j);
        const about = { class: `${number ? groupClass(number) : ""} ${classes}`.trim(), "data-tip": tip };
        return el("td", { ...about, "data-row": keys[i], "data-nodes": keys[j] }, number ? String(number) : "·");
      });
      const head = el("th", { scope: "row", class: kind, "data-row": keys[i], tabindex: 0 }, name);
      return el("tr", { class: kind, "data-row": keys[i] }, head, ...cells);
    });
    table.replaceChildren(el("thead", {}, ...top, el("tr", {}, corner, ...heads)), el("tbody", {}, ...rows));
  }
  function mark(row) {
    for (const each of table.querySelectorAll("tbody tr")) {
      each.classList.toggle("pointed", row !== null && Number(each.dataset.row) === row);
    }
  }
  return { element, show, mark };
}
