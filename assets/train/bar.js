// The bar on top: run and step a training that goes on, play and scrub what was recorded.

import { el, keyed, put, setText } from "../kit/dom.js";
import { listing, plain, thousands } from "../kit/numbers.js";
import { createSlider } from "../kit/sliders.js";
import { ICONS, button, relabel, speedMenu } from "../player/parts.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const RESET = "M12 5V1L7 6l5 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z";
const STEP = "M6 5v14l9-7zM16.5 5H19v14h-2.5z";
const NAMES = {
  epsilon: "ε",
  lr: "learning rate",
  batch: "batch",
  beta: "β",
  node_price: "node price",
};

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
  function mark(tape, placeOf) {
    const last = Math.max(1, tape.ticks.length - 1);
    const steps = [...new Set(tape.marks.map(({ step }) => step))];
    keyed(
      marks,
      steps,
      (step) => step,
      () => el("i", { class: "mark" }),
      (item, step) => {
        item.style.setProperty("--at", placeOf(tape.ticks, step) / last);
        put(item, "data-tip", `Changed at step ${thousands(step)}${changeWords(tape, step)}`);
      },
    );
  }
  return { element, show, mark };
}

// Where and what: once, where it is the same in all lanes.
function changeWords({ marks, lanes }, step) {
  const here = marks.filter((mark) => mark.step === step);
  const words = here.map(({ change }) => listing(Object.entries(change).map(valueWords)));
  if (lanes.length === 1) return `: ${words[0]}`;
  if (here.length === lanes.length && new Set(words).size === 1) return ` in both lanes: ${words[0]}`;
  return here.map(({ lane }, k) => `${k ? ";" : ""} in ${lanes[lane].name}: ${words[k]}`).join("");
}

const valueWords = ([name, value]) => `${NAMES[name] ?? name} = ${typeof value === "number" ? plain(value) : value}`;
