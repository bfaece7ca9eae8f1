// What the player tells whoever keeps the link: the step, never while playing, and what else is asked for.

const SETTLE = 450; // milliseconds after the last key before a step is reported
const KEPT = ["view", "present", "fold"]; // what leaves the step as it is, so that it is still to be reported

export function createReports(callbacks, state) {
  let [timer, reported] = [null, null];

  function step() {
    clearTimeout(timer);
    if (state.frame === reported || state.playing) return;
    reported = state.frame;
    callbacks.step?.(state.frame);
  }
  function soon(times = 1) {
    clearTimeout(timer);
    timer = setTimeout(step, times * SETTLE);
  }
  // Whatever else is asked for goes first: two reports at once would write over each other's part of the link.
  function ask(what, value) {
    clearTimeout(timer);
    if (KEPT.includes(what)) soon(4);
    callbacks[what]?.(value);
  }
  const known = (frame) => (reported = frame); // whoever would be told has said it
  return { step, soon, ask, known, destroy: () => clearTimeout(timer) };
}
