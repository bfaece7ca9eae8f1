// What if: an instance before and after edits, side by side on the same places. A click edits the right one.

import { el, put, setText, svgEl } from "../kit/dom.js";
import { percent } from "../kit/numbers.js";
import { cross, round } from "../kit/paths.js";
import { keptView } from "../kit/views.js";
import { partBox } from "../player/sight.js";
import { createButtonGraph } from "./button_graph.js";

const PATIENCE = 10000; // milliseconds until an edit without an answer is given up
const FEW = 4; // classes that are always shown; of more, those that matter
const ROOM = [330, 240]; // a small graph is not blown up beyond this box
const STATES = { gone: "removed", new: "added", changed: "changed" };

export default keptView((parentElement) => createEditView(parentElement.querySelector(".edit-view")));

function createEditView(root) {
  const state = { tool: "remove", first: null };
  let [data, tell] = [null, () => {}];
  const edits = []; // that are not made yet: text, kind, index
  let sent = null; // after how many edits the first of them was sent; null while none is under way
  const sentence = el("p", { class: "sentence", "aria-live": "polite" });
  const bars = el("div", { class: "shares" });
  const tools = el("div", { class: "edit-tools", role: "toolbar", "aria-label": "What a click does" });
  const hint = el("p", { class: "hint", "aria-live": "polite" });
  const picker = el("form", { class: "picker", hidden: true, onsubmit: typed });
  const graphs = { before: createEditGraph(), now: createEditGraph({ choose, escape }) };
  const side = (name, title, ...more) => {
    const [head, words] = [el("h3", {}), el("p", { class: "words" })];
    const element = el("section", { class: name, "aria-label": title }, head, ...more, graphs[name].element, words);
    return { element, head, words, title };
  };
  const sides = { before: side("before", "Before"), now: side("now", "Now", tools) };
  sides.now.element.append(hint, picker);
  const panes = el("div", { class: "panes" }, sides.before.element, sides.now.element);
  root.replaceChildren(sentence, bars, panes);

  // What a click does.
  function choose(kind, index) {
    const { nodes, edges } = data.now;
    const id = (node) => nodes[node].id;
    if (kind === "edge") return send(edges[index].edit, kind, index);
    if (state.tool === "remove") {
      if (nodes[index].mark === "gone" && !nodes[index].own) return say(data.hints.alone);
      return send(String(id(index)), kind, index);
    }
    if (nodes[index].mark === "gone") return say(data.hints.alone);
    if (state.tool === "change") return offer(index);
    if (state.first === null || state.first === index) state.first = state.first === index ? null : index;
    else {
      send(`${id(state.first)}~${id(index)}`, "node", index);
      state.first = null;
    }
    return draw();
  }
  function send(...edit) {
    edits.push(edit);
    sendNext();
  }
  // One after the other: of two that come while the server works, Streamlit would keep the last.
  function sendNext() {
    for (const [, kind, index] of edits) graphs.now.wait(kind, index);
    root.classList.toggle("asking", edits.length > 0);
    if (!edits.length || sent !== null) return;
    const turn = (sent = data.turn);
    tell(edits[0][0]);
    setTimeout(() => sent === turn && (answered(), sendNext()), PATIENCE);
  }
  function answered() {
    edits.shift();
    sent = null;
  }
  function escape() {
    state.first = null;
    picker.hidden = true;
    draw();
  }
  const say = (text) => setText(hint, text);

  // Another atom, or another word.
  function offer(index) {
    const { id, label, name } = data.now.nodes[index];
    const change = (text) => {
      picker.hidden = true;
      if (text !== label) send(`${id}_${text}`, "node", index);
    };
    const title = el("span", {}, `${name} becomes`);
    if (Array.isArray(data.choices)) {
      const button = (text) => el("button", { type: "button", onclick: () => change(text) }, text);
      picker.replaceChildren(title, ...data.choices.filter((text) => text !== label).map(button));
    } else {
      const field = el("input", { type: "text", maxlength: 45, value: label, "aria-label": `${name} becomes` });
      picker.replaceChildren(title, field, el("button", { type: "submit" }, "Change"));
    }
    picker.change = change;
    picker.hidden = false;
    picker.querySelector("input, button").focus({ preventScroll: true });
    picker.querySelector("input")?.select();
  }
  function typed(event) {
    event.preventDefault();
    const text = picker.querySelector("input")?.value.trim();
    if (text) picker.change(text);
  }

  // Drawing.
  function draw() {
    const { before, now } = data.probabilities;
    setText(sentence, data.sentence);
    drawBars(before, now);
    drawHead("before", before);
    drawHead("now", now);
    graphs.before.show(data.before, { written: data.written, molecule: data.molecule, target: data.target });
    graphs.now.show(data.now, { ...data, first: state.first });
    drawTools();
    say(data.refused || hintWords());
    hint.classList.toggle("refused", Boolean(data.refused));
  }
  const top = (list) => (list ? list.indexOf(Math.max(...list)) : -1);
  function drawHead(name, probabilities) {
    const { head, title, words } = sides[name];
    const at = top(probabilities);
    setText(head, at < 0 ? title : `${title}: ${data.classes[at]}, ${percent(probabilities[at])}`);
    setText(words, data[name].words);
  }
  function drawBars(before, now) {
    const most = (index) => Math.max(before?.[index] ?? 0, now?.[index] ?? 0);
    const all = data.classes.map((_, index) => index).sort((a, b) => most(b) - most(a));
    const seen = (data.classes.length > FEW ? all.slice(0, FEW) : all).sort((a, b) => a - b);
    const bar = (name, share) =>
      el("div", { class: `share share-${name}` }, el("div", { style: `width: ${100 * (share ?? 0)}%` }));
    const value = (share) => (share == null ? "…" : percent(share));
    bars.replaceChildren(
      ...seen.map((index) =>
        el(
          "div",
          { class: `class-line${top(now) === index ? " predicted" : ""}` },
          el("span", { class: "name" }, data.classes[index]),
          el("div", {}, bar("before", before?.[index]), bar("now", now?.[index])),
          el("span", { class: "value" }, `${value(before?.[index])} → ${value(now?.[index])}`),
        ),
      ),
    );
  }
  function drawTools() {
    const names = Object.keys(data.tools);
    if (!names.includes(state.tool)) state.tool = names[0];
    const pick = (name) => () => {
      data.refused = "";
      Object.assign(state, { tool: name, first: null });
      picker.hidden = true;
      draw();
    };
    if (tools.children.length !== names.length) {
      const button = (name) => el("button", { type: "button", onclick: pick(name) }, data.tools[name]);
      tools.replaceChildren(...names.map(button));
    }
    names.forEach((name, index) => put(tools.children[index], "aria-pressed", String(name === state.tool)));
  }
  function hintWords() {
    if (state.tool !== "add" || state.first === null) return data.hints[state.tool];
    return `${data.now.nodes[state.first].name} is chosen: now the other end (Esc cancels).`;
  }

  return {
    show(given, { setTriggerValue }) {
      if (sent !== null && given.turn !== sent) answered();
      data = given;
      tell = (text) => setTriggerValue("edit", text);
      root.classList.toggle("written", data.written);
      put(root, "data-predicted", data.probabilities.now ? data.edits : null); // what is known of these edits by now
      put(root, "data-answered", data.now.words ? data.edits : null);
      draw();
      sendNext();
    },
    destroy() {
      sent = null;
      for (const graph of Object.values(graphs)) graph.destroy();
    },
  };
}

// A graph that can be edited: what is removed stays as a ghost, pale, dashed and crossed out.
// `act.choose(kind, index)` is told of a node or an edge, `act.escape()` of the key; without `act` none can be clicked.
function createEditGraph(act = null) {
  const choose = ({ kind, index }) => act?.choose(kind, index);
  const view = createButtonGraph({ choose, escape: act?.escape }, { room: () => ROOM, tools: true });
  let [data, options] = [null, {}];
  let told = false; // whether the reasons were known when it was last decided where to look

  // A large graph opens at the answer; until that is known, around the explained node.
  function look() {
    told = data.reasons.length > 0;
    const beside = data.edges.filter(({ source, target }) => source === options.target || target === options.target);
    const core = told ? data.reasons.flat() : beside.flatMap(({ source, target }) => [source, target]);
    const part = partBox(view.graph, options.target == null ? core : [...core, options.target]);
    if (part) view.lookAt(part);
  }
  const itemData = ({ kind, index }) => data[kind === "node" ? "nodes" : "edges"][index];

  function drawMarks() {
    const size = view.graph.radius * 0.5;
    const long = round(2 * size);
    const plus = ([x, y]) => `M${round(x - size)} ${round(y)}h${long}M${round(x)} ${round(y - size)}v${long}`;
    const marks = [];
    for (const item of view.items) {
      const { mark, own } = itemData(item);
      if (mark === "gone" && own) marks.push(svgEl("path", { class: "mark gone", d: cross(item.place, size) }));
      if (mark === "new") marks.push(svgEl("path", { class: "mark new", d: plus(item.place) }));
      if (mark === "changed" && !options.written) marks.push(view.ring("changed", item.place, 1.5));
    }
    if (options.first != null) marks.push(view.ring("first", view.graph.points[options.first], 1.7));
    view.overlay.replaceChildren(...marks);
  }

  function show(given, others) {
    [data, options] = [given, others];
    const element = (label) => (options.molecule ? label : null);
    const nodes = data.nodes.map(({ id, label, position }) => ({ id, label, element: element(label), position }));
    const edges = data.edges.map(({ source, target, order }) => ({ source, target, order, in_motif: false }));
    const { molecule, written } = options;
    const fresh = view.build({ nodes, edges, molecule, written, shapes: data.shapes });
    if (fresh || (!told && data.reasons.length)) look();
    const inside = new Set(data.reasons[0] ?? []);
    const looks = data.nodes.map(({ mark }, node) => ({
      role: mark === "gone" ? "gone" : inside.has(node) ? "found" : "outside",
      flags: [...(node === options.target ? ["start"] : []), ...(mark === "changed" ? ["changed"] : [])],
      scale: 1,
      strength: 1,
    }));
    const ways = data.edges.map(({ source, target, mark }) => {
      if (mark === "gone" || mark === "new") return mark;
      return inside.has(source) && inside.has(target) ? "found" : "outside";
    });
    view.graph.know({ reasons: data.reasons, rings: data.rings, shown: 0, shares: [], near: null });
    view.graph.show({ looks, ways, members: [...inside], mode: "edit" });
    put(view.graph.svg, "aria-label", data.words || "Graph");
    drawMarks();
    view.offer({
      open: () => act !== null,
      pressed: (item) => String(itemData(item).mark === "gone"),
      name(item) {
        const { source, target, mark } = itemData(item);
        const name = item.kind === "node" ? data.nodes[item.index].name : `${data.nodes[source].name}–${data.nodes[target].name}`;
        return STATES[mark] ? `${name}: ${STATES[mark]}` : name;
      },
    });
  }

  // An edit is on its way: what was clicked is faded at once.
  function wait(kind, index) {
    const { element, place } = view.item(kind, index);
    if (kind === "node") view.overlay.append(view.ring("pending", place, 1.2));
    else view.overlay.append(svgEl("path", { class: "pending", d: element.getAttribute("d") }));
  }
  return { element: view.element, show, wait, destroy: view.destroy };
}
