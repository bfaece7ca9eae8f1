// What nodes are called in sentences and tables, as in gfx_core/text/answers.py: an atom with its number, a label or an
// id; of a sentence's words those that come again are numbered: the₂.

import { subscript } from "../kit/numbers.js";

export function nodeNames({ nodes, drawing }) {
  if (drawing !== "sentence") {
    return nodes.map(({ label, id, element }) => (element ? `${element}${id}` : label || String(id)));
  }
  const seen = new Map();
  return nodes.map(({ label }) => {
    const word = label.toLowerCase();
    seen.set(word, (seen.get(word) ?? 0) + 1);
    return seen.get(word) === 1 ? label : `${label}${subscript(seen.get(word))}`;
  });
}
