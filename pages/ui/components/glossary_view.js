// The glossary: all terms are there from the start; searching hides, links scroll.

import { el, lessMotion } from "../../../assets/kit/dom.js";
import { plural } from "../../../assets/kit/numbers.js";

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

const link = (text, address, about = {}) => el("a", { href: new URL(address, pageFolder()), ...about }, text);

// The folder that holds all pages: this page is its last part.
function pageFolder() {
  return new URL(".", window.location.href);
}

function build(root, { groups, entries, lessons }) {
  const nav = root.querySelector("nav");
  const holder = root.querySelector(".groups");
  const cards = [];
  for (const name of groups) {
    const list = el("div", { class: "list" });
    const section = el("section", { "aria-label": name }, el("h2", {}, name), list);
    for (const entry of entries.filter((e) => e.group === name)) {
      const card = cardOf(entry, lessons);
      cards.push({ card, entry, section, words: wordsOf(entry) });
      list.append(card);
    }
    holder.append(section);
    const jump = () => section.scrollIntoView({ behavior: lessMotion() ? "auto" : "smooth", block: "start" });
    nav.append(el("button", { type: "button", onclick: jump }, name));
  }
  return cards;
}

function cardOf(entry, lessons) {
  const head = el("h3");
  const symbol = entry.symbol && entry.symbol !== entry.name;
  if (symbol) head.append(el("span", { class: "symbol" }, ...lowered(entry.symbol)));
  const about = { class: "anchor", "aria-label": `Link to ${entry.name}` };
  head.append(el("span", { class: "name" }, entry.name), link("#", `glossary#${entry.anchor}`, about));
  const meaning = el("p", { class: "meaning" }, entry.meaning);
  return el("article", { id: entry.anchor, tabindex: -1 }, head, meaning, facts(entry, lessons));
}

// K_M and the like with a letter below the line.
function lowered(text) {
  return text.split(/_(\w)/).map((part, i) => (i % 2 ? el("sub", {}, part) : part));
}

function facts(entry, lessons) {
  const list = el("dl");
  const add = (name, ...values) => {
    list.append(el("dt", {}, name), el("dd", {}, ...values.flatMap((value, i) => (i ? [", ", value] : [value]))));
  };
  if (entry.paper) add("Paper", el("span", { class: "paper" }, ...lowered(entry.paper)));
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
  const said = found ? plural(found, "term") : "No matching term: try fewer letters.";
  root.querySelector(".count").textContent = wanted.length ? said : "";
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
