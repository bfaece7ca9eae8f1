// Places and lines of small pictures.

export const round = (value) => Math.round(value * 10) / 10;

// Least and most of some values.
export const span = (values) => [Math.min(...values), Math.max(...values)];

// A line from left to right that leaves and arrives level.
export function curve([x0, y0], [x1, y1]) {
  const middle = (x0 + x1) / 2;
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
}

// Values on the way from some to others: numbers, or lists and objects of them. Null is no number and stays.
export function between(from, to, share) {
  if (Array.isArray(to)) return to.map((value, i) => between(from[i], value, share));
  if (to !== null && typeof to === "object") {
    return Object.fromEntries(Object.entries(to).map(([key, value]) => [key, between(from[key], value, share)]));
  }
  return to === null ? null : (from ?? to) * (1 - share) + to * share;
}
