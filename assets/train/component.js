// The views of a training as a Streamlit component: of a recording that comes with it, or of one that comes as news.

import { keptView } from "../kit/views.js";
import { collect } from "./stream.js";
import { createTrain } from "./train.js";

const AGAIN = 2000; // ms after which a click that was not heard is told again
const NAMES = ["step", "state", "view", "command", "lacks"]; // what Python may want to hear of

export default keptView((parentElement) => {
  const callbacks = {};
  const train = createTrain(parentElement.querySelector(".train-host"), callbacks);
  let leave = () => {};
  const stamp = () => `${performance.now()} ${Math.random()}`; // Streamlit may send the same twice
  let [clicked, tell] = [null, () => {}]; // a command that Python has not said it has heard, and the way to tell it
  function show(payload, { setTriggerValue }) {
    for (const name of NAMES) callbacks[name] = (value) => setTriggerValue(name, { value, stamp: stamp() });
    tell = () => setTriggerValue("command", { value: clicked.value, stamp: clicked.stamp });
    callbacks.command = (value) => {
      clicked = { value, stamp: stamp(), at: performance.now() };
      tell();
    };
    leave();
    if (payload.lanes) train.show(payload);
    else leave = collect(payload.mail, news);
  }
  function news(payload) {
    if (!payload.live || payload.clicked === clicked?.stamp) clicked = null;
    else if (clicked && performance.now() - clicked.at > AGAIN) {
      clicked.at = performance.now(); // on a busy computer a click may be lost on its way
      tell();
    }
    train.show(payload);
  }
  function destroy() {
    leave();
    train.destroy();
  }
  return { show, destroy };
});
