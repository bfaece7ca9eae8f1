// Lesson 6: click a subgraph together; what the GNN predicts for each was asked before.

import { el, setText } from "../kit/dom.js";
import { percent, signed } from "../kit/numbers.js";
import { buttons, graphPart, keyOf, lesson, roleIn } from "./lesson.js";

const SAME = 1e-5; // costs that differ by less are equal

export default lesson((body, content, report) => {
  const { nodes, edges, start, sets, predicted, best, fixed } = content;
  const costs = Object.values(sets);
  const names = (some) => some.map((node) => nodes[node].label).join(", ");
  let [picked, shown] = [[start], false];
  const graph = graphPart(content, (node) =>
    change(picked.includes(node) ? picked.filter((other) => other !== node) : [...picked, node], shown));
  const [reward, note] = [el("p"), el("p", { class: "note" })];
  const show = { "Show the best": () => change(picked, true), "Start again": () => change([start], false) };
  const row = buttons(show, content);
  const words = el("div", { role: "status" }, reward, note);
  body.append(el("div", { class: "two" }, graph.element, el("div", {}, words, row)));

  function change(next, known) {
    [picked, shown] = [next, known];
    draw();
    const others = picked.filter((node) => node !== start).sort((a, b) => a - b);
    report({ set: others.join("."), best: shown ? "1" : "" });
  }
  function draw() {
    const marks = (id) => [id === start && "start", shown && best.includes(id) && "right"].filter(Boolean);
    const drawn = nodes.map((node, id) => ({ ...node, roles: [roleIn(picked, edges, id), ...marks(id)] }));
    const clickable = fixed ? [] : nodes.flatMap((_, id) => (id === start ? [] : [id]));
    graph.show({ nodes: drawn, edges, clickable, description: `Your subgraph: ${names(picked)}`, height: 330 });
    const cost = sets[keyOf(picked)];
    const better = costs.filter((other) => other < cost - SAME).length;
    const says = (some) => `“${predicted}” with ${percent(Math.exp(-some))}`;
    const log = (some) => `log R = −1 · cross-entropy = ${signed(-some)}`;
    const none = "This set is not connected, or too large: no walk builds it.";
    const alone = () => `For this part alone the GNN predicts ${says(cost)}: ${log(cost)}.`;
    setText(reward, cost === undefined ? none : `${alone()} Better ones: ${better} of ${costs.length}.`);
    const highest = `The best, ${names(best)}: ${says(sets[keyOf(best)])}, log R = ${signed(-sets[keyOf(best)])}.`;
    setText(note, shown ? highest : better === 0 ? "You found a best one." : "");
    note.hidden = !note.textContent;
    row.children[0].disabled = shown || picked.length < 2;
    row.children[1].disabled = !shown && picked.length < 2;
  }
  return ({ set, best: known }) => {
    const others = (set || "").split(".").filter(Boolean).map(Number).filter((node) => nodes[node] && node !== start);
    [picked, shown] = [[start, ...new Set(others)], known === "1"];
    draw();
  };
});
