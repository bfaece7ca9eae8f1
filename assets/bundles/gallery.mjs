// assets/kit/dom.js
var written = (value) => typeof value === "number" ? Math.round(value * 100) / 100 : value;
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) element.setAttribute(name, value === true ? "" : written(value));
  }
  element.append(...children);
  return element;
}
var el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
function parseSvg(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}
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

// pages/ui/components/gallery.js
var gallery_default = latest((component) => {
  const { data: [data], parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".gallery");
  root.style.setProperty("--wide", `${data.wide}rem`);
  root.style.setProperty("--high", `${data.wide * 0.8}rem`);
  const cards = data.cards.map((card, number) => ({ ...card, number }));
  const make = (card) => build(card, () => setTriggerValue("pick", card.number));
  keyed(root, cards, JSON.stringify, make, () => {
  });
});
function picture(svg) {
  const parsed = parseSvg(svg);
  return el("div", { class: "picture" }, ...parsed.localName === "svg" ? [parsed] : []);
}
function build({ title, svg, facts, note, action, selected, busy, careful }, pick) {
  const made = el("section", { class: selected ? "card selected" : "card" }, el("h4", { class: "title" }, title));
  if (svg) made.append(picture(svg));
  if (busy) made.append(el("div", { class: "picture busy", role: "status" }, "computing …"));
  if (!svg && !busy && careful) made.append(el("div", { class: "picture" }));
  const list = facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
  made.append(el("dl", { class: "facts" }, ...list));
  if (note) made.append(el("p", { class: "note" }, note));
  const named = { type: "button", "aria-label": `${action}: ${title}` };
  const about = { ...named, class: careful ? "pick" : "pick whole", onclick: pick };
  if (action) made.append(el("button", about, action));
  return made;
}
export {
  gallery_default as default
};
