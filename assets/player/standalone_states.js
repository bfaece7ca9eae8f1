// The player with its state space in a file of its own; without one, standalone.js is enough.

import { createPlayer } from "./player.js";
import { createStatesPanel } from "./states.js";

const page = JSON.parse(document.getElementById("data").textContent);
createPlayer(document.querySelector(".player-host"), {}, createStatesPanel).show(page);
