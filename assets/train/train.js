// A training, watched: one clock, one or two lanes, linked views. What is asked of others goes through the callbacks,
// where there are any: step(step), state(nodes), view(name), command(name), lacks({ token, frames }).

import { el, lessMotion, onceAFrame, put } from "../kit/dom.js";
import { listenToKeys } from "../kit/keys.js";
import { createHub } from "../state_graph/hub.js";
import { createColours } from "../state_graph/surface.js";
import { createBar } from "./bar.js";
import { createBoard } from "./board.js";
import { createClock, placeOf } from "./clock.js";
import { keyOf } from "./scene.js";
import { createTape } from "./stream.js";

const SETTLE = 450; // milliseconds after the last key before a step is reported

export function createTrain(host, callbacks) {
  const root = el("div", { class: "kit train", tabindex: 0, role: "region", "aria-label": "Training, watched" });
  host.append(root);
  const tape = createTape();
  const redraw = onceAFrame(draw);
  const clock = createClock({ changed: redraw, rested });
  const colours = createColours(root, redraw);
  const hub = createHub(root, {
    changed: redraw,
    pinned: (selection) => callbacks.state?.(selection?.kind === "state" ? selection.nodes : null),
  });
  const act = {
    toggle: () => (clock.playing ? clock.pause() : clock.play()),
    run: () => command(live?.running ? "pause" : "run"),
    command,
    move: clock.move,
    scrub: clock.go,
    scrubbed: rested,
    goTo: (at) => (clock.go(at), rested()),
    follow: clock.follow,
    speed: (value) => ((clock.speed = value), root.focus({ preventScroll: true })),
    space: () => (live ? act.run() : act.toggle()),
    on: () => (live && !live.running && clock.atEnd() ? command("step") : clock.move(1)),
    end: () => (live ? clock.follow() : act.goTo(Infinity)),
    again: () => (live ? command("reset") : act.goTo(0)),
    release: hub.release,
  };
  const bar = createBar(act);
  root.append(bar.element);
  const keys = {
    ArrowRight: act.on,
    ArrowLeft: () => act.move(-1),
    " ": act.space,
    Home: () => act.goTo(0),
    End: act.end,
    Escape: act.release,
    r: act.again,
  };
  const own = { own: "select, [role=tablist]", scrubber: [" ", "r"], always: ["Escape"] };
  const forgetKeys = listenToKeys(root, keys, own);
  let [board, live, view, reported, opened] = [null, null, null, null, null];
  let [reporting, pinnedBefore] = [0, null];

  function command(name) {
    if (!live) return false;
    if (name !== "pause") {
      clock.follow();
      reported = null; // that it follows is in the command: of two reports at once Streamlit would keep the last
    }
    callbacks.command?.(name);
    return true;
  }
  // Reporting: never while it plays, and no step while it follows.
  function rested() {
    clearTimeout(reporting);
    reporting = setTimeout(() => {
      const step = clock.following ? null : Math.round(clock.step);
      if (clock.playing || step === reported) return;
      reported = step;
      callbacks.step?.(step);
    }, SETTLE);
  }
  function choose(name) {
    if (view === name) return;
    view = board.open(name);
    callbacks.view?.(view);
    redraw();
  }

  function draw() {
    if (!board || !root.isConnected) return;
    const { step } = clock;
    const moments = tape.lanes.map((lane) => lane.at(step));
    const seconds = moments.flatMap((moment) => (moment ? [moment.get("seconds")] : []));
    bar.show({ clock, live, seconds: seconds.length ? Math.max(...seconds) : null });
    board.draw(moments, tape.lanes, clock);
    put(root, "data-step", Math.round(step));
    hub.say();
  }

  function show(payload) {
    const before = tape.token;
    const frames = tape.take(payload);
    if (frames) {
      callbacks.lacks?.({ token: payload.token, frames });
      return;
    }
    live = payload.live ?? null;
    root.classList.toggle("presenting", Boolean(payload.presenting));
    colours.read();
    const fresh = before !== tape.token || !board;
    if (fresh) begin(payload);
    clock.know(tape.ticks);
    if (fresh) start(payload);
    else if (payload.opened?.step != null && payload.opened.step !== opened) clock.goToStep(payload.opened.step);
    pinAnew(payload.opened?.state ?? null);
    opened = payload.opened?.step ?? null;
    board.build(tape.lanes);
    bar.mark(tape, placeOf);
    redraw();
  }
  // Somebody else than the reader, say a button beside, pins a state.
  function pinAnew(nodes) {
    const key = nodes && keyOf(nodes);
    if (key === pinnedBefore) return;
    pinnedBefore = key;
    const known = tape.lanes.some(({ scenes }) => scenes.some(({ keys: all }) => all.includes(key)));
    hub.pin = known ? { kind: "state", key, nodes } : null;
  }
  function begin({ opened: wanted, only }) {
    board?.destroy();
    board?.element.remove();
    const goTo = (step) => (clock.goToStep(step), rested());
    const bare = tape.lanes.every(({ scenes }) => scenes.length && !scenes[0].nodes.length); // no instance to draw
    board = createBoard(tape.lanes.length, { hub, colours, redraw, goTo, choose, only, bare });
    view = board.open(wanted?.view ?? view);
    root.append(board.element);
    Object.assign(clock, { ticks: [], at: 0, playing: false, following: false });
  }
  // Where it opens: at a step that is asked for, at the newest, or playing.
  function start({ opened: wanted }) {
    const step = wanted?.step ?? null;
    reported = step;
    hub.over = null;
    [hub.pin, pinnedBefore] = [null, null];
    if (step !== null) clock.goToStep(step);
    else if (live) clock.follow();
    else if (!lessMotion()) clock.play();
    else act.goTo(Infinity); // as after playing
  }
  function destroy() {
    clock.stop();
    redraw.stop();
    clearTimeout(reporting);
    forgetKeys();
    board?.destroy();
    root.remove();
  }
  return { show, destroy };
}
