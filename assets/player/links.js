// Hover and focus: whatever speaks of the same nodes lights up together, and the tip says what it is.

import { createTip } from "../kit/tips.js";
import { childGroups } from "./matrix.js";
import { numberOr } from "./parts.js";

const LINKED = "[data-node], [data-nodes], [data-row]";

// `now()` gives what is shown: story, frame, graph and tab.
export function createLinks({ root, side, panels }, now) {
  createTip(root, (event) => {
    const node = event.target.closest?.(".stage .node");
    return node && [node.querySelector(".body"), () => now().story.tip(now().frame, Number(node.dataset.node))];
  });
  let asked = null; // the element that is pointed at
  let explained = false; // whether the matrix's note speaks of a row

  function light(target) {
    const { story, frame, graph, tab } = now();
    asked = target && root.contains(target) ? target : null;
    const { node, nodes, ...rest } = asked?.dataset ?? {};
    const row = numberOr(rest.row);
    const lit = row !== null ? [row] : (nodes ?? node ?? "").split(" ").filter(Boolean).map(Number);
    graph.light(lit);
    graph.showGroups(row === null || frame === story.end ? [] : childGroups(story.step(frame), row));
    if (tab === "cuts" && (row !== null || explained)) panels.cuts.explain(story, frame, row);
    explained = row !== null;
    const few = lit.length > 0 && lit.length < 3; // a whole role at once would light every row
    for (const each of side.querySelectorAll("[data-nodes]")) {
      const own = each.dataset.nodes.split(" ");
      each.classList.toggle("lit", few && own.length < 3 && lit.some((index) => own.includes(String(index))));
    }
  }

  function pointed(event) {
    const target = event.target.closest?.(LINKED) ?? null;
    if (target !== asked) light(target);
  }

  const left = () => light(null);
  for (const name of ["pointerover", "focusin"]) root.addEventListener(name, pointed);
  root.addEventListener("pointerleave", left);
  return { refresh: () => light(asked), clear: left };
}
