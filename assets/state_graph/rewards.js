// A slider below each state with which its reward is changed, reported now and then. Where there is a pointer, those of
// other states than the current one are seen once it comes near.

import { plain } from "../kit/numbers.js";
import { createSlider } from "../kit/sliders.js";

const REPORT_MS = 100; // between two reports while a reward is dragged
const LATE_MS = 1000; // a report is waited for no longer than this before the next
const STEP = 0.5; // of a reward

// `report({ state, value, settled })` hears of what is set, `changed(k)` of it at once. `values` has what is set here
// as long as Python has not answered: that may be some steps behind.
export function createRewards(body, report, changed) {
  const reports = oneAtATime(report);
  const rewards = { values: [] };
  let sliders = [];

  function slider({ id, name }, k, max) {
    const tell = (value, settled) => reports.tell({ state: id, value, settled });
    const moved = (value) => {
      rewards.values[k] = value;
      tell(value, false);
      changed(k);
    };
    const settled = (value) => tell(value, true);
    const made = createSlider({ label: `Reward of ${name}`, min: 0, max, step: STEP, moved, settled });
    made.input.classList.add("reward");
    made.input.addEventListener("pointerenter", () => changed(k)); // all that moves is to be seen
    return made;
  }
  // The sliders of other states, up to `most`; none where it is null.
  rewards.build = (boxes, most) => {
    for (const { input } of sliders) input.remove();
    sliders = most === null ? [] : boxes.map((box, k) => slider(box, k, most));
    body.append(...sliders.map(({ input }) => input));
  };
  rewards.give = (boxes) => {
    reports.heard();
    if (!reports.answered() && rewards.values.length === boxes.length) return;
    rewards.values = boxes.map(({ reward }) => reward);
  };
  // Below its state, where that is by now, with its words.
  rewards.place = (placeOf, words, current) => sliders.forEach(({ input, put, place }, k) => {
    input.classList.toggle("current", k === current);
    const { x, y, w, h } = placeOf(k);
    place(x - w + 2, y + h + 14, 2 * w - 4);
    put(rewards.values[k], `${plain(rewards.values[k])}, ${words(k)}`);
  });
  return rewards;
}

// Reports go one at a time: the next waits until the numbers of the last are here, so that on a slow computer nothing
// queues up before what is done after the drag. Only the latest is kept; one that settles always goes.
export function oneAtATime(send) {
  let [waiting, timer, last, open] = [null, 0, 0, false];
  const go = () => {
    clearTimeout(timer);
    if (!waiting) return;
    const rest = last + (open ? LATE_MS : REPORT_MS) - performance.now();
    if (rest > 0 && !waiting.settled) {
      timer = setTimeout(go, rest);
      return;
    }
    const report = waiting;
    [waiting, last, open] = [null, performance.now(), true];
    send(report);
  };
  return {
    tell(report) {
      if (waiting && waiting.state !== report.state) send(waiting);
      waiting = report;
      go();
    },
    heard() {
      open = false;
      go();
    },
    answered: () => !open && !waiting,
  };
}
