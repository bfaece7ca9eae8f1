// The flow that ends as given rewards: it comes to every state from its parents in equal shares. `solve_flows` of
// gfx_core/teaching/practice.py does the same.

export function solve(links, reward) {
  const through = [...reward];
  const flow = links.map(() => 0);
  for (let state = reward.length - 1; state > 0; state--) { // larger states have larger numbers
    const into = links.flatMap(({ target }, k) => (target === state ? [k] : []));
    for (const k of into) through[links[k].source] += flow[k] = through[state] / into.length;
  }
  return { through, flow };
}
