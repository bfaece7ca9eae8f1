// The glossary: all terms are there from the start; searching hides, links scroll.

import { el, lessMotion } from "../kit/dom.js";
import { plural } from "../kit/numbers.js";

const SEARCHED = ".symbol, .name, .meaning, .paper";

export default function (component) {
  const { data: [{ opened }], parentElement } = component;
  const root = parentElement.querySelector(".glossary");
  if (root.dataset.ready) return;
  root.dataset.ready = "yes";

  for (const section of root.querySelectorAll("section")) {
    const jump = () => section.scrollIntoView({ behavior: lessMotion() ? "auto" : "smooth", block: "start" });
    const name = section.getAttribute("aria-label");
    root.querySelector("nav").append(el("button", { type: "button", onclick: jump }, name));
  }
  const cards = [...root.querySelectorAll("article")].map((card) => ({ card, words: wordsOf(card) }));
  const input = root.querySelector("input");
  input.addEventListener("input", () => search(root, cards, input.value));
  const follow = () => open(root, cards, input, anchorOfAddress());
  window.addEventListener("hashchange", follow);
  open(root, cards, input, anchorOfAddress() || opened);
  return () => window.removeEventListener("hashchange", follow);
}

function anchorOfAddress() {
  try {
    return decodeURIComponent(window.location.hash.slice(1));
  } catch {
    return "";
  }
}

function wordsOf(card) {
  const texts = [...card.querySelectorAll(SEARCHED)].map(({ textContent }) => textContent);
  return simple([card.id, card.dataset.also, ...texts].join(" "));
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
  for (const section of root.querySelectorAll("section")) {
    section.hidden = !section.querySelector("article:not([hidden])");
  }
  const said = found ? plural(found, "term") : "No matching term: try fewer letters.";
  root.querySelector(".count").textContent = wanted.length ? said : "";
}

function open(root, cards, input, name) {
  const wanted = simple(name || "").replaceAll("_", "-");
  if (!wanted) return;
  const also = ({ dataset }) => dataset.also.split("\n").map((each) => each.replaceAll(" ", "-")).includes(wanted);
  const found = (cards.find(({ card }) => card.id === wanted) ?? cards.find(({ card }) => also(card)))?.card;
  if (!found) return;
  input.value = "";
  search(root, cards, "");
  for (const { card } of cards) card.classList.toggle("opened", card === found);
  // The page above may still be growing: go there once it stands.
  const go = () => found.scrollIntoView({ block: "center" });
  requestAnimationFrame(() => { go(); found.focus({ preventScroll: true }); });
  setTimeout(go, 400);
}
