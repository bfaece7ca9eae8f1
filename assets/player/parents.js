// Valid parents as small pictures: what is left when one node is taken away and the rest stays connected.

import { el, setText, svgEl } from "../kit/dom.js";
import { percent, signed } from "../kit/numbers.js";
import { bounds, round } from "../kit/paths.js";
import { panel, symbol } from "./parts.js";

export function createParentsPanel(act) {
  const grid = el("div", { class: "thumbs" });
  const note = el("p", { class: "note" });
  const meaning = "a valid parent: the set without u, still connected and still with the start node";
  const title = [symbol("s∖{u}", meaning), " valid parents", el("small", {}, "click to see one in the graph")];
  const element = panel("parents", "Valid parents", title, grid, note);

  function show(story, frame, places, preview) {
    const step = story.step(frame);
    const parents = [...step.parents].sort((a, b) => b.log_flow - a.log_flow || a.removed - b.removed);
    const total = step.log_in_flow;
    grid.replaceChildren(
      ...parents.map(({ removed, log_flow }) => {
        const back = removed === step.added;
        const share = total === -Infinity ? 0 : Math.exp(log_flow - total);
        const flow = `log F = ${signed(log_flow)}, ${percent(share)} of the in-flow`;
        const what = back
          ? "the step before: click to go back to it"
          : "click to see it in the graph, click again to release it";
        return el(
          "button",
          {
            type: "button",
            class: `thumb${back ? " back" : ""}`,
            "data-nodes": removed,
            "data-tip": `Without ${story.name(removed)}: ${flow} · ${what}`,
            "aria-pressed": back ? null : String(preview === removed),
            onclick: () => (back ? act.move(-1) : act.preview(preview === removed ? null : removed)),
          },
          thumbnail(story, step, removed, places),
          el("span", { class: "thumb-name" }, `s∖${story.name(removed)}${back ? " ↩" : ""}`),
          el("span", { class: "thumb-flow" }, `${signed(log_flow)} · ${percent(share)}`),
        );
      }),
    );
    const free = new Set(parents.map(({ removed }) => removed));
    const stuck = step.members.filter(
      (node) => !free.has(node) && node !== story.trace.start && step.cut_vertices.includes(node),
    );
    const start = `${story.name(story.trace.start)} is the start node and always stays`;
    setText(note, step.members.length === 1
      ? "s₀ has no parent: every trajectory starts here."
      : stuck.length ? `${start}; ${story.names(stuck)} cannot be removed: the set would fall apart.` : `${start}.`);
  }
  return { element, show };
}

// The set in small, at the places it has in the graph; the node that is taken away is an empty dotted ring.
function thumbnail(story, step, removed, { points, radius, lineOf }) {
  const members = step.members;
  const inside = new Set(members);
  const [left, top, wide, high] = bounds(members.map((node) => points[node]));
  const side = Math.max(wide, high * 1.4, radius * 5);
  const dot = side * 0.055;
  const pad = dot * 2.2;
  const box = [
    left + wide / 2 - side / 2 - pad,
    top + high / 2 - side / 2.8 - pad,
    side + 2 * pad,
    side / 1.4 + 2 * pad,
  ];
  const lines = story.trace.edges
    .filter(({ source, target }) => inside.has(source) && inside.has(target))
    .map((edge) => {
      const gone = edge.source === removed || edge.target === removed;
      const look = { class: `line${gone ? " gone" : ""}`, "stroke-width": round(dot * 0.55) };
      return svgEl("path", { ...look, d: lineOf({ ...edge, order: 1 }) });
    });
  const dots = members.map((node) => {
    const kind = node === removed ? "gone" : node === story.trace.start ? "start" : "";
    return svgEl(
      "circle",
      {
        cx: round(points[node][0]),
        cy: round(points[node][1]),
        r: round(dot * (kind === "gone" ? 1.15 : 1)),
        class: kind,
        "stroke-width": round(dot * 0.5),
        "stroke-dasharray": kind === "gone" ? `0.1 ${round(dot * 1.1)}` : null,
      },
    );
  });
  return svgEl(
    "svg",
    { viewBox: box.map(round).join(" "), "aria-hidden": "true", class: "thumb-picture" },
    ...lines,
    ...dots,
  );
}
