// The rings of a subgraph: what an outline around it must fill, or each hole would have an outline too.

// One ring for each edge that closes one, as lists of nodes: every hole is inside some of them.
export function ringsOf(members, edges) {
  const inside = new Set(members);
  const near = new Map(members.map((node) => [node, []]));
  const own = edges.filter(({ source, target }) => inside.has(source) && inside.has(target));
  for (const { source, target } of own) {
    near.get(source).push(target);
    near.get(target).push(source);
  }
  const parent = new Map(members.length ? [[members[0], null]] : []);
  for (const node of parent.keys()) {
    for (const next of near.get(node)) if (!parent.has(next)) parent.set(next, node);
  }
  const wayUp = (node) => (node === null || node === undefined ? [] : [node, ...wayUp(parent.get(node))]);
  const closes = ({ source, target }) => parent.get(source) !== target && parent.get(target) !== source;
  return own.filter(closes).map(({ source, target }) => {
    const [left, right] = [wayUp(source), wayUp(target)];
    const meet = left.find((node) => right.includes(node));
    return [...left.slice(0, left.indexOf(meet) + 1), ...right.slice(0, right.indexOf(meet)).reverse()];
  });
}
