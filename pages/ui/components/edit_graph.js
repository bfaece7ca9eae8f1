// A graph that can be edited: what is removed stays as a ghost, pale, dashed and crossed out.

import { put, svgEl } from "../../../assets/kit/dom.js";
import { cross, round } from "../../../assets/kit/paths.js";
import { partView, whatMatters } from "../../../assets/player/sight.js";
import { createButtonGraph } from "./button_graph.js";

const ROOM = [330, 240];
const STATES = { gone: "removed", new: "added", changed: "changed" };

// `act.choose(kind, index)` is told of a node or an edge, `act.escape()` of the key; without `act` none can be clicked.
export function createEditGraph(act = null) {
  const choose = ({ kind, index }) => act?.choose(kind, index);
  const view = createButtonGraph({ choose, escape: act?.escape }, { room: () => ROOM, tools: true });
  let [data, options] = [null, {}];
  let told = false; // whether the reasons were known when it was last decided where to look

  // A large graph opens at the answer; until that is known, around the explained node.
  function look() {
    told = data.reasons.length > 0;
    const beside = data.edges.filter(({ source, target }) => source === options.target || target === options.target);
    const core = told ? data.reasons.flat() : beside.flatMap(({ source, target }) => [source, target]);
    const trace = { nodes: data.nodes, final: { nodes: options.target == null ? [] : [options.target] } };
    const links = data.nodes.map(() => []);
    const story = { trace, reasons: [{ nodes: core }], motif: [], links, written: options.written };
    const matters = whatMatters(story, view.graph);
    if (matters) view.camera.show(partView(view.camera.home, matters.part, view.size(), 0));
  }
  const itemData = ({ kind, index }) => data[kind === "node" ? "nodes" : "edges"][index];

  function drawMarks() {
    const size = view.graph.radius * 0.5;
    const long = round(2 * size);
    const plus = ([x, y]) => `M${round(x - size)} ${round(y)}h${long}M${round(x)} ${round(y - size)}v${long}`;
    const marks = [];
    for (const item of view.items) {
      const { mark, own } = itemData(item);
      const middle = item.kind === "edge" && options.written ? middleOf(item.element) : item.place;
      if (mark === "gone" && own) marks.push(svgEl("path", { class: "mark gone", d: cross(middle, size) }));
      if (mark === "new") marks.push(svgEl("path", { class: "mark new", d: plus(middle) }));
      if (mark === "changed" && !options.written) marks.push(view.ring("changed", item.place, 1.5));
    }
    if (options.first != null) marks.push(view.ring("first", view.graph.points[options.first], 1.7));
    view.overlay.replaceChildren(...marks);
  }
  function middleOf(path) {
    const { x, y } = path.getPointAtLength(path.getTotalLength() / 2);
    return [x, y];
  }

  function show(given, others) {
    [data, options] = [given, others];
    const nodes = data.nodes.map(({ id, label, element, position }) => ({ id, label, element, position }));
    const edges = data.edges.map(({ source, target, order }) => ({ source, target, order, in_motif: false }));
    const fresh = view.build({ nodes, edges, molecule: Boolean(options.molecule), written: Boolean(options.written) });
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
    view.graph.know({ reasons: data.reasons, shown: 0, shares: [], near: null });
    view.graph.show({ looks, ways, members: [...inside], mode: "edit" });
    put(view.graph.svg, "aria-label", data.words || "Graph");
    drawMarks();
    view.offer({
      open: () => Boolean(act && options.open),
      pressed: (item) => String(itemData(item).mark === "gone"),
      name(item) {
        const { name, mark } = itemData(item);
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
