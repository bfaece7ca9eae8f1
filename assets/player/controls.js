// The bar below the graph: play, step, scrub, speed, loop, the true motif, export.

import { el, put, setText } from "../kit/dom.js";
import { button } from "./parts.js";

export const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M15.5 5v14L6 12z",
  forward: "M8.5 5v14l9.5-7z",
  first: "M6 5h2.5v14H6zM19 5v14l-9.5-7z",
  last: "M15.5 5H18v14h-2.5zM5 5v14l9.5-7z",
  loop:
    "M12 5V2L8 6l4 4V7a5 5 0 0 1 4.3 7.6l1.5 1.5A7 7 0 0 0 12 5z" +
    "M12 17a5 5 0 0 1-4.3-7.6L6.2 7.9A7 7 0 0 0 12 19v3l4-4-4-4z",
  motif: "M12 3l8 6v11H4V9zm0 2.6L6 10v8h12v-8z",
  save: "M11 3h2v8.4l2.6-2.6L17 10.2l-5 5-5-5 1.4-1.4 2.6 2.6zM5 18h14v2H5z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  fit: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
};
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
    el("div", { class: "extras" }, speed, loop, motif, menu),
  );

  function show({ frame, last, end, playing, looping, withMotif, known, sentence }) {
    put(playIcon, "d", playing ? ICONS.pause : ICONS.play);
    for (const name of ["aria-label", "data-tip"]) put(play, name, playing ? "Pause (space)" : "Play (space)");
    put(play, "data-playing", playing);
    put(scrub, "max", last);
    if (Number(scrub.value) !== frame) scrub.value = frame;
    scrub.style.setProperty("--done", `${(100 * frame) / Math.max(last, 1)}%`);
    put(scrub, "aria-valuetext", sentence);
    setText(counter, frame === end ? "result" : `${frame} / ${end === null ? last : last - 1}`);
    put(loop, "aria-pressed", looping);
    put(motif, "aria-pressed", withMotif);
    motif.hidden = !known;
    for (const index of [0, 1]) steps[index].disabled = frame === 0;
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
