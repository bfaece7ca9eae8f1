// What the marks mean, as far as they occur now. Hovering an entry lights its nodes.

import { el, keyed, put } from "../kit/dom.js";
import { ANSWER, END_ROLES, STATE_ROLES, swatch, WRITTEN_ANSWER } from "./roles.js";

export function createLegend() {
  const element = el("ul", { class: "legend", "aria-label": "Legend" });
  function show(story, frame) {
    const ended = frame === story.end || frame === story.cover;
    const entries = (ended ? END_ROLES : STATE_ROLES).map(
      ([role, text, tip]) => ({ role, text, tip, nodes: story.withRole(frame, role) }),
    );
    if (story.outlined) {
      const [role, tip] = story.written ? ["underlined", WRITTEN_ANSWER] : ["agreed", ANSWER];
      entries.push({ role, text: "reason", tip, nodes: story.answer.nodes });
    }
    const shown = ended ? entries.filter(({ nodes }) => nodes.length) : entries;
    keyed(
      element,
      shown,
      ({ role }) => `${role}${story.molecule}`,
      ({ role, text }) => el("li", {}, swatch(role, story.molecule), text),
      (child, { role, tip, nodes }) => {
        put(child, "data-tip", tip);
        put(child, "data-nodes", role === "outside" ? "" : nodes.join(" "));
        child.classList.toggle("absent", !nodes.length);
      },
    );
  }
  return { element, show };
}
