// The player: one trace, played wholly in the browser. `callbacks.step(frame)`, `callbacks.take(action)`
// and `callbacks.explain(node)` report.

import { createCamera, framed } from "../kit/camera.js";
import { lessMotion, put, setText } from "../kit/dom.js";
import { createGraph } from "./graph.js";
import { listenToKeys } from "./keys.js";
import { createLinks } from "./links.js";
import { savePng, saveSvg } from "./save.js";
import { beat, createShell, showStop } from "./shell.js";
import { createStory } from "./story.js";

const PACE = 1500; // milliseconds a step takes at speed 1
const LINGER = 2.2; // how much longer the result stays when looping
const SETTLE = 450; // milliseconds after the last key before a step is reported
const PATIENCE = 8000; // milliseconds after which an action that was not answered may be tried again
const STRIP = 34; // pixels kept free at the bottom of the graph, where STOP stands
const ROOM = [460, 340]; // a small graph is not blown up beyond this box

export function createPlayer(host, callbacks) {
  const state = {
    frame: -1,
    playing: false,
    held: false, // playing, but the pointer is on the graph
    speed: 1,
    looping: false,
    withMotif: false,
    preview: null, // the node without which a parent is looked at
    tab: "flow",
    chosenTab: "flow", // the one to go back to from the result
    taking: false, // a manual action is on its way
    picked: null, // the node that could be explained instead
    reported: null,
    opened: null, // the last initialStep
  };
  let [story, graph, camera, options] = [null, null, null, {}];
  let [playTimer, reportTimer, takeTimer] = [null, null, null];

  const act = {
    toggle: () => (state.playing ? pause() : play()),
    move: (by) => goTo(state.frame + by),
    goTo,
    back: () => goTo(state.frame - 1),
    scrub: (frame) => change(() => render(frame)),
    scrubbed: report,
    preview: (node) => node !== state.preview && change(() => render(state.frame, node)),
    speed: (value) => set({ speed: value }),
    loop: () => set({ looping: !state.looping }),
    motif: () => set({ withMotif: !state.withMotif }),
    openTab: (name) => set({ tab: name, chosenTab: name }),
    zoom: (factor) => camera.zoom(factor),
    fit: () => camera.fit(),
    take,
    explain: () => callbacks.explain?.(state.picked),
    save,
  };
  const shell = createShell(act);
  const { root, stage, view, side, panels } = shell;
  const links = createLinks(shell, () => ({ story, graph, frame: state.frame, tab: state.tab }));
  const forgetKeys = listenToKeys(shell, act);
  host.append(root);

  // Playing and stepping.
  function set(values) {
    Object.assign(state, values);
    render();
    schedule();
    if ("speed" in values) root.focus({ preventScroll: true });
  }
  function schedule() {
    clearTimeout(playTimer);
    if (!state.playing || state.held) return;
    playTimer = setTimeout(advance, (PACE / state.speed) * (state.frame === story.last ? LINGER : 1));
  }
  function advance() {
    if (state.frame < story.last) render(state.frame + 1);
    else if (state.looping) render(0);
    if (state.frame === story.last && !state.looping) pause();
    else schedule();
  }
  function play() {
    state.playing = true;
    state.held = false;
    render(state.frame === story.last ? 0 : state.frame);
    schedule();
  }
  function change(how) {
    clearTimeout(playTimer);
    state.playing = state.held = false;
    how();
  }
  function pause() {
    change(() => render());
    report();
  }
  function goTo(frame) {
    change(() => render(Math.min(Math.max(frame, 0), story.last)));
    clearTimeout(reportTimer);
    reportTimer = setTimeout(report, SETTLE);
  }
  function hold(wanted) {
    if (!state.playing || state.held === wanted) return;
    state.held = wanted;
    shell.holding.hidden = !wanted;
    schedule();
  }

  // Reporting: never while playing.
  function report() {
    clearTimeout(reportTimer);
    if (state.frame === state.reported || state.playing) return;
    state.reported = state.frame;
    callbacks.step?.(state.frame);
  }
  function take(node) {
    if (!options.manual || state.taking || state.frame >= story.trace.steps.length) return;
    setTaking(true);
    change(() => render());
    callbacks.take?.({ node, step: state.frame });
  }
  function setTaking(wanted) {
    clearTimeout(takeTimer);
    state.taking = wanted;
    root.classList.toggle("taking", wanted);
    if (wanted) takeTimer = setTimeout(() => setTaking(false), PATIENCE);
  }
  function save(format) {
    const { dataset, index } = story.trace;
    const name = `${dataset}-${index}-step-${state.frame}`.replace(/[^\w.-]+/g, "_");
    const paper = getComputedStyle(root).backgroundColor;
    links.clear();
    (format === "png" ? savePng : saveSvg)(graph.svg, paper, name);
  }

  // Drawing.
  function render(frame = state.frame, preview = frame === state.frame ? state.preview : null) {
    const before = state.frame;
    Object.assign(state, { frame, preview });
    if (frame === story.end && before !== frame) state.tab = "result";
    if (before === story.end && before !== frame && state.tab === "result") state.tab = state.chosenTab;
    const scene = story.scene(frame, preview);
    drawGraph(scene, frame === before + 1);
    drawWords(frame);
    showStop(shell.stopChip, scene, { open: options.manual, chosen: scene.step.chosen === null && story.end !== null });
    shell.holding.hidden = !state.held;
    shell.banner.hidden = preview === null;
    if (preview !== null) setText(shell.banner, `Parent without ${story.name(preview)} · release ✕`);
    shell.legend.show(story, frame);
    shell.gauge.show(story, frame);
    drawTab();
    links.refresh();
  }
  function drawGraph(scene, forward) {
    const { step, ended, preview } = scene;
    root.classList.toggle("with-motif", state.withMotif && story.known);
    root.classList.toggle("tween", !lessMotion() && !graph.many);
    graph.show(scene);
    const open = options.manual && !ended && !preview ? step.frontier.map(({ node }) => node) : [];
    graph.offer(open, (node) => story.tip(state.frame, node));
    const grown = forward && !ended && step.added !== null;
    if (grown && !lessMotion()) beat(shell.pulse, camera.onStage(graph.points[step.added]));
  }
  function drawWords(frame) {
    const { playing, looping, speed, withMotif } = state;
    const { last, end, known } = story;
    const sentence = story.sentence(frame);
    setText(shell.caption, sentence);
    put(graph.svg, "aria-label", sentence);
    if (!playing || speed <= 1) setText(shell.live, `Step ${frame} of ${last}. ${sentence}`);
    shell.controls.show({ frame, last, end, known, playing, looping, withMotif, sentence });
  }
  function drawTab() {
    shell.tabs.forEach((tab, index) => {
      const open = tab.dataset.tab === state.tab;
      put(tab, "aria-selected", open);
      put(tab, "tabindex", open ? 0 : -1);
      tab.hidden = tab.dataset.tab === "result" && story.end === null;
      shell.bodies[index].hidden = !open;
    });
    panels[state.tab].show(story, state.frame, graph, state.preview);
    if (state.tab === "flow") panels.policy.show(story, state.frame, options.manual);
  }

  // The pointer: looking at something pauses; in manual mode a frontier node can be clicked.
  for (const part of [view, side]) {
    part.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && hold(true));
    part.addEventListener("pointerleave", () => hold(false));
  }
  function chose(event) {
    const node = event.target.closest?.(".node.frontier");
    if (!options.manual || !node || (event.type === "click" && camera.dragged)) return;
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    take(Number(node.dataset.node));
  }
  stage.addEventListener("click", chose);

  // A click on any other node offers to explain that one.
  function pick(event) {
    const node = callbacks.explain && !options.manual && !camera.dragged && event.target.closest?.(".node");
    state.picked = node ? Number(node.dataset.node) : null;
    shell.instead.hidden = state.picked === null || state.picked === story.trace.target;
    if (!shell.instead.hidden) setText(shell.instead, `Explain ${story.name(state.picked)} instead`);
  }
  stage.addEventListener("click", pick);
  stage.addEventListener("keydown", chose);

  // A new trace, or the same one again with other options. The graph stays while its nodes and edges do.
  function show(data) {
    options = data.options ?? {};
    root.classList.toggle("manual", Boolean(options.manual));
    root.classList.toggle("compact", Boolean(options.compact));
    root.style.setProperty("--height", `${options.height ?? 640}px`);
    const ended = !options.manual || Boolean(options.ended);
    const fresh = !story || story.text !== data.trace || (story.end !== null) !== ended;
    const wanted = options.initialStep ?? null;
    if (!fresh && (wanted === null || wanted === state.opened)) return;
    state.opened = wanted;
    if (fresh) begin(createStory(data, ended));
    if (fresh && options.compact) state.looping = true;
    const frame = Math.min(Math.max(wanted ?? (options.manual ? story.last : 0), 0), story.last);
    if (!fresh && frame === state.frame) return;
    state.reported = frame;
    change(() => render(frame));
    if (fresh && options.autoplay && !options.manual && !lessMotion()) play();
  }
  function begin(next) {
    const same = story?.graphKey === next.graphKey;
    story = next;
    setTaking(false);
    shell.instead.hidden = true;
    Object.assign(state, { frame: -1, preview: null, picked: null, tab: state.chosenTab });
    if (story.end === null && state.tab === "result") state.tab = state.chosenTab = "flow";
    if (same) return;
    camera?.destroy();
    graph = createGraph(story);
    stage.replaceChildren(graph.svg);
    const size = () => [stage.clientWidth || 600, stage.clientHeight || 450];
    camera = createCamera(stage, graph.svg, {
      home: () => framed(graph.box, size(), ROOM, STRIP),
      changed: (box) => graph.scaled(box[2] / size()[0]),
    });
  }
  function destroy() {
    for (const timer of [playTimer, reportTimer, takeTimer]) clearTimeout(timer);
    forgetKeys();
    camera?.destroy();
    root.remove();
  }
  return { show, destroy };
}
