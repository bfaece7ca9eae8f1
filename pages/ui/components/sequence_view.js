// One instance for each place on the page: numbers change, the pictures stay.

import { keptView } from "../../../assets/kit/views.js";
import { buildStage, fly, updateStage } from "./sequence_drawing.js";
import { buildPlot, buildTable, updatePlot, updateTable } from "./sequence_results.js";

export default keptView((parentElement) => createView(parentElement.querySelector(".sequences")));

function createView(root) {
  const stage = root.querySelector(".stage");
  const figure = root.querySelector(".factors");
  let [data, rows, drawn, points] = [null, null, null, null];

  const layOut = () => {
    const width = Math.round(stage.clientWidth);
    if (!data || !width || drawn?.width === width) return;
    drawn = buildStage(stage, data, width);
    updateStage(drawn, data);
  };
  const watcher = new ResizeObserver(layOut);
  watcher.observe(stage);
  listen(root);

  return {
    show(next) {
      const turned = data !== null && next.merged !== data.merged;
      data = next;
      rows ??= buildTable(root.querySelector(".table"), data);
      layOut();
      if (drawn) updateStage(drawn, data);
      if (drawn && turned) fly(drawn, data);
      updateTable(rows, data);
      if (points?.highest !== data.highest) points = buildPlot(figure, data);
      updatePlot(points, data);
    },
    destroy: () => watcher.disconnect(),
  };
}

// Pointing at a set marks all that belongs to it.
function listen(root) {
  const mark = (state) => {
    for (const element of root.querySelectorAll("[data-state]")) {
      element.classList.toggle("marked", state !== undefined && element.dataset.state === state);
    }
  };
  root.addEventListener("pointerover", (event) => mark(event.target.closest("[data-state]")?.dataset.state));
  root.addEventListener("pointerleave", () => mark(undefined));
}
