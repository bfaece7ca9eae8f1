// The keyboard: keys work when the player has the focus, or when nothing has.

import { onScreen } from "../kit/dom.js";

export function listenToKeys({ root, tabs }, act) {
  const keys = {
    ArrowRight: () => act.move(1),
    ArrowLeft: () => act.move(-1),
    " ": act.toggle,
    Home: () => act.goTo(0),
    End: () => act.goTo(Infinity),
    Escape: act.leave,
    p: act.present,
    a: act.cover,
  };

  // Whether a key pressed here is the player's, and not that of a tab, a menu or something else on the page.
  function isOurs(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return false;
    const source = event.composedPath()[0];
    const nobodys = source === document.body || source === document.documentElement;
    if (!root.contains(source)) return nobodys && onScreen(root);
    if (source.closest("select, [role=tablist], [role=menu]")) return false;
    if (source.closest("input")) return event.key === " "; // the scrubber knows the other keys itself
    return event.key !== " " || !source.closest("button, [role=button]");
  }

  function keydown(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!keys[key] || !isOurs(event)) return;
    event.preventDefault();
    keys[key]();
  }

  function changeTab(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const seen = tabs.filter((tab) => !tab.hidden);
    const next = seen.at((seen.findIndex((tab) => tab.getAttribute("aria-selected") === "true") + by) % seen.length);
    act.openTab(next.dataset.tab);
    next.focus();
  }

  // After a click the keys belong to the whole player again, not to the button that was clicked.
  function clicked(event) {
    const pressed = event.detail > 0 && event.target.closest?.("button");
    if (pressed && !pressed.closest(".menu")) root.focus({ preventScroll: true });
  }
  tabs[0].parentNode.addEventListener("keydown", changeTab);
  root.addEventListener("click", clicked);
  document.addEventListener("keydown", keydown);
  return () => document.removeEventListener("keydown", keydown);
}
