// The glossary: all terms are there from the start; searching hides, links scroll.

export default function (component) {
  const { data: [data], parentElement } = component;
  const root = parentElement.querySelector(".glossary");
  if (root.dataset.ready) return;
  root.dataset.ready = "yes";

  const cards = build(root, data);
  const input = root.querySelector("input");
  input.addEventListener("input", () => search(root, cards, input.value));
  const follow = () => open(root, cards, input, anchorOfAddress());
  window.addEventListener("hashchange", follow);
  open(root, cards, input, anchorOfAddress() || data.opened);
  return () => window.removeEventListener("hashchange", follow);
}

function anchorOfAddress() {
  try {
    return decodeURIComponent(window.location.hash.slice(1));
  } catch {
    return "";
  }
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function link(text, address) {
  const a = make("a", "", text);
  a.href = new URL(address, pageFolder());
  return a;
}

// The folder that holds all pages: this page is its last part.
function pageFolder() {
  return new URL(".", window.location.href);
}

function build(root, { groups, entries, lessons }) {
  const nav = root.querySelector("nav");
  const holder = root.querySelector(".groups");
  const cards = [];
  groups.forEach((name, number) => {
    const section = make("section");
    section.setAttribute("aria-label", name);
    section.append(make("h2", "", name));
    const list = make("div", "list");
    for (const entry of entries.filter((e) => e.group === name)) {
      const card = cardOf(entry, lessons);
      cards.push({ card, entry, section, words: wordsOf(entry) });
      list.append(card);
    }
    section.append(list);
    holder.append(section);
    const jump = make("button", "", name);
    jump.type = "button";
    jump.onclick = () => section.scrollIntoView({ behavior: motion(), block: "start" });
    nav.append(jump);
  });
  return cards;
}

function cardOf(entry, lessons) {
  const card = make("article");
  card.id = entry.anchor;
  card.tabIndex = -1;
  const head = make("h3");
  if (entry.symbol && entry.symbol !== entry.name) head.append(make("span", "symbol", entry.symbol));
  head.append(make("span", "name", entry.name));
  const anchor = link("#", `glossary#${entry.anchor}`);
  anchor.className = "anchor";
  anchor.setAttribute("aria-label", `Link to ${entry.name}`);
  head.append(anchor);
  card.append(head, make("p", "meaning", entry.meaning), facts(entry, lessons));
  return card;
}

function facts(entry, lessons) {
  const list = make("dl");
  const add = (name, ...values) => {
    const definition = make("dd");
    values.forEach((value, i) => definition.append(...(i ? [", ", value] : [value])));
    list.append(make("dt", "", name), definition);
  };
  if (entry.paper) add("Paper", make("span", "paper", entry.paper));
  if (entry.where.length) add("See it", ...entry.where.map(([text, address]) => link(text, address)));
  if (entry.lesson) {
    add("Lesson", link(`${entry.lesson} · ${lessons[entry.lesson - 1]}`, `learn?lesson=${entry.lesson}`));
  }
  return list;
}

function wordsOf(entry) {
  const { anchor, symbol, name, paper, meaning, also } = entry;
  return simple([anchor, symbol, name, paper, meaning, ...also].join(" "));
}

// Without case, and with letters such as 𝒵 or ₀ as plain ones.
function simple(text) {
  return text.normalize("NFKC").toLowerCase();
}

function search(root, cards, text) {
  const wanted = simple(text).split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { card, words } of cards) {
    card.hidden = !wanted.every((word) => words.includes(word));
    found += card.hidden ? 0 : 1;
  }
  for (const section of new Set(cards.map((c) => c.section))) {
    section.hidden = cards.every((c) => c.section !== section || c.card.hidden);
  }
  const said = found === 1 ? "1 term" : `${found} terms`;
  root.querySelector(".count").textContent = !wanted.length ? "" : found ? said : "No term is called so: try fewer letters.";
}

function open(root, cards, input, name) {
  const wanted = simple(name || "").replaceAll("_", "-");
  if (!wanted) return;
  const found = cards.find(({ entry }) => entry.anchor === wanted)
    || cards.find(({ entry }) => entry.also.map((n) => n.replaceAll(" ", "-")).includes(wanted));
  if (!found) return;
  input.value = "";
  search(root, cards, "");
  for (const { card } of cards) card.classList.toggle("opened", card === found.card);
  // The page above may still be growing: go there once it stands.
  const go = () => found.card.scrollIntoView({ block: "center" });
  requestAnimationFrame(() => { go(); found.card.focus({ preventScroll: true }); });
  setTimeout(go, 400);
}

function motion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}
