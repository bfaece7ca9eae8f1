// Places and lines of small pictures.

export const round = (value) => Math.round(value * 10) / 10;

// Least and most of some values.
export const span = (values) => [Math.min(...values), Math.max(...values)];

// The box around some places, and so much more at each side: x, y, width, height.
export function bounds(places, pad = 0) {
  const [[left, right], [top, bottom]] = [0, 1].map((axis) => span(places.map((place) => place[axis])));
  return [left - pad, top - pad, right - left + 2 * pad, bottom - top + 2 * pad];
}

// Two strokes across a place.
export function cross([x, y], arm) {
  const long = round(2 * arm);
  return `M${round(x - arm)} ${round(y - arm)}l${long} ${long}m0 ${-long}l${-long} ${long}`;
}

// Numbers on the way from some to others: one, or a list. What was not known before is as it is then.
export function mix(from, to, share) {
  if (from === null || to === null) return from;
  if (typeof to === "number") return from * (1 - share) + to * share;
  const values = new Float32Array(to.length);
  for (let k = 0; k < to.length; k += 1) values[k] = (from[k] ?? to[k]) * (1 - share) + to[k] * share;
  return values;
}
