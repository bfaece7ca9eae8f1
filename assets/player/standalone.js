// The player in a file of its own: the trace stands in the page as JSON.

import { createPlayer } from "./player.js";

const page = JSON.parse(document.getElementById("data").textContent);
createPlayer(document.querySelector(".player-host"), {}).show(page);
