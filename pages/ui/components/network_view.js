// Shows an SVG picture of a network with tips, zoom and pan, and reports which node was chosen.
// The picture is kept while it stays the same, so choosing another node moves nothing.

import { ZOOM_STEP, createCamera } from "../../../assets/kit/camera.js";
import { el, parseSvg, svgEl } from "../../../assets/kit/dom.js";
import { createTip, onPointing } from "../../../assets/kit/tips.js";
import { keptView } from "../../../assets/kit/views.js";

const nodeOf = (event) => event.target.closest?.("[data-node]");

export default keptView((parentElement) => {
  const root = parentElement.querySelector(".view");
  const [stage, legend] = [root.querySelector(".stage"), root.querySelector(".legend")];
  const tip = createTip(root);
  let [source, svg, camera, pick] = [null, null, null, null];

  root.querySelector(".in").onclick = () => camera.zoom(ZOOM_STEP);
  root.querySelector(".out").onclick = () => camera.zoom(1 / ZOOM_STEP);
  root.querySelector(".all").onclick = () => camera.fit();
  stage.addEventListener("click", (event) => {
    const node = nodeOf(event);
    if (node && !camera.dragged) pick(Number(node.dataset.node));
  });
  stage.addEventListener("keydown", (event) => {
    const node = nodeOf(event);
    if (!node || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    pick(Number(node.dataset.node));
  });
  const pointed = (event) => (nodeOf(event) ? tip.show(nodeOf(event), nodeOf(event).dataset.tip) : tip.hide());
  onPointing(stage, pointed, tip.hide);

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
    markSelected(data.selected);
    legend.replaceChildren(...data.legend.map((entry) => el("span", {}, parseSvg(entry.svg), entry.text)));
  }
  return { show, destroy: () => camera?.destroy() };
});
