// Zoom and pan: buttons, Ctrl + wheel, pinch and drag move a picture's view box. A box is x, y, width, height.

export const ZOOM_STEP = 1.4;
const CLOSEST = 24;
const DRAG = 4; // pixels before a press counts as dragging

// The box around a picture in the shape of a stage, in pixels: a small one is not blown up beyond `room`, and `strip`
// pixels at the bottom stay free.
export function framed([x, y, w, h], [across, down], room, strip = 0) {
  const pixel = Math.max(Math.max(w, room[0]) / across, Math.max(h, room[1]) / (down - strip));
  const [width, height] = [across * pixel, down * pixel];
  return [x + w / 2 - width / 2, y + h / 2 - (height - strip * pixel) / 2, width, height];
}

// A box with this corner and width, in the shape of the home box and inside it.
export function inside([hx, hy, hw, hh], x, y, width) {
  const height = (width * hh) / hw;
  const clamp = (value, low, room) => Math.min(Math.max(value, low), low + room);
  return [clamp(x, hx, hw - width), clamp(y, hy, hh - height), width, height];
}

// Closer by a factor around a place, which stays where it is; the centre by default.
export function zoomed(home, [x, y, w, h], factor, [px, py] = [x + w / 2, y + h / 2]) {
  const width = Math.min(home[2], Math.max(home[2] / CLOSEST, w / factor));
  return inside(home, px - ((px - x) * width) / w, py - ((py - y) * width) / w, width);
}

// `home()` is the box that shows all, `changed(box)` hears of each new one. A stage that can be dragged is `zoomed`.
export function createCamera(stage, svg, { home, changed = () => {} }) {
  const camera = { home: home(), box: null, dragged: false };

  function setBox(box) {
    camera.box = box;
    svg.setAttribute("viewBox", box.map((value) => Math.round(value * 100) / 100).join(" "));
    stage.classList.toggle("zoomed", box[2] < camera.home[2] * 0.999);
    changed(box);
  }

  const zoom = (factor, at) => setBox(zoomed(camera.home, camera.box, factor, at));

  function fit() {
    camera.home = home();
    setBox(camera.home);
  }

  // A resized stage keeps the centre and the zoom.
  function resized() {
    if (!stage.clientWidth) return;
    const [x, y, w, h] = camera.box;
    const share = w / camera.home[2];
    camera.home = home();
    const [width, height] = [camera.home[2] * share, camera.home[3] * share];
    setBox(inside(camera.home, x + w / 2 - width / 2, y + h / 2 - height / 2, width));
  }

  function toPicture(clientX, clientY) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [x, y];
  }

  const fingers = new Map();
  let press = null;
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return { apart: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  function down(event) {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    camera.dragged = false;
    press = { x: event.clientX, y: event.clientY, box: camera.box, pinch: fingers.size === 2 ? spread() : null };
  }
  function move(event) {
    if (!press || !fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (press.pinch && fingers.size === 2) {
      const now = spread();
      camera.dragged = true;
      zoom(now.apart / (press.pinch.apart || 1), toPicture(now.x, now.y));
      press.pinch = now;
    } else if (fingers.size === 1 && stage.classList.contains("zoomed")) {
      const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
      if (!camera.dragged && Math.hypot(dx, dy) < DRAG) return;
      camera.dragged = true;
      const pixel = 1 / svg.getScreenCTM().a;
      setBox(inside(camera.home, press.box[0] - dx * pixel, press.box[1] - dy * pixel, camera.box[2]));
    }
  }
  function up(event) {
    fingers.delete(event.pointerId);
    press = null;
  }
  function wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // a plain wheel scrolls the page
    event.preventDefault();
    zoom(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, toPicture(event.clientX, event.clientY));
  }
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up, pointerleave: up, wheel };
  for (const [name, listener] of Object.entries(listeners)) stage.addEventListener(name, listener, { passive: false });
  const observer = new ResizeObserver(resized);
  observer.observe(stage);
  setBox(camera.home);
  const destroy = () => {
    observer.disconnect();
    for (const [name, listener] of Object.entries(listeners)) stage.removeEventListener(name, listener);
  };
  return Object.assign(camera, { zoom, fit, show: setBox, destroy });
}
