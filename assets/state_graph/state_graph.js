// The state graph: states in columns by size, flow as width. Explain, Train and the lessons all show this one; layers
// add what only some of them know: exact flow as outlines, residuals as colour, bars of P(stop), a trajectory.

import { lessMotion, onScreen, put } from "../kit/dom.js";
import { plural } from "../kit/numbers.js";
import { pointable } from "./hub.js";
import { layOutStates, ports, stateAt } from "./layout.js";
import { drawBars, drawFlow, drawNotes, drawOutlines, drawStates, drawStreams, outlinedOf, shapesOf } from "./pen.js";
import { KEYS, blend, createSurface, stampState } from "./surface.js";
import { columnName, holds, stateTip } from "./words.js";

export const TOP = 18; // pixels for the names of columns above them
const SPREAD = 4; // pixels between links where flows are not known

// `place` is what it is drawn in (see surface.js). `look` says how: `card`, `below` and `least` are sizes of cards
// (see pen.js), `pipe` and `side` those of the layout; `live` whether links move with the flows that are shown; `bars`
// whether P(stop) stands below cards; `roomy` whether there is room for names and words. It may be another one at each
// drawing, with the size.
export function createStateGraph({ place, hub, colours, redraw, look = () => ({}) }) {
  const surface = createSurface(place, "State graph: states in columns by size, the start on the left");
  const { canvas, pen } = surface;
  const view = { canvas, marks: null, placeOf, move };
  let [dag, moment] = [null, null];

  function build(scene) {
    const { pipe, side = Math.min(30, place.width / 12), live, ...sizes } = look();
    const { width, height } = place;
    const known = live ? { ...scene, exact: null, target: null } : scene;
    const layout = layOutStates(known, { width, height, top: TOP, side, pipe, lift: (sizes.below ?? 0) / 2 });
    const many = (state) => (scene.counts?.[state] ?? 1) > 1;
    const made = { scene, age: colours.age, many, live, ...sizes };
    const outlined = scene.exact && !live ? outlinedOf(scene.exact) : null;
    dag = { ...made, layout, outlined, shapes: shapesOf(layout, sizes) };
  }
  // What moves with nothing: exact flow, and the names of columns.
  function drawStill(scene, alpha) {
    pen.globalAlpha = alpha;
    if (dag.outlined) drawOutlines(pen, dag, scene, colours);
    if (!scene.untitled) dag.layout.columns.forEach((column, k) => column.length && writeColumn(k));
    pen.globalAlpha = 1;
  }

  view.draw = (next) => {
    if (!place.width) return;
    const sized = surface.clear();
    moment = next;
    if (!moment) return;
    const { scene } = moment;
    const old = dag?.scene !== scene || dag.age !== colours.age;
    if (sized || old) build(scene);
    const [flow, stop, residuals, visits] = ["flow", "stop", "residuals", "visits"].map((name) => moment.get(name));
    const { lit } = hub;
    const chosen = scene.keys.indexOf(lit?.key);
    const meant = lit ? scene.states.map((_, state) => holds(lit, scene, state)) : null;
    const near = new Set();
    for (const [parent, child] of scene.links) if (parent === chosen || child === chosen) near.add(parent).add(child);
    const touches = ([parent, child]) => (meant[parent] && meant[child]) || parent === chosen || child === chosen;
    const { path = null, selected = null } = view.marks ?? {};
    const taken = path && (([parent, child]) => path.get(parent) + 1 === path.get(child));
    const layout = dag.live
      ? { ...dag.layout, ...ports(dag.layout, scene.links, flow, undefined, SPREAD) }
      : dag.layout;
    const drawn = { ...dag, layout };
    const dim = (state) => meant !== null && !meant[state] && !near.has(state);
    drawFlow(pen, drawn, scene, flow, { colours, lit: lit ? touches : null, taken });
    if (dag.roomy && !lit) {
      const runs = !lessMotion() && flow && onScreen(canvas);
      drawStreams(pen, drawn, scene, flow, { colours, drops: runs ? performance.now() : null });
      if (runs) redraw();
    }
    drawStill(scene, lit ? 0.35 : 1);
    const count = residuals?.length ?? scene.states.length;
    drawStates(pen, drawn, { count, stop, residuals, visits }, {
      colours,
      dim,
      pinned: (state) => state === chosen || state === selected,
      stamp: (state, x, y, size) => stampState(pen, scene, state, x, y, size, colours),
      marks: view.marks,
    });
    if (dag.bars && stop) {
      const most = dag.roomy ? 1 : Math.max(...stop, ...(scene.target ?? []), 1e-9);
      const reward = dag.rewards ? moment.get("reward") : null;
      drawBars(pen, drawn, { stop, target: scene.target, reward }, { colours, dim, room: dag.roomy, most });
    }
    drawNotes(pen, drawn, moment.get("notes") ?? [], colours);
    put(canvas, "aria-label", `State graph: ${plural(count, "state")} in columns, the start on the left. ${KEYS}`);
    put(canvas, "data-selected", selected === null ? null : placeWords(selected));
    put(canvas, "data-flags", view.marks ? [...view.marks.flags.values()].sort().join(" ") : null);
  };

  function writeColumn(k) {
    const { columns, x, across } = dag.layout;
    if (k % Math.ceil(20 / across)) return; // one number on another can be read by nobody
    const text = columnName(dag.scene, k, across <= 74);
    pen.textAlign = "center";
    pen.fillStyle = blend(colours.ink, colours.paper, 0.7);
    const half = pen.measureText(text).width / 2 + 1;
    pen.fillText(text, Math.min(Math.max(x[columns[k][0]], half), place.width - half), 11);
  }

  // Where a state is drawn: its middle, and half of its width and height.
  function placeOf(state) {
    return { x: dag.layout.x[state], y: dag.layout.y[state], ...dag.shapes[state] };
  }
  const placeWords = (state) => [dag.layout.x[state], dag.layout.y[state]].map(Math.round).join(",");
  const found = (state) => {
    const { scene } = dag;
    const { x, y, w, h } = placeOf(state);
    return {
      selection: { kind: "state", key: scene.keys[state], nodes: scene.states[state] },
      box: [x - w, y - h, 2 * w, 2 * h],
      text: () => stateTip(moment, state),
    };
  };
  function find(x, y) {
    if (!dag || !moment) return null;
    const state = stateAt(dag.layout, dag.shapes, [x, y]);
    return state === null || state >= (moment.get("residuals") ?? dag.scene.states).length ? null : found(state);
  }
  function move(dx, dy) {
    if (!dag || !moment) return null;
    const { columns, column, y } = dag.layout;
    const lit = dag.scene.keys.indexOf(hub.lit?.key);
    const now = lit < 0 ? (view.marks?.selected ?? 0) : lit;
    const k = column[now];
    if (!dx) return found(columns[k][Math.min(columns[k].length - 1, Math.max(0, columns[k].indexOf(now) + dy))]);
    return found(columns[k + dx]?.length ? nearest(columns[k + dx], y, y[now]) : now);
  }
  pointable(canvas, hub, { find, walk: move });
  return view;
}

const nearest = (column, y, at) =>
  column.reduce((best, state) => (Math.abs(y[state] - at) < Math.abs(y[best] - at) ? state : best), column[0]);
