// The bar below the graph: play, step, scrub, speed, loop, the true motif, export.

import { el, put, setText } from "../kit/dom.js";
import { ICONS, button } from "./parts.js";

const SPEEDS = [0.5, 1, 2, 4];

export function createControls(act) {
  const play = button("Play (space)", ICONS.play, act.toggle, { class: "play" });
  const playIcon = play.querySelector("path");
  const scrub = el("input", { type: "range", min: 0, step: 1, class: "scrub", "aria-label": "Step" });
  scrub.addEventListener("input", () => act.scrub(Number(scrub.value)));
  scrub.addEventListener("change", act.scrubbed);
  const counter = el("output", { class: "counter", "aria-hidden": "true" });
  const speed = el(
    "select",
    { class: "speed", "aria-label": "Speed", "data-tip": "Speed", onchange: () => act.speed(Number(speed.value)) },
    ...SPEEDS.map((value) => el("option", { value, selected: value === 1 }, `${value}×`)),
  );
  const loop = button("Loop", ICONS.loop, act.loop, { class: "loop", "aria-pressed": "false" });
  const motif = button("Show the true motif", ICONS.motif, act.motif, { class: "motif", "aria-pressed": "false" });
  const hydrogens = button("Fold the hydrogens into their atoms", ICONS.hydrogens, act.fold, {
    class: "fold",
    "aria-pressed": "false",
  });
  const present = button("Present (P)", ICONS.present, act.present, { class: "present", "aria-pressed": "false" });
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
    el("div", { class: "time" }, scrub, counter),
    el("div", { class: "extras" }, speed, loop, motif, hydrogens, menu),
    present,
  );

  function show({ frame, story, playing, looping, withMotif, folded, presenting, sentence, foldable }) {
    const { first, last, end, cover, known } = story;
    put(playIcon, "d", playing ? ICONS.pause : ICONS.play);
    for (const name of ["aria-label", "data-tip"]) put(play, name, playing ? "Pause (space)" : "Play (space)");
    put(play, "data-playing", playing);
    put(scrub, "min", first);
    put(scrub, "max", last);
    if (Number(scrub.value) !== frame) scrub.value = frame;
    scrub.style.setProperty("--done", `${(100 * (frame - first)) / Math.max(last - first, 1)}%`);
    put(scrub, "aria-valuetext", sentence);
    const step = `${frame} / ${end === null ? last : last - 1}`;
    setText(counter, frame === cover ? "answer" : frame === end ? "result" : step);
    put(loop, "aria-pressed", looping);
    put(motif, "aria-pressed", withMotif);
    motif.hidden = !known;
    put(hydrogens, "aria-pressed", folded);
    hydrogens.hidden = !foldable;
    put(present, "aria-pressed", presenting);
    for (const name of ["aria-label", "data-tip"]) put(present, name, presenting ? "Leave (Esc)" : "Present (P)");
    steps[0].disabled = frame === 0;
    steps[1].disabled = frame === first;
    for (const index of [3, 4]) steps[index].disabled = frame === last;
  }
  return { element, show };
}

function createMenu(act) {
  const list = el("div", { class: "menu-list", role: "menu", hidden: true });
  const opener = button(
    "Save this picture",
    ICONS.save,
    () => open(list.hidden),
    { class: "save", "aria-haspopup": "menu", "aria-expanded": "false" },
  );
  const element = el("div", { class: "menu" }, opener, list);
  function open(wanted) {
    list.hidden = !wanted;
    put(opener, "aria-expanded", wanted);
    if (wanted) list.firstChild.focus();
  }
  const entry = (text, format) => el(
    "button",
    {
      type: "button",
      role: "menuitem",
      "data-format": format,
      onclick: () => (open(false), opener.focus(), act.save(format)),
    },
    text,
  );
  list.append(entry("Picture as SVG", "svg"), entry("Picture as PNG", "png"));
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.stopPropagation();
      open(false);
      opener.focus();
    }
  });
  element.addEventListener(
    "focusout",
    (event) => element.contains(event.relatedTarget) || event.relatedTarget === null || open(false),
  );
  return element;
}
