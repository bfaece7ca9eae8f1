// Shows a state DAG. The DOM is kept while the states stay the same: new numbers are animated, nothing else moves.

import { el, lessMotion, setText } from "../kit/dom.js";
import { percent, plain, plural } from "../kit/numbers.js";
import { between } from "../kit/paths.js";
import { centre, graphBeside, measure } from "./drawing.js";
import { build, current, draw } from "./picture.js";
import { oneAtATime } from "./slider.js";

const GLIDE_MS = 180; // from the old numbers to the new ones
const NARROW = 560;

const shapeOf = (data) => {
  const { boxes, links, graph_nodes, graph_edges } = data.picture;
  const places = boxes.map((box) => [box.id, box.column, box.row, box.count, box.stop === null]);
  const pairs = links.map((link) => [link.source, link.target, link.flow === null]);
  return JSON.stringify([places, pairs, graph_nodes, graph_edges, data.height, data.draggable, data.clickable]);
};

const valuesOf = ({ boxes, links }) => ({
  flows: links.map((link) => link.flow),
  stop: boxes.map((box) => box.stop),
  target: boxes.map((box) => box.target),
  reward: boxes.map((box) => box.reward),
});

// `root` holds a .dag-stage and perhaps a .beside for the small graph. `hooks.report(name, value)` hears of what is
// chosen and dragged, `hooks.over(box)` of the box that is pointed at, null for none.
export function createDag(root, hooks) {
  const stage = root.querySelector(".dag-stage");
  const beside = root.querySelector(".beside");
  const fresh = () => ({ size: null, parts: null, held: null, ahead: new Map(), pinned: null, over: null });
  const view = { report: hooks.report, data: null, shape: "", shown: null, ...fresh() };

  view.rewards = oneAtATime((change) => view.report("reward", change));

  const redraw = () => view.parts && draw(view);
  // A picture that is held is not replaced under the pointer, and one that has the focus keeps it.
  const measureAgain = () => {
    if (!view.data || !stage.clientWidth || view.held !== null) return;
    root.classList.toggle("narrow", root.clientWidth < NARROW);
    const size = measure(view.data.picture, view.data, stage.clientWidth);
    if (view.size?.width === size.width && view.size?.height === size.height && view.parts) return;
    const focused = placeOf(view, root.getRootNode().activeElement);
    view.size = size;
    stage.replaceChildren(build(view));
    redraw();
    mark();
    focused?.(view)?.focus({ preventScroll: true });
  };
  view.measureAgain = measureAgain;
  const observer = new ResizeObserver(measureAgain);
  observer.observe(root);
  view.destroy = () => observer.disconnect();

  const light = (test) => {
    root.classList.toggle("hovering", test !== null);
    const { boxes, links } = view.data.picture;
    boxes.forEach((box, k) => view.parts.boxes[k].group.classList.toggle("lit", test !== null && test.box(box)));
    links.forEach((link, k) => view.parts.links[k].classList.toggle("lit", test !== null && test.link(link)));
  };
  view.tell = (box) => {
    view.over = box?.id ?? null;
    light(
      box && {
        box: (other) => other.id === box.id || linked(view, box, other),
        link: ({ source, target }) => source === box.id || target === box.id,
      },
    );
    hooks.over?.(box);
    describe(view, beside, box ?? view.resting());
  };
  view.showAll = (box) => {
    light(null);
    view.over = box.id;
    describe(view, beside, current(view, box));
  };
  view.resting = () => {
    const { boxes } = view.data.picture;
    const wanted = view.pinned ?? view.data.selected ?? view.data.path.at(-1);
    return boxes.find((box) => box.id === view.over) ?? boxes.find((box) => box.states.includes(wanted)) ?? boxes[0];
  };

  const mark = () => {
    if (!view.parts) return;
    const { picture, path, selected } = view.data;
    const on = new Set(path);
    const byId = new Map(picture.boxes.map((box) => [box.id, box]));
    picture.boxes.forEach((box, k) => {
      const { classList } = view.parts.boxes[k].group;
      classList.toggle("path", box.states.some((state) => on.has(state)));
      classList.toggle("selected", box.states.includes(view.pinned ?? selected));
    });
    picture.links.forEach((link, k) => {
      const [a, b] = [byId.get(link.source), byId.get(link.target)];
      const follows = path.some((state, i) => a.states.includes(state) && b.states.includes(path[i + 1]));
      view.parts.links[k].classList.toggle("path", follows);
      if (follows) view.parts.links[k].parentNode.append(view.parts.links[k]);
    });
  };

  view.choose = (box) => {
    if (box.id < 0) return;
    view.pinned = view.data.clickable ? null : box.id;
    if (view.data.clickable) view.report("state", box.id);
    mark();
    describe(view, beside, box);
  };

  // Some states are marked with their number, 1 for the first; null for one that is not drawn.
  view.flag = (states) => {
    if (!view.parts) return;
    view.data.picture.boxes.forEach((box, k) => {
      const at = states.findIndex((state) => state !== null && box.states.includes(state));
      const { dataset } = view.parts.boxes[k].group;
      if (at < 0) delete dataset.flag;
      else dataset.flag = at + 1;
    });
  };

  // Another state is the chosen one; it is brought into sight, without moving the page.
  view.select = (state) => {
    if (view.data.selected === state) return;
    view.data.selected = state;
    mark();
    const box = view.data.picture.boxes.find(({ states }) => states.includes(state));
    if (!box || !view.size) return;
    const [x, y] = centre(box, view.size);
    stage.scrollTo({ left: x - stage.clientWidth / 2, top: y - stage.clientHeight / 2, behavior: "instant" });
  };

  view.show = (data) => {
    const shape = shapeOf(data);
    const before = view.shown;
    const changed = shape !== view.shape;
    view.data = data;
    root.classList.toggle("clickable", data.clickable);
    if (beside) beside.hidden = !data.beside;
    if (changed) {
      Object.assign(view, fresh(), { shape, shown: valuesOf(data.picture) });
      if (beside) {
        view.graph = graphBeside(data.picture, (node) =>
          light(node === null ? null : { box: (box) => box.nodes.includes(node), link: () => false }),
        );
        beside.querySelector(".graph").replaceChildren(view.graph.svg);
      }
      measureAgain();
    } else {
      mark();
      glide(view, before, valuesOf(data.picture), redraw);
    }
    describe(view, beside, view.resting());
    view.rewards.heard();
  };
  return view;
}

function glide(view, from, to, redraw) {
  cancelAnimationFrame(view.frame);
  if (JSON.stringify(from) === JSON.stringify(to)) return;
  const began = performance.now();
  const still = lessMotion();
  const step = (now) => {
    const share = still ? 1 : Math.min(1, Math.max(0, (now - began) / GLIDE_MS));
    view.shown = between(from, to, share);
    redraw();
    if (share < 1) view.frame = requestAnimationFrame(step);
  };
  step(began);
}

// How to find a state or its slider again once the picture is built anew; nothing for other elements.
function placeOf(view, element) {
  const k = element ? (view.parts?.boxes.findIndex(({ group }) => group.contains(element)) ?? -1) : -1;
  if (k < 0) return null;
  const state = element === view.parts.boxes[k].group;
  return ({ parts }) => (state ? parts.boxes[k].group : parts.boxes[k].slider?.group);
}

const linked = (view, box, other) =>
  view.data.picture.links.some(
    ({ source, target }) => (source === box.id && target === other.id) || (target === box.id && source === other.id),
  );

function describe(view, beside, box) {
  if (!beside) return;
  const name = view.data.picture.named ? `${box.name} · ` : "";
  const heading = box.id < 0 ? plural(box.count, "more state") : `${name}${plural(box.nodes.length, "node")}`;
  setText(beside.querySelector(".heading"), heading);
  const facts = [
    ["Flow", "flow", view.data.picture.links[0]?.flow == null ? null : percent(box.flow)],
    ["P(stop here)", "stop", box.stop === null ? null : percent(box.stop)],
    ["R / Z", "tick", box.target === null ? null : percent(box.target)],
    ["Reward R", "", box.reward === null ? null : plain(box.reward)],
    ["States in one box", "", box.count > 1 ? String(box.count) : null],
  ];
  const list = facts
    .filter(([, , value]) => value !== null)
    .flatMap(([what, mark, value]) => [el("dt", {}, el("span", { class: `key ${mark}` }), what), el("dd", {}, value)]);
  beside.querySelector(".facts").replaceChildren(...list);
  beside.querySelector(".hint").textContent = view.data.action ? `Click a state to ${view.data.action}.` : "";
  view.graph.mark(box.nodes);
}
