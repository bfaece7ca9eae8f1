// Lesson 5: which nodes of a set may be removed? Those without which the rest is still in one piece, with the start.

import { el } from "../kit/dom.js";
import { listing, plural } from "../kit/numbers.js";
import { buttons, graphPart, lesson } from "./lesson.js";

export default lesson((body, content, report) => {
  const { puzzles, explorer } = content;
  let [at, checked] = [0, false];
  const picked = new Set();
  const graph = graphPart(content, (node) => {
    if (!picked.delete(node)) picked.add(node);
    checked = false;
    draw();
  });
  const check = () => ((checked = true), draw());
  const another = () => {
    open((at + 1) % puzzles.length);
    report({ state: at ? String(at + 1) : "" });
  };
  const [hint, lab] = [el("p"), el("a", { "data-inside": "" }, "Open this state in the cut-vertex lab")];
  const replies = el("div", { role: "status" });
  const beside = el("div", {}, hint, buttons({ Check: check, "Another state": another }, content), replies);
  if (explorer) beside.append(lab);
  body.append(el("div", { class: "two" }, graph.element, beside));

  function draw() {
    const { words, nodes, edges, start, lost, link } = puzzles[at];
    const members = Object.keys(lost).map(Number);
    const free = members.filter((node) => node !== start && !lost[node].length);
    const name = (node) => nodes[node].label;
    const reason = (node) => {
      if (node === start) return `${name(node)} is the start node: every set contains it, so it stays.`;
      if (!lost[node].length) return `without ${name(node)} the rest stays in one piece.`;
      const away = listing(lost[node].map(name), Infinity);
      return `without ${name(node)} the ${lost[node].length > 1 ? "nodes" : "node"} ${away} would be cut off.`;
    };
    const wrong = members.filter((node) => picked.has(node) && !free.includes(node));
    const missed = free.filter((node) => !picked.has(node));
    const right = free.filter((node) => picked.has(node));
    function rolesOf(node) {
      if (!members.includes(node)) return ["outside"];
      const roles = node === start ? ["member", "start"] : ["member"];
      if (!checked) return picked.has(node) ? [...roles, "picked"] : roles;
      if (right.includes(node)) return [...roles, "right"];
      if (missed.includes(node)) return [...roles, "parent"];
      return [...roles, ...(picked.has(node) ? ["wrong"] : []), ...(node === start ? [] : ["cut"])];
    }
    const drawn = nodes.map((node, k) => ({ ...node, roles: rolesOf(k), tip: checked && k in lost ? reason(k) : "" }));
    const first = checked ? wrong.find((node) => node !== start) : undefined;
    const held = members.filter((node) => node !== first && !lost[first]?.includes(node));
    const description = `A graph. The set contains ${members.map(name).join(", ")}; it starts at ${name(start)}.`;
    const without = first === undefined ? "" : `without ${name(first)}`;
    const hulls = without && { [`${without}: still with the start`]: held, [`${without}: cut off`]: lost[first] };
    graph.show({ nodes: drawn, edges, hulls: hulls || {}, clickable: members, description, height: 330 });
    hint.replaceChildren(el("b", {}, `State ${at + 1} of ${puzzles.length}. `), words);
    lab.href = `lab?${link}`;
    const all = plural(free.length, "valid parent");
    const done = el("p", { class: "note good" }, `Correct: ${all}, one for each node that you may remove.`);
    const say = (kind, said) => (node) =>
      el("li", { class: kind }, el("b", {}, name(node)), ` · ${said}: ${reason(node)}`);
    const list = [
      ...wrong.map(say("bad", "Not removable")),
      ...missed.map(say("bad", "Missed")),
      ...right.map(say("good", "Right")),
    ];
    const perfect = !wrong.length && !missed.length;
    replies.replaceChildren(...(checked ? [...(perfect ? [done] : []), el("ul", {}, ...list)] : []));
  }
  function open(number) {
    [at, checked] = [number, false];
    picked.clear();
    draw();
  }
  return ({ state }) => {
    const number = Number(state ?? 1) - 1;
    const known = Number.isInteger(number) && puzzles[number] ? number : 0;
    if (known !== at || !hint.hasChildNodes()) open(known);
  };
});
