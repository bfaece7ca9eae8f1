// The state space beside the graph: the state graph, in which the playing trajectory moves. A click on a state of
// the trajectory goes to that step; one on another asks for a way to it.

import { el, setText } from "../kit/dom.js";
import { createStatePicture } from "../state_graph/picture.js";

const WAITING = "The states are being listed; the player plays on meanwhile.";

export function createStatesPanel(act) {
  const words = el("p", { class: "note" });
  const root = el("div", { class: "state-graph" });
  const element = el("section", { class: "panel states", "aria-label": "States" }, words, root);
  const over = (box) => act.lookAt(box?.nodes ?? []);
  const graph = createStatePicture(root, { report: (_, state) => choose(state), over });
  let [given, picture] = [null, null]; // as it came, and what is drawn

  function choose(state) {
    const box = picture.boxes.find(({ id }) => id === state);
    const at = picture.path.findIndex((each) => box.states.includes(each));
    if (at >= 0) act.goTo(at);
    else act.way(state);
  }

  // What Python lists; null while it is at it.
  function give(states) {
    setText(words, states?.words ?? WAITING);
    root.hidden = !states;
    if (!states || states === given) return;
    given = states;
    picture = states.picture;
    const { path } = picture;
    graph.show({ picture, path, draggable: false, selected: null, height: 360 });
  }

  function show(story, frame) {
    if (root.hidden) return;
    graph.flag(story.reasons.map(({ nodes }) => stateOf(nodes)));
    if (frame === story.cover) graph.select(stateOf(story.answer.nodes));
    else graph.select(picture.path[Math.min(frame, picture.path.length - 1)]);
  }
  function stateOf(nodes) {
    const wanted = [...nodes].sort((a, b) => a - b).join(" ");
    return picture.boxes.find((box) => box.id >= 0 && box.nodes.join(" ") === wanted)?.id ?? null;
  }
  return { element, give, show, destroy: graph.destroy };
}
