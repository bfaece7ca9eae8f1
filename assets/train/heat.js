// Transitions: which node is added at which size. Where the exact share is another one, a dot has its colour.

import { percent } from "../kit/numbers.js";
import { blend } from "./colours.js";
import { pointable } from "./hub.js";
import { createPanel, createSurface } from "./panel.js";
import { nodeName } from "./words.js";

const [LEFT, TOP] = [40, 18];
const LEAST = 15; // pixels of a column
const APART = 0.01; // a smaller difference is none

// Share of trajectories that add a node to a set of so many nodes: from the flow of the links. [size − 1][node]
export function transitionsOf({ states, links, nodes }, flow) {
  const deepest = Math.max(...states.map((state) => state.length));
  const shares = Array.from({ length: Math.max(1, deepest - 1) }, () => new Float32Array(nodes.length));
  for (let k = 0; k < flow.length; k += 1) shares[states[links[k][0]].length - 1][links[k][2]] += flow[k];
  return shares;
}

export function createHeat({ lane, hub, colours, redraw }) {
  const panel = createPanel("heat", lane, "Transitions", redraw);
  const surface = createSurface(panel, "Transitions: which node is added at which size");
  const { canvas, pen } = surface;
  let shown = null;

  function draw(moment) {
    if (!panel.width) return;
    surface.fit();
    surface.clear();
    if (!moment) return;
    const { scene } = moment;
    const now = scene.listed ? transitionsOf(scene, moment.get("flow") ?? []) : moment.get("transitions");
    if (!now) return;
    const kept = shown?.moment.scene === scene && shown.sized === panel.width && scene.exact;
    const exact = kept ? shown.exact : scene.exact && transitionsOf(scene, scene.exact);
    const [nodes, left] = kept ? shown.columns : columnsOf(scene, exact ?? now);
    const wide = Math.min(44, (panel.width - LEFT - 4) / nodes.length);
    const high = Math.min(40, (panel.height - TOP - 4) / now.length);
    shown = { moment, now, exact, nodes, wide, high, columns: [nodes, left], sized: panel.width, at: shown?.at };
    now.forEach((row, k) => rowName(k, high));
    nodes.forEach((node, column) => {
      const lit = hub.lit?.kind === "node" && hub.lit.node === node;
      pen.textAlign = "center";
      pen.fillStyle = blend(lit ? colours.accent : colours.ink, colours.paper, lit ? 1 : 0.75);
      surface.write(pen, nodeName(scene, node), LEFT + (column + 0.5) * wide, TOP - 6, lit);
      now.forEach((row, k) => cell(column, k, row[node] ?? 0, exact?.[k]?.[node] ?? null, isDim(node, k)));
    });
    const most = left ? ` The ${nodes.length} nodes that are added most, ${left} others left out.` : "";
    const dots = exact ? " Dot: exactly it would be that dark." : " Of the latest trajectories.";
    panel.say(`Row: size. Column: the node added.${dots}${most}`);
  }

  // A few nodes are all; of many the ones that are added most.
  function columnsOf({ nodes }, shares) {
    const total = nodes.map((_, node) => shares.reduce((sum, row) => sum + (row[node] ?? 0), 0));
    const added = nodes.flatMap((_, node) => (total[node] > 0 ? [node] : []));
    const room = Math.max(3, Math.floor((panel.width - LEFT - 4) / LEAST));
    const best = [...added].sort((a, b) => total[b] - total[a]).slice(0, room);
    return [best.sort((a, b) => a - b), added.length - best.length];
  }

  function isDim(node, k) {
    const { lit } = hub;
    if (!lit) return false;
    if (lit.kind === "node") return lit.node !== node;
    return lit.kind === "size" ? lit.size !== k + 2 : !lit.nodes.includes(node);
  }

  function rowName(k, high) {
    const lit = hub.lit?.kind === "size" && hub.lit.size === k + 2;
    pen.textAlign = "right";
    pen.fillStyle = blend(lit ? colours.accent : colours.ink, colours.paper, lit ? 1 : 0.75);
    surface.write(pen, `${k + 1} → ${k + 2}`, LEFT - 5, TOP + (k + 0.5) * high + 4, lit);
  }

  // Small shares are told apart as well as large ones.
  const tints = new Map();
  function tint(share) {
    const level = Math.round(48 * Math.sqrt(Math.min(1, share)));
    if (tints.of !== colours.water || tints.on !== colours.soft) tints.clear();
    Object.assign(tints, { of: colours.water, on: colours.soft });
    if (!tints.has(level)) tints.set(level, blend(colours.water, colours.soft, level / 48));
    return tints.get(level);
  }

  function cell(column, k, share, exact, dim) {
    const { wide, high } = shown;
    const [x, y] = [LEFT + column * wide, TOP + k * high];
    pen.globalAlpha = dim ? 0.25 : 1;
    pen.fillStyle = tint(share);
    pen.fillRect(x + 0.5, y + 0.5, wide - 1, high - 1);
    if (exact !== null && Math.abs(exact - share) >= APART) {
      pen.beginPath();
      pen.arc(x + wide / 2, y + high / 2, Math.min(wide, high) * 0.24, 0, 2 * Math.PI);
      pen.fillStyle = tint(exact);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  const found = (column, k) => {
    const { scene } = shown.moment;
    const node = shown.nodes[column];
    const words = () => {
      const now = percent(shown.now[k]?.[node] ?? 0);
      const end = shown.exact ? `, exactly ${percent(shown.exact[k][node])}` : "";
      return `${nodeName(scene, node)} is added to ${k + 1} in ${now} of trajectories${end}`;
    };
    const box = [LEFT + column * shown.wide, TOP + k * shown.high, shown.wide, shown.high];
    return { selection: { kind: "node", node }, box, text: words };
  };
  pointable(canvas, hub, {
    find(x, y) {
      if (!shown) return null;
      const [column, k] = [Math.floor((x - LEFT) / shown.wide), Math.floor((y - TOP) / shown.high)];
      if (k < -1 || k >= shown.now.length || column >= shown.nodes.length) return null;
      if (column < 0) {
        if (k < 0) return null;
        return { selection: { kind: "size", size: k + 2 }, box: [0, TOP + k * shown.high, LEFT, shown.high] };
      }
      return found(column, Math.max(0, k));
    },
    walk(dx, dy) {
      if (!shown?.nodes.length) return null;
      const [column, k] = shown.at ?? [0, 0];
      const clamp = (value, count) => Math.min(count - 1, Math.max(0, value));
      shown.at = [clamp(column + dx, shown.nodes.length), clamp(k + dy, shown.now.length)];
      return found(...shown.at);
    },
  });
  return { panel, draw };
}
