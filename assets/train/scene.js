// The states of a recording: found again by their nodes, in columns.

export const keyOf = (nodes) => [...nodes].sort((a, b) => a - b).join(",");

// A scene of a recording. Its states have the nodes of an instance, in any order, and stand in columns by size. Without
// an instance they have labels: then each one is its own only member, and its column is its distance from the start.
// Where every node is called by a letter, a state has a name as in lessons: abc.
export function createScene(raw) {
  const { target, exact, nodes, labels } = raw;
  const bare = nodes.length === 0;
  const lettered = !bare && nodes.every(({ label, element }) => !element && /^\p{L}$/u.test(label ?? ""));
  const states = bare ? raw.states.map((_, state) => [state]) : raw.states;
  const keys = states.map(keyOf);
  const scene = { ...raw, states, keys, index: new Map(keys.map((key, state) => [key, state])) };
  return Object.assign(scene, {
    target: target ? probabilities(target) : null,
    exact: exact ? probabilities(exact) : null,
    labels: bare ? states.map((_, state) => labels?.[state] ?? `state ${state}`) : null,
    names: lettered ? states.map((held) => held.map((node) => nodes[node].label).sort().join("")) : null,
    column: bare ? distances(scene) : states.map((held) => held.length - 1),
  });
}

// The longest way from the start to each state, in links. A cycle would have none: then it ends after so many rounds.
function distances({ states, links }) {
  const column = states.map(() => 0);
  for (let round = 0; round < states.length; round += 1) {
    let moved = false;
    for (const [parent, child] of links) {
      if (column[child] > column[parent]) continue;
      column[child] = column[parent] + 1;
      moved = true;
    }
    if (!moved) break;
  }
  return column;
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
