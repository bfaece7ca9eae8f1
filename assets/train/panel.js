// What all views are made of: a panel with a heading and a sentence, and a canvas that knows its size.

import { el, setText } from "../kit/dom.js";

const FONT = "11px sans-serif";
export const KEYS = "Arrow keys go from one to the next, Enter pins it.";

// `resized` hears of another size of the picture.
export function createPanel(name, lane, title, resized = () => {}) {
  const sees = el("p", { class: "sees" });
  const owner = el("span", { class: `of-lane lane-${lane}` });
  const body = el("div", { class: "picture" });
  const panel = {
    name,
    lane,
    body,
    onScreen: true, // whether it is on the screen
    width: 0,
    height: 0,
    say: (text) => setText(sees, text),
    belongTo: (text) => setText(owner, text),
  };
  panel.element = el(
    "section",
    { class: `panel panel-${name}`, "data-view": name, "data-lane": lane ?? "both", "aria-label": title },
    el("div", { class: "top" }, el("h3", {}, title), owner, sees),
    body,
  );
  const sizes = new ResizeObserver(() => {
    const [width, height] = [body.clientWidth, body.clientHeight];
    if (!width || (width === panel.width && height === panel.height)) return;
    Object.assign(panel, { width, height });
    resized();
  });
  const look = (entries) => {
    const before = panel.onScreen;
    panel.onScreen = entries.at(-1).isIntersecting;
    if (panel.onScreen && !before) resized();
  };
  const sight = new IntersectionObserver(look, { rootMargin: "120px" });
  sizes.observe(body);
  sight.observe(panel.element);
  panel.destroy = () => {
    sizes.disconnect();
    sight.disconnect();
  };
  return panel;
}

// A canvas as large as its panel, and a second one for what moves with nothing.
export function createSurface(panel, label) {
  const canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": `${label}. ${KEYS}` });
  const still = el("canvas");
  panel.body.append(canvas);
  const surface = { canvas, pen: canvas.getContext("2d"), still, stillPen: still.getContext("2d") };
  // Whether the size is another one; then both canvases are empty.
  surface.fit = () => {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(panel.width * ratio), Math.round(panel.height * ratio)];
    if (canvas.width === width && canvas.height === height) return false;
    for (const each of [canvas, still]) Object.assign(each, { width, height });
    for (const pen of [surface.pen, surface.stillPen]) {
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.font = FONT; // setting it takes long: nobody else does, but for what is lit
    }
    return true;
  };
  // Text in the usual letters, or in bold ones.
  surface.write = (pen, text, x, y, bold = false) => {
    if (bold) pen.font = `600 ${FONT}`;
    pen.fillText(text, x, y);
    if (bold) pen.font = FONT;
  };
  surface.clear = (pen = surface.pen) => pen.clearRect(0, 0, panel.width, panel.height);
  surface.layStill = (alpha = 1) => {
    surface.pen.globalAlpha = alpha;
    surface.pen.drawImage(still, 0, 0, panel.width, panel.height);
    surface.pen.globalAlpha = 1;
  };
  return surface;
}
