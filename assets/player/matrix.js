// 𝒵: the pieces that taking a node away would leave, each with a number, a colour and a badge, and the table of them.

import { el, setText } from "../kit/dom.js";
import { listing } from "../kit/numbers.js";
import { panel, symbol } from "./parts.js";

export const MATRIX_MEANING =
  "row i labels the pieces that are left when node i is removed; a row of zeros means that i is not a cut vertex";

export const groupClass = (number) => `group-${(number - 1) % 4}`;

// The pieces of one row with the numbers that it gives them; nodes by their place in the row.
export function rowPieces(row) {
  const numbers = [...new Set(row)].filter((number) => number > 0).sort((a, b) => a - b);
  return numbers.map((number) => ({ number, nodes: row.flatMap((each, place) => (each === number ? [place] : [])) }));
}

// What a row says, in words; `listed(nodes)` names the nodes of a piece.
export function rowSentence(name, pieces, listed) {
  const parts = pieces.map(({ number, nodes }) => `(${number}) ${listed(nodes)}`);
  return parts.length
    ? `Without ${name}, ${parts.length} pieces are left: ${parts.join("; ")}.`
    : `Without ${name} the others stay in one piece: it is not a cut vertex.`;
}

// What column j says: in which pieces of others its node lies; `nameOf(i)` names the node of a row.
export function columnSentence(matrix, j, nameOf) {
  const lies = matrix.flatMap((row, i) => (row[j] ? [`piece ${row[j]} of ${nameOf(i)}`] : []));
  return lies.length ? `${nameOf(j)} lies in ${listing(lies)}.` : `${nameOf(j)}: no other node is a cut vertex.`;
}

// 𝒵 as a table whose rows and columns can be pointed at or focused. `show` takes the numbers, and for each row what
// stands for it in `data-row` and the like (`keys`), its name, and whether it is a cut vertex's; `cell(i, j)` has more
// classes and a tip of one, `top` rows above all, `corner` the cell that belongs to none.
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

// The pieces that taking this member away would leave.
export function childGroups(step, member) {
  const pieces = rowPieces(step.matrix[step.members.indexOf(member)] ?? []);
  return pieces.map(({ number, nodes }) => ({ number, nodes: nodes.map((place) => step.members[place]) }));
}

// The panel of 𝒵. Hovering a row shows, in the graph, the pieces its node holds together.
export function createCutsPanel() {
  const theorem = el("p", { class: "theorem" });
  const matrix = createMatrix();
  const note = el("p", { class: "note" });
  const title = [symbol("𝒵", MATRIX_MEANING), " cut-vertex matrix", el("small", {}, "hover a row")];
  const element = panel("cuts", "Cut vertices", title, theorem, matrix.element, note);

  function show(story, frame) {
    const step = story.step(frame);
    setText(theorem, story.theorem(frame));
    const cuts = new Set(step.cut_vertices);
    matrix.show({ matrix: step.matrix, keys: step.members, names: step.members.map(story.name), cuts });
    const number = cuts.size === 1 ? "1 cut vertex" : `${cuts.size} cut vertices`;
    setText(note, cuts.size
      ? `${number}: ${story.names(step.cut_vertices)}. Without it the set falls apart, so this is not a valid parent.`
      : "No cut vertex: every node but the start can be taken away.");
  }

  // What a row says, in words.
  function explain(story, frame, row) {
    if (row === null) show(story, frame);
    else setText(note, rowSentence(story.name(row), childGroups(story.step(frame), row), story.names));
  }
  return { element, show, explain };
}
