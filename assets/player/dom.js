// Small helpers to build elements and to change only what differs. Data becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svgEl = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

function put(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Keeps one child per key, in the order of the items; old children are reused so that bars can grow and shrink.
function keyed(parent, items, keyOf, make, update) {
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

// A symbol of the paper: its meaning is shown on hover and focus, and read out.
function symbol(text, meaning, role = "") {
  return el(
    "span",
    { class: `symbol ${role}`, "data-tip": meaning, "aria-label": `${text}: ${meaning}`, role: "math", tabindex: 0 },
    text,
  );
}

function icon(path) {
  return svgEl("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" }, svgEl("path", { d: path }));
}

function button(label, path, onclick, extra = {}) {
  return el("button", { type: "button", "aria-label": label, "data-tip": label, onclick, ...extra }, icon(path));
}
