// The policy: how likely each action is. In manual mode each row is a button that takes the action.

import { el, keyed, setText } from "../kit/dom.js";
import { percent } from "../kit/numbers.js";
import { actionRows, makeBarRow, setMark, updateBarRow } from "./bars.js";
import { symbol } from "./parts.js";

export function createPolicyPanel(take) {
  const list = el("div", { class: "policy-rows", role: "list" });
  const about = el("small");
  const element = el(
    "section",
    { class: "panel policy", "aria-label": "Policy" },
    el(
      "h3",
      {},
      symbol("π(a│s)", "the probability of each action a in the state s: its flow, divided by all that flows out"),
      about,
    ),
    list,
  );

  function show(story, frame, manual) {
    const step = story.step(frame);
    const rows = actionRows(story, step);
    const open = manual && frame < story.trace.steps.length;
    const others = story.trace.flows === "exact" ? "learned" : "exact";
    setText(about, step.other ? `what may come next · thin mark: by ${others} flows` : "what may come next");
    const tip = (row) => {
      const compared = row.other === null ? "" : `, by ${others} flows ${percent(row.other)}`;
      const flow = `π = ${percent(row.probability)}${compared}`;
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
        child.children[1].append(el("span", { class: "mark" }));
        child.setAttribute("role", clickable ? "button" : "listitem");
        if (clickable) child.addEventListener("click", () => take(row.kind === "stop" ? null : row.nodes[0]));
        return child;
      },
      (child, row) => {
        updateBarRow(child, row, row.probability, percent(row.probability), tip(row));
        setMark(child.children[1], row.other);
      },
    );
  }
  return { element, show };
}
