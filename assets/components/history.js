// Decides which addresses become entries of the browser's history, hands keys on, enters and leaves present mode, and
// looks after the menu of narrow screens. It outlives its page.

import { handKeysOn, listenToKeys, presenting } from "../kit/keys.js";
import { latest } from "../kit/views.js";

export default latest((component) => {
  const [{ small, presents }] = component.data;
  const keeper = (window.historyKeeper ??= keep());
  const tell = (on) => component.setTriggerValue("present", on);
  const leave = component.parentElement.querySelector("button");
  Object.assign(keeper, { small: new Set(small), presents, tell });
  leave.onclick = () => tell(false);
});

function keep() {
  const { history } = window;
  handKeysOn();
  nameMenu();
  const header = document.querySelector(".stAppHeader");
  if (header) new MutationObserver(nameMenu).observe(header, { childList: true, subtree: true });
  listenToKeys(document.documentElement, { p: () => present(!presenting()), Escape: () => present(false) }, {
    own: "input, textarea, select, [contenteditable]",
    anywhere: true,
  });
  const push = history.pushState.bind(history);
  // acted: something was done since the latest entry; perhaps before this was loaded, unless it led to another page
  const [{ name: opened }] = performance.getEntriesByType("navigation");
  const here = new URL(opened).pathname === window.location.pathname;
  const keeper = { small: new Set(), acted: here && navigator.userActivation.hasBeenActive };
  for (const kind of ["pointerdown", "keydown", "click"]) {
    window.addEventListener(kind, () => { keeper.acted = true; }, true);
  }
  function present(on) {
    if (!keeper.presents || on === presenting()) return false;
    keeper.tell(on);
  }
  window.addEventListener("popstate", () => {
    keeper.acted = false;
    closeMenu();
  }, true);
  window.addEventListener("click", (event) => goInside(event, push), true);  // before Streamlit's own
  window.addEventListener("click", ({ target }) => {
    if (target.closest?.(".stSidebar a")) closeMenu();
  });
  history.pushState = (state, unused, address) => {
    if (replaces(new URL(address, window.location.href), keeper)) history.replaceState(state, unused, address);
    else {
      push(state, unused, address);
      keeper.acted = false;
    }
  };
  return keeper;
}

// Streamlit calls the button that opens the list of pages “Expand sidebar”; the style sheet writes “Menu” on it.
const MENU = ".stAppHeader [aria-controls=stSidebar]";

function nameMenu() {
  document.querySelector(MENU)?.setAttribute("aria-label", "Menu");
}

// The list of pages covers most of a narrow screen: it goes once a page is chosen, or another one comes by Back.
function closeMenu() {
  if (document.querySelector(MENU)) return;  // what opens it is there while it is closed
  document.querySelector(".stSidebar [aria-controls=stSidebar]")?.click();
}

// A plain link would load everything anew and forget the visit, and Streamlit's own link to the page that is shown
// would leave the address as it is: Streamlit is told as if by Forward. What is opened begins at its
// top. Within a page that is presented, only the tour leaves present mode.
const INSIDE = "a[data-inside], .st-key-inside a[href^='/']", OWN = ".stPageLink a";

function goInside(event, push) {
  const link = event.composedPath()[0].closest?.(`${INSIDE}, ${OWN}`);
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.matches(OWN) && link.pathname !== window.location.pathname) return;
  event.preventDefault();
  event.stopPropagation();
  const to = new URL(link.href);
  if (presenting() && to.pathname === window.location.pathname && !link.closest(".tour")) {
    to.searchParams.set("present", "1");
  }
  push({}, "", to);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  document.querySelector(".stMain")?.scrollTo(0, 0);
}

// Whether an address takes the place of the one that is shown: where only small things differ; and where nobody did
// anything since, when a page that was just opened says what it shows, or an answer leads to another page.
function replaces(next, { small, acted }) {
  const now = window.location;
  if (next.pathname !== now.pathname) return !acted;
  if (!acted && !now.search) return true;
  const before = new URLSearchParams(now.search);
  const names = new Set([...before.keys(), ...next.searchParams.keys()]);
  return [...names].every((name) => small.has(name) || before.get(name) === next.searchParams.get(name));
}
