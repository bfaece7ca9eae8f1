// One clock for all lanes. It stands between two frames' steps; it plays, is set, or follows what is still coming.

import { lessMotion } from "../kit/dom.js";

const WHOLE = 16; // seconds for a whole recording at speed 1
const PACE = 12; // frames a second at most, at speed 1, so that a short one is not over at once
const WAIT = 0.7; // seconds in which what came is caught up with

// `changed()` hears of each new place, `rested()` of a pause, the end, or a step.
export function createClock({ changed, rested }) {
  const clock = { ticks: [], at: 0, playing: false, following: false, speed: 1 };
  let [timer, before, rate] = [0, 0, 1];
  const last = () => Math.max(0, clock.ticks.length - 1);

  Object.defineProperty(clock, "step", {
    get() {
      const low = Math.floor(clock.at);
      const [from, to] = [clock.ticks[low] ?? 0, clock.ticks[low + 1] ?? clock.ticks[low] ?? 0];
      return from + (to - from) * (clock.at - low);
    },
  });
  clock.atEnd = () => clock.at >= last();

  function set(at) {
    clock.at = Math.min(Math.max(at, 0), last());
    changed();
  }
  function turn(now) {
    timer = 0;
    const seconds = Math.min(0.1, Math.max(0, now - before) / 1000);
    before = now;
    if (clock.playing) {
      const pace = Math.min(PACE, Math.max(last() / WHOLE, 0.5)) * clock.speed;
      set(clock.at + seconds * pace);
      if (clock.atEnd()) clock.pause();
    } else if (clock.following) {
      set(lessMotion() ? last() : clock.at + seconds * rate);
    }
    run();
  }
  function run() {
    if (timer || !(clock.playing || (clock.following && !clock.atEnd()))) return;
    before = performance.now();
    timer = requestAnimationFrame(turn);
  }

  const hurry = () => { rate = Math.max(1, (last() - clock.at) / WAIT); };

  // Other steps are known: what is seen stays where it is, or is followed.
  clock.know = (ticks) => {
    const { step } = clock;
    const fresh = clock.ticks.length === 0;
    clock.ticks = ticks;
    if (clock.following && fresh) clock.at = last();
    else clock.at = fresh ? clock.at : placeOf(ticks, step);
    hurry();
    run();
  };
  clock.play = () => {
    Object.assign(clock, { playing: true, following: false });
    if (clock.atEnd()) clock.at = 0;
    changed();
    run();
  };
  clock.pause = () => {
    clock.playing = false;
    changed();
    rested();
  };
  clock.go = (at) => {
    Object.assign(clock, { playing: false, following: false });
    set(at);
  };
  clock.move = (by) => {
    clock.go(by > 0 ? Math.floor(clock.at + 1e-6) + by : Math.ceil(clock.at - 1e-6) + by);
    rested();
  };
  clock.goToStep = (step) => clock.go(placeOf(clock.ticks, step));
  clock.follow = () => {
    Object.assign(clock, { playing: false, following: true });
    hurry();
    changed();
    rested();
    run();
  };
  clock.stop = () => cancelAnimationFrame(timer);
  return clock;
}

// The place of a step among the ticks, between two of them where it is not one.
export function placeOf(ticks, step) {
  const above = ticks.findIndex((tick) => tick >= step);
  if (above < 0) return Math.max(0, ticks.length - 1);
  if (above === 0 || ticks[above] === step) return above;
  return above - 1 + (step - ticks[above - 1]) / (ticks[above] - ticks[above - 1]);
}
