// The player: one trace, played wholly in the browser. What is asked of others goes through the callbacks, where there
// are any: step(frame), take(action), explain(node), way(state), view(name), present(on), reason(number).

import { lessMotion, put, setText } from "../kit/dom.js";
import { listenToKeys } from "../kit/keys.js";
import { createLinks } from "./links.js";
import { savePng, saveSvg } from "./save.js";
import { createShell, showStop } from "./shell.js";
import { createSight } from "./sight.js";
import { createStory } from "./story.js";

const PACE = 1500; // milliseconds a step takes at speed 1
const FAR_AWAY = { least: 16, size: 16, long: false }; // labels that are read from the last row
const FEW = ["answer", "states", "flow"]; // tabs that everybody needs
const SETTLE = 450; // milliseconds after the last key before a step is reported
const KEPT = ["view", "present"]; // what leaves the step as it is, so that it is still to be reported

export function createPlayer(host, callbacks, createStates = null) {
  const state = {
    frame: null,
    playing: false,
    held: false, // playing, but the pointer is on the graph
    speed: 1,
    withMotif: false,
    presenting: false,
    tab: "flow",
    chosenTab: "flow", // the one to go back to from the answer
    picked: null, // the node that could be explained instead
    opened: null, // the last initialStep
    reason: null, // the number of the one that was chosen
  };
  let [story, options, given] = [null, {}, null]; // what is told, how, and as it came
  let playTimer = null;
  const reports = createReports(callbacks, state);
  const { ask } = reports;

  const act = {
    toggle: () => (state.playing ? pause() : play()),
    move: (by) => goTo(state.frame + by),
    goTo,
    scrub: (frame) => change(() => render(frame)),
    scrubbed: reports.step,
    speed: (value) => set({ speed: value }),
    motif: () => set({ withMotif: !state.withMotif }),
    openTab,
    seeGraph: () => openTab(ownTab(state.frame) ?? state.chosenTab),
    cover: () => story.cover !== null && goTo(story.cover),
    reason: choose,
    present: () => {
      adopt({ presenting: !state.presenting });
      render();
      ask("present", state.presenting);
    },
    leave: () => state.presenting && act.present(),
    zoom: (factor) => sight.camera.zoom(factor),
    fit: () => sight.look(false),
    part: () => sight.look(true),
    lookAt: (nodes) => sight.graph.light(nodes),
    way: (place) => ask("way", place),
    take,
    explain: () => ask("explain", state.picked),
    save,
  };
  const shell = createShell(act, createStates?.(act));
  const { root, stage, view, side, panels } = shell;
  const sight = createSight(stage, shell.partButton);
  const links = createLinks(shell, () => ({ story, graph: sight.graph, frame: state.frame, tab: state.tab }));
  const keys = {
    ArrowRight: () => act.move(1),
    ArrowLeft: () => act.move(-1),
    " ": () => act.toggle(),
    Home: () => goTo(0),
    End: () => goTo(Infinity),
    Escape: () => act.leave(),
    p: () => act.present(),
    a: () => act.cover(),
  };
  const forgetKeys = listenToKeys(root, keys, { own: "select, [role=tablist]" });
  host.append(root);

  // Playing and stepping.
  function set(values) {
    Object.assign(state, values);
    render();
    schedule();
    if ("speed" in values) root.focus({ preventScroll: true });
  }
  function adopt(values) {
    Object.assign(state, values);
    root.classList.toggle("presenting", state.presenting);
    const height = state.presenting ? "calc(100vh - var(--above, 3.2rem))" : `${options.height ?? 640}px`;
    root.style.setProperty("--height", height);
    sight.graph?.write(state.presenting ? FAR_AWAY : undefined);
  }
  function openTab(name) {
    if (name !== ownTab(state.frame) && name !== "states") state.chosenTab = name;
    const [before, cover] = [state.tab, state.frame === story.cover];
    set({ tab: name });
    if (name === "answer") goTo(story.cover);
    else if (cover && name !== "states") goTo(0);
    if ((name === "states") !== (before === "states")) ask("view", name === "states" ? name : "");
  }
  function schedule() {
    clearTimeout(playTimer);
    if (!state.playing || state.held) return;
    playTimer = setTimeout(advance, PACE / state.speed);
  }
  function advance() {
    if (state.frame < story.last) render(state.frame + 1);
    if (state.frame === story.last) pause();
    else schedule();
  }
  function play() {
    state.playing = true;
    state.held = false;
    render(state.frame === story.last ? 0 : Math.max(state.frame, 0));
    schedule();
  }
  function change(how) {
    clearTimeout(playTimer);
    state.playing = state.held = false;
    how();
  }
  function pause() {
    change(() => render());
    reports.step();
  }
  function goTo(frame) {
    change(() => render(Math.min(Math.max(frame, story.first), story.last)));
    reports.soon();
  }
  function hold(wanted) {
    if (!state.playing || state.held === wanted) return;
    state.held = wanted;
    shell.holding.hidden = !wanted;
    schedule();
  }

  // Another reason is outlined, and played from now on.
  function choose(number) {
    if (number === state.reason || !story.reasons[number - 1]) return;
    state.reason = number;
    begin(createStory(given, { ended: story.end !== null, covered: story.covered, reason: number }));
    change(() => render(story.first));
    reports.known(story.first);
    ask("reason", number);
  }

  // Manual mode: a click on the frontier or on STOP is an action.
  function take(node) {
    if (!options.manual || state.frame === story.end) return;
    change(() => render());
    ask("take", { node, step: state.frame });
  }
  function save(format) {
    const { dataset, index, made } = story.trace;
    const name = `${dataset}-${made.name ?? index}-step-${state.frame}`.replace(/[^\w.-]+/g, "_");
    const paper = getComputedStyle(root).backgroundColor;
    links.clear();
    (format === "PNG" ? savePng : saveSvg)(sight.graph.svg, paper, name);
  }

  // Drawing. Before the first step and after the last one stands the answer, where there is one.
  const ownTab = (frame) => (story.cover !== null && [story.cover, story.end].includes(frame) ? "answer" : null);
  function render(frame = state.frame) {
    const before = state.frame;
    state.frame = frame;
    if (before !== frame && state.tab !== "states") {
      state.tab = ownTab(frame) ?? (before === null || state.tab === ownTab(before) ? state.chosenTab : state.tab);
    }
    const scene = story.scene(frame);
    drawGraph(scene);
    drawWords(frame);
    const chosen = scene.step.chosen === null && story.end !== null;
    showStop(shell.stopChip, scene, { open: Boolean(options.manual), chosen });
    shell.holding.hidden = !state.held;
    shell.headline.show(story);
    shell.legend.show(story, frame);
    shell.gauge.show(story, frame);
    shell.gauge.element.hidden = frame === story.cover; // the answer says the same
    drawTab();
    links.refresh();
  }
  function drawGraph(scene) {
    const { graph } = sight;
    const { step, mode } = scene;
    root.classList.toggle("with-motif", state.withMotif && story.known);
    root.classList.toggle("tween", !lessMotion() && !graph.many);
    graph.show(scene);
    const open = options.manual && mode === "state" ? step.frontier.map(({ node }) => node) : [];
    graph.offer(open, (node) => story.tip(state.frame, node));
  }
  function drawWords(frame) {
    const sentence = story.sentence(frame);
    setText(shell.caption, sentence);
    put(sight.graph.svg, "aria-label", sentence);
    const heard = frame === story.cover ? story.answer.sentence : `Step ${frame} of ${story.last}. ${sentence}`;
    if (!state.playing || state.speed <= 1) setText(shell.live, heard);
    shell.controls.show({ ...state, story, sentence });
  }
  function drawTab() {
    const missing = { answer: story.cover === null, states: !panels.states || !(options.states || callbacks.view) };
    shell.tabs.select(state.tab);
    shell.tabs.tabs.forEach((tab, index) => {
      const name = tab.dataset.tab;
      const open = name === state.tab;
      tab.hidden = !open && (missing[name] || (options.few && !FEW.includes(name)));
      shell.bodies[index].hidden = !open;
    });
    const beside = state.tab === "states";
    root.classList.toggle("with-states", beside);
    shell.views.hidden = missing.states;
    [...shell.views.children].forEach((each) => put(each, "aria-pressed", (each.dataset.view === "states") === beside));
    panels[state.tab].show(story, state.frame);
  }

  // The pointer: looking at something pauses; in manual mode a frontier node can be clicked.
  for (const part of [view, side]) {
    part.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && hold(true));
    part.addEventListener("pointerleave", () => hold(false));
  }
  function chose(event) {
    const node = event.target.closest?.(".node.frontier");
    if (!options.manual || !node || (event.type === "click" && sight.camera.dragged)) return;
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    take(Number(node.dataset.node));
  }
  stage.addEventListener("click", chose);
  stage.addEventListener("keydown", chose);

  // A click on any other node offers to explain that one.
  function pick(event) {
    const node = callbacks.explain && !options.manual && !sight.camera.dragged && event.target.closest?.(".node");
    state.picked = node ? Number(node.dataset.node) : null;
    shell.instead.hidden = state.picked === null || state.picked === story.trace.target;
    if (!shell.instead.hidden) setText(shell.instead, `Explain ${story.name(state.picked)} instead`);
  }
  stage.addEventListener("click", pick);

  // A new trace, or the same one again with other options. The graph stays while its nodes and edges do.
  function show(data) {
    const told = options;
    options = data.options ?? {};
    root.classList.toggle("manual", Boolean(options.manual));
    root.classList.toggle("few", Boolean(options.few));
    panels.states?.give(options.states ?? null);
    const ended = !options.manual || Boolean(options.ended);
    const covered = !options.manual;
    given = data;
    const other = story?.text !== data.trace;
    const asked = other || options.reason !== told.reason;
    const reason = asked ? (options.reason ?? null) : state.reason;
    const same = story && !other && story.covered === covered && (story.end !== null) === ended;
    const fresh = !same || reason !== state.reason;
    state.reason = reason;
    if (fresh) begin(createStory(data, { ended, covered, reason }));
    const changed = (name) => options[name] !== undefined && options[name] !== told[name];
    adopt(changed("presenting") ? { presenting: options.presenting } : {});
    if (changed("view") && (options.view === "states") !== (state.tab === "states")) {
      state.tab = options.view || (fresh ? null : ownTab(state.frame)) || state.chosenTab;
    }
    const wanted = options.initialStep ?? null;
    const moves = fresh || (wanted !== null && wanted !== state.opened);
    if (moves) state.opened = wanted;
    const start = options.manual ? story.last : options.atAnswer ? story.first : 0;
    const frame = moves ? Math.min(Math.max(wanted ?? start, story.first), story.last) : state.frame;
    if (fresh || frame !== state.frame) {
      reports.known(frame);
      change(() => render(frame));
    } else render();
    if (fresh && options.autoplay && frame === 0 && !state.playing && !options.manual && !lessMotion()) play();
  }
  function begin(next) {
    story = next;
    shell.instead.hidden = true;
    Object.assign(state, { frame: null, picked: null });
    if (story.cover === null && state.chosenTab === "answer") state.chosenTab = "flow";
    if (state.tab !== "states") state.tab = state.chosenTab;
    sight.open(story);
  }
  function destroy() {
    clearTimeout(playTimer);
    reports.destroy();
    forgetKeys();
    panels.states?.destroy();
    sight.camera?.destroy();
    root.remove();
  }
  return { show, destroy };
}

// What the player tells whoever keeps the link: the step, never while playing, and what else is asked for.
function createReports(callbacks, state) {
  let [timer, reported] = [null, null];

  function step() {
    clearTimeout(timer);
    if (state.frame === reported || state.playing) return;
    reported = state.frame;
    callbacks.step?.(state.frame);
  }
  function soon(times = 1) {
    clearTimeout(timer);
    timer = setTimeout(step, times * SETTLE);
  }
  // Whatever else is asked for goes first: two reports at once would write over each other's part of the link.
  function ask(what, value) {
    clearTimeout(timer);
    if (KEPT.includes(what)) soon(4);
    callbacks[what]?.(value);
  }
  const known = (frame) => (reported = frame); // whoever would be told has said it
  return { step, soon, ask, known, destroy: () => clearTimeout(timer) };
}
