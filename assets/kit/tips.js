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

// What is pointed at in `root` is explained by its `data-tip`, or by what `find(event)` gives: an element and a
// function that has its words. A tip changes under the pointer as its words do, and goes with its target: where that is
// drawn anew, or gone, no pointer leaves it.
export function createTip(root, find = () => null) {
  const element = el("div", { class: "tip", role: "tooltip", hidden: true });
  let meant = null; // the target and what is said of it
  let pointed = false; // whether it was found here, and not shown by others
  function show(target, words) {
    const watched = meant !== null;
    meant = { target, words };
    pointed = false;
    if (!element.isConnected) root.append(element);
    element.hidden = false;
    setText(element, words());
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
  const leave = () => pointed && hide();
  onPointing(root, (event) => {
    const named = event.target.closest?.("[data-tip]");
    const found = named ? [named, () => named.dataset.tip] : find(event);
    if (!found?.[1]()) return leave();
    show(...found);
    pointed = true;
  }, leave);
  return { show, hide, check };
}

// Pointing is by pointer or by focus: `over(event)` whenever something else is meant, `out()` at the end.
export function onPointing(area, over, out) {
  for (const name of ["pointerover", "focusin"]) area.addEventListener(name, over);
  for (const name of ["pointerleave", "focusout"]) area.addEventListener(name, out);
}
