// Cards with a small picture each. Texts go in as text; pictures are parsed as SVG, not as HTML.

import { el, keyed, parseSvg } from "../kit/dom.js";
import { latest } from "../kit/views.js";

export default latest((component) => {
  const { data: [data], parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".gallery");
  root.style.setProperty("--wide", `${data.wide}rem`);
  root.style.setProperty("--high", `${data.wide * 0.8}rem`);
  const cards = data.cards.map((card, number) => ({ ...card, number }));
  const make = (card) => build(card, () => setTriggerValue("pick", card.number));
  keyed(root, cards, JSON.stringify, make, () => {}); // what has not changed is kept
});

function build({ title, svg, facts, note, action, selected, busy, careful }, pick) {
  const made = el("section", { class: selected ? "card selected" : "card" }, el("h4", { class: "title" }, title));
  if (svg) made.append(el("div", { class: "picture" }, parseSvg(svg)));
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
