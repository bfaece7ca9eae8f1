// The graph on its stage: drawn anew only where its nodes or edges change, and seen as a whole or where it matters.

import { createCamera, framed } from "../kit/camera.js";
import { partView, whatMatters } from "./focus.js";
import { createGraph } from "./graph.js";

const STRIP = 34; // pixels kept free at the bottom of the graph, where STOP stands
const ROOM = [460, 340]; // a small graph is not blown up beyond this box
const LINES = [420, 190]; // nor a short sentence beyond this one

export function createSight(stage, partButton) {
  const sight = { graph: null, camera: null, key: null };
  let part = null; // the box around what matters, null where that is everything
  const size = () => [stage.clientWidth || 600, stage.clientHeight || 450];

  function draw(story) {
    sight.camera?.destroy();
    const graph = createGraph(story);
    stage.replaceChildren(graph.svg);
    const camera = createCamera(stage, graph.svg, {
      home: () => framed(graph.box, size(), story.written ? LINES : ROOM, STRIP),
      changed: (box) => graph.scaled(box[2] / size()[0]),
    });
    Object.assign(sight, { graph, camera, key: story.graphKey });
  }

  // A trace is to be seen: the view stays as it was where the graph does.
  sight.open = (story) => {
    const other = sight.key !== story.graphKey;
    if (other) draw(story);
    const matters = whatMatters(story, sight.graph);
    sight.graph.know({
      reasons: story.outlined ? story.reasons.map(({ nodes }) => nodes) : [],
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
    if (closely) sight.camera.show(partView(sight.camera.home, part, size(), STRIP));
    else sight.camera.fit();
  };
  return sight;
}
