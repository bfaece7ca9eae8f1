// Zoom and pan: buttons, Ctrl + wheel, pinch and drag move the picture's view box. A step never touches it.

const ZOOM_STEP = 1.4;
const CLOSEST = 24;
const DRAG = 4; // pixels before a press counts as dragging
const STRIP = 34; // pixels kept free at the bottom, where STOP stands
const ROOM = [460, 340]; // a small graph is not blown up beyond this box

function createCamera(stage, graph) {
  const { svg } = graph;
  const camera = { home: null, box: null, dragged: false };

  // All of the graph, in the shape of the stage.
  function homeBox() {
    const [x, y, w, h] = graph.box;
    const [across, down] = [stage.clientWidth || 600, stage.clientHeight || 450];
    const pixel = Math.max(Math.max(w, ROOM[0]) / across, Math.max(h, ROOM[1]) / (down - STRIP));
    const [width, height] = [across * pixel, down * pixel];
    return [x + w / 2 - width / 2, y + h / 2 - (height - STRIP * pixel) / 2, width, height];
  }

  function setBox(box) {
    camera.box = box;
    svg.setAttribute("viewBox", box.map((value) => Math.round(value * 100) / 100).join(" "));
    stage.classList.toggle("zoomed", box[2] < camera.home[2] * 0.999);
    const pixel = box[2] / (stage.clientWidth || 600); // one screen pixel in the picture's units
    svg.classList.toggle("crowded", (graph.radius * 0.95) / pixel < 7.5);
    svg.style.setProperty("--pixel", `${Math.round(pixel * 1000) / 1000}px`);
  }

  function moved(x, y, width) {
    const height = (width * camera.home[3]) / camera.home[2];
    const clamp = (value, low, room) => Math.min(Math.max(value, low), low + room);
    const [hx, hy, hw, hh] = camera.home;
    setBox([clamp(x, hx, hw - width), clamp(y, hy, hh - height), width, height]);
  }

  function zoom(factor, at) {
    const [x, y, w, h] = camera.box;
    const width = Math.min(camera.home[2], Math.max(camera.home[2] / CLOSEST, w / factor));
    const [px, py] = at ?? [x + w / 2, y + h / 2];
    moved(px - ((px - x) * width) / w, py - ((py - y) * width) / w, width);
  }

  function fit() {
    camera.home = homeBox();
    setBox(camera.home);
  }

  // A resized stage keeps the centre and the zoom.
  function resized() {
    if (!stage.clientWidth) return;
    if (!camera.home) return fit();
    const share = camera.box[2] / camera.home[2];
    const centre = [camera.box[0] + camera.box[2] / 2, camera.box[1] + camera.box[3] / 2];
    camera.home = homeBox();
    const width = camera.home[2] * share;
    const height = camera.home[3] * share;
    moved(centre[0] - width / 2, centre[1] - height / 2, width);
  }

  function toPicture(x, y) {
    const frame = stage.getBoundingClientRect();
    const [bx, by, bw, bh] = camera.box;
    return [bx + ((x - frame.left) / frame.width) * bw, by + ((y - frame.top) / frame.height) * bh];
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
      const pixel = camera.box[2] / stage.clientWidth;
      moved(press.box[0] - dx * pixel, press.box[1] - dy * pixel, camera.box[2]);
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
  fit();
  const destroy = () => {
    observer.disconnect();
    for (const [name, listener] of Object.entries(listeners)) stage.removeEventListener(name, listener);
  };
  // Where a place of the picture is on the stage, in per cent.
  const onStage = ([x, y]) => [
    ((x - camera.box[0]) / camera.box[2]) * 100,
    ((y - camera.box[1]) / camera.box[3]) * 100,
  ];
  return Object.assign(camera, { zoom, fit, onStage, destroy });
}
