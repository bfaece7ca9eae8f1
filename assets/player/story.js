// What a trace says at each frame: who has which role, and the sentences about it.
// Frames 0 … n−1 are the states of the trajectory; frame n, where there is one, is the result. Before all stands the
// cover, where the trace has an answer: one of its reasons.

import { listing, percent, plural, signed, solid } from "../kit/numbers.js";
import { foundScene, stateScene } from "./scenes.js";

const COVER = -1;

function parseTrace(text) {
  return JSON.parse(text, (key, value) => (value === "-Infinity" && key.startsWith("log_") ? -Infinity : value));
}

// The trace with the trajectory that ends in one of its reasons, where it does not show that anyway.
function alongReason(trace, reason) {
  if (!reason?.steps.length) return trace;
  const { nodes, edges, steps } = reason;
  const taken = ({ chosen, frontier, stop, log_out_flow }) =>
    (frontier.find(({ node }) => node === chosen) ?? stop).log_flow - log_out_flow;
  const final = {
    nodes: [...nodes].sort((a, b) => a - b),
    edges,
    log_reward: steps.at(-1).reward.log_reward,
    log_trajectory_probability: Math.min(0, steps.reduce((sum, step) => sum + taken(step), 0)),
  };
  return { ...trace, start: nodes[0], steps, final };
}

// `reason` is the number of the one that was chosen, 1 for the first; null where none was, and the first is outlined.
// Python says what nodes and their edges are called, which reasons are called so and not parts, and their shares.
export function createStory({ trace: text, theorem, words }, { ended, covered, reason = null }) {
  const given = parseTrace(text);
  const reasons = given.answer?.reasons ?? [];
  const chosen = reasons[(reason ?? 1) - 1] ?? reasons[0];
  const trace = alongReason(given, reason === null ? null : chosen);
  const { nodes, edges, steps } = trace;
  const answer = chosen ? { ...given.answer, ...chosen } : null;
  const cover = covered && answer ? COVER : null;
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

  story.nouns = { node: words.node, edge: words.edge };
  story.reasonNouns = words.reasons;
  story.shares = (words.shares ?? []).map(solid); // of the reasons, and of all other samples where that is enough
  story.rule = words.rule;
  story.reasonNoun = words.reasons[story.shown]; // of the one that is outlined
  story.name = (node) => words.names[node];
  story.names = (list) => listing(list.map(story.name));
  story.step = (frame) => steps[Math.min(Math.max(frame, 0), steps.length - 1)];
  story.className = trace.classes[trace.prediction.predicted];
  const taught = Boolean(trace.made?.student);
  story.asked = taught ? "student" : "GNN"; // about subgraphs; about the whole it is always the GNN
  story.asks = `${taught ? "Student" : "GNN"}: “${story.className}”`;
  story.whose = taught ? " (GNN)" : "";
  story.drawn = trace.samples.reduce((sum, { count }) => sum + count, 0);

  story.scene = (frame) => {
    if (!scenes.has(frame)) scenes.set(frame, sceneOf(frame));
    return scenes.get(frame);
  };
  function sceneOf(frame) {
    if (frame === cover) return foundScene(trace, story, answer, "answer");
    if (frame === story.end) return foundScene(trace, story, trace.final, "end");
    return stateScene(trace, steps[frame]);
  }

  // How many edges of a subgraph are true, missed or extra.
  story.counts = (subgraph) => {
    const { ways } = foundScene(trace, story, subgraph, "end");
    const count = (kind) => ways.filter((way) => way === kind).length;
    return { hit: count("hit"), missed: count("missed"), extra: count("extra") };
  };

  // Where the trajectory ends, beside the answer: nodes that only one of them has. Null where there is no answer.
  story.apart = () => {
    if (!answer) return null;
    const [found, agreed] = [new Set(trace.final.nodes), new Set(answer.nodes)];
    return {
      more: trace.final.nodes.filter((node) => !agreed.has(node)),
      less: answer.nodes.filter((node) => !found.has(node)),
    };
  };

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
    const ends = {
      hit: "found, and in the true motif",
      extra: "found, but not in the true motif",
      missed: "in the true motif, not found",
    };
    if (ends[role]) parts.push(ends[role]);
    return [...parts, ...features.map(([name, value]) => `${name} ${value}`)].join(" · ");
  };

  story.actionProbability = (step, node) =>
    node === null ? step.stop.probability : step.frontier.find((action) => action.node === node).probability;

  // One sentence or two about the frame: the caption, and what a screen reader hears.
  story.sentence = (frame) => {
    if (frame === cover) return coverSentence();
    if (frame === story.end) return endSentence();
    const step = steps[frame];
    const parts = [];
    if (step.added === null) {
      parts.push(`The set starts as ${story.name(trace.start)}${trace.target === null ? "" : ", the explained node"}.`);
    } else {
      const before = story.actionProbability(steps[frame - 1], step.added);
      const cuts = step.cut_vertices;
      const held = cuts.length
        ? `${story.names(cuts)} ${cuts.length > 1 ? "hold" : "holds"} it together`
        : "no cut vertex";
      parts.push(`Added ${story.name(step.added)}, which had ${percent(before)}.`);
      parts.push(`The set has ${plural(step.members.length, story.nouns.node)}: ${held}.`);
    }
    parts.push(`The GNN gives “${story.className}” ${percent(step.reward.probability)}.`);
    if (step.stop.forced) parts.push("Now it must stop.");
    else if (step.chosen !== null || story.end !== null) {
      const next = step.chosen === null ? "STOP" : story.name(step.chosen);
      parts.push(`Next: ${next} (${percent(story.actionProbability(step, step.chosen))}).`);
    }
    return parts.join(" ");
  };

  function coverSentence() {
    const noun = words.reasons.includes("part") ? "part" : "reason";
    const several = `${noun} ${story.shown + 1} of ${reasons.length}`;
    const only = story.reasonNoun === "part" ? "the best part that we found" : "the reason";
    const one = `The outline is ${reasons.length === 1 ? only : several}`;
    const { more, less } = story.apart();
    const which = more.length || less.length ? "one that ends elsewhere" : "one that ends there";
    return `${one}. Wider ${story.nouns.edge}s are in more samples. Play shows how a sample grows: ${which}.`;
  }

  function endSentence() {
    const { hit, missed, extra } = story.counts(trace.final);
    const found = known
      ? `${hit} of ${plural(hit + missed, `motif ${story.nouns.edge}`)} found, ${extra} extra`
      : `${plural(trace.final.edges.length, story.nouns.edge)} found`;
    const chance = percent(Math.exp(trace.final.log_trajectory_probability));
    const beside = answer ? ` ${story.beside()}` : "";
    const reward = signed(trace.final.log_reward);
    return `Stopped: ${found}.${beside} log R = ${reward}; this order had probability ${chance}.`;
  }

  // The end of the trajectory beside the answer, in words.
  story.beside = () => {
    const { more, less } = story.apart();
    const it = reasons.length > 1 ? `${story.reasonNoun} ${story.shown + 1}` : "the answer";
    if (!more.length && !less.length) return `That is ${it}.`;
    const parts = [];
    if (less.length) parts.push(`lacks ${story.names(less)}`);
    if (more.length) parts.push(`has ${story.names(more)} besides`);
    return `It is not ${it}: it ${parts.join(" and ")}.`;
  };

  // Which case of Theorem 1 the step was: a sentence that came with the trace.
  const cases = theorem[trace === given ? 0 : story.shown + 1];
  story.theorem = (frame) => cases[Math.min(frame, steps.length - 1)];
  return story;
}
