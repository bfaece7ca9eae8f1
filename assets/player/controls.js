// The bar below the graph: play, step, scrub, speed, loop, the true motif, export.

import { el, put, setText } from "../kit/dom.js";
import { createSlider } from "../kit/sliders.js";
import { ICONS, button, icon, relabel, speedMenu } from "./parts.js";

const SPEEDS = [0.5, 1, 2, 4];
const SAVE = "Save this picture";

export function createControls(act) {
  const play = button("Play (space)", ICONS.play, act.toggle, { class: "play" });
  const heard = { moved: act.scrub, settled: act.scrubbed, wait: 0 };
  const scrub = createSlider({ label: "Step", kind: "scrub", step: 1, ...heard });
  const counter = el("output", { class: "counter", "aria-hidden": "true" });
  const speed = speedMenu("Speed", SPEEDS, act.speed);
  const loop = button("Loop", ICONS.loop, act.loop, { class: "loop", "aria-pressed": "false" });
  const motif = button("Show the true motif", ICONS.motif, act.motif, { class: "motif", "aria-pressed": "false" });
  const hydrogens = button("Fold the hydrogens into their atoms", ICONS.hydrogens, act.fold, {
    class: "fold",
    "aria-pressed": "false",
  });
  const present = button("Present (P)", ICONS.present, act.present, { class: "present", "aria-pressed": "false" });
  const leave = el("span", {}, "Leave (Esc)");
  present.append(leave);
  const menu = createMenu(act);
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
    el("div", { class: "extras" }, speed, loop, motif, hydrogens, menu),
    present,
  );

  function show({ frame, story, playing, looping, withMotif, folded, presenting, sentence, foldable }) {
    const { first, last, end, cover, known } = story;
    relabel(play, playing ? "Pause (space)" : "Play (space)", playing ? ICONS.pause : ICONS.play);
    put(play, "data-playing", playing);
    scrub.set(frame, sentence, { min: first, max: last });
    const step = `${frame} / ${end === null ? last : last - 1}`;
    setText(counter, frame === cover ? "answer" : frame === end ? "result" : step);
    put(loop, "aria-pressed", looping);
    put(motif, "aria-pressed", withMotif);
    motif.hidden = !known;
    put(hydrogens, "aria-pressed", folded);
    hydrogens.hidden = !foldable;
    put(present, "aria-pressed", presenting);
    leave.hidden = !presenting;
    relabel(present, presenting ? "Leave (Esc)" : "Present (P)", ICONS.present);
    steps[0].disabled = frame === 0;
    steps[1].disabled = frame === first;
    for (const index of [3, 4]) steps[index].disabled = frame === last;
  }
  return { element, show };
}

// The browser's own way to fold something away; Escape and the focus that goes elsewhere close it.
function createMenu(act) {
  const entry = (format) => {
    const onclick = () => (close(), act.save(format));
    return el("button", { type: "button", "data-format": format, onclick }, `Picture as ${format.toUpperCase()}`);
  };
  const opener = el("summary", { class: "save", "aria-label": SAVE, "data-tip": SAVE }, icon(ICONS.save));
  const menu = el("details", { class: "menu" }, opener, el("div", { class: "menu-list" }, entry("svg"), entry("png")));
  const close = () => ((menu.open = false), opener.focus());
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    close();
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
  });
  return menu;
}
