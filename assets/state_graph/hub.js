// What is pointed at or pinned in one view is lit in all: a state or a node.

import { createTip } from "../kit/tips.js";

const nameOf = (selection) => selection && `${selection.kind}/${selection.key ?? selection.node}`;
const same = (one, other) => nameOf(one) === nameOf(other);

// `changed()` hears of what is lit, `pinned(selection)` of what was clicked, null when it is let go.
export function createHub(root, { changed, pinned }) {
  const hub = { over: null, pin: null, tip: createTip(root) };
  let [target, spoke] = [null, false]; // what is pointed at, as long as it is, and whether that was said

  Object.defineProperty(hub, "lit", { get: () => hub.over ?? hub.pin });

  hub.point = (found) => {
    const selection = found?.selection ?? null;
    const other = !same(hub.over, selection);
    hub.over = selection;
    target = found;
    hub.say();
    if (other) changed();
  };
  hub.say = () => {
    if (target?.picture?.isConnected === false) hub.over = target = null; // drawn anew: no pointer has left it
    const text = target?.text?.();
    if (text) hub.tip.show({ getBoundingClientRect: target.place }, () => text);
    else if (spoke) hub.tip.hide();
    spoke = Boolean(text); // other tips are not ours to hide
  };
  hub.choose = (selection) => {
    const next = same(hub.pin, selection) ? null : selection;
    if (same(hub.pin, next)) return;
    hub.pin = next;
    changed();
    pinned(next);
  };
  // Whether there was anything to let go.
  hub.release = () => {
    const had = hub.lit !== null;
    target = null;
    hub.tip.hide();
    hub.over = null;
    if (hub.pin) hub.choose(null);
    else if (had) changed();
    return had;
  };
  return hub;
}

// A picture whose parts can be pointed at. `find(x, y, event)` says what is there: a selection, its box in the picture
// or its element, and its words; `walk(dx, dy)` what the arrow keys lead to.
export function pointable(picture, hub, { find, walk }) {
  let last = null;
  const zoom = () => picture.currentCSSZoom ?? 1;
  const placed = (found) => {
    if (!found) return null;
    const place = () => {
      if (found.element) return found.element.getBoundingClientRect();
      const frame = picture.getBoundingClientRect();
      const [x, y, width, height] = found.box.map((value) => value * zoom());
      const [left, top] = [frame.left + x, frame.top + y];
      return { left, top, width, height, bottom: top + height };
    };
    return { ...found, place, picture };
  };
  const at = (event) => {
    const frame = picture.getBoundingClientRect();
    return placed(find((event.clientX - frame.left) / zoom(), (event.clientY - frame.top) / zoom(), event));
  };
  const meant = (found) => {
    last = found;
    hub.point(found);
    picture.classList.toggle("over", Boolean(found?.selection));
  };
  picture.addEventListener("pointermove", (event) => event.pointerType !== "touch" && meant(at(event)));
  picture.addEventListener("pointerleave", () => meant(null));
  picture.addEventListener("click", (event) => {
    const found = at(event);
    if (found?.selection) hub.choose(found.selection);
  });
  picture.addEventListener("focus", () => picture.matches(":focus-visible") && meant(placed(walk(0, 0))));
  picture.addEventListener("blur", () => meant(null));
  picture.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (by) meant(placed(walk(...by)));
    else if ((event.key === "Enter" || event.key === " ") && last?.selection) hub.choose(last.selection);
    else return;
    event.preventDefault();
  });
}
