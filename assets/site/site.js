// The site's only script: it mounts the views of a page, shows the tour's bar, turns the theme, and answers to answers.

import { prefersDark, put, setText } from "../kit/dom.js";
import { showTour, VIEWS } from "./views.js";

const page = document.documentElement;
const dataOf = (element) => JSON.parse(element.nextElementSibling.textContent);

document.querySelector(".theme").addEventListener("click", () => {
  const dark = page.dataset.theme ? page.dataset.theme === "dark" : prefersDark();
  put(page, "data-theme", dark ? "light" : "dark");
  try {
    localStorage.setItem("theme", page.dataset.theme);
  } catch {
    // a file may have nowhere to keep it
  }
});

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    VIEWS[target.dataset.mount](target, dataOf(target));
  }
}, { rootMargin: "200px" });
for (const view of document.querySelectorAll("[data-mount]")) seen.observe(view);
const guide = document.querySelector(".guide");
showTour(guide, dataOf(guide));

for (const question of document.querySelectorAll(".question")) {
  const { right, replies } = dataOf(question);
  question.addEventListener("change", ({ target }) => {
    const answer = Math.min(Math.max(Number(target.value), 0), replies.length - 1);
    put(question, "data-answered", answer === right ? "right" : "wrong");
    setText(question.querySelector("output"), replies[answer]);
  });
}
