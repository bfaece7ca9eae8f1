// Places and lines of small pictures.

export const round = (value) => Math.round(value * 10) / 10;

// Least and most of some values.
export const span = (values) => [Math.min(...values), Math.max(...values)];

// A line from left to right that leaves and arrives level.
export function curve([x0, y0], [x1, y1]) {
  const middle = (x0 + x1) / 2;
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}

// Numbers on the way from some to others: one, or a list. What was not known before is as it is then.
export function mix(from, to, share) {
  if (from === null || to === null) return from;
  if (typeof to === "number") return from * (1 - share) + to * share;
  const values = new Float32Array(to.length);
  for (let k = 0; k < to.length; k += 1) values[k] = (from[k] ?? to[k]) * (1 - share) + to[k] * share;
  return values;
}
