// The graph: drawn once on the trace's fixed positions; a step changes only the nodes and edges whose look changes.

import { put, svgEl } from "../kit/dom.js";
import { cross, round } from "../kit/paths.js";
import { groupClass } from "./matrix.js";
import { discs } from "./shapes.js";
import { words } from "./words.js";

const MANY = 150; // nodes above which outside ones fade further and nothing is tweened
const SMALL = 0.55; // how large a hydrogen is beside other atoms
// Pixels: labels that would be smaller than `least` stand above the nodes that count, in this `size`. Long ones are
// smaller than others, and may be by default.
const LABEL = { least: 7.5, size: 11, long: true };

// Two layers of the same kind: some elements can be raised above the others, and go back to their old place.
function layers(kind, elements) {
  const low = svgEl("g", { class: kind }, ...elements);
  const high = svgEl("g", { class: kind });
  const place = new Map(elements.map((element, index) => [element, index]));
  function raise(indices) {
    const wanted = new Set(indices.map((index) => elements[index]));
    for (const element of [...high.children]) {
      if (wanted.has(element)) continue;
      const next = [...low.children].find((other) => place.get(other) > place.get(element));
      low.insertBefore(element, next ?? null);
    }
    [...wanted].forEach((element, index) => {
      if (high.children[index] !== element) high.insertBefore(element, high.children[index] ?? null);
    });
  }
  return { groups: [low, high], raise };
}

export function createGraph(story) {
  const { nodes, edges } = story.trace;
  const shape = story.written ? words(nodes, edges, story.shapes) : discs(nodes, edges, story.times);
  const { points, radius, unit, box, band } = shape;
  const thin = Math.min(Math.max(radius / 12, 0.35), 1.1);
  const many = nodes.length > MANY;
  const isHydrogen = (node) => nodes[node].element === "H";
  const longest = Math.max(...nodes.map(({ label: text, id }) => Math.min((text || String(id)).length, 8)));
  const outline = ["outline", "outline-inside"].map((name) => svgEl("path", { class: name, d: "" }));
  const others = svgEl("g", {});
  const bubble = svgEl("path", { class: "bubble", d: "", "stroke-width": round(shape.bandWidth) });
  const groups = svgEl("g", { class: "groups" });
  const crosses = svgEl("path", { class: "crosses", d: "", "stroke-width": round(Math.max(1.4, radius * 0.16)) });
  const badges = svgEl("g", { class: "badges" });
  const edgeEls = edges.map((edge) => svgEl("path", { class: "edge", d: shape.line(edge) }));
  const nodeEls = nodes.map((_, node) =>
    svgEl(
      "g",
      { class: "node outside", "data-node": node, transform: `translate(${points[node].map(round).join(" ")})` },
    ),
  );
  const edgeLayers = layers("edges", edgeEls);
  const nodeLayers = layers("nodes", nodeEls);
  const kind = `graph${story.molecule ? " molecule" : ""}${story.written ? " written" : ""}${many ? " many" : ""}`;
  const svg = svgEl(
    "svg",
    { class: kind, role: "group", style: `--thin: ${thin.toFixed(2)}` },
    others,
    ...outline,
    bubble,
    groups,
    ...edgeLayers.groups,
    crosses,
    ...nodeLayers.groups,
    badges,
  );
  const drawn = {
    nodes: nodes.map(() => ""), // how each node and each edge looks now
    ways: edges.map(() => ""),
    lit: new Set(),
    shine: "lit",
    offered: new Set(), // can be reached with Tab
    near: null, // what is not faded; null for all
    label: LABEL,
    pixel: 1,
  };

  const sizeOf = (node) => radius * (isHydrogen(node) ? SMALL : 1);

  // Rings say the roles without colour: one solid for the start, two for a cut vertex, dots for a valid parent.
  function rings(node, look, size) {
    const parts = [];
    let reach = size + radius * 0.16;
    const ring = (name, step) => {
      reach += radius * step;
      parts.push(shape.ring(name, node, reach));
    };
    if (look.flags.includes("added") && story.molecule) ring("added", 0.12);
    if (look.role === "frontier" && story.molecule) ring("frontier", 0.16);
    if (look.flags.includes("start")) ring("start", 0.24);
    if (look.flags.includes("cut")) {
      ring("cut", 0.22);
      ring("cut", 0.3);
    }
    if (look.flags.includes("parent")) ring("parent", 0.24);
    return parts;
  }

  function label(node, size) {
    if (shape.label) return shape.label(node);
    if (isHydrogen(node)) return []; // a small circle is read as hydrogen; the tip says which
    const text = nodes[node].label || String(nodes[node].id);
    const shown = text.length > 8 ? `${text.slice(0, 7)}…` : text;
    const fontSize = Math.min(size * 0.98, (size * 2.5) / Math.max(shown.length, 1));
    const index = nodes[node].element ? [svgEl("tspan", { class: "index", dy: "0.25em" }, String(nodes[node].id))] : [];
    return [svgEl("text", { "font-size": round(fontSize), dy: "0.35em" }, shown, ...index)];
  }

  const isFar = (node) => drawn.near !== null && !drawn.near.has(node);

  function drawNode(node, look) {
    const element = nodes[node].element;
    const coloured = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
    const classes = ["node", look.role, ...look.flags].join(" ") + coloured + (isFar(node) ? " far" : "");
    const size = sizeOf(node) * (story.molecule || story.written ? 1 : look.scale);
    const key = `${classes}/${look.scale.toFixed(3)}/${look.strength.toFixed(3)}`;
    if (drawn.nodes[node] === key) return;
    drawn.nodes[node] = key;
    const g = nodeEls[node];
    g.setAttribute("class", classes);
    g.setAttribute("style", `--strength: ${look.strength.toFixed(3)}`);
    const old = g.querySelector(".body");
    const body = old ?? shape.body();
    shape.fit(body, node, size);
    for (const child of [...g.children]) if (child !== body) child.remove();
    if (!old) g.append(body);
    body.before(...rings(node, look, size));
    body.after(...label(node, sizeOf(node)));
  }

  function show(scene) {
    put(svg, "data-mode", scene.mode);
    scene.looks.forEach((look, node) => drawNode(node, look));
    scene.ways.forEach((way, index) => {
      const { source, target, in_motif } = edges[index];
      const faded = isFar(source) || isFar(target) ? " far" : "";
      const classes = `edge ${way}${in_motif ? " true" : ""}${faded}`;
      if (drawn.ways[index] === classes) return;
      drawn.ways[index] = classes;
      edgeEls[index].setAttribute("class", classes);
    });
    nodeLayers.raise(scene.members);
    edgeLayers.raise(scene.ways.flatMap((way, index) => (way === "outside" || way === "reach" ? [] : [index])));
    put(bubble, "d", band(scene.members));
    const extra = edges.filter((_, index) => scene.ways[index] === "extra");
    put(crosses, "d", extra.map((edge) => cross(shape.middle(edge), Math.max(2.4, radius * 0.32))).join(""));
    for (const node of drawn.lit) nodeEls[node].classList.add(drawn.shine);
  }

  // What a trace says of the graph beside its steps: the shown reason is outlined, the others thinly, without the holes
  // of its rings; each edge knows the share of samples that contain it, and nodes that are not near what matters can be
  // faded.
  function know({ reasons, rings, shown, shares, near }) {
    drawn.near = near;
    const drawOutline = (paths, { lines, widths }) => paths.forEach((path, at) => {
      put(path, "d", lines[at]);
      put(path, "stroke-width", round(widths[at]));
    });
    drawOutline(outline, shape.outline(reasons[shown] ?? [], rings?.[shown] ?? [], 0));
    others.replaceChildren(...reasons.flatMap((agreed, index) => {
      const paths = ["thin", "outline-inside"].map((name) => svgEl("path", { class: name }));
      drawOutline(paths, shape.outline(agreed, rings[index], index + 1));
      return index === shown ? [] : [svgEl("g", { class: `contour reason-${index + 1}` }, ...paths)];
    }));
    edgeEls.forEach((edge, index) => edge.style.setProperty("--held", (shares[index] ?? 0).toFixed(3)));
  }

  // A few nodes shine; of many only the rims are lit, or the picture would drown.
  function light(list) {
    const next = new Set(list);
    for (const node of drawn.lit) nodeEls[node].classList.remove("lit", "glow");
    drawn.lit = next;
    drawn.shine = next.size > 12 ? "glow" : "lit";
    for (const node of next) nodeEls[node].classList.add(drawn.shine);
  }

  // The pieces that a cut vertex holds together, each with a colour and a number.
  function showGroups(pieces) {
    svg.classList.toggle("grouped", pieces.length > 0);
    groups.replaceChildren(
      ...pieces.map(
        ({ number, nodes: piece }) => svgEl(
          "path",
          { class: `group ${groupClass(number)}`, d: band(piece), "stroke-width": round(shape.bandWidth) },
        ),
      ),
    );
    const size = Math.max(radius * 0.55, 5);
    const badge = (node, number) => {
      const at = points[node].map((value, axis) => round(value + radius * (axis ? -1 : 1)));
      const text = svgEl("text", { "font-size": round(size * 1.4), dy: "0.35em" }, String(number));
      return svgEl(
        "g",
        { class: `badge ${groupClass(number)}`, transform: `translate(${at.join(" ")})` },
        svgEl("circle", { r: round(size) }),
        text,
      );
    };
    badges.replaceChildren(...pieces.flatMap(({ number, nodes: piece }) => piece.map((node) => badge(node, number))));
  }

  // In manual mode the frontier can be reached with Tab and taken with Enter.
  function offer(actions, labelOf) {
    const open = new Set(actions);
    for (const node of drawn.offered) {
      if (!open.has(node)) ["tabindex", "role", "aria-label"].forEach((name) => nodeEls[node].removeAttribute(name));
    }
    for (const node of open) {
      put(nodeEls[node], "tabindex", 0);
      put(nodeEls[node], "role", "button");
      put(nodeEls[node], "aria-label", labelOf(node));
    }
    drawn.offered = open;
  }

  // So large is one screen pixel in the picture's units.
  function scaled(pixel) {
    drawn.pixel = pixel;
    const { least, size, long } = drawn.label;
    svg.style.setProperty("--pixel", `${Math.round(pixel * 1000) / 1000}px`);
    if (story.written) return; // words are the picture itself, and are never left out of it
    const names = longest > 4; // what a file calls its nodes, and no numbers
    const small = (radius * (long && !names ? 0.95 : Math.min(0.95, 2.5 / longest))) / pixel < least;
    const room = (2 * radius) / pixel / (longest * 0.58); // letters that just fit into a node
    const fits = !long && room > 0.8 * size; // written larger than usual
    svg.classList.toggle("crowded", small && !fits);
    svg.classList.toggle("lettered", small && fits);
    svg.style.setProperty("--label", fits ? Math.min(size, round(room)) : size);
  }
  // How large labels must be to be read, in pixels.
  function write(label = LABEL) {
    drawn.label = label;
    scaled(drawn.pixel);
  }
  const places = { box, points, radius, unit, written: story.written, lineOf: shape.line, middleOf: shape.middle };
  return { svg, ...places, many, know, show, light, showGroups, offer, scaled, write };
}
