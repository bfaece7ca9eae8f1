// assets/kit/keys.js
var WITHOUT_TEXT = "input:is([type=radio], [type=checkbox], [type=range], [type=number])";
function handKeysOn() {
  let clicked = null;
  window.addEventListener("pointerdown", (event) => {
    clicked = event.target.closest?.("button, a");
  }, true);
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

// pages/ui/components/history.js
function history_default(component) {
  const keeper = window.historyKeeper ??= keep();
  keeper.small = new Set(component.data);
}
function keep() {
  const { history } = window;
  handKeysOn();
  const push = history.pushState.bind(history);
  const keeper = { small: /* @__PURE__ */ new Set(), acted: navigator.userActivation.hasBeenActive };
  for (const kind of ["pointerdown", "keydown", "click"]) {
    window.addEventListener(kind, () => {
      keeper.acted = true;
    }, true);
  }
  window.addEventListener("popstate", () => {
    keeper.acted = false;
  }, true);
  window.addEventListener("click", (event) => goInside(event, push));
  history.pushState = (state, unused, address) => {
    if (replaces(new URL(address, window.location.href), keeper)) history.replaceState(state, unused, address);
    else {
      push(state, unused, address);
      keeper.acted = false;
    }
  };
  return keeper;
}
function goInside(event, push) {
  const link = event.target.closest?.("a[data-inside], .st-key-inside a[href^='/']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  push({}, "", link.href);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}
function replaces(next, { small, acted }) {
  const now = window.location;
  if (next.pathname !== now.pathname) return !acted;
  if (!acted && !now.search) return true;
  const before = new URLSearchParams(now.search);
  const names = /* @__PURE__ */ new Set([...before.keys(), ...next.searchParams.keys()]);
  return [...names].every((name) => small.has(name) || before.get(name) === next.searchParams.get(name));
}
export {
  history_default as default
};
