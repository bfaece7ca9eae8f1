// The states of a recording: found again by their nodes, in columns, and perhaps more with each frame.

export const keyOf = (nodes) => [...nodes].sort((a, b) => a - b).join(",");

// A scene of a recording. Its states have the nodes of an instance, in any order, and stand in columns by size. Without
// an instance they have labels: then each one is its own only member, and its column is its distance from the start.
// Where every node is called by a letter, a state has a name as in lessons: abc.
export function createScene(raw) {
  const { listed, target, exact } = raw;
  const bare = raw.nodes.length === 0;
  const lettered = !bare && raw.nodes.every(({ label, element }) => !element && /^\p{L}$/u.test(label ?? ""));
  const scene = { ...raw, version: 0, index: new Map() };
  Object.assign(scene, {
    target: listed && target ? probabilities(target) : null,
    exact: listed && exact ? probabilities(exact) : null,
  });
  const add = (states, rewards, links, labels) => {
    states.forEach((nodes, k) => {
      const state = scene.keys.length;
      const members = bare ? [state] : nodes;
      scene.index.set(keyOf(members), state);
      scene.keys.push(keyOf(members));
      scene.states.push(members);
      if (bare) scene.labels.push(labels?.[k] ?? `state ${state}`);
      scene.names?.push(nodes.map((node) => raw.nodes[node].label).sort().join(""));
    });
    scene.log_reward.push(...rewards);
    scene.links.push(...links);
    scene.column = bare ? distances(scene) : scene.states.map((nodes) => nodes.length - 1);
    scene.version += 1;
  };
  scene.forget = () => {
    Object.assign(scene, { states: [], keys: [], log_reward: [], links: [] });
    Object.assign(scene, { labels: bare ? [] : null, names: lettered ? [] : null });
    scene.index.clear();
    add(raw.states, raw.log_reward, raw.links, raw.labels);
  };
  // An unlisted scene learns of states as they are visited.
  scene.grow = ({ states, log_rewards: rewards, links, labels }) => {
    if (states?.length || links?.length) add(states ?? [], rewards ?? [], links ?? [], labels);
  };
  scene.forget();
  return scene;
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
