// The ranking of candidates over training: who leads now, who led before, and who should.

import { percent, signed } from "../kit/numbers.js";
import { blend } from "./colours.js";
import { probabilities, residuals } from "./codes.js";
import { pointable } from "./hub.js";
import { createPanel, createSurface } from "./panel.js";
import { holds, stateTip } from "./words.js";

const PLACES = 8;
const LEAST = 5e-4; // a state that is less probable than this is no candidate
const FRAMES = 160; // at most so many are looked at
const [LEFT, TOP] = [22, 6];

// The first few of some values, largest first; none that are below the least.
export function leaders(values, most = PLACES, least = -Infinity) {
  const best = [];
  for (let k = 0; k < values.length; k += 1) {
    if (values[k] < least) continue;
    if (best.length === most && values[k] <= values[best[most - 1]]) continue;
    let at = best.length;
    while (at > 0 && values[best[at - 1]] < values[k]) at -= 1;
    best.splice(at, 0, k);
    if (best.length > most) best.pop();
  }
  return best;
}

export function createRanking({ lane, hub, colours, sketches, redraw }) {
  const panel = createPanel("rank", lane, "Ranking of subgraphs", redraw);
  const surface = createSurface(panel, "Ranking of subgraphs over training");
  const { canvas, pen } = surface;
  const known = new WeakMap(); // the leaders of each frame
  let chart = { rows: [], last: 1, scene: null };
  let shown = null;

  const candidates = (shares) => leaders(shares, PLACES, LEAST);

  // Of an unlisted scene nobody knows P(stop); its states are ranked by their reward as they are found.
  function leadersOf(frame, scene) {
    if (!known.has(frame)) {
      const rewards = () => scene.log_reward.slice(0, residuals(frame.residuals).length);
      known.set(frame, frame.stop ? candidates(probabilities(frame.stop)) : leaders(rewards()));
    }
    return known.get(frame);
  }

  function build({ frames, scenes }) {
    const every = Math.max(1, Math.ceil(frames.length / FRAMES));
    const some = frames.filter((_, k) => k % every === 0 || k === frames.length - 1);
    chart = { last: Math.max(1, frames.at(-1)?.step ?? 1), lines: new Map() };
    scenes.forEach((scene, number) => {
      const lines = new Map();
      const own = some.filter((frame) => frame.scene === number);
      own.forEach((frame, k) => {
        leadersOf(frame, scene).forEach((state, rank) => {
          if (!lines.has(state)) lines.set(state, []);
          lines.get(state).push({ k, step: frame.step, rank });
        });
      });
      const end = scene.target ? candidates(scene.target) : own.length ? leadersOf(own.at(-1), scene) : [];
      const ranks = [...lines.values()].flatMap((points) => points.map(({ rank }) => rank + 1));
      chart.lines.set(scene, { lines, end, places: Math.max(3, end.length, ...ranks) });
    });
  }

  const x = (step) => LEFT + (step / chart.last) * (panel.width - LEFT - shown.side);
  const y = (rank) => TOP + (rank + 0.5) * shown.row;

  function draw(moment) {
    if (!panel.width) return;
    surface.fit();
    surface.clear();
    if (!moment || !chart.lines?.has(moment.scene)) return;
    const { scene } = moment;
    const { lines, end, places } = chart.lines.get(scene);
    const row = (panel.height - TOP - 2) / places;
    shown = { moment, end, row, places, side: Math.min(108, panel.width * 0.27) };
    const now = moment.frame.stop ? candidates(moment.get("stop")) : leadersOf(moment.frame, scene);
    shown.now = now;
    grid();
    for (const [state, points] of lines) if (!now.includes(state)) line(scene, state, points, { bold: false });
    for (const state of now) line(scene, state, lines.get(state) ?? [], { bold: true });
    ends(scene);
    cursor(moment, now);
    panel.say(
      scene.target
        ? `The first of ${scene.states.length} by P(stop). Right: by R/Z. Orange: does not belong there.`
        : `The best ${PLACES} found so far, by log R. The true ranking is not known.`,
    );
  }

  function grid() {
    pen.textAlign = "right";
    for (let rank = 0; rank < shown.places; rank += 1) {
      pen.fillStyle = blend(colours.ink, colours.paper, 0.1);
      pen.fillRect(LEFT, Math.round(y(rank)), panel.width - LEFT - shown.side, 1);
      pen.fillStyle = blend(colours.ink, colours.paper, 0.7);
      pen.fillText(String(rank + 1), LEFT - 7, y(rank) + 4);
    }
  }

  const belongs = (state) => shown.end.includes(state);

  // Bold up to now and faint ahead; those that do not lead now are faint all over.
  function line(scene, state, points, { bold }) {
    const lit = hub.lit && holds(hub.lit, scene.states[state]);
    const colour = belongs(state) ? colours.stop : colours.off;
    const { step } = shown.moment;
    const stretch = (some, width, alpha) => {
      pen.beginPath();
      some.forEach((point, k) => {
        const follows = k > 0 && some[k - 1].k === point.k - 1;
        const to = [x(point.step), y(point.rank)];
        if (!follows) {
          pen.moveTo(...to);
          return;
        }
        const from = [x(some[k - 1].step), y(some[k - 1].rank)];
        const middle = (from[0] + to[0]) / 2;
        pen.bezierCurveTo(middle, from[1], middle, to[1], ...to);
      });
      pen.lineWidth = lit ? width + 2 : width;
      pen.strokeStyle = blend(colour, colours.paper, 1, hub.lit && !lit ? alpha / 4 : alpha);
      pen.stroke();
    };
    const after = points.findIndex((point) => point.step >= step);
    stretch(points, 1.3, lit ? 0.6 : 0.25);
    if (!bold) return;
    const past = points.slice(0, after < 0 ? points.length : after);
    const here = { step, rank: shown.now.indexOf(state), k: (past.at(-1)?.k ?? -1) + 1 };
    stretch([...past, here], 2.6, 0.9);
  }

  // At the right edge those that lead in the end, in their order.
  function ends(scene) {
    const left = panel.width - shown.side;
    const size = [Math.floor(Math.min(46, shown.side - 62)), Math.floor(Math.min(shown.row - 3, 40))];
    pen.textAlign = "left";
    shown.end.forEach((state, rank) => {
      const dim = hub.lit && !holds(hub.lit, scene.states[state]);
      pen.globalAlpha = dim ? 0.3 : 1;
      pen.fillStyle = blend(colours.stop, colours.paper, 0.9);
      pen.fillRect(left + 2, y(rank) - 1, 7, 2);
      sketches.stamp(pen, scene, state, left + 12 + size[0] / 2, y(rank), size);
      pen.fillStyle = blend(colours.ink, colours.paper, 0.8);
      const text = scene.target ? percent(scene.target[state]) : signed(scene.log_reward[state], 1);
      pen.fillText(text, left + 16 + size[0], y(rank) + 4);
      pen.globalAlpha = 1;
    });
  }

  function cursor(moment, now) {
    pen.fillStyle = blend(colours.ink, colours.paper, 0.5);
    const at = x(moment.step);
    pen.fillRect(Math.round(at), TOP, 1, panel.height - TOP);
    now.forEach((state, rank) => {
      pen.beginPath();
      pen.arc(at, y(rank), 4, 0, 2 * Math.PI);
      pen.fillStyle = blend(belongs(state) ? colours.stop : colours.off, colours.paper);
      pen.fill();
      pen.lineWidth = 1.5;
      pen.strokeStyle = blend(colours.paper, colours.paper);
      pen.stroke();
    });
  }

  const found = (state, rank, left, width) => {
    const { scene } = shown.moment;
    const nodes = scene.states[state];
    return {
      selection: { kind: "state", key: scene.keys[state], nodes },
      box: [left, TOP + rank * shown.row, width, shown.row],
      text: () => stateTip(shown.moment, state),
    };
  };
  pointable(canvas, hub, {
    find(px, py) {
      if (!shown) return null;
      const rank = Math.floor((py - TOP) / shown.row);
      const edge = panel.width - shown.side;
      const [list, left, width] = px > edge ? [shown.end, edge, shown.side] : [shown.now, px - 8, 16];
      return list[rank] === undefined ? null : found(list[rank], rank, left, width);
    },
    walk(_, dy) {
      if (!shown?.end.length) return null;
      const now = hub.lit ? shown.end.indexOf(shown.moment.scene.index.get(hub.lit.key)) : -1;
      const rank = now < 0 ? 0 : Math.min(shown.end.length - 1, Math.max(0, now + dy));
      return found(shown.end[rank], rank, panel.width - shown.side, shown.side);
    },
  });
  return { panel, build, draw };
}
