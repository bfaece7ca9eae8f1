// A rounded line around some points: their convex hull, moved outwards.

import { round } from "../kit/paths.js";

const turn = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

// Andrew's monotone chain: the corners of the hull, in order.
function corners(points) {
  const sorted = [...points].sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const half = (list) => {
    const chain = [];
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

// An SVG path that keeps `away` from all points; its corners are arcs.
export function hullLine(points, away) {
  const hull = corners(points);
  if (!hull.length) return "";
  const reach = round(away);
  const arc = ([x, y]) => `A${reach} ${reach} 0 0 1 ${round(x)} ${round(y)}`;
  if (hull.length === 1) {
    const [[x, y]] = hull;
    return `M${round(x - away)} ${round(y)}${arc([x + away, y])}${arc([x - away, y])}Z`;
  }
  const sides = hull.map(([x, y], index) => {
    const [nextX, nextY] = hull[(index + 1) % hull.length];
    const long = Math.hypot(nextX - x, nextY - y) || 1;
    const [outX, outY] = [((nextY - y) / long) * away, (-(nextX - x) / long) * away];
    return [[x + outX, y + outY], [nextX + outX, nextY + outY]];
  });
  const parts = sides.map(([from, to], index) => {
    const line = `L${to.map(round).join(" ")}`;
    return index ? `${arc(from)}${line}` : `M${from.map(round).join(" ")}${line}`;
  });
  return `${parts.join("")}${arc(sides[0][0])}Z`;
}
