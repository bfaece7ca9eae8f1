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

export function createTip(root) {
  const element = el("div", { class: "tip", role: "tooltip", hidden: true });
  function show(target, text) {
    if (!element.isConnected) root.append(element);
    setText(element, text);
    element.hidden = false;
    const size = [element.offsetWidth, element.offsetHeight];
    const { left, top } = tipPlace(target.getBoundingClientRect(), root.getBoundingClientRect(), size);
    Object.assign(element.style, { left: `${left}px`, top: `${top}px` });
  }
  const hide = () => (element.hidden = true);
  return { show, hide };
}

// Pointing is by pointer or by focus: `over(event)` whenever something else is meant, `out()` at the end.
export function onPointing(area, over, out) {
  for (const name of ["pointerover", "focusin"]) area.addEventListener(name, over);
  for (const name of ["pointerleave", "focusout"]) area.addEventListener(name, out);
}
