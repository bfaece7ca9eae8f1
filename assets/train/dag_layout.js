// Where the states of a DAG stand: in columns by size, with as much room as exact flow passes through them.

const FLOW = { least: 0.3, most: 0.6 }; // of the height, for all flow together; the rest keeps states apart
const APART = 28; // pixels that a state has for itself where there is room for that
const SWEEPS = 4;
const PIPE = 0.2; // of the height, for a link on every trajectory where exact flows are not known

// `out` and `into` say where a link leaves and arrives, `tall` is the exact flow through a state, in pixels.
export function layOutDag({ states, links, exact, target }, { width, height, top, side }) {
  const count = states.length;
  const sizes = states.map((nodes) => nodes.length);
  const deepest = Math.max(...sizes);
  const through = new Float32Array(count);
  if (exact) {
    through[0] = 1;
    links.forEach(([, child], k) => (through[child] += exact[k]));
  }
  const columns = Array.from({ length: deepest }, () => []);
  states.forEach((_, state) => columns[sizes[state] - 1].push(state));
  const most = Math.max(...columns.map((column) => column.length));
  const share = Math.min(FLOW.most, Math.max(FLOW.least, 1 - (most * APART) / (height - top)));
  const pipe = (exact ? share : PIPE) * (height - top);
  const weight = (k) => (exact ? exact[k] + 1e-6 : 1);
  const y = new Float32Array(count);
  const slot = new Float32Array(count);
  const tall = through.map((flow) => (exact ? flow * pipe : 0));

  // States of a column stand one below the other, in their order.
  function place(column) {
    const flow = column.reduce((sum, state) => sum + tall[state], 0);
    const gap = Math.max(0, height - top - flow) / column.length;
    let at = top;
    for (const state of column) {
      slot[state] = tall[state] + gap;
      y[state] = at + slot[state] / 2;
      at += slot[state];
    }
  }
  // Neighbours stand at about the same height: so links cross as little as they must.
  function order(column, towards) {
    const [sum, total] = [new Map(), new Map()];
    links.forEach(([parent, child], k) => {
      const [mine, other] = towards === "parents" ? [child, parent] : [parent, child];
      if (sizes[mine] !== sizes[column[0]]) return;
      sum.set(mine, (sum.get(mine) ?? 0) + weight(k) * y[other]);
      total.set(mine, (total.get(mine) ?? 0) + weight(k));
    });
    const mean = (state) => (total.has(state) ? sum.get(state) / total.get(state) : y[state]);
    const means = new Map(column.map((state) => [state, mean(state)]));
    column.sort((a, b) => means.get(a) - means.get(b) || a - b);
  }
  columns.forEach(place);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const column of down ? columns.slice(1) : columns.slice(0, -1).reverse()) {
      order(column, down ? "parents" : "children");
      place(column);
    }
  }

  const across = (width - 2 * side) / Math.max(1, deepest - 1);
  const x = Float32Array.from(sizes, (size) => (deepest === 1 ? width / 2 : side + (size - 1) * across));
  const thick = (k) => (exact ? exact[k] * pipe : 0);
  const [out, into] = [0, 1].map((mine) => ports({ links, y, tall, thick }, mine));
  const drains = target?.map((share) => share * pipe) ?? null;
  return { x, y, slot, tall, out, into, pipe, columns, across, drains };
}

// Links leave and arrive one below the other, in the order of their other ends.
function ports({ links, y, tall, thick }, mine) {
  const groups = new Map();
  links.forEach((link, k) => {
    if (!groups.has(link[mine])) groups.set(link[mine], []);
    groups.get(link[mine]).push(k);
  });
  const places = new Float32Array(links.length);
  for (const [state, group] of groups) {
    group.sort((a, b) => y[links[a][1 - mine]] - y[links[b][1 - mine]]);
    let at = y[state] - tall[state] / 2;
    for (const k of group) {
      places[k] = at + thick(k) / 2;
      at += thick(k);
    }
  }
  return places;
}

// The state nearest to a place, no farther than `reach`; null if there is none.
export function stateAt({ x, y, tall, columns }, [px, py], reach = 14) {
  let [best, nearest] = [null, reach];
  for (const column of columns) {
    if (!column.length || Math.abs(x[column[0]] - px) > Math.max(reach, 22)) continue;
    for (const state of column) {
      const far = Math.max(0, Math.abs(y[state] - py) - tall[state] / 2);
      if (far < nearest) [best, nearest] = [state, far];
    }
  }
  return best;
}
