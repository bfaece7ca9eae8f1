// Where things go: lines, boxes, zoom, tips, and which views are kept.

import { framed, inside, zoomed } from "../../assets/kit/camera.js";
import { bounds, cross, mix, round, span } from "../../assets/kit/paths.js";
import { tipPlace } from "../../assets/kit/tips.js";
import { keptView } from "../../assets/kit/views.js";
import { stateScene } from "../../assets/player/scenes.js";
import { discs } from "../../assets/player/shapes.js";
import { close, equal, run, soon, test } from "./harness.js";

const HOME = [0, 0, 400, 300];

test("a picture is framed in the shape of its stage, in the middle", () => {
  close(framed([0, 0, 800, 100], [400, 300], [1, 1]), [0, -250, 800, 600]);
  close(framed([10, 20, 10, 10], [400, 300], [400, 300]), [-185, -125, 400, 300]); // not blown up
  const [, y, , height] = framed([0, 0, 400, 300], [400, 334], [1, 1], 34);
  close([y, height], [0, 334]); // the strip at the bottom stays free
});

test("zooming keeps the place that is pointed at", () => {
  const box = zoomed(HOME, HOME, 2, [100, 75]);
  close(box, [50, 37.5, 200, 150]);
  close((100 - box[0]) / box[2], 0.25);
  close(zoomed(HOME, HOME, 2), [100, 75, 200, 150]);
});

test("zooming in and out again comes back, and goes neither beyond all nor into nothing", () => {
  close(zoomed(HOME, zoomed(HOME, HOME, 1.4), 1 / 1.4), HOME, 1e-6);
  close(zoomed(HOME, HOME, 0.5), HOME);
  equal(zoomed(HOME, HOME, 1e6)[2] > 10, true);
});

test("the view stays inside", () => {
  close(inside(HOME, -50, 500, 100), [0, 225, 100, 75]);
  close(inside([-10, -10, 40, 40], 100, 0, 20), [10, 0, 20, 20]);
});

test("a tip is above its target, below where there is no room, and inside its frame", () => {
  const frame = { left: 100, top: 50, width: 300 };
  const target = (left, top) => ({ left, top, width: 20, height: 20, bottom: top + 20 });
  equal(tipPlace(target(240, 150), frame, [80, 30]), { left: 110, top: 62 });
  equal(tipPlace(target(240, 60), frame, [80, 30]), { left: 110, top: 38 });
  equal(tipPlace(target(100, 150), frame, [80, 30]).left, 4);
  equal(tipPlace(target(380, 150), frame, [80, 30]).left, 216);
});

test("of the frontier, the three most likely nodes and the one that is taken are labelled", () => {
  const frontier = [0.1, 0.4, 0.02, 0.3, 0.18].map((probability, k) => ({ node: k + 1, probability }));
  const step = { members: [0], frontier, chosen: 3, added: null, cut_vertices: [], parents: [] };
  const { looks } = stateScene({ nodes: Array(6).fill({}), edges: [], start: 0 }, step);
  equal(looks.flatMap(({ flags }, node) => (flags.includes("likely") ? [node] : [])), [2, 3, 4, 5]);
});

test("the shown reason has a thick outline, another one a thin one around it, and a ring has none inside", () => {
  const corner = (k) => ({ position: [Math.cos((k * Math.PI) / 3), Math.sin((k * Math.PI) / 3)] });
  const nodes = [0, 1, 2, 3, 4, 5].map(corner);
  const edges = nodes.map((_, k) => ({ source: k, target: (k + 1) % 6, order: 1 }));
  const { outline } = discs(nodes, edges, 1);
  const five = [1, 2, 3, 4, 5];
  const [shown, other] = [0, 1].map((level) => outline(five, [], level));
  equal(shown.widths[0] - shown.widths[1] > other.widths[0] - other.widths[1], true);
  equal(other.widths[1] > shown.widths[0] - 1, true);
  equal(shown.lines[0].includes("Z"), false);
  equal(outline([0, ...five], [[0, ...five]], 0).lines[0].endsWith("Z"), true); // it is filled
});

test("lines and values", () => {
  equal(bounds([[3, 1], [1, 5]], 2), [-1, -1, 6, 8]);
  equal(cross([5, 5], 2), "M3 3l4 4m0 -4l-4 4");
  equal([round(1.26), span([3, 1, 2])], [1.3, [1, 3]]);
  close(mix(0, 10, 0.3), 3);
  close([...mix([0, 4], [2, 8, 5], 0.5)], [1, 6, 5]);
  equal(mix(null, [1], 0.5), null);
});

test("a view is made once for each element and ends with it", async () => {
  const told = [];
  const component = keptView((parent) => {
    told.push(`made ${parent.name}`);
    return { show: (data, { report }) => told.push(`${report}: ${data}`), destroy: () => told.push("gone") };
  });
  const [a, b] = [{ name: "a" }, { name: "b" }];
  component({ data: [1], parentElement: a, report: "first" });
  component({ data: [2], parentElement: b, report: "other" });
  const end = component({ data: [3], parentElement: a, report: "again" });
  await soon();
  equal(told, ["made a", "first: 1", "made b", "other: 2", "again: 3"]);
  end();
  component({ data: [4], parentElement: a, report: "anew" });
  await soon();
  equal(told.slice(-3), ["gone", "made a", "anew: 4"]);
});

export default run;
