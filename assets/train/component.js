// The views of a training as a Streamlit component: of a recording that comes with it, or of one that comes as news.

import { keptView } from "../kit/views.js";
import { collect } from "./mail.js";
import { createTrain } from "./train.js";

const NAMES = ["step", "state", "view", "command", "lacks"]; // what Python may want to hear of

export default keptView((parentElement) => {
  const callbacks = {};
  const train = createTrain(parentElement.querySelector(".train-host"), callbacks);
  let leave = () => {};
  const stamp = () => `${performance.now()} ${Math.random()}`; // Streamlit may send the same twice
  function show(payload, { setTriggerValue }) {
    for (const name of NAMES) callbacks[name] = (value) => setTriggerValue(name, { value, stamp: stamp() });
    leave();
    if (payload.lanes) train.show(payload);
    else leave = collect(payload.mail, train.show);
  }
  function destroy() {
    leave();
    train.destroy();
  }
  return { show, destroy };
});
