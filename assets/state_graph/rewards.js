// A slider below each state with which its reward is changed, reported now and then.

import { el, put } from "../kit/dom.js";
import { plain } from "../kit/numbers.js";

const REPORT_MS = 100; // between two reports while a reward is dragged
const LATE_MS = 1000; // a report is waited for no longer than this before the next
const SETTLE_MS = 300; // after the last change
const STEP = 0.5; // of a reward

// `report({ state, value, settled })` hears of what is set, `changed(k)` of it at once. `values` has what is set here
// as long as Python has not answered: that may be some steps behind.
export function createRewards(body, report, changed) {
  const reports = oneAtATime(report);
  const rewards = { values: [] };
  let [sliders, timer] = [[], 0];

  function slider({ id, name }, k, most) {
    const input = el("input", { type: "range", class: "reward", min: 0, max: most, step: STEP });
    put(input, "aria-label", `Reward of ${name}`);
    const tell = (settled) => reports.tell({ state: id, value: Number(input.value), settled });
    input.addEventListener("input", () => {
      clearTimeout(timer);
      rewards.values[k] = Number(input.value);
      tell(false);
      changed(k);
    });
    input.addEventListener("change", () => {
      clearTimeout(timer);
      timer = setTimeout(() => tell(true), SETTLE_MS);
    });
    input.addEventListener("pointerenter", () => changed(k)); // all that moves is to be seen
    return input;
  }
  // The sliders of other states, up to `most`; none where it is null.
  rewards.build = (boxes, most) => {
    for (const old of sliders) old.remove();
    sliders = most === null ? [] : boxes.map((box, k) => slider(box, k, most));
    body.append(...sliders);
  };
  rewards.give = (boxes) => {
    reports.heard();
    if (!reports.answered() && rewards.values.length === boxes.length) return;
    rewards.values = boxes.map(({ reward }) => reward);
    sliders.forEach((input, k) => (input.value = rewards.values[k]));
  };
  // Below its state, where that is by now, with its words.
  rewards.place = (placeOf, words) => sliders.forEach((input, k) => {
    const { x, y, w, h } = placeOf(k);
    const [share, { style }] = [Number(input.value) / Number(input.max), input];
    Object.assign(style, { left: `${x - w + 2}px`, top: `${y + h + 14}px`, width: `${2 * w - 4}px` });
    style.setProperty("--done", `${100 * share}%`);
    put(input, "aria-valuetext", `${plain(Number(input.value))}, ${words(k)}`);
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
