// What a trace says at each frame: who has which role, and the sentences about it.
// Frames 0 … n−1 are the states of the trajectory; frame n, where there is one, is the result. Before all stands the
// cover, where the trace has an answer: one of its reasons.

import { listing, percent, signed, solid } from "../kit/numbers.js";
import { END_ROLES } from "./roles.js";
import { foundScene, stateScene } from "./scenes.js";

const COVER = -1;

function parseTrace(text) {
  return JSON.parse(text, (key, value) => (value === "-Infinity" && key.startsWith("log_") ? -Infinity : value));
}

// The trace with the trajectory that ends in one of its reasons, where it does not show that anyway.
function alongReason(trace, reason) {
  if (!reason?.steps.length) return trace;
  return { ...trace, start: reason.nodes[0], steps: reason.steps, final: reason };
}

// `reason` is the number of the one that was chosen, 1 for the first; null where none was, and the first is outlined.
// Words come from gfx_core/text/captions.py.
export function createStory({ trace: text, words }, { ended, covered, reason = null }) {
  const given = parseTrace(text);
  const reasons = given.answer?.reasons ?? [];
  const chosen = reasons[(reason ?? 1) - 1] ?? reasons[0];
  const trace = alongReason(given, reason === null ? null : chosen);
  const { nodes, edges, steps } = trace;
  const answer = chosen ? { ...given.answer, ...chosen } : null;
  const cover = covered && answer ? COVER : null;
  const own = words.stories[reason === null ? 0 : reasons.indexOf(chosen) + 1];
  const links = nodes.map(() => []);
  for (const { source, target } of edges) {
    links[source].push(target);
    links[target].push(source);
  }
  const known = edges.some((edge) => edge.in_motif); // is there a true motif to compare with?
  const motif = new Set(edges.flatMap((edge) => (edge.in_motif ? [edge.source, edge.target] : [])));
  const scenes = new Map();
  const story = {
    text,
    trace,
    links,
    known,
    motif,
    answer,
    reasons,
    reason,
    shown: Math.max(reasons.indexOf(chosen), 0), // which of them is outlined
    covered,
    cover,
    outlined: cover !== null,
    first: cover ?? 0,
    molecule: nodes.some((node) => node.element),
    written: trace.drawing === "sentence", // its nodes are words, in reading order
    end: ended ? steps.length : null,
    last: ended ? steps.length : steps.length - 1,
    graphKey: JSON.stringify([nodes, edges]),
  };

  story.reasonNouns = words.reasons;
  story.shares = (words.shares ?? []).map(solid); // of the reasons, and of all other samples where that is enough
  story.rule = words.rule;
  Object.assign(story, { rings: words.rings, shapes: words.shapes });
  Object.assign(story, { apart: own.apart, rows: own.rows, facts: own.facts });
  story.reasonNoun = words.reasons[story.shown]; // of the one that is outlined
  story.name = (node) => words.names[node];
  story.names = (list) => listing(list.map(story.name));
  story.step = (frame) => steps[Math.min(Math.max(frame, 0), steps.length - 1)];
  story.className = trace.classes[trace.prediction.predicted];
  const taught = Boolean(trace.made?.student);
  story.asked = taught ? "student" : "GNN"; // about subgraphs; about the whole it is always the GNN
  story.asks = `${taught ? "Student" : "GNN"}: “${story.className}”`;

  story.scene = (frame) => {
    if (!scenes.has(frame)) scenes.set(frame, sceneOf(frame));
    return scenes.get(frame);
  };
  function sceneOf(frame) {
    if (frame === cover) return foundScene(trace, story, answer, "answer");
    if (frame === story.end) return foundScene(trace, story, trace.final, "end");
    return stateScene(trace, steps[frame]);
  }

  // Which nodes have a role at this frame: for the legend and its hover.
  story.withRole = (frame, role) => {
    const looks = story.scene(frame).looks;
    return nodes.flatMap((_, node) => (looks[node].role === role || looks[node].flags.includes(role) ? [node] : []));
  };

  story.tip = (frame, node) => {
    const { step, looks } = story.scene(frame);
    const { role, flags } = looks[node];
    const { id, element, features } = nodes[node];
    const what = story.written ? `“${story.name(node)}”` : `Node ${story.name(node)}`;
    const parts = [element ? `${element}, atom ${id}` : what];
    const start = trace.target === null ? "start node v₀" : "start node v₀, the explained node";
    if (flags.includes("start")) parts.push(start);
    if (flags.includes("added")) parts.push("just added");
    if (flags.includes("cut")) parts.push("cut vertex: the set falls apart without it");
    const parent = flags.includes("parent") && step.parents.find(({ removed }) => removed === node);
    if (parent) parts.push(`can be taken away: log F = ${signed(parent.log_flow)}`);
    const action = role === "frontier" && step.frontier.find((each) => each.node === node);
    if (action) parts.push(`frontier: π = ${percent(action.probability)}, log F = ${signed(action.log_flow)}`);
    const end = END_ROLES.find(([name]) => name === role);
    if (end) parts.push(end[2]);
    return [...parts, ...features.map(([name, value]) => `${name} ${value}`)].join(" · ");
  };

  // A sentence or two about the frame: the caption, and what a screen reader hears.
  story.sentence = (frame) => {
    if (frame === cover) return own.cover;
    if (frame === story.end) return solid(own.end);
    const { stop, chosen } = steps[frame];
    return solid(own.captions[frame].slice(0, stop.forced || chosen !== null || ended ? 2 : 1).join(" "));
  };
  // Which case of Theorem 1 the step was.
  story.theorem = (frame) => own.theorem[Math.min(frame, steps.length - 1)];
  return story;
}
