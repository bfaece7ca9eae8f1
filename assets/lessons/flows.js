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

// How often each of some things was sampled; the first samples stay what they are when more are taken.
export function sample(weights, count) {
  const random = randoms();
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = weights.map(() => 0);
  for (let n = 0; n < count; n++) {
    let rest = random() * total;
    let k = 0;
    while (k < weights.length - 1 && rest >= weights[k]) rest -= weights[k++];
    counts[k] += 1;
  }
  return counts;
}

// The generator mulberry32: Math.random cannot be given a seed.
function randoms() {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
