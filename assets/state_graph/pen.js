// How a state graph is drawn on a canvas: exact flow as outlines that stay, flow and states that move, and the layers
// that only some views have: bars of P(stop), names, what a link adds, a trajectory, numbered marks.

import { percent, plain } from "../kit/numbers.js";
import { blend } from "./surface.js";

const STRONGEST = [450, 300]; // links that are drawn at a time; fewer of very many
const VERY_MANY = 2000;
const BINS = 512;
const OUTLINED = 300; // links whose exact flow is outlined
const FULL = 2; // a residual of this size has the full colour
const DRAIN = 6; // pixels that what stops sticks out
const THIN = 1.6; // of links where flows are not known

// Card or bar: half of a state's width and height. Cards are at most `card` large, and `below` pixels stay free there.
export function shapesOf({ slot, tall, across }, { card: [widest, highest] = [46, 34], below = 0, least = 20 } = {}) {
  const cards = across >= 44;
  const wide = Math.max(24, Math.min(widest, across * (widest > 46 ? 0.6 : 0.46)));
  return Array.from(slot, (all, state) => {
    const room = all - below;
    if (!cards || room < least) {
      const high = Math.max(Math.min(2.5, room / 2.4), tall[state] / 2, 1);
      return { card: false, w: Math.min(3.5, 0.4 * across), h: high };
    }
    const high = Math.max(Math.min(tall[state] / 2, room / 2 - 1), Math.min(highest / 2, room / 2 - 1.5));
    return { card: true, w: wide / 2, h: high };
  });
}

const path = (pen, x0, y0, x1, y1) => {
  const middle = (x0 + x1) / 2;
  pen.moveTo(x0, y0);
  pen.bezierCurveTo(middle, y0, middle, y1, x1, y1);
};

// The ends of a link: at the rims of its states.
const endsOf = ({ layout: { x, out, into }, shapes }, [parent, child], k) => {
  const start = x[parent] + shapes[parent].w;
  return [start, out[k], x[child] - shapes[child].w, into[k]];
};

export const drawnOf = (count) => Math.min(count, STRONGEST[count > VERY_MANY ? 1 : 0]);

// The strongest of some shares: at most so many are at least as large as what is returned. Shares are counted by their
// square roots, as they are drawn many times a second.
export function threshold(shares, most) {
  if (shares.length <= most) return 0;
  const counts = new Uint16Array(BINS + 1);
  for (let k = 0; k < shares.length; k += 1) counts[Math.min(BINS, Math.floor(BINS * Math.sqrt(shares[k])))] += 1;
  let [bin, sum] = [BINS, counts[BINS]];
  while (bin > 0 && sum + counts[bin - 1] <= most) sum += counts[(bin -= 1)];
  return (bin / BINS) ** 2;
}

// The links whose exact flow is outlined, by their numbers.
export function outlinedOf(exact) {
  const least = threshold(exact, OUTLINED);
  return Array.from(exact.keys()).filter((k) => exact[k] >= least);
}

export function drawOutlines(pen, dag, { exact, links }, colours) {
  const { pipe, x, y, tall, drains } = dag.layout;
  pen.lineWidth = 1;
  for (const [faint, alpha] of [[true, 0.13], [false, 0.5]]) {
    pen.beginPath();
    for (const k of dag.outlined) {
      const half = (exact[k] * pipe) / 2;
      if (half < 0.5 !== faint) continue;
      const [x0, y0, x1, y1] = endsOf(dag, links[k], k);
      for (const side of faint ? [0] : [-half, half]) path(pen, x0, y0 + side, x1, y1 + side);
    }
    pen.strokeStyle = blend(colours.ink, colours.paper, 1, alpha);
    pen.stroke();
  }
  drains.forEach((high, state) => {
    if (high < 1) return;
    const left = x[state] + dag.shapes[state].w;
    pen.strokeRect(left, y[state] + tall[state] / 2 - high, DRAIN, high);
  });
}

// Links of about the same width are one stroke. `lit` says of a link whether it is meant, null where nothing is;
// `taken` whether the shown trajectory takes it. Without flows all are thin.
export function drawFlow(pen, dag, { links }, flow, { colours, lit, taken }) {
  const least = flow ? Math.max(threshold(flow, drawnOf(flow.length)), 1e-7) : 0;
  const groups = new Map();
  for (let k = 0; k < (flow ?? links).length; k += 1) {
    const [meant, goes] = [lit?.(links[k]) ?? false, taken?.(links[k]) ?? false];
    if (flow && flow[k] < least && !meant && !goes) continue;
    const ends = links[k][2] === "stop";
    const own = flow ? Math.round(2 * flow[k] * dag.layout.pipe) / 2 : THIN;
    const width = Math.max(goes ? 2.6 : meant ? 1.2 : 0.5, own);
    const name = `${width}/${goes ? 2 : meant ? 1 : 0}/${ends}`;
    if (!groups.has(name)) groups.set(name, { width, meant, goes, ends, of: [] });
    groups.get(name).of.push(k);
  }
  const colour = flow ? colours.water : colours.plain;
  const order = [...groups.values()].sort((a, b) => a.goes - b.goes || a.meant - b.meant || b.width - a.width);
  for (const { width, meant, goes, ends, of } of order) {
    pen.beginPath();
    for (const k of of) path(pen, ...endsOf(dag, links[k], k));
    pen.lineWidth = width;
    const alpha = meant ? 0.85 : lit ? 0.14 : goes ? 0.9 : 0.5;
    pen.strokeStyle = blend(ends ? colours.stop : colour, colours.ink, goes ? (flow ? 0.6 : 0) : 1, alpha);
    pen.stroke();
  }
}

// Drops that run along wide links, and words on each link, such as which node it adds.
export function drawStreams(pen, dag, { links, added }, flow, { colours, drops }) {
  const { pipe } = dag.layout;
  const wide = (k) => (flow ? flow[k] * pipe : 0);
  pen.save();
  pen.lineCap = "round";
  pen.strokeStyle = blend([255, 255, 255], colours.water, 0.7, 0.7);
  pen.setLineDash([1, 17]);
  pen.lineDashOffset = drops === null ? 0 : -(drops / 90) % 18;
  links.forEach((link, k) => {
    if (drops === null || wide(k) <= 3) return;
    pen.beginPath();
    path(pen, ...endsOf(dag, link, k));
    pen.lineWidth = Math.min(4, wide(k) * 0.45);
    pen.stroke();
  });
  pen.restore();
  pen.textAlign = "center";
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = blend(colours.paper, colours.paper);
  pen.fillStyle = blend(colours.ink, colours.paper, 0.8);
  links.forEach((link, k) => {
    if (!added[k]) return;
    const [x0, y0, x1, y1] = endsOf(dag, link, k);
    const at = [added[k], (x0 + x1) / 2, (y0 + y1) / 2 + 4];
    if (wide(k) <= 13) pen.strokeText(...at);
    pen.fillText(...at);
  });
}

// From grey, in balance, to the colour of what is off, in so many shades.
const SHADES = 24;
function shadesOf(colours) {
  const rest = [0, 1, 2].map((k) => colours.plain[k] * 0.3 + colours.paper[k] * 0.7);
  const shades = Array.from({ length: SHADES + 1 }, (_, k) => blend(colours.off, rest, k / SHADES));
  return (residual) => shades[Math.round(SHADES * Math.min(1, Math.abs(residual) / FULL))];
}

// `residuals` and `visits` are null where nothing is learned: then cards are plain. `marks` has the states of a
// trajectory (`path`) and numbered ones (`flags`, by state).
export function drawStates(pen, dag, { count, stop, residuals, visits }, { colours, dim, pinned, stamp, marks }) {
  const { x, y, tall, pipe, drains } = dag.layout;
  const [ink, paper, ends] = [
    [colours.ink, residuals ? 0.75 : 0.45],
    [colours.paper, 1],
    [colours.stop, 0.9],
  ].map(([colour, share]) => blend(colour, colours.paper, share));
  const shade = shadesOf(colours);
  for (let state = 0; state < count; state += 1) {
    const { card, w, h } = dag.shapes[state];
    const [left, top] = [x[state] - w, y[state] - h];
    const seen = !visits || visits[state] > 0;
    pen.globalAlpha = dim(state) ? 0.2 : 1;
    if (stop && stop[state] * pipe > 0.4) {
      const high = stop[state] * pipe;
      const middle = y[state] + tall[state] / 2 - (drains?.[state] ?? high) / 2;
      pen.fillStyle = ends;
      pen.fillRect(x[state] + w, middle - high / 2, DRAIN, high);
    }
    pen.fillStyle = seen && residuals ? shade(residuals[state]) : paper;
    pen.strokeStyle = ink;
    if (card) {
      const many = dag.many?.(state);
      if (many && dag.scene.copies) {
        pen.strokeStyle = blend(colours.off, colours.paper);
        pen.fillStyle = blend(colours.off, colours.paper, 0.16);
      }
      if (many) frame(pen, left + 3, top - 3, w, h, { dash: [3, 2.5] });
      border(pen, { pinned: pinned(state), flag: marks?.flags.get(state), taken: marks?.path.has(state) }, colours);
      frame(pen, left, top, w, h, { fill: true, dash: seen && !many ? null : [3, 2.5] });
      pen.setLineDash([]);
      stamp(state, x[state], y[state], [Math.floor(2 * w - 4), Math.floor(Math.min(2 * h - 4, 2 * w))]);
    } else {
      if (seen || h > 4) pen.fillRect(left, top, 2 * w, 2 * h);
      pen.lineWidth = seen ? 0.8 : 0.5;
      if (h > 1.4) pen.strokeRect(left, top, 2 * w, 2 * h);
      if (pinned(state)) ring(pen, x[state], y[state], h + 5, colours);
    }
  }
  pen.globalAlpha = 1;
}

function frame(pen, x, y, w, h, { fill = false, dash }) {
  pen.beginPath();
  pen.roundRect(x, y, 2 * w, 2 * h, Math.min(9, Math.max(5, h / 3)));
  if (fill) pen.fill();
  if (dash) pen.setLineDash(dash);
  pen.stroke();
}

function border(pen, { pinned, flag, taken }, colours) {
  pen.lineWidth = pinned || flag ? 3 : taken ? 2.6 : 1;
  if (pinned) pen.strokeStyle = blend(colours.accent, colours.paper);
  else if (flag || taken) pen.strokeStyle = blend(colours.ink, colours.paper);
  pen.setLineDash([]);
}

function ring(pen, x, y, radius, colours) {
  pen.beginPath();
  pen.arc(x, y, Math.min(radius, 16), 0, 2 * Math.PI);
  pen.lineWidth = 2.5;
  pen.strokeStyle = blend(colours.accent, colours.paper);
  pen.stroke();
}

// A few letters below each card.
export function drawNotes(pen, { layout: { x, y }, shapes }, notes, colours) {
  pen.textAlign = "center";
  pen.fillStyle = blend(colours.water, colours.ink, 0.8);
  notes.forEach((text, state) => pen.fillText(text, x[state], y[state] + shapes[state].h + 11));
}

// Below each card how probable it is to stop there, and a mark where that should be; in words where there is `room`
// for them. A bar is full at `most`.
export function drawBars(pen, dag, { stop, target, reward }, { colours, dim, room, most }) {
  const { x, y } = dag.layout;
  pen.textAlign = "center";
  dag.shapes.forEach(({ card, w, h }, state) => {
    if (!card) return;
    const [left, top, high] = [x[state] - w, y[state] + h + (room ? 6 : 2), room ? 6 : 4];
    pen.globalAlpha = dim(state) ? 0.3 : 1;
    pen.fillStyle = blend(colours.ink, colours.paper, 0.11);
    pen.fillRect(left, top, 2 * w, high);
    pen.fillStyle = blend(colours.stop, colours.paper);
    pen.fillRect(left, top, (2 * w * stop[state]) / most, high);
    pen.fillStyle = blend(colours.ink, colours.paper);
    const aim = target?.[state] ?? 0;
    if (aim >= most / 100) pen.fillRect(left + (2 * w * aim) / most - 1, top - 2, 2, high + 4);
    if (!room) return;
    const words = percent(stop[state]);
    pen.fillText(reward ? `R ${plain(reward[state])} · ${words}` : words, x[state], top + (reward ? 37 : 20));
  });
  pen.globalAlpha = 1;
}
