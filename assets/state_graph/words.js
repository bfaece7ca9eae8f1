// Names and sentences about states, nodes and columns.

import { percent, plain, plural, plusMinus, signed } from "../kit/numbers.js";

const MOST = 9; // nodes of a state that are named

// A label or a name where states have some; else its nodes.
function stateName(scene, state, nodes = scene.states[state]) {
  const known = scene.labels?.[state] ?? scene.names?.[state];
  if (known) return known;
  const names = nodes.slice(0, MOST).map((node) => scene.nodes[node].name);
  return `{${names.join(", ")}${nodes.length > MOST ? ", …" : ""}}`;
}

// The states of a column have so many nodes; those of a recording without an instance are so many actions away.
export function columnName(scene, k, short = false) {
  const [count, noun] = scene.nodes.length || scene.sized ? [k + 1, "node"] : [k, "action"];
  return short ? String(count) : plural(count, noun);
}

export const chances = (stop, target) => `P(stop) ${percent(Math.min(1, stop))}, R/Z ${percent(Math.min(1, target))}`;

// All that is known of a state at a moment.
export function stateTip(moment, state) {
  const { scene } = moment;
  const [stop, residuals, visits, reward] = ["stop", "residuals", "visits", "reward"].map((name) => moment.get(name));
  const parts = [stateName(scene, state)];
  if (stop) parts.push(chances(stop[state] ?? 0, scene.target?.[state] ?? 0));
  const last = !scene.listed && scene.column[state] === scene.column.at(-1); // more grows from it
  if (state > 0 && !last && residuals) parts.push(`residual ${plusMinus(residuals[state])}`);
  if (visits) parts.push(visits[state] ? `on ${percent(visits[state])} of trajectories so far` : "not visited so far");
  if (reward?.[state] != null) parts.push(`R ${plain(reward[state])}`);
  else if (scene.log_reward?.[state] != null) parts.push(`log R ${signed(scene.log_reward[state])}`);
  return parts.join(" · ");
}

// What is chosen, in one lane: a state or a node.
export function selectionWords(moment, selection) {
  const { scene } = moment;
  if (selection.kind === "state") {
    const state = scene.keys.indexOf(selection.key);
    if (state < 0) return `State ${stateName(scene, state, selection.nodes)}: not known here`;
    return `State ${stateTip(moment, state)}`;
  }
  const [stop, visits] = [moment.get("stop"), moment.get("visits")];
  const held = scene.states.flatMap((_, state) => (holds(selection, scene, state) ? [state] : []));
  const sum = (values) => held.reduce((total, state) => total + (values?.[state] ?? 0), 0);
  const what = `Node ${scene.nodes[selection.node].name}`;
  if (stop) return `${what}: ${plural(held.length, "state")}, together ${chances(sum(stop), sum(scene.target))}`;
  const seen = visits ? held.filter((state) => visits[state] > 0) : held;
  return `${what}: ${plural(seen.length, visits ? "visited state" : "state")}`;
}

// Whether a state is meant by what is chosen.
export function holds(selection, scene, state) {
  if (selection.kind === "node") return scene.states[state].includes(selection.node);
  return scene.keys[state] === selection.key;
}
