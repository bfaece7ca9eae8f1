// A component's function runs again with each new payload; what it drew is kept for as long as its element is there.

// `create(parentElement)` makes a view with show(data, component) and perhaps destroy().
//
// Where two payloads come at once, Streamlit cleans up after the first although its element stays on the page. So only
// an element that is gone ends its view: else a picture would be built anew under the pointer that drags in it.
export function keptView(create) {
  const views = new WeakMap();
  return latest((component) => {
    const { data: [data], parentElement } = component;
    if (!views.has(parentElement)) {
      const made = { path: window.location.pathname, back: way().back };
      views.set(parentElement, { view: create(parentElement), made });
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

// Of two payloads that come at once, Streamlit may hand over the older one last, and cleans up after it in the same
// moment. So each waits for that moment to pass: what is cleaned up by then is never shown.
export function latest(show) {
  return (component) => {
    let end = null;
    const soon = setTimeout(() => { end = show(component); });
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

// Who has followed a link is on the way to another page. What a component tells the server meanwhile would have the
// page that is left drawn again in place of the other: so it waits until it is clear that nobody left.
const PATIENCE = 5000; // milliseconds until a page that is still there is not left after all

// Back within a page: Streamlit makes one request of two that come while the server works, and takes it for the later
// one, which would lead to where one was before Back.
const BACK_MS = 1000; // by then the server has begun to go back

// One for all components of a page, each of which carries this file. Streamlit's own links change the address late,
// so they are known by their click; Back, and the links of `history.js`, have changed it when they are heard of.
function way() {
  if (window.wayElsewhere) return window.wayElsewhere;
  const kept = (window.wayElsewhere = { from: null, until: 0, back: -Infinity });
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

// Calls `tell` as it is called itself if `here()` holds, and while somebody leaves later. `made` says for which page
// the component was made: the address may be the other page's already, while this one is still drawn. It also says
// after which Back. Times cannot tell which of the two came first: a clock that moves by 0.1 ms gives both the same.
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
