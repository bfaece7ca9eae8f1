// The slider below a state with which its reward is changed: by pointer or by keys, reported now and then.

import { putAll, svgEl } from "../../../assets/kit/dom.js";
import { percent, plain } from "../../../assets/kit/numbers.js";

const REPORT_MS = 100; // between two reports while a reward is dragged
const LATE_MS = 1000; // a report is waited for no longer than this before the next
const SETTLE_MS = 500; // after the last key
const ANSWER_MS = 2000; // until what Python says counts again, if it has answered
const STEP = 0.5; // of a reward

export function buildSlider(view, box, y) {
  const { rewardMax } = view.data;
  const wide = view.size.boxW - 12;
  const group = svgEl("g", { class: "slider", role: "slider", tabindex: 0, transform: `translate(0 ${y})` });
  putAll(group, { "aria-label": `Reward of ${box.name}`, "aria-valuemin": 0, "aria-valuemax": rewardMax });
  const room = svgEl("rect", { class: "room", x: -wide / 2 - 8, y: -11, width: wide + 16, height: 22 });
  const level = svgEl("rect", { class: "level", x: -wide / 2, y: -2, height: 4, rx: 2 });
  const grip = svgEl("circle", { class: "grip", r: 6.5 });
  group.append(room, svgEl("rect", { class: "rail", x: -wide / 2, y: -2, width: wide, height: 4, rx: 2 }), level, grip);
  const report = (value, settled = false) => view.rewards.tell({ state: box.id, value, settled });
  const place = () => view.data.picture.boxes.findIndex((other) => other.id === box.id);
  const change = (value) => {
    const rounded = Math.min(rewardMax, Math.max(0, Math.round(value / STEP) * STEP));
    clearTimeout(view.settling);
    if (view.ahead.get(box.id) === rounded) return;
    view.ahead.set(box.id, rounded);
    drawReward(view, place());
    report(rounded);
  };
  const settle = () => {
    if (!view.ahead.has(box.id)) return;
    report(view.ahead.get(box.id), true);
    const fall = () => {
      if (!view.rewards.answered()) {
        view.settling = setTimeout(fall, ANSWER_MS);
        return;
      }
      view.ahead.delete(box.id);
      drawReward(view, place());
    };
    view.settling = setTimeout(fall, ANSWER_MS);
  };
  const fromPointer = (event) => {
    const frame = room.getBoundingClientRect();
    change((rewardMax * (event.clientX - frame.left - 8)) / (frame.width - 16));
  };
  group.addEventListener("pointerenter", () => view.showAll(box)); // all that moves is to be seen
  group.addEventListener("pointerleave", () => view.held === null && view.tell(null));
  group.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    group.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    view.held = box.id;
    fromPointer(event);
  });
  group.addEventListener("pointermove", (event) => view.held === box.id && fromPointer(event));
  for (const name of ["pointerup", "pointercancel"]) {
    group.addEventListener(name, () => {
      view.held = null;
      settle();
      view.measureAgain(); // what had to wait while it was held
    });
  }
  group.addEventListener("keydown", (event) => {
    const now = rewardOf(view, place());
    const moves = { ArrowRight: STEP, ArrowUp: STEP, ArrowLeft: -STEP, ArrowDown: -STEP, PageUp: 2, PageDown: -2 };
    const value = { Home: 0, End: rewardMax }[event.key] ?? (event.key in moves ? now + moves[event.key] : null);
    if (value === null) return;
    event.preventDefault();
    event.stopPropagation();
    change(value);
    view.settling = setTimeout(settle, SETTLE_MS);
  });
  return { group, level, grip, wide };
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

// What is set here, as long as Python has not answered; it may be some steps behind.
const rewardOf = (view, k) => view.ahead.get(view.data.picture.boxes[k].id) ?? view.shown.reward[k];

export function drawReward(view, k) {
  const { slider, text } = view.parts.boxes[k];
  const { shown, data } = view;
  const reward = rewardOf(view, k);
  const stops = percent(shown.stop[k] ?? 0);
  if (text) text.textContent = data.draggable ? `R ${plain(reward)} · ${stops}` : stops;
  if (!slider) return;
  const at = (slider.wide * reward) / data.rewardMax;
  putAll(slider.level, { width: at });
  putAll(slider.grip, { cx: at - slider.wide / 2 });
  putAll(slider.group, { "aria-valuenow": reward, "aria-valuetext": `${plain(reward)}, stops here with ${stops}` });
}
