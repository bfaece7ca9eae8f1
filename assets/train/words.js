// Names and sentences about states, nodes and sizes.

import { percent, plural, plusMinus, signed } from "../kit/numbers.js";

const MOST = 9; // nodes of a state that are named

export function nodeName({ nodes }, node) {
  const { label, element } = nodes[node];
  return element ? `${element}${node}` : label || String(node);
}

function stateName(scene, nodes) {
  const names = nodes.slice(0, MOST).map((node) => nodeName(scene, node));
  return `{${names.join(", ")}${nodes.length > MOST ? ", …" : ""}}`;
}

// All that is known of a state at a moment.
export function stateWords(moment, state) {
  const { scene } = moment;
  const [stop, residuals, visits] = ["stop", "residuals", "visits"].map((name) => moment.get(name));
  const parts = [];
  if (stop) parts.push(`P(stop) ${percent(stop[state])}, R/Z ${percent(scene.target[state])}`);
  if (state > 0 && state < residuals.length) parts.push(`residual ${plusMinus(residuals[state])}`);
  if (state < visits.length) {
    parts.push(visits[state] ? `on ${percent(visits[state])} of all trajectories so far` : "never visited so far");
  }
  parts.push(`log R ${signed(scene.log_reward[state])}`);
  return parts.join(" · ");
}

// In a few words, where it is pointed at.
export function stateTip(moment, state) {
  const { scene } = moment;
  const [stop, visits] = [moment.get("stop"), moment.get("visits")];
  const chance = `P(stop) ${percent(stop?.[state] ?? 0)}, R/Z ${percent(scene.target?.[state] ?? 0)}`;
  const seen = `on ${percent(visits[state] ?? 0)} of trajectories`;
  return `${stateName(scene, scene.states[state])} · ${stop ? chance : seen}`;
}

// What is chosen, in one lane: a state, a node or a size.
export function selectionWords(moment, selection) {
  const { scene } = moment;
  if (selection.kind === "state") {
    const state = scene.index.get(selection.key);
    const name = `State ${stateName(scene, selection.nodes)}`;
    return state === undefined ? `${name}: not known here` : `${name}: ${stateWords(moment, state)}`;
  }
  const [stop, visits] = [moment.get("stop"), moment.get("visits")];
  const held = scene.states.flatMap((nodes, state) => (holds(selection, nodes) ? [state] : []));
  const sum = (values) => held.reduce((total, state) => total + (values[state] ?? 0), 0);
  const what = selection.kind === "node" ? `Node ${nodeName(scene, selection.node)}` : plural(selection.size, "node");
  if (stop) {
    const chances = `P(stop) ${percent(Math.min(1, sum(stop)))}, R/Z ${percent(Math.min(1, sum(scene.target)))}`;
    return `${what}: ${plural(held.length, "state")}, together ${chances}`;
  }
  const seen = held.filter((state) => visits[state] > 0).length;
  return `${what}: ${plural(seen, "visited state")}`;
}

// Whether a state is meant by what is chosen.
export function holds(selection, nodes) {
  if (selection.kind === "node") return nodes.includes(selection.node);
  if (selection.kind === "size") return nodes.length === selection.size;
  return nodes.length === selection.nodes.length && nodes.every((node) => selection.nodes.includes(node));
}
