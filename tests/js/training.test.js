// What is kept and computed of a recording before anything is drawn.

import { mix } from "../../assets/kit/paths.js";
import { blend, channels } from "../../assets/state_graph/surface.js";
import { layOutStates, ports, stateAt } from "../../assets/state_graph/layout.js";
import { threshold } from "../../assets/state_graph/pen.js";
import { columnName, holds, selectionWords, stateTip } from "../../assets/state_graph/words.js";
import { placeOf } from "../../assets/train/clock.js";
import { probabilities, residuals } from "../../assets/train/scene.js";
import { othersWords } from "../../assets/train/stops.js";
import { createTape } from "../../assets/train/stream.js";
import { close, equal, run, test } from "./harness.js";

const HALF = "AIA="; // one number, a little above the middle
const two = (a, b) => btoa(String.fromCharCode(a & 255, a >> 8, b & 255, b >> 8));

const SCENE = {
  from: 0,
  nodes: [0, 1, 2].map((x) => ({ x, y: 0, name: String(x), element: null, motif: false })),
  edges: [[0, 1, 1, false], [1, 2, 1, false]],
  start: 0,
  listed: true,
  states: [[0], [0, 1]],
  log_reward: [0, 1],
  links: [[0, 1, 1]],
  target: two(32_768, 65_535),
  exact: HALF,
  log_z: 1,
};
const frame = (step, stop, more = {}) => ({
  step,
  seconds: step,
  scene: 0,
  loss: step,
  stop: two(stop, 65_535 - stop),
  flow: HALF,
  residuals: two(32_768, 32_768),
  visits: two(65_535, 0),
  marginals: [step, 0],
  ...more,
});
const part = (frames, from = 0, scenes = from ? [] : [SCENE]) => ({
  token: "a",
  changes: [],
  lanes: [{ name: "one", end: null, scenes, from, frames }],
});

test("numbers are read as they were written", () => {
  close([...probabilities(two(0, 65_535))], [0, 1]);
  close([...probabilities(two(6554, 655))], [0.01, 0.0001], 1e-4);
  close([...residuals(two(0, 65_535))], [-8, 8], 1e-4);
  close(residuals(two(32_768, 0))[0], 0, 1e-3);
});

test("frames are appended, and what is missing in between is told", () => {
  const tape = createTape();
  equal(tape.take(part([frame(0, 0), frame(10, 65_535)])), null);
  equal(tape.take(part([frame(20, 0)], 2)), null);
  equal(tape.ticks, [0, 10, 20]);
  equal(tape.take(part([frame(50, 0)], 5)), [3]);
  equal(tape.ticks, [0, 10, 20]); // nothing was taken
  equal(tape.take(part([frame(12, 0)], 1)), null); // frames that were taken back
  equal(tape.ticks, [0, 12]);
  equal(createTape().take(part([frame(20, 0)], 2)), [0]);
});

test("between two frames numbers are in between", () => {
  const tape = createTape();
  tape.take(part([frame(0, 0), frame(10, 65_535)]));
  const moment = tape.lanes[0].at(5);
  close([moment.step, moment.get("loss"), moment.get("stop")[0], moment.get("marginals")[0]], [5, 5, 0.5, 5], 1e-4);
  equal(moment.get("auc"), null);
  close(tape.lanes[0].at(99).get("loss"), 10);
  close([...mix([1], [2, 6], 0.5)], [1.5, 6]); // what was not known before is as it is now
});

test("nothing lies between two scenes", () => {
  const tape = createTape();
  tape.take(part([frame(0, 0), frame(10, 65_535, { scene: 1 })], 0, [SCENE, { ...SCENE, from: 1 }]));
  close(tape.lanes[0].at(5).get("loss"), 0);
});

test("the clock finds a step between its ticks", () => {
  equal([placeOf([0, 10, 30], 10), placeOf([0, 10, 30], 20), placeOf([0, 10, 30], 99)], [1, 1.5, 2]);
  equal([placeOf([5, 10], 0), placeOf([], 3)], [0, 0]);
});

test("states stand in columns, with as much room as flow", () => {
  const scene = {
    column: [0, 1, 1, 2],
    links: [[0, 1, 1], [0, 2, 2], [1, 3, 2], [2, 3, 1]],
    exact: [0.6, 0.3, 0.2, 0.2],
    target: [0.1, 0.4, 0.1, 0.4],
  };
  const { x, y, tall, slot, out, into, pipe } = layOutStates(scene, { width: 300, height: 220, top: 20, side: 20 });
  close([...x], [20, 150, 150, 280]);
  close(tall[1] / tall[2], 2, 1e-4);
  close(tall[0], pipe, 1e-4);
  close(slot[1] + slot[2], 200, 1e-3);
  for (const k of [0, 1]) equal(Math.abs(out[k] - y[0]) <= tall[0] / 2, true);
  close(Math.abs(into[2] - into[3]), 0.2 * pipe, 1e-3); // side by side
  const shapes = scene.column.map(() => ({ w: 4, h: 4 }));
  equal(stateAt({ x, y, tall, columns: [[0], [1, 2], [3]] }, shapes, [151, y[2]]), 2);
  equal(stateAt({ x, y, tall, columns: [[0], [1, 2], [3]] }, shapes, [85, y[2]]), null);
});

const permutations = (items) =>
  items.length < 2
    ? [items]
    : items.flatMap((one, k) => permutations(items.toSpliced(k, 1)).map((others) => [one, ...others]));
const crossings = (links, y) =>
  links.filter(([a, b], k) => links.slice(k + 1).some(([c, d]) => (y[a] - y[c]) * (y[b] - y[d]) < 0)).length;

test("links cross as little as they can, whatever the order in which states come", () => {
  // a; ab, ac; acd, abc; abcd, acde; abcde
  const links = [[0, 1], [0, 2], [1, 4], [2, 4], [2, 3], [4, 5], [3, 5], [3, 6], [5, 7], [6, 7]];
  const column = [0, 1, 1, 2, 2, 3, 3, 4];
  const { y } = layOutStates({ column, links }, { width: 300, height: 220, top: 20, side: 20 });
  const inColumn = (k) => links.filter(([parent]) => column[parent] === k);
  const found = column.map((_, k) => crossings(inColumn(k), y)).reduce((sum, count) => sum + count, 0);
  const orders = [0, 1, 2, 3, 4].map((k) => permutations(column.flatMap((at, state) => (at === k ? [state] : []))));
  const all = orders.reduce((some, level) => some.flatMap((one) => level.map((two) => [...one, two])), [[]]);
  const best = Math.min(...all.map((levels) => {
    const rows = column.map((k, state) => levels[k].indexOf(state));
    return column.map((_, k) => crossings(inColumn(k), rows)).reduce((sum, count) => sum + count, 0);
  }));
  equal(found, best);
});

test("links leave one below the other, as wide as their flow", () => {
  const links = [[0, 1], [0, 2]];
  const { out, tall } = ports({ y: [50, 20, 80], pipe: 40 }, links, [0.5, 0.25]);
  close([...out], [40, 55]); // a quarter stops: it drains below
  close([...tall], [40, 20, 10]);
  close([...ports({ y: [50, 20, 80], pipe: 40 }, links, null, undefined, 4).out], [48, 52]);
});

const GRID = { ...SCENE, nodes: [], edges: [], states: [[], [], [], []], labels: ["0,0", "0,1", "1,0", "1,1"], column: [0, 1, 1, 2] };

test("states of any GFlowNet have labels in place of nodes", () => {
  const tape = createTape();
  const links = [[0, 1, 0], [0, 2, 0], [1, 3, 0], [2, 3, 0]];
  const four = btoa(String.fromCharCode(...Array.from({ length: 8 }, () => 128)));
  const numbers = { stop: four, flow: four, residuals: four, visits: four, marginals: [] };
  const scene = { ...GRID, links, log_reward: [0, 1, 2, 3], target: four, exact: four };
  tape.take(part([{ ...frame(0, 0), ...numbers }], 0, [scene]));
  const moment = tape.lanes[0].at(0);
  equal([moment.scene.keys.indexOf("3"), columnName(moment.scene, 2)], [3, "2 actions"]);
  equal(stateTip(moment, 3).split(" · ")[0], "1,1");
  equal(selectionWords(moment, { kind: "state", key: "3", nodes: [3] }).split(" · ")[0], "State 1,1");
});

test("states that have no bar of their own are told in words, with their sums", () => {
  const moment = { scene: { target: [0.5, 0.2, 0.3] }, get: () => [0.1, 0.6, 0.3] };
  equal(othersWords(moment, [1, 2]), "2 others: P(stop) 90\u00a0%, R/Z 50\u00a0%");
});

test("the strongest few are about as many as are wanted", () => {
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const values = Array.from({ length: 500 }, random);
  const strongest = (most) => values.filter((value) => value >= threshold(values, most)).length;
  equal([strongest(20) <= 20, strongest(20) >= 15, strongest(600)], [true, true, 500]);
});

test("what is chosen", () => {
  const scene = { states: [[1, 0], [0, 1, 2]], keys: ["0,1", "0,1,2"], column: [1, 2] };
  const held = (selection) => [0, 1].map((state) => holds(selection, scene, state));
  equal(held({ kind: "state", key: "0,1", nodes: [0, 1] }), [true, false]);
  equal(held({ kind: "node", node: 2 }), [false, true]);
});

test("colours of canvases", () => {
  close(channels("rgb(10, 20, 30)"), [10, 20, 30]);
  close(channels("color(srgb 1 0.5 0)"), [255, 127.5, 0]);
  equal(blend([0, 0, 0], [100, 200, 50], 0.5), "rgb(50 100 25)");
});

export default run;
