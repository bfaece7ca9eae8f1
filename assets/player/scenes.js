// The picture of a frame: who has which role, and how each edge is drawn.

const LIKELY = 3; // frontier nodes that keep their label where others lose it, besides the one that is taken

const plainLooks = (nodes) => nodes.map(() => ({ role: "outside", flags: [], scale: 1, strength: 0 }));

// A state of the trajectory.
export function stateScene({ nodes, edges, start }, step) {
  const { members } = step;
  const inside = new Set(members);
  const looks = plainLooks(nodes);
  const sorted = [...step.frontier].sort((a, b) => b.probability - a.probability);
  const likely = new Set([...sorted.slice(0, LIKELY).map(({ node }) => node), step.chosen]);
  for (const { node, probability } of step.frontier) {
    looks[node] = {
      role: "frontier",
      flags: likely.has(node) ? ["likely"] : [],
      scale: 0.85 + 0.4 * Math.sqrt(probability),
      strength: probability,
    };
  }
  for (const node of members) looks[node] = { role: "member", flags: [], scale: 1, strength: 1 };
  looks[start].flags.push("start");
  for (const node of step.cut_vertices) looks[node].flags.push("cut");
  for (const { removed } of step.parents) looks[removed].flags.push("parent");
  if (step.added !== null) looks[step.added].flags.push("added");
  const open = (node) => looks[node].role === "frontier";
  const ways = edges.map(({ source, target }) => {
    if (inside.has(source) && inside.has(target)) return "inside";
    return (inside.has(source) && open(target)) || (inside.has(target) && open(source)) ? "reach" : "outside";
  });
  return { mode: "state", step, members, looks, ways };
}

// A subgraph that was found, over the true motif where one is known: without one there is nothing to judge by.
export function foundScene({ nodes, edges, start, steps }, { motif, known }, subgraph, mode) {
  const found = new Set(subgraph.nodes);
  const held = new Set(subgraph.edges);
  const looks = plainLooks(nodes).map((look, node) => {
    const judged = found.has(node) ? (motif.has(node) ? "hit" : "extra") : motif.has(node) ? "missed" : "outside";
    const role = known ? judged : found.has(node) ? "found" : "outside";
    return { ...look, role, flags: node === start ? ["start"] : [], strength: 1 };
  });
  const ways = edges.map((edge, index) => {
    if (held.has(index)) return !known ? "found" : edge.in_motif ? "hit" : "extra";
    return edge.in_motif ? "missed" : "outside";
  });
  return { mode, step: steps.at(-1), members: subgraph.nodes, looks, ways };
}
