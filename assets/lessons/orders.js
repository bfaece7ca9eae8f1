// Lesson 2: build a set by clicking; different orders arrive at the same state.

import { el, put, setText } from "../kit/dom.js";
import { buttons, graphPart, keyOf, lesson, roleIn, statePart } from "./lesson.js";

export default lesson((body, content, report) => {
  const { nodes, edges, picture, goal, ways, fixed } = content;
  const stateOf = new Map(picture.boxes.map(({ id, nodes: held }) => [keyOf(held), id]));
  const labels = nodes.map(({ label }) => label);
  let order = [picture.start];
  const found = new Set();
  const graph = graphPart(content, (node) => go([...order, node]));
  const states = statePart(content, (_, state) => {
    const at = path(order).indexOf(state);
    const next = frontier(order).find((node) => stateOf.get(keyOf([...order, node])) === state);
    if (at >= 0) go(order.slice(0, at + 1));
    else if (next !== undefined) go([...order, next]);
  });
  const keep = (end) => () => go(order.slice(0, end));
  const back = buttons({ "Start again": keep(1), "Step back": keep(-1) }, content);
  const [way, score] = [el("p"), el("p", { class: "note", role: "status" })];
  const [left, right] = [el("div", {}, graph.element, back), el("div", {}, states.element, way)];
  body.append(el("div", { class: "two right" }, left, right), score);

  const word = (some) => some.map((node) => labels[node]).join("");
  const arrows = (some) => some.map((node) => labels[node]).join(" → ");
  const path = (some) => some.map((_, k) => stateOf.get(keyOf(some.slice(0, k + 1))));
  const frontier = (some) => nodes.flatMap((_, id) => (roleIn(some, edges, id) === "frontier" ? [id] : []));
  // The order that a word of a link spells; nothing where no walk goes so.
  function read(text) {
    const spelt = [...(text ?? "")].map((letter) => labels.indexOf(letter));
    const walk = spelt.every((node, k) => (k ? frontier(spelt.slice(0, k)).includes(node) : node === picture.start));
    return walk && spelt.length ? spelt : null;
  }
  const arrived = (some) => keyOf(some) === keyOf(goal);
  function go(next) {
    order = next;
    draw();
    report({ order: order.length > 1 ? word(order) : "", found: [...found].sort().join(".") });
  }
  function draw() {
    if (arrived(order)) found.add(word(order));
    const open = frontier(order);
    const roles = (id) => [...(id === order[0] ? ["start"] : []), roleIn(order, edges, id)];
    const drawn = nodes.map((node, id) => ({ ...node, roles: roles(id) }));
    const description = `The set ${word(order)}; nodes that can come next: ${word(open)}.`;
    graph.show({ nodes: drawn, edges, clickable: open, description, height: 215 });
    const at = path(order);
    const view = { draggable: false, rewardMax: 0, height: 250 };
    states.show({ ...view, picture: { ...picture, path: at }, selected: at.at(-1), path: at });
    for (const button of back.children) put(button, "disabled", order.length > 1 ? null : true);
    const actions = [...open.map((node) => `add ${labels[node]}`), "STOP"].join(", ");
    setText(way, `You went ${arrows(order)}. State: ${word([...order].sort())}. Actions now: ${actions}.`);
    const listed = found.size ? ` (${[...found].map((some) => arrows(read(some))).join("; ")})` : "";
    const count = `Orders found to ${word(goal)}: ${found.size} of ${ways}`;
    const again = fixed ? `choose ${labels[picture.start]} in the DAG` : "press Start again";
    const many = `Another order, the same state. ${count}${listed}. In the DAG all of them end in one box.`;
    const first = `You arrived. ${count}. Now ${again} and take another way.`;
    setText(score, !arrived(order) ? `${count}${listed}.` : found.size > 1 ? many : first);
    score.classList.toggle("good", arrived(order) && found.size > 1);
  }
  return (link) => {
    order = read(link.order) ?? [picture.start];
    found.clear();
    for (const some of (link.found ?? "").split(".")) if (read(some) && arrived(read(some))) found.add(some);
    draw();
  };
});
