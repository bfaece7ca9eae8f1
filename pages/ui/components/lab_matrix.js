// 𝒵 as a table: z above it, the new row and column framed thinly, changed cells boldly. Rows and columns can be
// pointed at or focused.

import { el } from "../../../assets/kit/dom.js";
import { MATRIX_MEANING, groupClass } from "../../../assets/player/pieces.js";

const Z_MEANING = "the connectivity vector (eq. 8): 1 where the new node touches an earlier one";

function zRow(step, label) {
  const cells = step.z.map((touches, index) =>
    el("td", { class: touches ? "touches" : "", "data-nodes": index }, String(touches)),
  );
  const head = el("th", { scope: "row", class: "z-name", "data-tip": Z_MEANING, "aria-label": `z of ${label}` }, "z");
  return el("tr", { class: "z" }, head, ...cells, el("td", { class: "nothing" }));
}

function matrixRow(step, names, i, marks) {
  const last = names.length - 1;
  const kind = marks.cuts.has(i) ? "cut" : "";
  const cells = step.matrix[i].map((number, j) => {
    const fresh = last > 0 && (i === last || j === last) ? "new" : "";
    const changed = marks.changed.has(`${i},${j}`) ? "changed" : "";
    const classes = [number ? groupClass(number) : "", fresh, changed].filter(Boolean).join(" ");
    const was = changed ? `was ${marks.before?.[i]?.[j] ?? 0}, is ${number} now` : null;
    const about = { class: classes, "data-row": i, "data-nodes": j, "data-tip": was };
    return el("td", about, number ? String(number) : "·");
  });
  const head = el("th", { scope: "row", class: kind, "data-row": i, tabindex: 0 }, names[i]);
  return el("tr", { class: kind, "data-row": i }, head, ...cells);
}

export function createMatrix() {
  const table = el("table", { class: "matrix" });
  const frame = { class: "matrix-frame", tabindex: 0, role: "group", "aria-label": "Cut-vertex matrix" };
  const element = el("div", frame, table);

  function show(step, before, names) {
    const changed = new Set(step.changed.map(([i, j]) => `${i},${j}`));
    const marks = { before: before?.matrix, cuts: new Set(step.cut), changed };
    table.style.setProperty("--count", names.length);
    const heads = names.map((name, index) =>
      el("th", { scope: "col", "data-column": index, "data-nodes": index, tabindex: 0 }, name),
    );
    const corner = el("td", { class: "corner", "data-tip": MATRIX_MEANING }, "𝒵");
    const rows = names.map((_, i) => matrixRow(step, names, i, marks));
    const top = [el("tr", {}, corner, ...heads)];
    if (names.length > 1) top.unshift(zRow(step, names.at(-1)));
    table.replaceChildren(el("thead", {}, ...top), el("tbody", {}, ...rows));
  }

  function mark(row) {
    for (const each of table.querySelectorAll("tbody tr")) {
      each.classList.toggle("pointed", row !== null && Number(each.dataset.row) === row);
    }
  }
  return { element, show, mark };
}
