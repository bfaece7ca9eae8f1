// The cut-vertex lab: a growing set in a graph, and 𝒵 beside it. All steps come at once; stepping is done here.

import { el, setText } from "../kit/dom.js";
import { listenToKeys } from "../kit/keys.js";
import { listing } from "../kit/numbers.js";
import { createSlider } from "../kit/sliders.js";
import { createTip, onPointing } from "../kit/tips.js";
import { keptView } from "../kit/views.js";
import { MATRIX_MEANING, columnSentence, createMatrix, rowPieces, rowSentence } from "../player/matrix.js";
import { ICONS, button, numberOr } from "../player/parts.js";
import { createGraphPane } from "./graph_view.js";

const REPORT_MS = 500; // the step is written into the URL when nobody has stepped for so long
const Z_MEANING = "the connectivity vector (eq. 14): 1 where the new node touches an earlier one";
const WAITING = "𝒵 of this step is being computed.";
const NEEDS_KEYS =
  "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], [role=menu]";

export default keptView((parentElement) => createLab(parentElement.querySelector(".lab")));

function createLab(root) {
  const lab = { tell: () => {}, data: null, frame: 0, order: [], steps: null, awaited: null };
  const pane = createGraphPane({ node: take, edge: flip, over: overNode });
  const matrix = createMatrix();
  const bar = createStepBar((frame) => goTo(frame));
  const badge = el("b", { class: "case" });
  const words = el("span", {});
  const theorem = el("p", { class: "theorem", "aria-live": "polite" }, badge, words);
  const note = el("p", { class: "note" });
  const head = el("h3", {}, "𝒵, the cut-vertex matrix", el("small", {}, "point at a row or a column"));
  const keyLine = el(
    "p",
    { class: "matrix-key" },
    el("span", { class: "box changed" }), "changed by this step",
    el("span", { class: "box new" }), "new row and column",
  );
  const side = el("div", { class: "lab-side panel" }, theorem, head, matrix.element, keyLine, note);
  const left = el("div", { class: "lab-left" }, pane.element, bar.element);
  root.replaceChildren(el("div", { class: "lab-frame" }, left, side));
  createTip(root);
  root.tabIndex = -1;

  const name = (node) => lab.data.nodes[node].label;
  const step = () => lab.steps?.[lab.frame] ?? null;
  const neighbours = (node) => lab.links[node];

  // What each node is at this step; numbers in a step are places in the growth.
  function roles() {
    const members = lab.order.slice(0, lab.frame + 1);
    const inside = new Set(members);
    const now = step();
    const of = (places) => new Set((places ?? []).map((place) => lab.order[place]));
    const [cut, free] = [of(now?.cut), of(now?.removable)];
    return lab.data.nodes.map((_, node) => {
      if (!inside.has(node)) return neighbours(node).some((other) => inside.has(other)) ? ["frontier"] : [];
      const found = ["member"];
      if (node === lab.order[0]) found.push("start");
      else if (node === members.at(-1)) found.push("added");
      if (cut.has(node)) found.push("cut");
      if (free.has(node)) found.push("parent");
      return found;
    });
  }

  function tipOf(node, own) {
    if (own.includes("frontier")) {
      const inside = new Set(lab.order.slice(0, lab.frame + 1));
      const touched = neighbours(node).filter((other) => inside.has(other)).map(name);
      const what = inside.size < 2 ? "" : touched.length > 1 ? ": case 2" : ": case 1";
      return `click to add it; it touches ${listing(touched)}${what}`;
    }
    if (own.includes("cut")) return "cut vertex: the set falls apart without it";
    if (own.includes("parent")) return "may be removed: the rest stays in one piece";
    return own.includes("start") ? "the start node: it always stays" : "";
  }

  function draw() {
    const { data } = lab;
    const all = roles();
    const nodes = data.nodes.map((node, index) => ({ ...node, roles: all[index], tip: tipOf(index, all[index]) }));
    const frontier = all.flatMap((own, node) => (own.includes("frontier") ? [node] : []));
    const added = lab.order[lab.frame];
    const before = new Set(lab.order.slice(0, lab.frame));
    const members = lab.order.slice(0, lab.frame + 1).map(name);
    pane.show({
      nodes, edges: data.edges, edits: data.edits, hulls: {}, height: data.height, arrows: data.edits,
      clickable: data.edits ? data.nodes.map((_, node) => node) : frontier,
      highlighted: neighbours(added).filter((other) => before.has(other)).map((other) => [added, other]),
      description: `Graph of ${nodes.length} nodes. The set: ${members.join(", ")}.`,
    });
    bar.show(lab.frame, lab.order.length);
    drawSide(members);
  }

  function drawSide(members) {
    const now = step();
    side.classList.toggle("waiting", !now);
    if (!now) {
      setText(badge, "");
      setText(words, WAITING);
      return;
    }
    setText(badge, lab.data.cases[now.case]);
    setText(words, now.words);
    drawMatrix(now, lab.steps[lab.frame - 1]?.matrix, members);
    rest();
  }

  // z above it, the new row and column framed thinly, changed cells boldly.
  function drawMatrix(now, before, names) {
    const last = names.length - 1;
    const changed = new Set(now.changed.map(([i, j]) => `${i},${j}`));
    const touches = now.z.map((one, k) => el("td", { class: one ? "touches" : "", "data-nodes": k }, String(one)));
    const head = { scope: "row", class: "z-name", "data-tip": Z_MEANING, "aria-label": `z of ${names.at(-1)}` };
    const z = el("tr", { class: "z" }, el("th", head, "z"), ...touches, el("td", { class: "nothing" }));
    matrix.show({
      matrix: now.matrix,
      keys: names.map((_, k) => k),
      names,
      cuts: new Set(now.cut),
      corner: el("td", { class: "corner", "data-tip": MATRIX_MEANING }, "𝒵"),
      top: last > 0 ? [z] : [],
      cell(i, j) {
        const fresh = last > 0 && (i === last || j === last) ? "new" : "";
        if (!changed.has(`${i},${j}`)) return { classes: fresh };
        return { classes: `${fresh} changed`, tip: `was ${before?.[i]?.[j] ?? 0}, is ${now.matrix[i][j]} now` };
      },
    });
  }

  // What is said when nothing is pointed at.
  const rest = () => setText(note, step()?.note ?? "");

  // A row speaks of the pieces without its node, a column of one node.
  function point(row, column) {
    const now = step();
    if (!now) return;
    matrix.mark(row);
    const place = row ?? column;
    pane.light(place === null ? [] : [lab.order[place]]);
    const pieces = row === null ? [] : rowPieces(now.matrix[row]);
    pane.showPieces(pieces.map(({ number, nodes }) => ({ number, nodes: nodes.map((index) => lab.order[index]) })));
    if (row === null && column === null) return rest();
    const nameOf = (index) => name(lab.order[index]);
    if (row === null) return setText(note, columnSentence(now.matrix, column, nameOf));
    const pieceNames = (places) => listing(places.map(nameOf), 8);
    return setText(note, `${rowSentence(nameOf(row), pieces, pieceNames)} ${now.rows[row] ?? ""}`);
  }

  function overNode(node) {
    const place = node === null || lab.data.edits ? -1 : lab.order.slice(0, lab.frame + 1).indexOf(node);
    point(place < 0 ? null : place, null);
  }

  function goTo(frame) {
    const next = Math.min(Math.max(frame, 0), lab.order.length - 1);
    if (next === lab.frame) return;
    lab.frame = next;
    draw();
    clearTimeout(lab.timer);
    lab.timer = setTimeout(() => lab.tell("step", lab.frame), REPORT_MS);
  }

  // Taken here at once; what 𝒵 is then comes a moment later.
  function take(node) {
    clearTimeout(lab.timer);
    lab.order = [...lab.order.slice(0, lab.frame + 1), node];
    lab.steps = lab.steps?.slice(0, lab.frame + 1) ?? null;
    lab.awaited = [...lab.order];
    lab.frame += 1;
    draw();
    lab.tell("take", lab.order);
    root.focus({ preventScroll: true });
  }

  function flip(a, b) {
    clearTimeout(lab.timer);
    lab.tell("edge", [a, b]);
  }

  lab.show = (data, { setTriggerValue }) => {
    lab.tell = setTriggerValue;
    const another = lab.data?.shape !== data.shape;
    const edges = JSON.stringify(data.edges);
    const late = lab.awaited?.some((node, place) => data.order[place] !== node);
    if (!another && late && edges === lab.edges) return; // an answer to an older click
    lab.edges = edges;
    lab.awaited = null;
    Object.assign(lab, { data, order: data.order, steps: data.steps });
    lab.links = data.nodes.map(() => []);
    for (const [a, b] of data.edges) {
      lab.links[a].push(b);
      lab.links[b].push(a);
    }
    lab.frame = Math.min(another ? data.step : lab.frame, data.order.length - 1);
    draw();
  };

  function sidePointed(event) {
    const { row, column } = event.target.closest?.("[data-row], [data-column]")?.dataset ?? {};
    point(numberOr(row), numberOr(column));
  }
  onPointing(side, sidePointed, () => point(null, null));

  const go = (by) => () => goTo(lab.frame + by);
  const steps = { ArrowLeft: go(-1), ArrowRight: go(1), Home: go(-Infinity), End: go(Infinity) };
  const forgetKeys = listenToKeys(root, steps, { own: NEEDS_KEYS, anywhere: true });
  lab.destroy = () => {
    forgetKeys();
    clearTimeout(lab.timer);
    pane.destroy();
  };
  return lab;
}

// Back, next, a slider.
function createStepBar(goTo) {
  let now = 0;
  const at = (label, path, where) => button(label, path, () => goTo(where()));
  const back = at("One node back (←)", ICONS.back, () => now - 1);
  const next = at("One node more (→)", ICONS.forward, () => now + 1);
  const scrub = createSlider({ label: "Nodes in the set", kind: "scrub", step: 1, moved: goTo });
  const counter = el("span", { class: "counter" });
  const element = el(
    "div",
    { class: "controls" },
    el("div", { class: "keys" }, back, next),
    el("div", { class: "time" }, scrub.input, counter),
  );
  function show(frame, steps) {
    now = frame;
    const words = `${frame + 1} of ${steps} nodes`;
    scrub.set(frame, words, { max: steps - 1 });
    setText(counter, words);
    back.disabled = frame === 0;
    next.disabled = frame === steps - 1;
  }
  return { element, show };
}
