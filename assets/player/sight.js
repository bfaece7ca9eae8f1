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
    const { trace, reasons, motif, links } = story;
    const told = reasons.flatMap(({ nodes }) => nodes);
    const core = [...(told.length ? told : motif), ...trace.final.nodes];
    part = partBox(sight.graph, core);
    sight.graph.know({
      reasons: story.outlined ? reasons.map(({ nodes }) => nodes) : [],
      rings: story.rings,
      shown: story.shown,
      shares: trace.edge_marginals,
      near: part && nearTo(core, links, sight.graph.points, part),
    });
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

// The nodes that are not faded: those that matter, and their neighbours in the box around them.
function nearTo(core, links, points, [x, y, width, height]) {
  const seen = (node) => {
    const [left, top] = [points[node][0] - x, points[node][1] - y];
    return left >= 0 && left <= width && top >= 0 && top <= height;
  };
  return new Set(core.flatMap((node) => [node, ...links[node].filter(seen)]));
}

// The box around what matters of a large graph, some nodes with some of their surroundings; null where that is nearly
// everything.
export function partBox({ points, unit, radius, box, written }, core) {
  if (written || points.length <= LARGE || !core.length) return null;
  const pad = Math.max(0.7 * unit, 4 * radius);
  const part = bounds(core.map((node) => points[node]), pad);
  return part[2] * part[3] < MOST * box[2] * box[3] ? part : null;
}
