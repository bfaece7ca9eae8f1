// The latest trajectories as small pictures: nodes numbered in the order in which they were added.

import { signed } from "../kit/numbers.js";
import { span } from "../kit/paths.js";
import { blend } from "./colours.js";
import { pointable } from "./hub.js";
import { createPanel, createSurface } from "./panel.js";
import { drawSketch } from "./sketch.js";
import { keyOf } from "./tape.js";
import { holds, nodeName, stateWords } from "./words.js";

const UNDER = 15; // pixels for the words below a picture

export function createTrajectories({ lane, hub, colours, sketches, redraw }) {
  const panel = createPanel("paths", lane, "Latest trajectories", redraw);
  const surface = createSurface(panel, "The latest trajectories");
  const { canvas, pen } = surface;
  let shown = null;

  // As many columns as make the pictures largest.
  function gridOf({ nodes }, count) {
    const [wide, high] = ["x", "y"].map((axis) => span(nodes.map((node) => node[axis]))).map(([low, top]) => top - low);
    const shape = Math.min(2.5, Math.max(0.6, (wide + 1) / (high + 1)));
    const sizes = [1, 2, 3, 4, 8].map((columns) => {
      const [width, height] = [panel.width / columns, panel.height / Math.ceil(count / columns) - UNDER];
      return { columns, width, height: height + UNDER, least: Math.min(width / shape, height - 8) };
    });
    return sizes.reduce((best, size) => (size.least > best.least ? size : best));
  }

  function draw(moment) {
    if (!panel.width) return;
    const sized = surface.fit();
    const same = shown?.moment.frame === moment?.frame && shown?.lit === hub.lit && shown?.age === sketches.age;
    if (moment && shown && same && !sized) {
      shown.moment = moment;
      return;
    }
    surface.clear();
    if (!moment) return;
    const { scene } = moment;
    const paths = moment.get("paths") ?? [];
    shown = { moment, paths, lit: hub.lit, age: sketches.age, ...gridOf(scene, Math.max(1, paths.length)) };
    paths.forEach((path, k) => cell(scene, path, k));
    panel.say(`The latest ${paths.length}: nodes are numbered as they were added.`);
  }

  function cell(scene, path, k) {
    const { columns, width, height } = shown;
    const [x, y] = [(k % columns) * width, Math.floor(k / columns) * height];
    const lit = hub.lit && holds(hub.lit, path);
    pen.globalAlpha = hub.lit && !lit ? 0.3 : 1;
    pen.save();
    pen.translate(x + width / 2, y + (height - UNDER) / 2 + 2);
    drawSketch(pen, scene, path, [width - 12, height - UNDER - 8], colours, true);
    pen.restore();
    pen.beginPath();
    pen.roundRect(x + 2, y + 2, width - 4, height - 4, 6);
    pen.lineWidth = lit ? 2 : 1;
    pen.strokeStyle = lit ? blend(colours.accent, colours.paper) : blend(colours.line, colours.paper);
    pen.stroke();
    pen.textAlign = "center";
    pen.fillStyle = blend(colours.ink, colours.paper, 0.75);
    const state = scene.index.get(keyOf(path));
    if (state !== undefined) pen.fillText(`log R ${signed(scene.log_reward[state], 1)}`, x + width / 2, y + height - 8);
    pen.globalAlpha = 1;
  }

  const found = (k) => {
    const { moment, paths, columns, width, height } = shown;
    const { scene } = moment;
    const path = paths[k];
    if (!path) return null;
    const key = keyOf(path);
    return {
      selection: { kind: "state", key, nodes: path },
      box: [(k % columns) * width, Math.floor(k / columns) * height, width, height],
      text: () => {
        const state = scene.index.get(key);
        const order = path.map((node) => nodeName(scene, node)).join(" → ");
        return state === undefined ? order : `${order} · ${stateWords(shown.moment, state)}`;
      },
    };
  };
  let at = 0;
  pointable(canvas, hub, {
    find(x, y) {
      if (!shown) return null;
      return found(Math.floor(y / shown.height) * shown.columns + Math.floor(x / shown.width));
    },
    walk(dx, dy) {
      if (!shown) return null;
      at = Math.min(shown.paths.length - 1, Math.max(0, at + dx + dy * shown.columns));
      return found(at);
    },
  });
  return { panel, draw };
}
