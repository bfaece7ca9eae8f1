// A canvas as large as its place, and a second one for what moves with nothing.

import { el } from "../kit/dom.js";

export const KEYS = "Arrow keys go from one to the next, Enter pins it.";

// `place` has the element to draw in, `body`, and its `width` and `height` in pixels.
export function createSurface(place, label) {
  const canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": `${label}. ${KEYS}` });
  const still = el("canvas");
  place.body.append(canvas);
  const surface = { canvas, pen: canvas.getContext("2d"), still, stillPen: still.getContext("2d") };
  let font = "11px sans-serif";
  // Whether the size is another one; then both canvases are empty.
  surface.fit = () => {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(place.width * ratio), Math.round(place.height * ratio)];
    if (canvas.width === width && canvas.height === height) return false;
    font = `11px ${getComputedStyle(canvas).fontFamily || "sans-serif"}`;
    for (const each of [canvas, still]) Object.assign(each, { width, height });
    for (const pen of [surface.pen, surface.stillPen]) {
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.font = font; // setting it takes long: nobody else does, but for what is lit
    }
    return true;
  };
  // Text in the usual letters, or in bold ones.
  surface.write = (pen, text, x, y, bold = false) => {
    if (bold) pen.font = `600 ${font}`;
    pen.fillText(text, x, y);
    if (bold) pen.font = font;
  };
  surface.clear = (pen = surface.pen) => pen.clearRect(0, 0, place.width, place.height);
  surface.layStill = (alpha = 1) => {
    surface.pen.globalAlpha = alpha;
    surface.pen.drawImage(still, 0, 0, place.width, place.height);
    surface.pen.globalAlpha = 1;
  };
  return surface;
}
