// The stream of a training: frames since some number come, and are kept as a recording that grows.

import { mix } from "../kit/paths.js";
import { createScene, probabilities, residuals } from "./scene.js";

const CODES = { stop: probabilities, flow: probabilities, visits: probabilities, residuals };

// `lanes` have the frames from some number on, and the scenes that begin there. Where frames are missing in between, it
// is told how many of each lane are here. Nothing is told when all fits.
export function createTape() {
  const tape = { token: null, lanes: [], ticks: [], changes: [] };
  const decoded = new WeakMap(); // numbers of frames

  tape.take = ({ token, changes, lanes: parts }) => {
    const other = token !== tape.token || parts.length !== tape.lanes.length;
    const known = other ? parts.map(() => createLane(decoded)) : tape.lanes;
    if (parts.some((part, k) => part.from > known[k].frames.length)) return known.map(({ frames }) => frames.length);
    Object.assign(tape, { token, changes, lanes: known });
    parts.forEach((part, k) => known[k].take(part));
    tape.ticks = [...new Set(known.flatMap(({ frames }) => frames.map(({ step }) => step)))].sort((a, b) => a - b);
    return null;
  };
  return tape;
}

function createLane(decoded) {
  const lane = { name: "", end: null, scenes: [], frames: [] };

  lane.take = (part) => {
    Object.assign(lane, { name: part.name, end: part.end });
    lane.scenes = [...lane.scenes.filter((scene) => scene.from < part.from), ...part.scenes.map(createScene)];
    lane.frames = [...lane.frames.slice(0, part.from), ...part.frames];
  };

  // What there is at a step: numbers on the way from one frame to the next. Null before the first frame.
  lane.at = (step) => {
    const { frames } = lane;
    if (!frames.length) return null;
    let [low, high] = [0, frames.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (frames[middle].step <= step) low = middle;
      else high = middle;
    }
    const [frame, next] = [frames[low], frames[Math.min(low + 1, frames.length - 1)]];
    const goes = next.scene === frame.scene && next.step > frame.step;
    const share = goes ? Math.min(1, Math.max(0, (step - frame.step) / (next.step - frame.step))) : 0;
    return createMoment(lane, { number: low, frame, next, share }, decoded);
  };
  return lane;
}

function createMoment(lane, { number, frame, next, share }, decoded) {
  const scene = lane.scenes[frame.scene];
  const mixed = new Map();
  const read = (some, name) => {
    if (some[name] == null || !CODES[name]) return some[name] ?? null;
    if (!decoded.has(some)) decoded.set(some, {});
    const kept = decoded.get(some);
    kept[name] ??= CODES[name](some[name]);
    return kept[name];
  };
  // Numbers, lists of numbers, or null where they are not known.
  const get = (name) => {
    if (!mixed.has(name)) {
      const [from, to] = [read(frame, name), read(next, name)];
      mixed.set(name, share === 0 ? from : mix(from, to, share));
    }
    return mixed.get(name);
  };
  return { lane, scene, number, frame, share, step: frame.step + share * (next.step - frame.step), get };
}
