// One small box that explains whatever is pointed at or focused.

import { el, setText } from "./dom.js";

const GAP = 8; // pixels between the box and what it explains
const EDGE = 4; // and to the sides of the frame

// Where the box goes: centred above its target, inside the frame; below where there is no room above.
export function tipPlace(target, frame, [width, height]) {
  const left = target.left + target.width / 2 - frame.left - width / 2;
  const above = target.top - frame.top - height - GAP;
  return {
    left: Math.min(Math.max(left, EDGE), Math.max(frame.width - width - EDGE, EDGE)),
    top: above >= 0 ? above : target.bottom - frame.top + GAP,
  };
}

// `text` may be a function: what is shown then changes under the pointer as its target does. The box goes with its
// target: where that is drawn anew, or gone, no pointer leaves it.
export function createTip(root) {
  const element = el("div", { class: "tip", role: "tooltip", hidden: true });
  let meant = null; // the target and what is said of it
  function show(target, text) {
    const watched = meant !== null;
    meant = { target, words: typeof text === "function" ? text : () => target.dataset?.tip ?? text };
    if (!element.isConnected) root.append(element);
    element.hidden = false;
    setText(element, meant.words());
    const size = [element.offsetWidth, element.offsetHeight];
    const { left, top } = tipPlace(target.getBoundingClientRect(), root.getBoundingClientRect(), size);
    Object.assign(element.style, { left: `${left}px`, top: `${top}px` });
    if (!watched) requestAnimationFrame(watch);
  }
  function hide() {
    element.hidden = true;
    meant = null;
  }
  // Whether it still has something to explain; else it goes.
  function check() {
    const words = meant && meant.target.isConnected !== false && meant.words();
    if (words) setText(element, words);
    else hide();
    return Boolean(words);
  }
  const watch = () => check() && requestAnimationFrame(watch);
  return { show, hide, check };
}

// Pointing is by pointer or by focus: `over(event)` whenever something else is meant, `out()` at the end.
export function onPointing(area, over, out) {
  for (const name of ["pointerover", "focusin"]) area.addEventListener(name, over);
  for (const name of ["pointerleave", "focusout"]) area.addEventListener(name, out);
}
