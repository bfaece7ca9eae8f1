// The states of a recording: found again by their nodes, in columns.

export const keyOf = (nodes) => [...nodes].sort((a, b) => a - b).join(",");

// A scene of a recording. Its states have the nodes of an instance, in any order, and stand in columns by size. Without
// an instance each one is its own only member. Names and other columns come from gfx_core/drawing/export.py.
export function createScene(raw) {
  const states = raw.nodes.length ? raw.states : raw.states.map((_, state) => [state]);
  return {
    ...raw,
    states,
    keys: states.map(keyOf),
    target: raw.target && probabilities(raw.target),
    exact: raw.exact && probabilities(raw.exact),
    column: raw.column ?? states.map((nodes) => nodes.length - 1),
  };
}

// Numbers of a recording, two bytes each in base64: `gfx_core/training/recording.py` writes them.
const TOP = 65_535;
const FARTHEST = 8; // residuals beyond this are written as this

function numbers(text, from) {
  const bytes = atob(text);
  const values = new Float32Array(bytes.length >> 1);
  for (let k = 0; k < values.length; k += 1) {
    values[k] = from((bytes.charCodeAt(2 * k) + 256 * bytes.charCodeAt(2 * k + 1)) / TOP);
  }
  return values;
}

// From 0 to 1; the square root was rounded, so that small ones are as exact as large ones.
export const probabilities = (text) => numbers(text, (share) => share * share);

// log in − log out of states.
export const residuals = (text) => numbers(text, (share) => (2 * share - 1) * FARTHEST);
