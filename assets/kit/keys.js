// The keyboard of a large view: its keys work when it has the focus, or when nothing has.

import { el, onScreen, put } from "./dom.js";

// `keys` has what each key does; false from one of them leaves the key to others. A key that is pressed in something
// that `own` selects is that thing's own, unless it is one of `always`; so are those of a scrubber but for `scrubber`,
// and the space bar of buttons. With `anywhere`, keys work wherever the focus is.
export function listenToKeys(root, keys, { own, scrubber = [" "], always = [], anywhere = false }) {
  function isOurs(event, key) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return false;
    const source = event.composedPath()[0];
    const nobodys = [document.body, document.documentElement].includes(source) || source.matches?.("h1");
    const free = nobodys || (anywhere && !source.closest?.(own));
    if (!root.contains(source)) return free && onScreen(root);
    if (always.includes(key)) return true;
    if (source.closest(own)) return false;
    if (source.closest("input")) return scrubber.includes(key);
    return key !== " " || !source.closest("button, summary, [role=button]");
  }
  function keydown(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (keys[key] && isOurs(event, key) && keys[key]() !== false) event.preventDefault();
  }
  // After a click the keys belong to the whole view again, not to the button that was clicked.
  function clicked(event) {
    if (event.detail > 0 && event.target.closest?.("button")) root.focus({ preventScroll: true });
  }
  root.addEventListener("click", clicked);
  document.addEventListener("keydown", keydown);
  return () => document.removeEventListener("keydown", keydown);
}

const WITHOUT_TEXT = "input:is([type=radio], [type=checkbox], [type=range], [type=number])";

// Keys that mean nothing to what has the focus are handed on, as if nothing had it: letters in a radio button, a switch
// or a number, in all of which Streamlit's own shortcuts are deaf; any key in a button that was only clicked.
export function handKeysOn() {
  let clicked = null;
  window.addEventListener("pointerdown", (event) => { clicked = event.target.closest?.("button, a"); }, true);
  window.addEventListener("keydown", (event) => {
    if (event.key === "Tab") clicked = null;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const source = event.composedPath()[0];
    const letter = /^[a-z]$/i.test(event.key) && !(source.type === "number" && event.key.toLowerCase() === "e");
    if (!(source.matches?.(WITHOUT_TEXT) ? letter : source === clicked)) return;
    const { key, code, keyCode, shiftKey } = event;
    const handed = { key, code, keyCode, shiftKey, bubbles: true, cancelable: true };
    if (!document.body.dispatchEvent(new KeyboardEvent("keydown", handed))) event.preventDefault();
  });
}

// Whether the page is shown to a room, as its link says: Escape leaves that before anything else.
export const presenting = () => new URLSearchParams(window.location.search).get("present") === "1";

// Tabs of which one is selected: `open(name)` shows another one, by a click or an arrow key. Hidden tabs are left out.
export function createTabs(label, entries, open) {
  const tabs = entries.map(([name, title]) =>
    el("button", { type: "button", role: "tab", "data-tab": name, onclick: () => open(name) }, title),
  );
  const element = el("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: go }, ...tabs);
  function go(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const seen = tabs.filter((tab) => !tab.hidden);
    const next = seen.at((seen.findIndex((tab) => tab.tabIndex === 0) + by) % seen.length);
    next.click();
    next.focus();
  }
  function select(name) {
    for (const tab of tabs) {
      put(tab, "aria-selected", tab.dataset.tab === name);
      put(tab, "tabindex", tab.dataset.tab === name ? 0 : -1);
    }
  }
  return { element, tabs, select };
}
