// One instance for each place on the page: numbers change, the pictures stay.

const views = new WeakMap();

export default function (component) {
  const { data: [data], parentElement } = component;
  const root = parentElement.querySelector(".sequences");
  let view = views.get(root);
  if (!view) {
    view = start(root, data);
    views.set(root, view);
  }
  view.show(data);
  return () => { view.stop(); views.delete(root); };
}

function start(root, first) {
  const stage = root.querySelector(".stage");
  const figure = root.querySelector(".factors");
  const rows = buildTable(root.querySelector(".table"), first);
  let data = first;
  let drawn = null;
  let points = null;

  const layOut = () => {
    const width = Math.round(stage.clientWidth);
    if (!width || (drawn && drawn.width === width)) return;
    drawn = buildStage(stage, data, width);
    updateStage(drawn, data);
  };
  const watcher = new ResizeObserver(layOut);
  watcher.observe(stage);
  listen(root);

  return {
    show(next) {
      const turned = next.merged !== data.merged;
      data = next;
      layOut();
      if (drawn) updateStage(drawn, data);
      if (drawn && turned) fly(drawn, data);
      updateTable(rows, data);
      if (points?.highest !== data.highest) points = buildPlot(figure, data);
      updatePlot(points, data);
    },
    stop: () => watcher.disconnect(),
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
