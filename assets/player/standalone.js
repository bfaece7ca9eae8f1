// The player in a file of its own: the trace stands in the page as JSON. With a state space see standalone_states.js.

import { el, setText } from "../kit/dom.js";
import { createPlayer } from "./player.js";

// In place of the states: why they are not in the file.
function createNote() {
  const words = el("p", { class: "note" });
  const element = el("section", { class: "panel states", "aria-label": "States" }, words);
  return { element, give: (states) => setText(words, states?.words ?? ""), show: () => {}, destroy: () => {} };
}

const page = JSON.parse(document.getElementById("data").textContent);
createPlayer(document.querySelector(".player-host"), {}, createNote).show(page);
