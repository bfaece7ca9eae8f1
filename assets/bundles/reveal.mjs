// assets/kit/dom.js
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

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

// pages/ui/components/reveal.js
var reveal_default = keptView(() => {
  let known;
  function show({ shown, selector, focus }) {
    const first = known === void 0;
    const other = shown !== known && shown !== null;
    known = shown;
    const element = !first && other && document.querySelector(selector);
    if (!element) return;
    if (!focus) element.scrollIntoView({ block: "nearest", behavior: lessMotion() ? "instant" : "smooth" });
    else if (!document.activeElement?.closest("button")) {
      element.tabIndex = -1;
      element.focus();
    }
  }
  return { show };
});
export {
  reveal_default as default
};
