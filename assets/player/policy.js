// The policy: how likely each action is. In manual mode each row is a button that takes the action.

import { el, keyed } from "../kit/dom.js";
import { percent } from "../kit/numbers.js";
import { actionRows, makeBarRow, updateBarRow } from "./bars.js";
import { symbol } from "./parts.js";

export function createPolicyPanel(take) {
  const list = el("div", { class: "policy-rows", role: "list" });
  const element = el(
    "section",
    { class: "panel policy", "aria-label": "Policy" },
    el(
      "h3",
      {},
      symbol("π(a│s)", "the probability of each action a in the state s: its flow, divided by all that flows out"),
      el("small", {}, "what may come next"),
    ),
    list,
  );

  function show(story, frame, manual) {
    const step = story.step(frame);
    const rows = actionRows(story, step);
    const open = manual && frame < story.trace.steps.length;
    const tip = (row) => {
      const flow = `π = ${percent(row.probability)}`;
      if (row.kind === "rest") return `${row.nodes.length} other nodes together: ${flow}`;
      const what = row.kind === "stop" ? (row.forced ? "STOP, the only action left" : "STOP") : `adding ${row.name}`;
      const next = row.chosen && story.end !== null ? ", taken next" : "";
      return `${what}: ${flow}${next}${open ? " · click to take it" : ""}`;
    };
    list.classList.toggle("long", rows.length > 5);
    keyed(
      list,
      rows,
      (row) => `${row.key}${open}`,
      (row) => {
        const clickable = open && row.kind !== "rest";
        const child = makeBarRow(row, clickable ? "button" : "div");
        child.setAttribute("role", clickable ? "button" : "listitem");
        if (clickable) child.addEventListener("click", () => take(row.kind === "stop" ? null : row.nodes[0]));
        return child;
      },
      (child, row) => updateBarRow(child, row, row.probability, percent(row.probability), tip(row)),
    );
  }
  return { element, show };
}
