// The graph on its stage: drawn anew only where its nodes or edges change, and seen as a whole or where it matters.

import { createCamera, framed, inside } from "../kit/camera.js";
import { bounds } from "../kit/paths.js";
import { createGraph } from "./graph.js";

const STRIP = 34; // pixels kept free at the bottom of the graph, where STOP stands
const ROOM = [460, 340]; // a small graph is not blown up beyond this box
const LINES = [420, 190]; // nor a short sentence beyond this one
const LARGE = 36; // nodes up to which a graph is shown whole
const MOST = 0.6; // of the whole picture: a part that is larger than this is no part

export function createSight(stage, partButton) {
  const sight = { graph: null, camera: null, key: null };
  let part = null; // the box around what matters, null where that is everything

  // A trace is to be seen: the view stays as it was where the graph does.
  sight.open = (story) => {
    const other = sight.key !== story.graphKey;
    if (other) {
      sight.camera?.destroy();
      Object.assign(sight, mountGraph(stage, story, () => ROOM, STRIP), { key: story.graphKey });
    }
    const matters = whatMatters(story, sight.graph);
    sight.graph.know({
      reasons: story.outlined ? story.reasons.map(({ nodes }) => nodes) : [],
      rings: story.rings,
      shown: story.shown,
      shares: story.trace.edge_marginals,
      near: matters?.near ?? null,
    });
    part = matters?.part ?? null;
    partButton.hidden = !part;
    if (other) sight.look(part !== null);
  };

  // At what matters, with the rest faded, or at all.
  sight.look = (closely) => {
    stage.classList.toggle("focused", closely);
    if (closely) sight.lookAt(part);
    else sight.camera.fit();
  };
  return sight;
}

// Draws a graph on a stage, with a camera. A small one is not blown up beyond the box `room()`, and `strip` pixels at
// the bottom stay free. `lookAt(part)` shows a part of it.
export function mountGraph(stage, story, room, strip = 0) {
  const size = () => [stage.clientWidth || 600, stage.clientHeight || 450];
  const graph = createGraph(story);
  stage.replaceChildren(graph.svg);
  const camera = createCamera(stage, graph.svg, {
    home: () => framed(graph.box, size(), story.written ? LINES : room(), strip),
    changed: (box) => graph.scaled(box[2] / size()[0]),
  });
  function lookAt(part) {
    const [x, y, width] = framed(part, size(), [0, 0], strip);
    camera.show(inside(camera.home, x, y, Math.min(width, camera.home[2])));
  }
  return { graph, camera, lookAt };
}

// What matters of a graph: `part`, the box around it, and `near`, the nodes that are not faded: those that matter and
// their neighbours in the box. Null where the whole graph does.
export function whatMatters({ trace, reasons, motif, links, written }, graph) {
  const told = reasons.flatMap(({ nodes }) => nodes);
  const core = [...new Set([...(told.length ? told : motif), ...trace.final.nodes])];
  const part = !written && trace.nodes.length > LARGE && core.length ? partBox(graph, core) : null;
  if (!part) return null;
  const [x, y, width, height] = part;
  const seen = (node) => {
    const [left, top] = [graph.points[node][0] - x, graph.points[node][1] - y];
    return left >= 0 && left <= width && top >= 0 && top <= height;
  };
  return { part, near: new Set(core.flatMap((node) => [node, ...links[node].filter(seen)])) };
}

// The box around some nodes with some of their surroundings; null where that is nearly everything.
function partBox({ points, unit, radius, box }, core) {
  const pad = Math.max(0.7 * unit, 4 * radius);
  const part = bounds(core.map((node) => points[node]), pad);
  return part[2] * part[3] < MOST * box[2] * box[3] ? part : null;
}
