// A state graph as a Streamlit component.

import { keptView } from "../../../assets/kit/views.js";
import { createStatePicture } from "../../../assets/state_graph/picture.js";

export default keptView((parentElement) => {
  const calls = {};
  const report = (name, value) => calls.report(name, value);
  const picture = createStatePicture(parentElement.querySelector(".state-graph"), { report });
  function show(data, { setTriggerValue }) {
    calls.report = setTriggerValue;
    picture.show(data);
  }
  return { show, destroy: picture.destroy };
});
