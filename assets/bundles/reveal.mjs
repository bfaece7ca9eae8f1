// assets/kit/dom.js
var lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// assets/kit/views.js
function keptView(create) {
  const views = /* @__PURE__ */ new WeakMap();
  return latest((component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) {
      views.set(parentElement, { view: create(parentElement), path: window.location.pathname });
    }
    const { view, path } = views.get(parentElement);
    view.show(data, { ...component, ...telling(component, parentElement, path) });
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
function telling({ setTriggerValue, setStateValue }, parentElement, path) {
  const patient = (tell) => tell && unlessLeaving(tell, path, () => parentElement.isConnected);
  return { setTriggerValue: patient(setTriggerValue), setStateValue: patient(setStateValue) };
}
var PATIENCE = 5e3;
function way() {
  if (window.wayElsewhere) return window.wayElsewhere;
  const kept = window.wayElsewhere = { from: null, until: 0 };
  const begin = (from) => Object.assign(kept, { from, until: performance.now() + PATIENCE });
  window.addEventListener("click", (event) => leads(event) && begin(window.location.pathname), true);
  window.addEventListener("popstate", () => begin(null), true);
  return kept;
}
function leads(event) {
  const link = event.composedPath().find(({ tagName }) => tagName === "A");
  if (!link?.href || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  return link.target !== "_blank" && !link.download && link.pathname !== window.location.pathname;
}
function unlessLeaving(tell, path, here) {
  const known = way();
  return function told(...given) {
    const leaving = path !== window.location.pathname || known.from === window.location.pathname;
    const wait = leaving ? known.until - performance.now() : 0;
    if (wait <= 0) tell(...given);
    else setTimeout(() => here() && told(...given), wait);
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
