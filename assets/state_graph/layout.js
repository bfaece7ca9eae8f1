// Where the states of a DAG stand: in columns, with as much room as flow passes through them where that is fixed.

const FLOW = { least: 0.3, most: 0.6 }; // of the height, for all flow together; the rest keeps states apart
const APART = 28; // pixels that a state has for itself where there is room for that
const SWEEPS = 4;
const PIPE = 0.2; // of the height, for a link on every trajectory where exact flows are not known

// `column` has the column of each state. What passes through states gives them room where it is exactly known: then
// nothing moves while flows are learned. Where flows themselves are shown, all states have the same room, and `pipe` is
// the width of the whole flow, in pixels. `last` says of states that they stand at the bottom; `lift` moves all up.
export function layOutStates({ column, links, exact, target, last }, room) {
  const { width, height, top, side, pipe: given, lift = 0 } = room;
  const count = column.length;
  const deepest = 1 + column.reduce((most, k) => Math.max(most, k), 0);
  const columns = Array.from({ length: deepest }, () => []);
  column.forEach((k, state) => columns[k].push(state));
  const most = Math.max(...columns.map((states) => states.length));
  const share = Math.min(FLOW.most, Math.max(FLOW.least, 1 - (most * APART) / (height - top)));
  const pipe = given ?? (exact ? share : PIPE) * (height - top);
  const weight = (k) => (exact ? exact[k] + 1e-6 : 1);
  const y = new Float32Array(count);
  const slot = new Float32Array(count);
  const tall = heights(count, links, exact, pipe);

  // States of a column stand one below the other, in their order.
  function place(states) {
    const flow = states.reduce((sum, state) => sum + tall[state], 0);
    const gap = Math.max(0, height - top - flow) / states.length;
    let at = top;
    for (const state of states) {
      slot[state] = tall[state] + gap;
      y[state] = at + slot[state] / 2 - lift;
      at += slot[state];
    }
  }
  // Neighbours stand at about the same height: so links cross as little as they must.
  function order(states, towards) {
    const [sum, total] = [new Map(), new Map()];
    links.forEach(([parent, child], k) => {
      const [mine, other] = towards === "parents" ? [child, parent] : [parent, child];
      if (column[mine] !== column[states[0]]) return;
      sum.set(mine, (sum.get(mine) ?? 0) + weight(k) * y[other]);
      total.set(mine, (total.get(mine) ?? 0) + weight(k));
    });
    const mean = (state) => (total.has(state) ? sum.get(state) / total.get(state) : y[state]);
    const means = new Map(states.map((state) => [state, mean(state) + (last?.[state] ? 1e6 : 0)]));
    states.sort((a, b) => means.get(a) - means.get(b) || a - b);
  }
  const filled = columns.filter((states) => states.length);
  filled.forEach(place);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const states of down ? filled.slice(1) : filled.slice(0, -1).reverse()) {
      order(states, down ? "parents" : "children");
      place(states);
    }
  }
  const across = (width - 2 * side) / Math.max(1, deepest - 1);
  const x = Float32Array.from(column, (k) => (deepest === 1 ? width / 2 : side + k * across));
  const drains = target?.map((chance) => chance * pipe) ?? null;
  const layout = { x, y, slot, pipe, columns, column, across, drains };
  return Object.assign(layout, ports(layout, links, exact, tall));
}

// What passes through each state, in pixels; nothing where that is not known.
function heights(count, links, flow, pipe) {
  const through = new Float32Array(count);
  if (!flow) return through;
  through[0] = pipe;
  links.forEach(([, child], k) => (through[child] += flow[k] * pipe));
  return through;
}

// Where links leave (`out`) and arrive (`into`): one below the other, in the order of their other ends, as wide as
// their flow; without flows `spread` pixels apart. `tall` is the flow through a state.
export function ports({ y, pipe }, links, flow, tall = heights(y.length, links, flow, pipe), spread = 0) {
  const ends = [0, 1].map((mine) => {
    const groups = Map.groupBy(links.keys(), (k) => links[k][mine]);
    const places = new Float32Array(links.length);
    for (const [state, group] of groups) {
      group.sort((a, b) => y[links[a][1 - mine]] - y[links[b][1 - mine]]);
      const thick = group.map((k) => (flow ? flow[k] * pipe : spread));
      const total = thick.reduce((sum, width) => sum + width, 0);
      let at = y[state] - Math.max(total, tall[state]) / 2;
      group.forEach((k, i) => {
        places[k] = at + thick[i] / 2;
        at += thick[i];
      });
    }
    return places;
  });
  return { tall, out: ends[0], into: ends[1] };
}

// The state nearest to a place, no farther than `reach`; null if there is none.
export function stateAt({ x, y, tall, columns }, shapes, [px, py], reach = 14) {
  let [best, nearest] = [null, reach];
  for (const states of columns) {
    if (!states.length || Math.abs(x[states[0]] - px) > Math.max(reach, 22, shapes[states[0]].w)) continue;
    for (const state of states) {
      const far = Math.max(0, Math.abs(y[state] - py) - Math.max(tall[state] / 2, shapes[state].h));
      if (far < nearest) [best, nearest] = [state, far];
    }
  }
  return best;
}
