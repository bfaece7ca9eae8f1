// Decides which addresses become entries of the browser's history, hands keys on, and enters and leaves present mode.
// It outlives its page.

import { handKeysOn, listenToKeys, presenting } from "../../../assets/kit/keys.js";

export default function (component) {
  const [{ small, presents }] = component.data;
  const keeper = (window.historyKeeper ??= keep());
  const tell = (on) => component.setTriggerValue("present", on);
  Object.assign(keeper, { small: new Set(small), presents, tell });
  component.parentElement.querySelector("button").onclick = () => tell(false);
}

function keep() {
  const { history } = window;
  handKeysOn();
  listenToKeys(document.documentElement, { p: () => present(!presenting()), Escape: () => present(false) }, {
    own: "input, textarea, select, [contenteditable]",
    anywhere: true,
  });
  const push = history.pushState.bind(history);
  // acted: something was done since the latest entry; perhaps before this was loaded
  const keeper = { small: new Set(), acted: navigator.userActivation.hasBeenActive };
  for (const kind of ["pointerdown", "keydown", "click"]) {
    window.addEventListener(kind, () => { keeper.acted = true; }, true);
  }
  function present(on) {
    if (!keeper.presents || on === presenting()) return false;
    keeper.tell(on);
  }
  window.addEventListener("popstate", () => { keeper.acted = false; }, true);
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

// A plain link to another page would load everything anew and forget the visit: Streamlit is told as if by Forward.
// Within a page that is presented, only the tour leaves present mode.
function goInside(event, push) {
  const link = event.composedPath()[0].closest?.("a[data-inside], .st-key-inside a[href^='/']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const to = new URL(link.href);
  if (presenting() && to.pathname === window.location.pathname && !link.closest(".tour")) {
    to.searchParams.set("present", "1");
  }
  push({}, "", to);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
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
