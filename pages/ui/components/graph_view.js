// The small graph as a component of its own.

import { keptView } from "../../../assets/kit/views.js";
import { createGraphPane } from "./graph_pane.js";

export default keptView((parentElement) => {
  const act = {};
  const pane = createGraphPane(act);
  parentElement.querySelector(".graph-view").replaceChildren(pane.element);
  function show(data, { setTriggerValue }) {
    act.node = (node) => setTriggerValue("node", data.nodes[node].id);
    pane.show(data);
  }
  return { show, destroy: pane.destroy };
});
