// Cards with a small picture each. Texts go in as text; pictures are parsed as SVG, not as HTML.

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".gallery");
  root.style.setProperty("--wide", `${data.wide}rem`);
  root.style.setProperty("--high", `${data.wide * 0.8}rem`);
  const before = root.memory ?? [];
  const now = data.cards.map((card) => JSON.stringify(card));
  data.cards.forEach((card, number) => {
    if (before[number] === now[number] && root.children[number]) return; // keep what has not changed
    const made = build(card, () => setTriggerValue("pick", number));
    if (root.children[number]) root.replaceChild(made, root.children[number]);
    else root.append(made);
  });
  while (root.children.length > data.cards.length) root.lastChild.remove();
  root.memory = now;
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function picture(svg) {
  const holder = element("div", "picture");
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (parsed.localName === "svg") holder.append(document.importNode(parsed, true));
  return holder;
}

function build(card, pick) {
  const made = element("section", card.selected ? "card selected" : "card");
  made.append(element("h4", "title", card.title));
  if (card.svg) made.append(picture(card.svg));
  const facts = element("dl", "facts");
  for (const [name, value] of card.facts) {
    facts.append(element("dt", "", name), element("dd", "", value));
  }
  made.append(facts);
  if (card.note) made.append(element("p", "note", card.note));
  if (card.action) {
    const button = element("button", "pick", card.action);
    button.type = "button";
    button.setAttribute("aria-label", `${card.action}: ${card.title}`);
    button.onclick = pick;
    made.append(button);
  }
  return made;
}
