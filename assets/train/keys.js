// The keyboard: keys work when the views have the focus, or when nothing has.

import { onScreen } from "../kit/dom.js";

export function listenToKeys(root, act) {
  const keys = {
    ArrowRight: act.on,
    ArrowLeft: () => act.move(-1),
    " ": act.space,
    Home: () => act.goTo(0),
    End: act.end,
    Escape: act.release,
    r: act.again,
  };

  // Whether a key pressed here is ours, and not that of a view, a field or something else on the page.
  function isOurs(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return false;
    const source = event.composedPath()[0];
    const nobodys = source === document.body || source === document.documentElement;
    if (!root.contains(source)) return nobodys && onScreen(root);
    if (event.key === "Escape") return true;
    if (source.closest("select, [role=tablist]")) return false;
    if (source.closest("input")) return event.key === " " || event.key === "r"; // the scrubber knows the others itself
    return event.key !== " " || !source.closest("button");
  }

  function keydown(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!keys[key] || !isOurs(event) || keys[key]() === false) return;
    event.preventDefault();
  }
  // After a click the keys belong to all views again, not to the button that was clicked.
  function clicked(event) {
    if (event.detail > 0 && event.target.closest?.("button")) root.focus({ preventScroll: true });
  }
  root.addEventListener("click", clicked);
  document.addEventListener("keydown", keydown);
  return () => document.removeEventListener("keydown", keydown);
}
