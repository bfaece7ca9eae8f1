// The bar below the graph: play, step, scrub, speed, the true motif, export.

import { el, put, setText } from "../kit/dom.js";
import { createSlider } from "../kit/sliders.js";
import { ICONS, button, relabel, speedMenu } from "./parts.js";

const SPEEDS = [0.5, 1, 2, 4];

export function createControls(act) {
  const play = button("Play (space)", ICONS.play, act.toggle, { class: "play" });
  const heard = { moved: act.scrub, settled: act.scrubbed, wait: 0 };
  const scrub = createSlider({ label: "Step", kind: "scrub", step: 1, ...heard });
  const counter = el("output", { class: "counter", "aria-hidden": "true" });
  const speed = speedMenu("Speed", SPEEDS, act.speed);
  const motif = button("Show the true motif", ICONS.motif, act.motif, { class: "motif", "aria-pressed": "false" });
  const present = button("Present (P)", ICONS.present, act.present, { class: "present", "aria-pressed": "false" });
  const leave = el("span", {}, "Leave (Esc)");
  present.append(leave);
  const saves = ["PNG", "SVG"].map((format) =>
    el("button", { type: "button", "data-tip": "Save this picture", onclick: () => act.save(format) }, format),
  );
  const steps = [
    button("First step (Home)", ICONS.first, () => act.goTo(0), { class: "first" }),
    button("Step back (←)", ICONS.back, () => act.move(-1), { class: "back" }),
    play,
    button("Step forward (→)", ICONS.forward, () => act.move(1), { class: "forward" }),
    button("Last step (End)", ICONS.last, () => act.goTo(Infinity), { class: "last" }),
  ];
  const element = el(
    "div",
    { class: "controls", role: "toolbar", "aria-label": "Playback" },
    el("div", { class: "keys" }, ...steps),
    el("div", { class: "time" }, scrub.input, counter),
    el("div", { class: "extras" }, speed, motif, ...saves),
    present,
  );

  function show({ frame, story, playing, withMotif, presenting, sentence }) {
    const { first, last, end, cover, known } = story;
    relabel(play, playing ? "Pause (space)" : "Play (space)", playing ? ICONS.pause : ICONS.play);
    put(play, "data-playing", playing);
    scrub.set(frame, sentence, { min: first, max: last });
    const step = `${frame} / ${end === null ? last : last - 1}`;
    setText(counter, frame === cover ? "answer" : frame === end ? "result" : step);
    put(motif, "aria-pressed", withMotif);
    motif.hidden = !known;
    put(present, "aria-pressed", presenting);
    leave.hidden = !presenting;
    relabel(present, presenting ? "Leave (Esc)" : "Present (P)", ICONS.present);
    steps[0].disabled = frame === 0;
    steps[1].disabled = frame === first;
    for (const index of [3, 4]) steps[index].disabled = frame === last;
  }
  return { element, show };
}
