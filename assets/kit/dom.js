// Elements are built here, and only what differs is changed. Data becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

// Numbers are written with two decimals at most.
const written = (value) => (typeof value === "number" ? Math.round(value * 100) / 100 : value);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value); // onclick and the like
    else if (value != null && value !== false) element.setAttribute(name, value === true ? "" : written(value));
  }
  element.append(...children);
  return element;
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svgEl = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// A picture that came as text. It is read as SVG, not as HTML.
export function parseSvg(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

// Sets what differs; null takes an attribute away.
export function put(element, name, value) {
  if (value == null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(written(value))) element.setAttribute(name, written(value));
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Keeps one child per key, in the order of the items; old children are reused so that bars can grow and shrink.
export function keyed(parent, items, keyOf, make, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = String(keyOf(item));
    let child = old.get(key);
    old.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
    update(child, item);
  });
  for (const child of old.values()) child.remove();
}

export const lessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const onTouch = () => matchMedia("(hover: none)").matches;
export const prefersDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

export function onScreen(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.bottom > 0 && box.top < innerHeight;
}

// A function that has `draw` called once with the screen's next frame, however often it is called; `stop()` ends it.
export function onceAFrame(draw) {
  let waiting = 0;
  const soon = () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
  soon.stop = () => cancelAnimationFrame(waiting);
  return soon;
}
