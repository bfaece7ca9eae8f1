// Shows an SVG picture of a network with tips, zoom and pan, and reports which node was chosen.
// The picture is kept while it stays the same, so choosing another node moves nothing.

const views = new WeakMap();
const STEP = 1.4;
const DRAG = 4; // pixels before a press counts as dragging

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component;
  let view = views.get(parentElement);
  if (!view) {
    view = createView(parentElement);
    views.set(parentElement, view);
  }
  view.pick = (node) => data.clickable && setTriggerValue("pick", node);
  view.show(data);
}

function parse(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  return document.importNode(parsed, true);
}

function createView(parent) {
  const root = parent.querySelector(".view");
  const stage = root.querySelector(".stage");
  const tip = root.querySelector(".tip");
  const legend = root.querySelector(".legend");
  const view = { source: null, svg: null, home: null, box: null, pick: () => {} };

  const setBox = (box) => {
    view.box = box;
    view.svg.setAttribute("viewBox", box.join(" "));
    root.classList.toggle("zoomed", box[2] < view.home[2] * 0.999);
  };

  const zoom = (factor, at) => {
    const [x, y, w, h] = view.box;
    const width = Math.min(view.home[2], Math.max(view.home[2] / 24, w / factor));
    const scale = width / w;
    const [px, py] = at ?? [x + w / 2, y + h / 2];
    const inside = (value, low, room) => Math.min(Math.max(value, low), low + room);
    setBox([
      inside(px - (px - x) * scale, view.home[0], view.home[2] - width),
      inside(py - (py - y) * scale, view.home[1], view.home[3] - h * scale),
      width,
      h * scale,
    ]);
  };

  const toPicture = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform(view.svg.getScreenCTM().inverse());
    return [x, y];
  };

  root.querySelector(".in").onclick = () => zoom(STEP);
  root.querySelector(".out").onclick = () => zoom(1 / STEP);
  root.querySelector(".all").onclick = () => setBox(view.home);
  stage.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls the page
      event.preventDefault();
      zoom(event.deltaY < 0 ? STEP : 1 / STEP, toPicture(event));
    },
    { passive: false },
  );

  let press = null;
  stage.addEventListener("pointerdown", (event) => {
    press = { x: event.clientX, y: event.clientY, box: view.box, dragged: false };
  });
  stage.addEventListener("pointermove", (event) => {
    if (!press || !event.buttons || !root.classList.contains("zoomed")) return;
    const dx = event.clientX - press.x;
    const dy = event.clientY - press.y;
    if (!press.dragged && Math.hypot(dx, dy) < DRAG) return;
    press.dragged = true;
    const perPixel = 1 / view.svg.getScreenCTM().a;
    setBox([press.box[0] - dx * perPixel, press.box[1] - dy * perPixel, press.box[2], press.box[3]]);
  });

  const nodeOf = (event) => event.target.closest?.("[data-node]");
  stage.addEventListener("click", (event) => {
    const node = nodeOf(event);
    if (node && !press?.dragged) view.pick(Number(node.dataset.node));
  });
  stage.addEventListener("keydown", (event) => {
    const node = nodeOf(event);
    if (!node || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    view.pick(Number(node.dataset.node));
  });

  const showTip = (node) => {
    tip.textContent = node.dataset.tip;
    tip.hidden = false;
    const frame = root.getBoundingClientRect();
    const box = node.getBoundingClientRect();
    const half = tip.offsetWidth / 2;
    const centre = box.left + box.width / 2 - frame.left;
    tip.style.left = `${Math.min(Math.max(centre, half), frame.width - half)}px`;
    tip.style.top = `${Math.max(0, box.top - frame.top - tip.offsetHeight - 6)}px`;
  };
  const hideTip = () => (tip.hidden = true);
  for (const name of ["pointerover", "focusin"]) {
    stage.addEventListener(name, (event) => (nodeOf(event) ? showTip(nodeOf(event)) : hideTip()));
  }
  for (const name of ["pointerleave", "focusout"]) stage.addEventListener(name, hideTip);

  const markSelected = (id) => {
    view.svg.querySelector(".selected")?.remove();
    const node = id == null ? null : view.svg.querySelector(`[data-node="${Number(id)}"]`);
    if (!node) return;
    const box = node.getBBox();
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    ring.setAttribute("class", "ring selected");
    ring.setAttribute("cx", box.x + box.width / 2);
    ring.setAttribute("cy", box.y + box.height / 2);
    ring.setAttribute("r", Math.max(9, box.width * 1.2));
    ring.setAttribute("stroke-width", 3);
    ring.setAttribute("pointer-events", "none");
    view.svg.append(ring);
  };

  view.show = (data) => {
    root.classList.toggle("clickable", data.clickable);
    if (view.source !== data.svg) {
      hideTip();
      const before = view.home?.join();
      view.source = data.svg;
      view.svg = parse(data.svg);
      view.home = view.svg.getAttribute("viewBox").split(" ").map(Number);
      view.svg.style.maxWidth = `${Math.round(view.home[2] * data.enlarge)}px`;
      stage.replaceChildren(view.svg);
      setBox(before === view.home.join() ? view.box : view.home);
    }
    markSelected(data.selected);
    legend.replaceChildren(
      ...data.legend.map(({ svg, text }) => {
        const entry = document.createElement("span");
        entry.append(parse(svg), text);
        return entry;
      }),
    );
  };
  return view;
}
