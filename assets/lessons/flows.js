// What lessons compute: the flow that ends as given rewards, and samples in proportion to weights.

// Flow comes to every state from its parents in equal shares.
export function solve(links, reward) {
  const through = [...reward];
  const flow = links.map(() => 0);
  for (let state = reward.length - 1; state > 0; state--) { // larger states have larger numbers
    const into = links.flatMap(({ target }, k) => (target === state ? [k] : []));
    for (const k of into) through[links[k].source] += flow[k] = through[state] / into.length;
  }
  return { through, flow };
}

// How often each of some things was sampled. The generator has a seed: the first samples stay when more are taken.
export function sample(weights, count) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = weights.map(() => 0);
  let random = 1;
  for (let n = 0; n < count; n++) {
    random = (48271 * random) % 2147483647;
    let rest = (random / 2147483647) * total;
    let k = 0;
    while (k < weights.length - 1 && rest >= weights[k]) rest -= weights[k++];
    counts[k] += 1;
  }
  return counts;
}
