// Shows an SVG picture of a network with tips, zoom and pan, and reports which node was chosen: by a click, or by Enter
// on the one that arrow keys have gone to. The picture is kept while it stays the same, so choosing moves nothing.

import { createCamera } from "../kit/camera.js";
import { el, parseSvg, svgEl } from "../kit/dom.js";
import { createTip } from "../kit/tips.js";
import { keptView } from "../kit/views.js";
import { zoomTools } from "../player/parts.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const nodeOf = (event) => event.target.closest?.("[data-node]");

export default keptView((parentElement) => {
  const root = parentElement.querySelector(".view");
  const [stage, legend] = ["stage", "legend"].map((name) => el("div", { class: name }));
  root.append(stage, zoomTools((factor) => camera.zoom(factor), () => camera.fit()), legend);
  const tip = createTip(root);
  let [source, svg, camera, pick] = [null, null, null, null];

  stage.addEventListener("click", (event) => {
    const node = nodeOf(event);
    if (node && !camera.dragged) pick(Number(node.dataset.node));
  });
  stage.addEventListener("keydown", (event) => {
    const [node, by] = [nodeOf(event), STEPS[event.key]];
    if (!by && (!node || !["Enter", " "].includes(event.key))) return;
    event.preventDefault();
    if (by) go([...svg.querySelectorAll("[data-node]")], node, by);
    else pick(Number(node.dataset.node));
  });
  function go(nodes, from, by) {
    const to = nodes.at((nodes.indexOf(from) + (from || by > 0 ? by : 0)) % nodes.length);
    for (const [name, value] of [["tabindex", -1], ["role", "img"], ["aria-label", to.dataset.tip]]) {
      to.setAttribute(name, value);
    }
    to.focus();
  }

  // Another picture of the same size is shown from where one has zoomed to.
  function draw(text, enlarge) {
    tip.hide();
    source = text;
    svg = parseSvg(text);
    const home = svg.getAttribute("viewBox").split(" ").map(Number);
    svg.style.maxWidth = `${Math.round(home[2] * enlarge)}px`;
    stage.replaceChildren(svg);
    const before = camera;
    before?.destroy();
    camera = createCamera(stage, svg, { home: () => home });
    if (before?.home.join() === home.join()) camera.show(before.box);
  }

  function markSelected(id) {
    svg.querySelector(".selected")?.remove();
    const node = id == null ? null : svg.querySelector(`[data-node="${Number(id)}"]`);
    if (!node) return;
    const { x, y, width, height } = node.getBBox();
    const place = { cx: x + width / 2, cy: y + height / 2, r: Math.max(9, width * 1.2) };
    svg.append(svgEl("circle", { class: "ring selected", ...place, "stroke-width": 3, "pointer-events": "none" }));
  }

  function show(data, { setTriggerValue }) {
    pick = (node) => data.clickable && setTriggerValue("pick", node);
    root.classList.toggle("clickable", data.clickable);
    if (source !== data.svg) draw(data.svg, data.enlarge);
    if (data.clickable) svg.setAttribute("tabindex", 0);
    markSelected(data.selected);
    legend.replaceChildren(...data.legend.map((entry) => el("span", {}, parseSvg(entry.svg), entry.text)));
  }
  return { show, destroy: () => camera?.destroy() };
});
