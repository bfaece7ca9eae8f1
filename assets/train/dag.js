// The state DAG: states in columns by size, learned flow as width, exact flow as outline, residuals as colour.

import { el, lessMotion } from "../kit/dom.js";
import { plural, thousands } from "../kit/numbers.js";
import { blend } from "./colours.js";
import { layOutDag, stateAt } from "./dag_layout.js";
import { drawFlow, drawOutlines, drawStates, drawnOf, shapesOf } from "./dag_pen.js";
import { pointable } from "./hub.js";
import { KEYS, createPanel, createSurface } from "./panel.js";
import { mix } from "./tape.js";
import { holds, selectionWords, stateTip } from "./words.js";

const MOVE_MS = 400; // for states that make room
const PLACES = ["x", "y", "tall", "out", "into"]; // of a layout, what moves then
const TOP = 18; // pixels for the sizes above the columns

export function createDag({ lane, hub, colours, sketches, redraw }) {
  const panel = createPanel("dag", lane, "The states, and where flow goes", redraw);
  const surface = createSurface(panel, "State DAG: states in columns by size, the start on the left");
  const { canvas, pen } = surface;
  const key = legend();
  panel.element.append(key);
  let dag = null;
  let moment = null;

  function build(scene) {
    const room = { width: panel.width, height: panel.height, top: TOP, side: Math.min(30, panel.width / 12) };
    const layout = layOutDag(scene, room);
    const grown = dag?.scene === scene && dag.version !== scene.version && !lessMotion();
    const from = grown ? placesNow() : null; // states move over when others come in between
    const began = performance.now();
    dag = { scene, version: scene.version, age: sketches.age, layout, shapes: shapesOf(layout), from, began };
    surface.clear(surface.stillPen);
    if (scene.exact) drawOutlines(surface.stillPen, dag, scene, colours);
    dag.layout.columns.forEach((column, k) => column.length && sizeName(surface.stillPen, k, colours.ink, 0.7));
  }

  // The places on their way from where they were, as long as that takes.
  function placesNow() {
    const { layout, from, began } = dag;
    const share = Math.min(1, (performance.now() - began) / MOVE_MS);
    if (!from || share === 1) return layout;
    const moved = PLACES.map((name) => [name, mix(from[name], layout[name], share)]);
    return { ...layout, ...Object.fromEntries(moved) };
  }

  function draw(next) {
    if (!panel.width) return;
    const sized = surface.fit();
    surface.clear();
    moment = next;
    if (!moment) return;
    const { scene } = moment;
    const old = dag?.scene !== scene || dag.version !== scene.version || dag.age !== sketches.age;
    if (sized || old) build(scene);
    const [flow, stop, residuals, visits] = ["flow", "stop", "residuals", "visits"].map((name) => moment.get(name));
    const { lit } = hub;
    const chosen = lit?.kind === "state" ? scene.index.get(lit.key) : undefined;
    const meant = lit ? scene.states.map((nodes) => holds(lit, nodes)) : null;
    const near = new Set();
    if (chosen !== undefined) {
      for (const [parent, child] of scene.links) if (parent === chosen || child === chosen) near.add(parent).add(child);
    }
    const touches = ([parent, child]) => (meant[parent] && meant[child]) || parent === chosen || child === chosen;
    const water = scene.listed ? (flow ?? []) : passing(scene, flow ?? [], visits);
    const places = { ...dag, layout: placesNow() };
    if (places.layout !== dag.layout) redraw();
    drawFlow(pen, places, scene, water, { colours, lit: lit ? touches : null });
    surface.layStill(lit ? 0.35 : 1);
    drawStates(pen, places, { stop, residuals, visits }, {
      colours,
      dim: (state) => meant !== null && !meant[state] && !near.has(state),
      pinned: (state) => state === chosen,
      stamp: (state, x, y, size) => sketches.stamp(pen, scene, state, x, y, size),
    });
    if (lit?.kind === "size" && dag.layout.columns[lit.size - 1]?.length) {
      pen.clearRect(0, 0, panel.width, TOP - 3);
      sizeName(pen, lit.size - 1, colours.accent, 1);
    }
    say(scene, residuals.length);
  }

  // How many nodes the states of a column have.
  function sizeName(own, k, colour, share) {
    const { columns, x, across } = dag.layout;
    const text = across > 74 ? plural(k + 1, "node") : String(k + 1);
    own.textAlign = "center";
    own.fillStyle = blend(colour, colours.paper, share);
    const half = own.measureText(text).width / 2 + 1;
    surface.write(own, text, Math.min(Math.max(x[columns[k][0]], half), panel.width - half), 11, share === 1);
  }

  let note = "";
  function say(scene, count) {
    if (note === `${scene.listed}/${count}/${scene.links.length}`) return;
    note = `${scene.listed}/${count}/${scene.links.length}`;
    const [all, drawn] = [scene.links.length, drawnOf(scene.links.length)];
    const many = all > drawn ? `, the ${drawn} strongest of ${thousands(all)} links` : "";
    if (scene.listed) panel.say(`${plural(count, "state")} in columns by size${many}.`);
    else {
      panel.say(`${plural(count, "state")} visited so far${many}. Width: how many go there. Exact flow is not known.`);
    }
    key.classList.toggle("visited-only", !scene.listed);
    const what = `State DAG: ${plural(count, "state")} in columns by size, the start on the left. ${KEYS}`;
    canvas.setAttribute("aria-label", what);
  }

  const found = (state) => {
    const { scene, layout, shapes } = dag;
    const { w, h } = shapes[state];
    const nodes = scene.states[state];
    return {
      selection: { kind: "state", key: scene.keys[state], nodes },
      box: [layout.x[state] - w, layout.y[state] - h, 2 * w, 2 * h],
      text: () => stateTip(moment, state),
    };
  };
  function find(x, y) {
    if (!dag || !moment) return null;
    if (y < TOP) {
      const k = dag.layout.columns.findIndex((column) => column.length && Math.abs(dag.layout.x[column[0]] - x) < 30);
      if (k < 0) return null;
      const selection = { kind: "size", size: k + 1 };
      return { selection, box: [x - 10, 0, 20, TOP], text: () => selectionWords(moment, selection) };
    }
    const state = stateAt(dag.layout, [x, y]);
    return state === null || state >= moment.get("residuals").length ? null : found(state);
  }
  function walk(dx, dy) {
    if (!dag || !moment) return null;
    const now = hub.lit?.kind === "state" ? (dag.scene.index.get(hub.lit.key) ?? 0) : 0;
    const { columns, y } = dag.layout;
    const k = dag.scene.states[now].length - 1;
    if (!dx) {
      const column = columns[k];
      return found(column[Math.min(column.length - 1, Math.max(0, column.indexOf(now) + dy))]);
    }
    const other = columns[k + dx] ?? columns[k];
    return found(dx && columns[k + dx] ? nearest(other, y, y[now]) : now);
  }
  pointable(canvas, hub, { find, walk });
  return { panel, draw };
}

// Where not all states are known, a link has the share of trajectories at its parent that take it.
const passing = ({ links }, steps, visits) =>
  Float32Array.from(steps, (share, k) => share * (visits[links[k][0]] ?? 0));

const nearest = (column, y, at) =>
  column.reduce((best, state) => (Math.abs(y[state] - at) < Math.abs(y[best] - at) ? state : best), column[0]);

function legend() {
  const entries = [
    ["flow", "learned flow"],
    ["exact", "exact flow"],
    ["ends", "stops here"],
    ["residual", "residual 0 … 2"],
    ["unseen-state", "never visited"],
  ];
  return el("ul", { class: "legend" }, ...entries.map(([name, text]) => el("li", {}, el("i", { class: name }), text)));
}
