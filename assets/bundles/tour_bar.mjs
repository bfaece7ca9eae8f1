// assets/kit/dom.js
var written = (value) => typeof value === "number" ? Math.round(value * 100) / 100 : value;
function put(element, name, value) {
  if (value == null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(written(value))) element.setAttribute(name, written(value));
}
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
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
var presenting = () => new URLSearchParams(window.location.search).get("present") === "1";

// assets/kit/views.js
function keptView(create) {
  const views = /* @__PURE__ */ new WeakMap();
  return latest((component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) {
      const made2 = { path: window.location.pathname, back: way().back };
      views.set(parentElement, { view: create(parentElement), made: made2 });
    }
    const { view, made } = views.get(parentElement);
    view.show(data, { ...component, ...telling(component, parentElement, made) });
    return () => {
      if (parentElement.isConnected) return;
      view.destroy?.();
      views.delete(parentElement);
    };
  });
}
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
function telling({ setTriggerValue, setStateValue }, parentElement, made) {
  const patient = (tell) => tell && unlessLeaving(tell, made, () => parentElement.isConnected);
  return { setTriggerValue: patient(setTriggerValue), setStateValue: patient(setStateValue) };
}
var PATIENCE = 5e3;
var BACK_MS = 1e3;
function way() {
  if (window.wayElsewhere) return window.wayElsewhere;
  const kept = window.wayElsewhere = { from: null, until: 0, back: -Infinity };
  const begin = (from) => Object.assign(kept, { from, until: performance.now() + PATIENCE });
  window.addEventListener("click", (event) => leads(event) && begin(window.location.pathname), true);
  window.addEventListener("popstate", () => Object.assign(begin(null), { back: performance.now() }), true);
  return kept;
}
function leads(event) {
  const link = event.composedPath().find(({ tagName }) => tagName === "A");
  if (!link?.href || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  return link.target !== "_blank" && !link.download && link.pathname !== window.location.pathname;
}
function unlessLeaving(tell, made, here) {
  const known = way();
  return function told(...given) {
    const leaving = made.path !== window.location.pathname || known.from === window.location.pathname;
    const until = leaving ? known.until : known.back === made.back ? 0 : known.back + BACK_MS;
    const wait = until - performance.now();
    if (!here()) return;
    if (wait <= 0) tell(...given);
    else setTimeout(() => told(...given), wait);
  };
}

// pages/ui/components/tour_bar.js
var LOOK = 200;
var SETTLE = 3e3;
var RING = [
  { outline: "3px solid #6a74e0", outlineOffset: "3px" },
  { outline: "3px solid #e0578f", outlineOffset: "3px" }
];
var TYPES = "input, textarea, select, [contenteditable], [role=listbox], [role=dialog], [role=menu]";
var tour_bar_default = keptView((parentElement) => {
  const bar = parentElement.querySelector(".tour");
  const [count, sentence, back, next, end] = bar.children;
  let [stop, target, ring, pressed, settled] = [null, null, null, false, 0];
  const go = (link) => () => link.hidden ? false : link.click();
  const leave = () => presenting() ? false : end.click();
  const forgetKeys = listenToKeys(bar, { n: go(next), b: go(back), Escape: leave }, { own: TYPES, anywhere: true });
  const acted = () => {
    settled = 0;
  };
  for (const kind of ["wheel", "touchmove", "pointerdown"]) window.addEventListener(kind, acted, { passive: true });
  const looking = setInterval(look, LOOK);
  function look() {
    if (!target?.isConnected) {
      ring?.cancel();
      target = find(stop.point);
      if (!target) return;
      ring = target.animate(RING, { duration: lessMotion() ? 1e9 : 900, iterations: Infinity, direction: "alternate" });
      settled = performance.now() + SETTLE;
    }
    if (performance.now() < settled) target.scrollIntoView({ block: "nearest" });
    const state = document.querySelector(".stApp")?.dataset.testScriptState ?? "notRunning";
    const ready = state === "notRunning" && !pressed && stop.press.length && !lessMotion();
    const button = ready ? find(stop.press) : null;
    pressed ||= Boolean(button);
    button?.click();
  }
  return {
    show(data) {
      const same = stop?.number === data.number;
      stop = data;
      setText(count, `${data.number} of ${data.of}`);
      setText(sentence, data.sentence);
      for (const [link, to] of [[back, data.back], [next, data.next], [end, data.end]]) {
        link.hidden = !to;
        put(link, "href", to);
      }
      bar.classList.toggle("last", !data.next);
      if (same) return;
      ring?.cancel();
      [target, pressed] = [null, false];
      toTop();
    },
    destroy() {
      clearInterval(looking);
      forgetKeys();
      ring?.cancel();
      toTop();
      for (const kind of ["wheel", "touchmove", "pointerdown"]) window.removeEventListener(kind, acted);
    }
  };
});
var toTop = () => document.querySelector(".stMain")?.scrollTo(0, 0);
function find([place, part]) {
  const host = document.querySelector(place);
  if (!host || !part) return host;
  const inside = [...host.querySelectorAll("*")].find((each) => each.shadowRoot)?.shadowRoot;
  const found = (inside ?? host).querySelector(part);
  return found?.getClientRects().length ? found : null;
}
export {
  tour_bar_default as default
};
