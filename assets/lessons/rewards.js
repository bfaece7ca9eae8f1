// Lesson 6 on the site: click a subgraph together; what the GNN predicts for each was asked before.

import { el, setText } from "../kit/dom.js";
import { percent, signed } from "../kit/numbers.js";
import { buttons, graphPart, keyOf, lesson } from "./lesson.js";

export default lesson((body, content) => {
  const { nodes, edges, start, sets, predicted, best } = content;
  const costs = Object.values(sets);
  const picked = new Set([start]);
  let shown = false;
  const graph = graphPart(content, (node) => {
    if (!picked.delete(node)) picked.add(node);
    draw();
  });
  const says = el("p", { role: "status" });
  const again = () => {
    shown = false;
    picked.clear();
    picked.add(start);
    draw();
  };
  const row = buttons({ "Show the best": () => ((shown = true), draw()), "Start again": again }, content);
  body.append(el("div", { class: "two" }, graph.element, el("div", {}, says, row)));

  function draw() {
    const touches = (id) => edges.some(([a, b]) => (a === id && picked.has(b)) || (b === id && picked.has(a)));
    const role = (id) => (picked.has(id) ? "member" : touches(id) ? "frontier" : "outside");
    const marks = (id) => [id === start && "start", shown && best.includes(id) && "right"].filter(Boolean);
    const drawn = nodes.map((node, id) => ({ ...node, roles: [role(id), ...marks(id)] }));
    const clickable = nodes.flatMap((_, id) => (id === start ? [] : [id]));
    graph.show({ nodes: drawn, edges, clickable, description: "A graph", height: 330 });
    const cost = sets[keyOf(picked)];
    const worse = costs.filter((other) => other > cost + 1e-5).length;
    const reward = (some) => `“${predicted}” with ${percent(Math.exp(-some))}: log R = ${signed(-some)}.`;
    const alone = `For this part alone the GNN predicts ${reward(cost)}`;
    const rank = `${alone} That is better than ${worse} of ${costs.length} subgraphs.`;
    const mine = cost == null ? "This set is not connected, or too large: no walk builds it." : rank;
    const names = best.map((node) => nodes[node].label).join(", ");
    setText(says, shown ? `${mine} For the best one, ${names}, it predicts ${reward(sets[keyOf(best)])}` : mine);
  }
  return draw;
});
