// The player as a Streamlit component.

import { keptView } from "../kit/views.js";
import { createPlayer } from "./player.js";
import { createStatesPanel } from "./states.js";

const NAMES = ["step", "take", "explain", "way", "view", "present", "reason"]; // what Python may hear of

export default keptView((parentElement) => {
  const callbacks = {};
  const player = createPlayer(parentElement.querySelector(".player-host"), callbacks, createStatesPanel);
  function show({ trace, words, ...options }, { setTriggerValue }) {
    const tell = (name) => (value) => setTriggerValue(name, value);
    for (const name of NAMES) callbacks[name] = options.hears.includes(name) ? tell(name) : null;
    player.show({ trace, words, options });
  }
  return { show, destroy: player.destroy };
});
