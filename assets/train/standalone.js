// The views of a training in a file of its own: the recording stands in the page as JSON.

import { createTrain } from "./train.js";

const page = JSON.parse(document.getElementById("data").textContent);
createTrain(document.querySelector(".train-host"), {}).show(page);
