// assets/kit/dom.js
function onScreen(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.bottom > 0 && box.top < innerHeight;
}

// assets/kit/keys.js
function listenToKeys(root, keys, { own, scrubber = [" "], always = [], anywhere = false }) {
  function isOurs(event, key) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !root.isConnected) return false;
    const source = event.composedPath()[0];
    const nobodys = [document.body, document.documentElement].includes(source) || source.matches?.("h1");
    const free = nobodys || anywhere && !source.closest?.(own);
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
  function clicked(event) {
    const pressed = event.detail > 0 && event.target.closest?.("button");
    if (pressed && !pressed.closest(".menu")) root.focus({ preventScroll: true });
  }
  root.addEventListener("click", clicked);
  document.addEventListener("keydown", keydown);
  return () => document.removeEventListener("keydown", keydown);
}
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
var presenting = () => new URLSearchParams(window.location.search).get("present") === "1";

// assets/kit/views.js
function latest(show) {
  return (component) => {
    let end = null;
    const soon = setTimeout(() => {
      end = show(component);
    });
    return () => {
      clearTimeout(soon);
      end?.();
    };
  };
}

// pages/ui/components/history.js
var history_default = latest((component) => {
  const [{ small, presents }] = component.data;
  const keeper = window.historyKeeper ??= keep();
  const tell = (on) => component.setTriggerValue("present", on);
  const leave = component.parentElement.querySelector("button");
  Object.assign(keeper, { small: new Set(small), presents, tell });
  leave.onclick = () => tell(false);
  if (keeper.leave === leave) return;
  keeper.leave = leave;
  keeper.stir();
});
var STILL_MS = 4e3;
function keep() {
  const { history } = window;
  handKeysOn();
  nameMenu();
  const header = document.querySelector(".stAppHeader");
  if (header) new MutationObserver(nameMenu).observe(header, { childList: true, subtree: true });
  listenToKeys(document.documentElement, { p: () => present(!presenting()), Escape: () => present(false) }, {
    own: "input, textarea, select, [contenteditable]",
    anywhere: true
  });
  const push = history.pushState.bind(history);
  const [{ name: opened }] = performance.getEntriesByType("navigation");
  const here = new URL(opened).pathname === window.location.pathname;
  const keeper = { small: /* @__PURE__ */ new Set(), acted: here && navigator.userActivation.hasBeenActive, top: 0, stir };
  let still = 0;
  function stir() {
    clearTimeout(still);
    keeper.leave?.classList.remove("still");
    still = setTimeout(() => keeper.leave?.classList.add("still"), STILL_MS);
  }
  window.addEventListener("pointermove", stir, true);
  for (const kind of ["pointerdown", "keydown", "click"]) {
    window.addEventListener(kind, () => Object.assign(keeper, { acted: true, top: 0 }), true);
  }
  for (const kind of ["wheel", "touchmove"]) {
    window.addEventListener(kind, () => {
      keeper.top = 0;
    }, { capture: true, passive: true });
  }
  function present(on) {
    if (!keeper.presents || on === presenting()) return false;
    keeper.tell(on);
    stir();
  }
  window.addEventListener("popstate", ({ state }) => {
    keeper.acted = false;
    closeMenu();
    keeper.top = state?.top ?? 0;
    returnTo(keeper);
  }, true);
  window.addEventListener("click", (event) => goInside(event, push), true);
  window.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-testid=stSidebarNavLink]")) closeMenu();
  });
  history.pushState = (state, unused, address) => {
    if (replaces(new URL(address, window.location.href), keeper)) history.replaceState(state, unused, address);
    else {
      push(state, unused, address);
      Object.assign(keeper, { acted: false, top: 0 });
    }
  };
  return keeper;
}
var MENU = "[data-testid=stExpandSidebarButton]";
function nameMenu() {
  document.querySelector(MENU)?.setAttribute("aria-label", "Menu");
}
function closeMenu() {
  if (document.querySelector(MENU)) return;
  document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
}
var INSIDE = "a[data-inside], .st-key-inside a[href^='/']";
var OWN = "a[data-testid=stPageLink-NavLink]";
function goInside(event, push) {
  const link = event.composedPath()[0].closest?.(`${INSIDE}, ${OWN}`);
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.matches(OWN) && link.pathname !== window.location.pathname) return;
  event.preventDefault();
  event.stopPropagation();
  window.history.replaceState({ ...window.history.state, top: page().scrollTop }, "");
  const to = new URL(link.href);
  if (presenting() && to.pathname === window.location.pathname && !link.closest(".tour")) {
    to.searchParams.set("present", "1");
  }
  push({}, "", to);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  page().scrollTo(0, 0);
}
var page = () => document.querySelector("[data-testid=stMain]");
function returnTo(keeper) {
  if (!keeper.top) return;
  page().scrollTo(0, keeper.top);
  if (page().scrollTop >= keeper.top - 1) keeper.top = 0;
  else requestAnimationFrame(() => returnTo(keeper));
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
