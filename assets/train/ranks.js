// Who leads at each moment of a training. Who leads by a hair does not overtake: else lines would cross all the time.

import { probabilities, residuals } from "./codes.js";

export const PLACES = 8;
const WATCHED = 12; // some more than have a place
const LEAST = 5e-4; // a state that is less probable than this is no candidate
const FRAMES = 160; // at most so many are looked at
const CLEARLY = { times: 1.08, more: 2e-4 }; // so much larger overtakes

// The first few of some values, largest first; none that are below the least.
export function leaders(values, most = PLACES, least = -Infinity) {
  const best = [];
  for (let k = 0; k < values.length; k += 1) {
    if (values[k] < least) continue;
    if (best.length === most && values[k] <= values[best[most - 1]]) continue;
    let at = best.length;
    while (at > 0 && values[best[at - 1]] < values[k]) at -= 1;
    best.splice(at, 0, k);
    if (best.length > most) best.pop();
  }
  return best;
}

// In the order of before, but for those that are clearly larger than who stands before them. `best` has states and
// their values, largest first.
export function settled(best, before) {
  const value = new Map(best);
  const old = before.filter((state) => value.has(state));
  const order = [...old, ...[...value.keys()].filter((state) => !old.includes(state))];
  for (let end = order.length; end > 1; end -= 1) {
    for (let k = 0; k + 1 < end; k += 1) {
      const [here, next] = [value.get(order[k]), value.get(order[k + 1])];
      if (next > here * CLEARLY.times + CLEARLY.more) [order[k], order[k + 1]] = [order[k + 1], order[k]];
    }
  }
  return order;
}

// `watch(lane)` gives each scene's orders by frame, each state's places, and the order in the end.
export function createRanks() {
  const known = new WeakMap(); // the best of each frame
  const candidates = (shares) => leaders(shares, WATCHED, LEAST).map((state) => [state, shares[state]]);

  // Of an unlisted scene nobody knows P(stop); its states are ranked by their reward as they are found.
  function bestOf(frame, { log_reward: rewards }) {
    if (!known.has(frame)) {
      const found = () => rewards.slice(0, residuals(frame.residuals).length);
      const best = () => leaders(found(), WATCHED).map((state) => [state, rewards[state]]);
      known.set(frame, frame.stop ? candidates(probabilities(frame.stop)) : best());
    }
    return known.get(frame);
  }

  function ranksOf(scene, frames) {
    let order = [];
    const orders = frames.map((frame) => {
      const best = bestOf(frame, scene);
      order = frame.stop ? settled(best, order) : best.map(([state]) => state);
      return { step: frame.step, order: order.slice(0, PLACES) };
    });
    const lines = new Map();
    orders.forEach(({ step, order: states }, k) => {
      states.forEach((state, rank) => {
        if (!lines.has(state)) lines.set(state, []);
        lines.get(state).push({ k, step, rank });
      });
    });
    const end = scene.target ? settled(candidates(scene.target), order) : order;
    const places = Math.max(3, end.length, ...orders.map(({ order: states }) => states.length));
    return { orders, lines, end: end.slice(0, PLACES), places: Math.min(PLACES, places) };
  }

  function watch({ frames, scenes }) {
    const every = Math.max(1, Math.ceil(frames.length / FRAMES));
    const some = frames.filter((_, k) => k % every === 0 || k === frames.length - 1);
    return new Map(scenes.map((scene, k) => [scene, ranksOf(scene, some.filter((frame) => frame.scene === k))]));
  }
  return { watch };
}
