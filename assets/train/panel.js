// What all views of a training stand in: a panel with a heading and a sentence. The states and the graph in theirs.

import { el, setText } from "../kit/dom.js";
import { plural, thousands } from "../kit/numbers.js";
import { createInstanceGraph, nodesOf } from "../state_graph/instance_graph.js";
import { drawnOf } from "../state_graph/pen.js";
import { createStateGraph } from "../state_graph/state_graph.js";

// `resized` hears of another size of the picture.
export function createPanel(name, lane, title, resized = () => {}) {
  const sees = el("p", { class: "sees" });
  const owner = el("span", { class: `of-lane lane-${lane}` });
  const body = el("div", { class: "picture" });
  const panel = {
    name,
    lane,
    body,
    onScreen: true, // whether it is on the screen
    width: 0,
    height: 0,
    say: (text) => setText(sees, text),
    belongTo: (text) => setText(owner, text),
  };
  panel.element = el(
    "section",
    { class: `panel panel-${name}`, "data-view": name, "data-lane": lane ?? "both", "aria-label": title },
    el("div", { class: "top" }, el("h3", {}, title), owner, sees),
    body,
  );
  const sizes = new ResizeObserver(() => {
    const [width, height] = [body.clientWidth, body.clientHeight];
    if (!width || (width === panel.width && height === panel.height)) return;
    Object.assign(panel, { width, height });
    resized();
  });
  const look = (entries) => {
    const before = panel.onScreen;
    panel.onScreen = entries.at(-1).isIntersecting;
    if (panel.onScreen && !before) resized();
  };
  const sight = new IntersectionObserver(look, { rootMargin: "120px" });
  sizes.observe(body);
  sight.observe(panel.element);
  panel.destroy = () => {
    sizes.disconnect();
    sight.disconnect();
  };
  return panel;
}

export function createStatesPanel({ lane, hub, colours, redraw }) {
  const panel = createPanel("dag", lane, "The states, and where flow goes", redraw);
  const graph = createStateGraph({ place: panel, hub, colours, redraw });
  const entries = LEGEND.map(([name, text]) => el("li", {}, el("i", { class: name }), text));
  const legend = el("ul", { class: "legend" }, ...entries);
  panel.element.append(legend);
  function draw(moment) {
    graph.draw(moment);
    if (!moment || !panel.width) return;
    const { listed, links, nodes } = moment.scene;
    const drawn = drawnOf(links.length);
    const many = links.length > drawn ? `, the ${drawn} strongest of ${thousands(links.length)} links` : "";
    const count = plural(moment.get("residuals").length, "state");
    const columns = nodes.length ? "size" : "distance from the start";
    const most = plural(moment.scene.column.at(-1) + 1, "node");
    const small = `${count} of at most ${most}${many}. Larger ones grow from them: too many to show.`;
    panel.say(listed ? `${count} in columns by ${columns}${many}.` : small);
    legend.classList.toggle("partial", !listed);
  }
  return { panel, draw };
}

const LEGEND = [
  ["flow", "learned flow"],
  ["exact", "one right flow"],
  ["ends", "stops here"],
  ["residual", "residual 0 … 2"],
  ["unseen-state", "never visited"],
];

export function createGraphPanel({ lane, hub, redraw }) {
  const panel = createPanel("graph", lane, "The graph", redraw);
  const graph = createInstanceGraph(panel.body, hub);
  function draw(moment) {
    if (!moment) return;
    const { scene } = moment;
    graph.draw(scene, moment.get("marginals"), nodesOf(hub.lit));
    const end = scene.listed ? "Outline: the aim." : "Counted in the latest trajectories.";
    panel.say(`A wider edge is found more often. ${end}${scene.has_truth ? " Green: true motif." : ""}`);
  }
  return { panel, draw };
}
