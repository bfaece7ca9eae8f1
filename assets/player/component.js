// The player as a Streamlit component.

import { keptView } from "../kit/views.js";
import { createPlayer } from "./player.js";

export default keptView((parentElement) => {
  const callbacks = {};
  const player = createPlayer(parentElement.querySelector(".player-host"), callbacks);
  function show({ trace, theorem, ...options }, { setTriggerValue }) {
    callbacks.step = options.reports ? (frame) => setTriggerValue("step", frame) : null;
    callbacks.explain = options.explains ? (node) => setTriggerValue("explain", node) : null;
    callbacks.take = (action) => setTriggerValue("take", action);
    player.show({ trace, theorem, options });
  }
  return { show, destroy: player.destroy };
});
