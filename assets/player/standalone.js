// The player in a file of its own: the trace stands in the page as JSON. With a state space see standalone_states.js.

import { createPlayer } from "./player.js";

const page = JSON.parse(document.getElementById("data").textContent);
createPlayer(document.querySelector(".player-host"), {}).show(page);
