// The bar on top: run and step a training that goes on, play and scrub what was recorded.

import { el, keyed, put, setText } from "../kit/dom.js";
import { thousands } from "../kit/numbers.js";
import { createSlider } from "../kit/sliders.js";
import { ICONS, button, relabel, speedMenu } from "../player/parts.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const RESET = "M12 5V1L7 6l5 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z";
const STEP = "M6 5v14l9-7zM16.5 5H19v14h-2.5z";

export function createBar(act) {
  const run = button("Run (space)", ICONS.play, act.run, { class: "run" });
  const training = el(
    "div",
    { class: "group training", role: "group", "aria-label": "Training" },
    el("b", { class: "of" }, "Training"),
    run,
    button("One training step (→ at the newest)", STEP, () => act.command("step"), { class: "one" }),
    button("Reset the training (R)", RESET, () => act.command("reset"), { class: "reset" }),
  );
  const play = button("Play", ICONS.play, act.toggle, { class: "play" });
  const [back, forward] = [
    button("One frame back (←)", ICONS.back, () => act.move(-1), { class: "back" }),
    button("One frame on (→)", ICONS.forward, () => act.move(1), { class: "forward" }),
  ];
  const label = el("b", { class: "of" }, "Replay");
  const replay = el("div", { class: "group", role: "group", "aria-label": "Replay" }, label, back, play, forward);
  const heard = { moved: act.scrub, settled: act.scrubbed, wait: 0 };
  const scrub = createSlider({ label: "Training step", kind: "scrub", step: "any", ...heard });
  const marks = el("div", { class: "marks", "aria-hidden": "true" });
  const counter = el("output", { class: "counter" }, el("span"), el("span", { class: "seconds" }));
  const now = el("button", { type: "button", class: "now", hidden: true, onclick: act.follow }, "Go to now");
  const standing = el("p", { class: "words", role: "status", hidden: true });
  const element = el(
    "div",
    { class: "bar", role: "toolbar", "aria-label": "Clock" },
    training,
    replay,
    el("div", { class: "time" }, scrub.input, marks),
    counter,
    now,
    speedMenu("Replay speed", SPEEDS, act.speed),
    standing,
  );

  function show({ clock, live, seconds }) {
    const last = Math.max(0, clock.ticks.length - 1);
    training.hidden = label.hidden = !live;
    standing.hidden = !live?.words;
    setText(standing, `Training: ${live?.words ?? ""}`);
    relabel(run, live?.running ? "Pause (space)" : "Run (space)", live?.running ? ICONS.pause : ICONS.play);
    put(run, "data-running", Boolean(live?.running));
    const key = live ? "" : " (space)";
    relabel(play, `${clock.playing ? "Pause the replay" : "Replay"}${key}`, clock.playing ? ICONS.pause : ICONS.play);
    put(play, "data-playing", clock.playing);
    scrub.input.disabled = play.disabled = last === 0;
    const words = `step ${thousands(Math.round(clock.step))} of ${thousands(clock.ticks[last] ?? 0)}`;
    scrub.set(clock.at, words, { max: Math.max(last, 1) });
    setText(counter.firstChild, live ? `Replay: ${words}` : words);
    setText(counter.lastChild, seconds === null ? "" : ` · ${seconds.toFixed(1)} s`);
    now.hidden = live === null || clock.following || last === 0;
    back.disabled = clock.at === 0;
    forward.disabled = clock.atEnd();
  }

  // What somebody changed while it trained.
  function mark({ ticks, changes }, placeOf) {
    const last = Math.max(1, ticks.length - 1);
    keyed(marks, changes, ([step]) => step, () => el("i", { class: "mark" }), (item, [step, words]) => {
      item.style.setProperty("--at", placeOf(ticks, step) / last);
      put(item, "data-tip", `Changed at step ${thousands(step)}${words}`);
    });
  }
  return { element, show, mark };
}
