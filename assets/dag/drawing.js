// How the parts of a state DAG look: sizes, ribbons of flow, thumbnails of subgraphs, the small graph beside.

import { putAll, svgEl } from "../kit/dom.js";
import { curve, span } from "../kit/paths.js";

// Sizes in pixels for a picture in a room of some width and height.
export function measure(picture, data, width) {
  const rows = picture.boxes.map((box) => box.row);
  const columns = 1 + Math.max(...picture.boxes.map((box) => box.column));
  const inColumn = (k) => picture.boxes.filter((box) => box.column === k).length;
  const perColumn = Math.max(...Array.from({ length: columns }, (_, k) => inColumn(k)));
  const roomy = picture.boxes.length <= 24 && perColumn <= 4;
  const [low, high] = span(rows);
  const bars = picture.boxes.some((box) => box.stop !== null);
  const top = 22; // the sizes above the columns
  const across = Math.max(width / columns, roomy ? 58 : 44);
  const tall = tallness(picture) > 0.8;
  const boxW = roomy ? Math.min(92, across * (across > 140 ? 0.62 : 0.56)) : Math.min(tall ? 46 : 54, across * 0.62);
  const boxH = roomy ? (picture.named ? 54 : 46) : tall ? 34 : 24;
  const below = roomy ? (bars ? 30 : 4) + (data.draggable ? 18 : 0) : bars ? 8 : 0;
  const cell = boxH + below + (roomy ? 14 : 7);
  const down = Math.max(cell, Math.min((data.height - top - cell) / Math.max(high - low, 0.01), cell * 1.6));
  return {
    roomy, across, boxW, boxH, below, down, top, columns, cell,
    width: across * columns,
    height: top + cell + down * (high - low),
    low,
    pipe: boxH - 6, // the whole flow is this wide
  };
}

function tallness({ graph_nodes }) {
  const [[left, right], [top, bottom]] = [2, 3].map((axis) => span(graph_nodes.map((node) => node[axis])));
  return (bottom - top) / Math.max(right - left, 1e-6);
}

export function centre(box, size) {
  return [size.across * (box.column + 0.5), size.top + size.boxH / 2 + 4 + (box.row - size.low) * size.down];
}

// The two ends of each link: links leave and arrive one below the other, as wide as their flow.
export function ports(picture, flows, size) {
  const byId = new Map(picture.boxes.map((box) => [box.id, box]));
  const ends = picture.links.map(() => ({}));
  const thick = flows.map((flow) => (flow === null ? 1.6 : Math.max(flow * size.pipe, 0.8)));
  for (const [mine, other, side] of [["source", "target", "from"], ["target", "source", "to"]]) {
    const groups = new Map();
    picture.links.forEach((link, k) => groups.set(link[mine], [...(groups.get(link[mine]) ?? []), k]));
    for (const [id, links] of groups) {
      const box = byId.get(id);
      const [x, y] = centre(box, size);
      links.sort((a, b) => byId.get(picture.links[a][other]).row - byId.get(picture.links[b][other]).row);
      const spread = flows[links[0]] === null ? 4 : 0; // thin lines are set apart
      const total = links.reduce((sum, k) => sum + thick[k] + spread, -spread);
      let at = y - total / 2;
      for (const k of links) {
        ends[k][side] = [x + (side === "from" ? size.boxW : -size.boxW) / 2, at + thick[k] / 2];
        at += thick[k] + spread;
      }
    }
  }
  return ends.map((end, k) => ({ ...end, thick: thick[k] }));
}

export const spine = ({ from, to }) => curve(from, to);

// A picture's graph scaled into a rectangle around the origin: positions by node.
function fitted(picture, width, height) {
  const [[left, right], [top, bottom]] = [2, 3].map((axis) => span(picture.graph_nodes.map((node) => node[axis])));
  const [wide, high] = [right - left, bottom - top];
  const scale = Math.min(width / Math.max(wide, 1e-6), height / Math.max(high, 1e-6), width / 2);
  return new Map(
    picture.graph_nodes.map(([id, , x, y]) => [id, [(x - left - wide / 2) * scale, (y - top - high / 2) * scale]]),
  );
}

// A few pixels of subgraph. Of a large graph only the subgraph itself is drawn.
export function thumbnail(picture, nodes, width, height, dot) {
  const inside = new Set(nodes);
  const large = picture.graph_nodes.length > 16;
  const shown = large
    ? { ...picture, graph_nodes: picture.graph_nodes.filter(([id]) => inside.has(id)) }
    : picture;
  const at = fitted(shown, width - 2 * dot, height - 2 * dot);
  const crowd = Math.min(1, (height * width) / (shown.graph_nodes.length * 40 * dot * dot));
  dot *= Math.max(0.55, Math.sqrt(crowd));
  const group = svgEl("g", { class: "sketch" });
  for (const [a, b] of picture.graph_edges) {
    if (!at.has(a) || !at.has(b)) continue;
    const [[x1, y1], [x2, y2]] = [at.get(a), at.get(b)];
    group.append(svgEl("line", { x1, y1, x2, y2, class: inside.has(a) && inside.has(b) ? "in" : "" }));
  }
  for (const [id] of shown.graph_nodes) {
    const [cx, cy] = at.get(id);
    const role = id === picture.start ? "start" : inside.has(id) ? "in" : "";
    group.append(svgEl("circle", { cx, cy, r: inside.has(id) ? dot : dot * 0.7, class: role }));
  }
  return group;
}

// The graph beside the DAG; `over` is called with a node that is pointed at, or null.
export function graphBeside(picture, over) {
  const [width, height, count] = [190, 136, picture.graph_nodes.length];
  const radius = count > 24 ? 4 : count > 9 ? 8 : 11;
  const at = fitted(picture, width - 2 * radius - 4, height - 2 * radius - 4);
  const svg = svgEl("svg", {
    viewBox: `${-width / 2} ${-height / 2} ${width} ${height}`,
    role: "group",
    "aria-label": "The graph",
  });
  const lines = picture.graph_edges.map(([a, b]) => {
    const [[x1, y1], [x2, y2]] = [at.get(a), at.get(b)];
    return svgEl("line", { x1, y1, x2, y2 });
  });
  const nodes = picture.graph_nodes.map(([id, label]) => {
    const [x, y] = at.get(id);
    const group = svgEl("g", { class: "node", transform: `translate(${x} ${y})` }, svgEl("circle", { r: radius }));
    const size = label.length > 2 ? radius * 0.85 : radius * 1.1;
    group.append(
      svgEl("text", { "font-size": size }, radius > 5 ? label : ""),
      svgEl("title", {}, `node ${label}`),
    );
    const holding = picture.boxes.filter((box) => box.nodes.includes(id)).reduce((sum, box) => sum + box.count, 0);
    putAll(group, { role: "img", tabindex: -1, "aria-label": `Node ${label}, in ${holding} of the states drawn` });
    for (const name of ["pointerenter", "focus"]) group.addEventListener(name, () => over(id));
    for (const name of ["pointerleave", "blur"]) group.addEventListener(name, () => over(null));
    return group;
  });
  nodes[0].tabIndex = 0; // the others are reached by arrow keys
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const now = nodes.indexOf(event.target);
    if (!step || now < 0) return;
    event.preventDefault();
    nodes[now].tabIndex = -1;
    const next = nodes[(now + step + nodes.length) % nodes.length];
    next.tabIndex = 0;
    next.focus();
  });
  svg.append(...lines, ...nodes);
  const mark = (members) => {
    const inside = new Set(members);
    picture.graph_edges.forEach(([a, b], k) => lines[k].classList.toggle("in", inside.has(a) && inside.has(b)));
    picture.graph_nodes.forEach(([id], k) => {
      nodes[k].classList.toggle("in", inside.has(id));
      nodes[k].classList.toggle("start", id === picture.start);
    });
  };
  return { svg, mark };
}
