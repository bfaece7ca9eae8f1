// The views of a training as a Streamlit component.

import { keptView } from "../kit/views.js";
import { createTrain } from "./train.js";

const NAMES = ["step", "state", "view", "command", "lacks"]; // what Python may want to hear of

export default keptView((parentElement) => {
  const callbacks = {};
  const train = createTrain(parentElement.querySelector(".train-host"), callbacks);
  function show(payload, { setTriggerValue }) {
    for (const name of NAMES) callbacks[name] = (value) => setTriggerValue(name, { value });
    train.show(payload);
  }
  return { show, destroy: train.destroy };
});
