// What a trace says at each frame: who has which role, and the sentences about it.
// Frames 0 … n−1 are the states of the trajectory; frame n, where there is one, is the result.

import { listing, percent, plural, signed } from "../kit/numbers.js";

function parseTrace(text) {
  return JSON.parse(text, (key, value) => (value === "-Infinity" && key.startsWith("log_") ? -Infinity : value));
}

export function createStory({ trace: text, theorem }, ended) {
  const trace = parseTrace(text);
  const { nodes, edges, steps } = trace;
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
    molecule: nodes.some((node) => node.element),
    end: ended ? steps.length : null,
    last: ended ? steps.length : steps.length - 1,
    graphKey: JSON.stringify([nodes, edges]),
  };

  story.name = (node) => {
    const { label, id, element } = nodes[node];
    return element ? `${element}${id}` : label || String(id);
  };
  story.names = (list) => listing(list.map(story.name));
  story.step = (frame) => steps[Math.min(frame, steps.length - 1)];
  story.className = trace.classes[trace.prediction.predicted];

  // The scene of a frame; with `without`, that of the parent in which this node is not yet in the set.
  story.scene = (frame, without = null) => {
    const key = `${frame}/${without}`;
    if (!scenes.has(key)) scenes.set(key, frame === story.end ? endScene() : stateScene(steps[frame], without));
    return scenes.get(key);
  };

  function stateScene(step, without) {
    const members = step.members.filter((node) => node !== without);
    const inside = new Set(members);
    const preview = without !== null;
    const looks = nodes.map(() => ({ role: "outside", flags: [], scale: 1, strength: 0 }));
    if (!preview) {
      for (const { node, probability } of step.frontier) {
        looks[node] = {
          role: "frontier",
          flags: [],
          scale: 0.85 + 0.4 * Math.sqrt(probability),
          strength: probability,
        };
      }
    }
    for (const node of members) looks[node] = { role: "member", flags: [], scale: 1, strength: 1 };
    looks[trace.start].flags.push("start");
    if (preview) looks[without] = { role: "removed", flags: [], scale: 1, strength: 1 };
    else {
      for (const node of step.cut_vertices) looks[node].flags.push("cut");
      for (const { removed } of step.parents) looks[removed].flags.push("parent");
      if (step.added !== null) looks[step.added].flags.push("added");
    }
    const open = (node) => looks[node].role === "frontier";
    const ways = edges.map(({ source, target }) => {
      if (inside.has(source) && inside.has(target)) return "inside";
      return (inside.has(source) && open(target)) || (inside.has(target) && open(source)) ? "reach" : "outside";
    });
    return { step, members, looks, ways, ended: false, preview };
  }

  function endScene() {
    const found = new Set(trace.final.nodes);
    const held = new Set(trace.final.edges);
    const looks = nodes.map((_, node) => {
      const role = !known
        ? found.has(node) ? "found" : "outside"
        : found.has(node) ? (motif.has(node) ? "hit" : "extra") : motif.has(node) ? "missed" : "outside";
      return { role, flags: node === trace.start ? ["start"] : [], scale: 1, strength: 1 };
    });
    const ways = edges.map((edge, index) => {
      if (held.has(index)) return !known ? "found" : edge.in_motif ? "hit" : "extra";
      return edge.in_motif ? "missed" : "outside";
    });
    return { step: steps.at(-1), members: trace.final.nodes, looks, ways, ended: true, preview: false };
  }

  story.counts = () => {
    const ways = endScene().ways;
    const count = (kind) => ways.filter((way) => way === kind).length;
    return { hit: count("hit"), missed: count("missed"), extra: count("extra"), found: count("found") };
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
    const parts = [element ? `${element}, atom ${id}` : `Node ${story.name(node)}`];
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
      parts.push(`The set has ${step.members.length} nodes: ${held}.`);
    }
    parts.push(`The GNN gives “${story.className}” ${percent(step.reward.probability)}.`);
    if (step.stop.forced) parts.push("Now it must stop.");
    else if (step.chosen !== null || story.end !== null) {
      const next = step.chosen === null ? "STOP" : story.name(step.chosen);
      parts.push(`Next: ${next} (${percent(story.actionProbability(step, step.chosen))}).`);
    }
    return parts.join(" ");
  };

  function endSentence() {
    const { hit, missed, extra } = story.counts();
    const found = known
      ? `${hit} of ${plural(hit + missed, "motif edge")} found, ${extra} extra`
      : `${plural(trace.final.edges.length, "edge")} found (no true motif is known here)`;
    const chance = percent(Math.exp(trace.final.log_trajectory_probability));
    return `Stopped: ${found}. log R = ${signed(trace.final.log_reward)}; this order had probability ${chance}.`;
  }

  // Which case of Theorem 1 the step was: a sentence that came with the trace.
  story.theorem = (frame) => theorem[Math.min(frame, steps.length - 1)];
  return story;
}
