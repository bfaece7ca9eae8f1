// The cut-vertex matrix 𝒵. Hovering a row shows, in the graph, the pieces its node holds together.

import { el, setText } from "../kit/dom.js";
import { MATRIX_MEANING, columnSentence, createMatrix, rowPieces, rowSentence } from "./matrix.js";
import { panel, symbol } from "./parts.js";

// The pieces that taking this member away would leave.
export function childGroups(step, member) {
  const pieces = rowPieces(step.matrix[step.members.indexOf(member)] ?? []);
  return pieces.map(({ number, nodes }) => ({ number, nodes: nodes.map((place) => step.members[place]) }));
}

export function createCutsPanel() {
  const theorem = el("p", { class: "theorem" });
  const matrix = createMatrix();
  const note = el("p", { class: "note" });
  const title = [symbol("𝒵", MATRIX_MEANING), " cut-vertex matrix", el("small", {}, "hover a row or a column")];
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

  // What a row or a column says, in words; undefined leaves the note as it is.
  function explain(story, frame, row, column) {
    const step = story.step(frame);
    if (row !== null) setText(note, rowSentence(story.name(row), childGroups(step, row), story.names));
    else if (column !== null) {
      const nameOf = (place) => story.name(step.members[place]);
      setText(note, columnSentence(step.matrix, step.members.indexOf(column), nameOf));
    } else show(story, frame);
  }
  return { element, show, explain };
}
