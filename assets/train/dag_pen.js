// How the state DAG is drawn on a canvas: exact flow as outlines that stay, learned flow and states that move.

import { blend } from "./colours.js";

const STRONGEST = [450, 300]; // links that are drawn at a time; fewer of very many
const VERY_MANY = 2000;
const BINS = 512;
const OUTLINED = 300; // links whose exact flow is outlined
const FULL = 2; // a residual of this size has the full colour
const DRAIN = 6; // pixels that what stops sticks out

// Card or bar: half of a state's width and height.
export function shapesOf({ slot, tall, across }) {
  const card = across >= 48;
  const wide = Math.max(24, Math.min(46, across * 0.46));
  return Array.from(slot, (room, state) =>
    card && room >= 20
      ? { card: true, w: wide / 2, h: Math.max(Math.min(tall[state] / 2, room / 2 - 1), Math.min(17, room / 2 - 1.5)) }
      : { card: false, w: 3.5, h: Math.max(Math.min(2.5, room / 2.4), tall[state] / 2, 1) },
  );
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

export function drawOutlines(pen, dag, { exact, links }, colours) {
  const { pipe, x, y, tall, drains } = dag.layout;
  const least = threshold(exact, OUTLINED);
  pen.lineWidth = 1;
  for (const [faint, alpha] of [[true, 0.13], [false, 0.5]]) {
    pen.beginPath();
    links.forEach((link, k) => {
      const half = (exact[k] * pipe) / 2;
      if (exact[k] < least || half < 0.5 !== faint) return;
      const [x0, y0, x1, y1] = endsOf(dag, link, k);
      for (const side of faint ? [0] : [-half, half]) path(pen, x0, y0 + side, x1, y1 + side);
    });
    pen.strokeStyle = blend(colours.ink, colours.paper, 1, alpha);
    pen.stroke();
  }
  drains.forEach((high, state) => {
    if (high < 1) return;
    const left = x[state] + dag.shapes[state].w;
    pen.strokeRect(left, y[state] + tall[state] / 2 - high, DRAIN, high);
  });
}

// Links of about the same width are one stroke. `lit` says of a link whether it is meant, null where nothing is.
export function drawFlow(pen, dag, { links }, flow, { colours, lit }) {
  const least = Math.max(threshold(flow, drawnOf(flow.length)), 1e-7);
  const groups = new Map();
  for (let k = 0; k < flow.length; k += 1) {
    const meant = lit?.(links[k]) ?? false;
    if (flow[k] < least && !meant) continue;
    const width = Math.max(meant ? 1.2 : 0.5, Math.round(2 * flow[k] * dag.layout.pipe) / 2);
    const name = meant ? -width : width;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(k);
  }
  for (const [name, group] of [...groups].sort(([a], [b]) => b - a)) {
    pen.beginPath();
    for (const k of group) path(pen, ...endsOf(dag, links[k], k));
    pen.lineWidth = Math.abs(name);
    pen.strokeStyle = blend(colours.water, colours.paper, 1, name < 0 ? 0.85 : lit ? 0.14 : 0.5);
    pen.stroke();
  }
}

// From grey, in balance, to the colour of what is off, in so many shades.
const SHADES = 24;
const known = { of: null, shade: null };
function shadesOf(colours) {
  if (known.of !== colours.off) Object.assign(known, { of: colours.off, shade: newShades(colours) });
  return known.shade;
}
function newShades(colours) {
  const rest = [0, 1, 2].map((k) => colours.plain[k] * 0.3 + colours.paper[k] * 0.7);
  const shades = Array.from({ length: SHADES + 1 }, (_, k) => blend(colours.off, rest, k / SHADES));
  return (residual) => shades[Math.round(SHADES * Math.min(1, Math.abs(residual) / FULL))];
}

export function drawStates(pen, dag, { stop, residuals, visits }, { colours, dim, pinned, stamp }) {
  const { x, y, tall, pipe } = dag.layout;
  const [ink, paper, ends] = [[colours.ink, 0.75], [colours.paper, 1], [colours.stop, 0.9]].map(([colour, share]) =>
    blend(colour, colours.paper, share),
  );
  const shade = shadesOf(colours);
  for (let state = 0; state < residuals.length; state += 1) {
    const { card, w, h } = dag.shapes[state];
    const known = visits[state] > 0;
    pen.globalAlpha = dim(state) ? 0.2 : 1;
    if (stop && stop[state] * pipe > 0.4) {
      const high = stop[state] * pipe;
      const middle = y[state] + tall[state] / 2 - dag.layout.drains[state] / 2;
      pen.fillStyle = ends;
      pen.fillRect(x[state] + w, middle - high / 2, DRAIN, high);
    }
    pen.fillStyle = known ? shade(residuals[state]) : paper;
    pen.strokeStyle = ink;
    if (card) {
      pen.beginPath();
      pen.roundRect(x[state] - w, y[state] - h, 2 * w, 2 * h, 5);
      pen.fill();
      pen.lineWidth = pinned(state) ? 3 : 1;
      if (pinned(state)) pen.strokeStyle = blend(colours.accent, colours.paper);
      if (!known) pen.setLineDash([3, 2.5]);
      pen.stroke();
      pen.setLineDash([]);
      const size = [Math.floor(2 * w - 4), Math.floor(Math.min(2 * h - 4, 2 * w))];
      stamp(state, x[state], y[state], size);
    } else {
      if (known || h > 4) pen.fillRect(x[state] - w, y[state] - h, 2 * w, 2 * h);
      pen.lineWidth = known ? 0.8 : 0.5;
      if (h > 1.4) pen.strokeRect(x[state] - w, y[state] - h, 2 * w, 2 * h);
      if (pinned(state)) ring(pen, x[state], y[state], h + 5, colours);
    }
  }
  pen.globalAlpha = 1;
}

function ring(pen, x, y, radius, colours) {
  pen.beginPath();
  pen.arc(x, y, Math.min(radius, 16), 0, 2 * Math.PI);
  pen.lineWidth = 2.5;
  pen.strokeStyle = blend(colours.accent, colours.paper);
  pen.stroke();
}
