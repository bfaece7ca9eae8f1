// One state: flows in, flows out. Each flow has a slider; the sums and the residual follow at once.

import { el, onceAFrame } from "../kit/dom.js";
import { plain, plusMinus } from "../kit/numbers.js";
import { createSlider } from "../kit/sliders.js";
import { keptView } from "../kit/views.js";
import { createColours } from "../state_graph/surface.js";
import { createHub } from "../state_graph/hub.js";
import { createStateGraph } from "../state_graph/state_graph.js";

const [WIDE, HIGH] = [110, 232]; // of a slider; of the picture
const NARROW = 480; // of the picture: then cards are smaller
const PIPE = 3.4; // pixels of one unit of flow

export default keptView((parentElement) => {
  const root = parentElement.querySelector(".hand");
  const place = { body: el("div", { class: "picture" }), width: 0, height: HIGH };
  const formula = el("p", { class: "formula", role: "status" });
  root.append(place.body, formula);
  const redraw = onceAFrame(() => draw());
  const colours = createColours(root, redraw);
  const hub = createHub(root, { changed: draw });
  hub.choose = () => {};
  const card = () => [place.width < NARROW ? 50 : 70, 40];
  const look = () => ({ card: card(), least: 8, pipe: PIPE, side: 50, live: true, roomy: true });
  const graph = createStateGraph({ place, hub, colours, redraw, look });
  const observer = new ResizeObserver(() => ((place.width = place.body.clientWidth), draw()));
  observer.observe(place.body);
  let [data, shape, scene, flows, sliders] = [null, "", null, [], []];

  // Parents, the state itself, children and STOP.
  function build({ state, parents, children, step, most, fixed, reward }, tell) {
    const own = parents.length;
    const labels = [...parents, state, ...children, "STOP"];
    const column = labels.map((_, k) => (k < own ? 0 : k === own ? 1 : 2));
    const links = labels.flatMap((label, k) => (k < own ? [[k, own]] : k > own ? [[own, k, label.toLowerCase()]] : []));
    const keys = labels.map((_, k) => String(k));
    const last = labels.map((label) => label === "STOP");
    scene = { nodes: [], listed: true, untitled: true, states: keys.map(() => []), labels, keys, column, links, last };
    for (const { input } of sliders) input.remove();
    const named = links.slice(0, -1).map(([from, to]) => `Flow from ${labels[from]} to ${labels[to]}`);
    sliders = named.map((label, k) => {
      const moved = (value) => ((flows[k] = value), draw());
      return createSlider({ label, min: step, max: most, step, moved, settled: () => tell([...flows]) });
    });
    for (const { input } of sliders) input.disabled = fixed;
    place.body.append(...sliders.map(({ input }) => input));
    scene.words = links.map((_, k) => () => (k < flows.length ? plain(flows[k]) : `R = ${plain(reward)}`));
  }

  function draw() {
    if (!data || !place.width) return;
    colours.read();
    const all = [...flows, data.reward];
    scene.added = scene.words.map((words) => words());
    const count = data.parents.length;
    const [inward, outward] = [flows.slice(0, count), all.slice(count)];
    const [into, out] = [inward, outward].map((some) => some.reduce((sum, flow) => sum + flow, 0));
    const off = Math.log(into) - Math.log(out);
    const residuals = scene.labels.map((_, state) => (state === count ? off : 0));
    graph.draw({ scene, get: (name) => ({ flow: all, residuals })[name] ?? null });
    sliders.forEach(({ set, place: stand }, k) => {
      const [from, to] = scene.links[k].map(graph.placeOf);
      const width = Math.min(WIDE, to.x - from.x - from.w - to.w - 8); // between the cards
      stand((from.x + to.x - width) / 2, (from.y + to.y) / 2 + 8, width);
      set(flows[k], plain(flows[k]));
    });
    const even = Math.abs(into - out) < 1e-9;
    root.classList.toggle("even", even);
    const plus = (some) => some.map(plain).join(" + ");
    formula.replaceChildren(
      `residual = log(${plus(inward)}) − log(${plus(outward)}) = log ${plain(into)} − log ${plain(out)} = `,
      el("b", {}, even ? "0: balanced" : plusMinus(off)),
    );
  }

  function show(next, { setStateValue }) {
    const now = JSON.stringify({ ...next, flows: 0 });
    data = next;
    if (now !== shape || !sliders.some(({ input }) => input.matches(":active"))) flows = [...next.flows];
    if (now !== shape) build(next, (values) => setStateValue("flows", values));
    shape = now;
    draw();
  }
  return { show, destroy: () => (observer.disconnect(), redraw.stop()) };
});
