// What lessons that need no server share: each is one view, in the explorer and on the site.

import graphViewStyle from "../components/graph_view.css";
import { createGraphPane } from "../components/graph_view.js";
import { el } from "../kit/dom.js";
import { shaded } from "../kit/shade.js";
import { keptView } from "../kit/views.js";
import graphStyle from "../player/graph.css";
import panelStyle from "../player/panels.css";
import playerStyle from "../player/player.css";
import { createStatePicture } from "../state_graph/picture.js";
import stateStyle from "../state_graph/state_graph.css";
import style from "./lesson.css";

// `create(body, content, report)` fills a body; the function that it returns opens what a link says, texts by name.
// `report` hears such texts after each change. `content.roles` is a style sheet with the colours of roles.
export function lesson(create) {
  return keptView((parentElement) => {
    let [open, tell] = [null, null];
    function show({ state, ...content }, { setStateValue }) {
      tell = setStateValue;
      if (!open) {
        const body = el("div", { class: "kit lesson-body" });
        parentElement.querySelector(".lesson").append(body);
        shaded(body.parentElement, content.roles, style);
        open = create(body, content, (next) => tell("state", { ...next, at: performance.now() })); // each is another one
      }
      open(state ?? {});
    }
    return { show };
  });
}

// A part with a shadow tree of its own; what is drawn stands in its only child.
export function part(roles, kind, ...styles) {
  const inside = el("div", { class: `kit ${kind}` });
  const element = el("div", { class: "part" }, inside);
  shaded(element, roles, ...styles);
  return { element, inside };
}

// A small graph whose nodes are buttons; `choose(node)` hears which is clicked.
export function graphPart({ roles }, choose) {
  const { element, inside } = part(roles, "player graph-view", graphStyle, playerStyle, panelStyle, graphViewStyle);
  const pane = createGraphPane({ node: choose });
  inside.append(pane.element);
  const plain = { hulls: {}, highlighted: [], edits: false };
  return { element, show: (data) => pane.show({ ...plain, ...data }) };
}

export function statePart({ roles }, report) {
  const { element, inside } = part(roles, "state-graph", stateStyle);
  return { element, ...createStatePicture(inside, { report }) };
}

// What a set of nodes is called, in whatever order they come.
export const keyOf = (nodes) => [...nodes].sort((a, b) => a - b).join();

// What a node is to a set: in it, next to it, or outside.
export function roleIn(members, edges, id) {
  if (members.includes(id)) return "member";
  const linked = edges.some(([a, b]) => (a === id && members.includes(b)) || (b === id && members.includes(a)));
  return linked ? "frontier" : "outside";
}

// Buttons by what is written on them, each with what it does; where a teacher hides the controls there are none.
export function buttons(acts, { fixed }) {
  const made = Object.entries(acts).map(([label, onclick]) => el("button", { type: "button", onclick }, label));
  return el("div", { class: "buttons", hidden: fixed }, ...made);
}
