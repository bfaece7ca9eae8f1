// A state graph that Python has made a picture of: in Explain and in lessons. With new numbers for the same states,
// nothing else changes. A click reports a state.

import { el, onceAFrame } from "../kit/dom.js";
import { percent, plain } from "../kit/numbers.js";
import { createSlider } from "../kit/sliders.js";
import { createHub } from "./hub.js";
import { TOP, createStateGraph } from "./state_graph.js";
import { createColours } from "./surface.js";

const NARROW = 560;
const THUMB = 150; // pixels of a slider that a thumb can set
const STEP = 0.5; // of a reward
const USUAL = 16; // pixels of a page's letters
const FEW = { boxes: 24, rows: 4 }; // of a picture with room for names, words and sliders

// `hooks.report(name, value)` hears of what is chosen and dragged, `hooks.over(box)` of the box that is pointed at,
// null for none.
export function createStatePicture(root, hooks) {
  const place = { body: el("div", { class: "picture" }), width: 0, height: 0 };
  const stage = el("div", { class: "states-stage" }, place.body);
  root.append(stage);
  let [data, scene, shape, look, shown, held] = [null, null, "", {}, {}, null];
  const redraw = onceAFrame(draw);
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: pointed });
  hub.choose = ({ kind, key }) => kind === "state" && Number(key) >= 0 && hooks.report("state", Number(key));
  const graph = createStateGraph({ place, hub, colours, redraw, look: () => look });
  const rewards = createRewards(place.body, (change) => hooks.report("reward", change), (k) => ((held = k), pointed()));
  const observer = new ResizeObserver(measure);
  observer.observe(root);

  const boxOf = (state) => scene.boxes.findIndex(({ states }) => state !== null && states.includes(state));
  const get = (name) => (name === "reward" ? scene.boxes.map(({ reward }) => reward) : (shown[name] ?? null));

  function draw() {
    if (!scene || !place.width || !root.isConnected) return;
    scene.target = shown.target;
    graph.draw({ scene, get });
    const lit = scene.keys.indexOf(hub.lit?.key);
    const current = lit < 0 ? (held ?? graph.marks.selected ?? 0) : lit;
    rewards.place(scene.boxes, graph.placeOf, (k) => `stops here with ${percent(shown.stop[k])}`, current, place.width);
    hub.say();
  }
  function pointed() {
    hooks.over?.(scene.boxes[scene.keys.indexOf(hub.over?.key)] ?? null);
    redraw();
  }

  // Sizes in pixels for a picture in a room of some width and height.
  function measure() {
    if (!data || !stage.clientWidth) return;
    colours.read(); // it may have been made before it stood on the page
    const columns = 1 + Math.max(...scene.column);
    const rows = Math.max(...Array.from({ length: columns }, (_, k) => scene.column.filter((at) => at === k).length));
    const roomy = scene.boxes.length <= FEW.boxes && rows <= FEW.rows;
    const bars = shown.stop !== null;
    const card = roomy ? [92, data.picture.named ? 54 : 46] : [50, 30];
    const below = roomy ? (bars ? 30 : 4) + (data.draggable ? 18 : 0) : bars ? 8 : 0;
    const cell = card[1] + below + (roomy ? 14 : 7);
    const zoom = roomy ? zoomOf(stage.clientWidth / (columns * (card[0] + 12))) : 1;
    const width = columns * Math.max(stage.clientWidth / zoom / columns, roomy ? 58 : 44);
    const height = TOP + Math.min(Math.max(data.height - TOP, rows * cell), 1.7 * rows * cell);
    const sizes = { card, below, least: 8, pipe: card[1] - 6, side: width / columns / 2 };
    look = { ...sizes, live: true, bars, roomy, rewards: data.draggable };
    Object.assign(place, { width, height, zoom });
    Object.assign(place.body.style, { width: `${width}px`, height: `${height}px`, zoom });
    redraw();
  }

  function mark() {
    const path = new Map(data.path.map((state, at) => [boxOf(state), at]));
    const selected = boxOf(data.selected);
    graph.marks = { path, selected: selected < 0 ? null : selected, flags: graph.marks?.flags ?? new Map() };
    redraw();
  }
  // Some states are marked with their number, 1 for the first; null for one that is not drawn.
  function flag(states) {
    const boxes = states.map((state, at) => [boxOf(state), at + 1]).filter(([box]) => box >= 0);
    graph.marks.flags = new Map(boxes.reverse());
    redraw();
  }
  // Another state is the chosen one; it is brought into sight, without moving the page.
  function select(state) {
    if (data.selected === state) return;
    data.selected = state;
    mark();
    draw();
    if (graph.marks.selected === null || !place.width) return;
    const { x, y } = graph.placeOf(graph.marks.selected);
    stage.scrollTo({ left: x - stage.clientWidth / 2, top: y - stage.clientHeight / 2, behavior: "instant" });
  }

  function show(next) {
    data = next;
    const { picture } = next;
    const now = shapeOf(next);
    shown = valuesOf(picture);
    if (now === shape) scene.boxes = picture.boxes;
    else {
      [shape, scene, held] = [now, pictureScene(picture), null];
      rewards.build(picture.boxes, next.draggable ? next.rewardMax : null);
    }
    mark();
    measure();
  }

  const destroy = () => {
    observer.disconnect();
    redraw.stop();
  };
  return { show, flag, select, destroy };
}

// How far a picture grows with the page's letters, which are larger before a room; `most` is what there is room for.
function zoomOf(most) {
  const letters = parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL;
  return Math.max(1, Math.min(letters, most));
}

// What stays while numbers change: of these only whether they are known.
const NUMBERS = ["flow", "stop", "target", "reward", "path"];
const shapeOf = ({ picture, height, draggable }) =>
  JSON.stringify([picture, height, draggable], (name, value) => (NUMBERS.includes(name) ? value === null : value));

// Lists of numbers, null where they are not known.
function valuesOf({ boxes, links }) {
  const known = (values) => (values.some((value) => value === null) ? null : values);
  const of = (name) => known(boxes.map((box) => box[name]));
  return { flow: known(links.map(({ flow }) => flow)), stop: of("stop"), target: of("target") };
}

// The picture as a scene. A box stands for one state, or the rest of a column, which has a label.
function pictureScene({ boxes, links, graph_nodes, graph_edges, start, named }) {
  const place = new Map(graph_nodes.map(([id], node) => [id, node]));
  const number = new Map(boxes.map(({ id }, k) => [id, k]));
  const rest = boxes.map(({ id }) => id < 0);
  return {
    boxes,
    nodes: graph_nodes.map(([, name, x, y]) => ({ x, y: -y, name })),
    edges: graph_edges.map(([a, b]) => [place.get(a), place.get(b), 1, false]),
    start: place.get(start),
    listed: true,
    states: boxes.map(({ nodes }) => nodes.map((id) => place.get(id))),
    keys: boxes.map(({ id }) => String(id)),
    column: boxes.map(({ column }) => column),
    links: links.map(({ source, target }) => [number.get(source), number.get(target)]),
    added: links.map(({ node }) => (node ? `+${node}` : "")),
    names: named ? boxes.map(({ name }, k) => (rest[k] ? null : name)) : null,
    labels: boxes.map(({ name }, k) => (rest[k] ? name : null)),
    counts: boxes.map(({ states }) => states.length),
    last: rest,
  };
}

// A slider below each state with which its reward is changed. Where there is a pointer, those of other states than the
// current one are seen once it comes near. `report({ state, value, settled })` hears of what is set, `changed(k)` too.
function createRewards(body, report, changed) {
  let sliders = [];
  function slider({ id, name }, k, max) {
    const moved = (value) => {
      changed(k);
      report({ state: id, value, settled: false });
    };
    const settled = (value) => report({ state: id, value, settled: true });
    const made = createSlider({ label: `Reward of ${name}`, min: 0, max, step: STEP, moved, settled });
    made.input.classList.add("reward");
    made.input.addEventListener("pointerenter", () => changed(k)); // all that moves is to be seen
    return made;
  }
  // The sliders of other states, up to `most`; none where it is null.
  function build(boxes, most) {
    for (const { input } of sliders) input.remove();
    sliders = most === null ? [] : boxes.map((box, k) => slider(box, k, most));
    body.append(...sliders.map(({ input }) => input));
  }
  // Below its state, where that is by now, with its words. In a narrow picture there is room for the current one alone.
  const place = (boxes, placeOf, words, current, width) => sliders.forEach(({ input, set, place: stand }, k) => {
    input.classList.toggle("current", k === current);
    input.hidden = width < NARROW && k !== current;
    const { x, y, w, h } = placeOf(k);
    const wide = width < NARROW ? THUMB : 2 * w - 4;
    stand(Math.min(Math.max(x - wide / 2, 0), width - wide), y + h + 14, wide);
    set(boxes[k].reward, `${plain(boxes[k].reward)}, ${words(k)}`);
  });
  return { build, place };
}
