// The state space beside the graph: all states as a DAG, in which the playing trajectory moves. A click on a state of
// the trajectory goes to that step; one on another asks for a way to it.

import { createDag } from "../dag/dag.js";
import { el, setText } from "../kit/dom.js";

const WAITING = "The states are being listed; the player plays on meanwhile.";

export function createStatesPanel(act) {
  const words = el("p", { class: "note" });
  const root = el("div", { class: "dag" }, el("div", { class: "dag-stage" }));
  const element = el("section", { class: "panel states", "aria-label": "States" }, words, root);
  const dag = createDag(root, { report: (_, state) => choose(state), over: (box) => act.lookAt(box?.nodes ?? []) });
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
    dag.show({ picture, path, clickable: true, draggable: false, selected: null, height: 360, beside: false });
  }

  function show(story, frame) {
    if (root.hidden) return;
    dag.flag(story.reasons.map(({ nodes }) => stateOf(nodes)));
    if (frame === story.cover) dag.select(stateOf(story.answer.nodes));
    else dag.select(picture.path[Math.min(frame, picture.path.length - 1)]);
  }
  function stateOf(nodes) {
    const wanted = [...nodes].sort((a, b) => a - b).join(" ");
    return picture.boxes.find((box) => box.id >= 0 && box.nodes.join(" ") === wanted)?.id ?? null;
  }
  return { element, give, show, destroy: dag.destroy };
}
