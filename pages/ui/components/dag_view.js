// A state DAG as a Streamlit component.

import { createDag } from "../../../assets/dag/dag.js";
import { keptView } from "../../../assets/kit/views.js";

export default keptView((parentElement) => {
  const calls = {};
  const dag = createDag(parentElement.querySelector(".dag"), { report: (name, value) => calls.report(name, value) });
  function show(data, { setTriggerValue }) {
    calls.report = setTriggerValue;
    dag.show(data);
  }
  return { show, destroy: dag.destroy };
});
