// The ranking of candidates over training: who leads now, who led before, and who should.

import { percent, signed } from "../kit/numbers.js";
import { blend } from "./colours.js";
import { pointable } from "./hub.js";
import { createPanel, createSurface } from "./panel.js";
import { PLACES, createRanks } from "./ranks.js";
import { holds, stateTip } from "./words.js";

const [LEFT, TOP] = [22, 6];

export function createRanking({ lane, hub, colours, sketches, redraw }) {
  const panel = createPanel("rank", lane, "Ranking of subgraphs", redraw);
  const surface = createSurface(panel, "Ranking of subgraphs over training");
  const { canvas, pen } = surface;
  const ranks = createRanks();
  let chart = { last: 1, scenes: new Map() };
  let shown = null;

  function build(recorded) {
    chart = { last: Math.max(1, recorded.frames.at(-1)?.step ?? 1), scenes: ranks.watch(recorded) };
  }

  const x = (step) => LEFT + (step / chart.last) * (panel.width - LEFT - shown.side);
  const y = (rank) => TOP + (rank + 0.5) * shown.row;

  function draw(moment) {
    if (!panel.width) return;
    surface.fit();
    surface.clear();
    if (!moment || !chart.scenes.has(moment.scene)) return;
    const { scene } = moment;
    const { orders, lines, end, places } = chart.scenes.get(scene);
    const row = (panel.height - TOP - 2) / places;
    shown = { moment, end, row, places, side: Math.min(108, panel.width * 0.27) };
    const now = orders.findLast(({ step }) => step <= moment.step)?.order ?? [];
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
