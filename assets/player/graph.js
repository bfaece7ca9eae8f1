// The graph: drawn once on the trace's fixed positions; a step changes only the nodes and edges whose look changes.

import { put, svgEl } from "../kit/dom.js";
import { subscript } from "../kit/numbers.js";
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
  const shape = story.written ? words(nodes, edges) : discs(nodes, edges, story.times);
  const { points, radius, unit, box, band } = shape;
  const thin = Math.min(Math.max(radius / 12, 0.35), 1.1);
  const many = nodes.length > MANY;
  const hosts = hydrogenHosts(nodes, edges);
  const longest = Math.max(...nodes.map(({ label: text, id }) => Math.min((text || String(id)).length, 8)));
  const outline = ["outline", "outline-inside"].map((name) => svgEl("path", { class: name, d: "" }));
  const others = svgEl("g", { class: "other-outlines" });
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
    ...outline,
    others,
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
    agreed: new Set(), // the nodes of all reasons
    folding: null, // how hydrogens are folded into their atoms; null if they are not
    label: LABEL,
    pixel: 1,
  };

  const sizeOf = (node) => radius * (hosts.has(node) ? SMALL : 1);

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
    if (look.role === "removed") ring("parent", 0.22);
    if (look.flags.includes("start")) ring("start", 0.24);
    if (look.flags.includes("cut")) {
      ring("cut", 0.22);
      ring("cut", 0.3);
    }
    if (look.flags.includes("parent")) ring("parent", 0.24);
    return parts;
  }

  function label(node, size, hydrogens) {
    if (shape.label) return shape.label(node);
    if (hosts.has(node)) return []; // a small circle is read as hydrogen; the tip says which
    const text = withHydrogens(nodes[node].label || String(nodes[node].id), hydrogens);
    const shown = text.length > 8 ? `${text.slice(0, 7)}…` : text;
    const fontSize = Math.min(size * 0.98, (size * 2.5) / Math.max(shown.length, 1));
    const numbered = nodes[node].element && !hydrogens; // CH₃ with a number would read like another formula
    const index = numbered ? [svgEl("tspan", { class: "index", dy: "0.25em" }, String(nodes[node].id))] : [];
    return [svgEl("text", { "font-size": round(fontSize), dy: "0.35em" }, shown, ...index)];
  }

  const isFar = (node) => drawn.near !== null && !drawn.near.has(node);

  // `hydrogens` says how many are written on the atom; a folded one is not drawn at all.
  function drawNode(node, look, folded, hydrogens) {
    const element = nodes[node].element;
    const coloured = /^[A-Z][a-z]?$/.test(element ?? "") ? ` element-${element}` : "";
    const more = (isFar(node) ? " far" : "") + (folded ? " folded" : "");
    const classes = ["node", look.role, ...look.flags].join(" ") + coloured + more;
    const size = sizeOf(node) * (story.molecule || story.written ? 1 : look.scale);
    const key = `${classes}/${look.scale.toFixed(3)}/${look.strength.toFixed(3)}/${hydrogens}`;
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
    body.after(...label(node, sizeOf(node), hydrogens));
  }

  function show(scene) {
    put(svg, "data-mode", scene.mode);
    const folded = drawn.folding ? foldedIn(hosts, scene.looks, drawn.agreed, drawn.folding.open) : new Map();
    scene.looks.forEach((look, node) => {
      drawNode(node, look, folded.has(node), [...folded.values()].filter((host) => host === node).length);
    });
    scene.ways.forEach((way, index) => {
      const { source, target, in_motif } = edges[index];
      const hidden = folded.has(source) || folded.has(target) ? " folded" : "";
      const faded = isFar(source) || isFar(target) ? " far" : "";
      const classes = `edge ${way}${in_motif ? " true" : ""}${faded}${hidden}`;
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

  // What a trace says of the graph beside its steps: the shown reason is outlined, the others thinly; each edge knows
  // the share of samples that contain it, and nodes that are not near what matters can be faded.
  function know({ reasons, shown, shares, near }) {
    drawn.near = near;
    drawn.agreed = new Set(reasons.flat());
    const { lines, widths } = shape.outline(reasons[shown] ?? []);
    outline.forEach((path, at) => {
      put(path, "d", lines[at]);
      put(path, "stroke-width", round(widths[at]));
    });
    const thinly = reasons.map((nodes, index) => (index === shown ? null : shape.contour(nodes, index)));
    others.replaceChildren(
      ...thinly.flatMap((d, index) => (d ? [svgEl("path", { class: `contour reason-${index + 1}`, d })] : [])),
    );
    edgeEls.forEach((edge, index) => edge.style.setProperty("--held", (shares[index] ?? 0).toFixed(3)));
  }

  // Hydrogens are folded into their atoms or not; with `open`, those that can be clicked now are drawn all the same.
  const fold = (wanted, open) => (drawn.folding = wanted ? { open } : null);

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
  const hydrogens = hosts.size > 0;
  const places = { box, points, radius, unit, lineOf: shape.line };
  return { svg, ...places, many, hydrogens, know, fold, show, light, showGroups, offer, scaled, write };
}

// A molecule's hydrogens are drawn small, or folded into the atom that holds them, which is then written CH₃ or NH₂.

// Which atom holds each hydrogen; one that does not hang on exactly one other atom is an atom like any other.
function hydrogenHosts(nodes, edges) {
  const bonds = nodes.map(() => []);
  for (const { source, target } of edges) {
    bonds[source].push(target);
    bonds[target].push(source);
  }
  const hangs = (node) => nodes[node].element === "H" && bonds[node].length === 1;
  const pairs = nodes.flatMap((_, node) => (hangs(node) ? [[node, bonds[node][0]]] : []));
  return new Map(pairs.filter(([, host]) => nodes[host].element !== "H"));
}

// The hydrogens that are not drawn now, with their atoms: those that nothing is said of. The answer's stay.
function foldedIn(hosts, looks, agreed, open) {
  const silent = open ? ["outside"] : ["outside", "frontier"];
  return new Map(
    [...hosts].filter(
      ([node]) => silent.includes(looks[node].role) && !looks[node].flags.includes("start") && !agreed.has(node),
    ),
  );
}

// What is written on an atom with so many hydrogens folded into it.
function withHydrogens(label, count) {
  if (!count) return label;
  return `${label}H${count > 1 ? subscript(count) : ""}`;
}
