// A trace, large and simple: the graph with big labels, one sentence, one button. It plays once, a sample for each
// reason, and rests at the answer. The graph is drawn by the player's own code.

import { framed } from "../kit/camera.js";
import { el, lessMotion, put, setText } from "../kit/dom.js";
import { solid } from "../kit/numbers.js";
import { keptView } from "../kit/views.js";
import { createGraph } from "../player/graph.js";
import { foundScene, stateScene } from "../player/scenes.js";

const PACE = 1150; // milliseconds a frame stays
const ROOM = [330, 230]; // a small graph is not blown up beyond this box
const LARGER = 1.35; // nodes than in the player
const LETTERS = { least: 14, size: 15, long: false };

export default keptView((parentElement) => {
  const root = parentElement.querySelector(".hero");
  const stage = el("div", { class: "hero-stage" });
  const verdict = el("p", { class: "verdict", hidden: true });
  const caption = el("p", { class: "words-now", "aria-live": "polite" });
  const again = el("button", { type: "button", class: "again", onclick: () => toggle() });
  const dots = el("div", { class: "dots", "aria-hidden": "true" });
  const tally = el("ul", { class: "tally", "aria-label": "Reasons" });
  const words = el("div", { class: "words" }, el("div", { class: "now" }, verdict, caption));
  root.append(stage, tally, words, el("div", { class: "row" }, again, dots));
  let [data, frame, timer, graph, text, told] = [null, 0, null, null, null, false];
  const sized = new ResizeObserver(() => graph && lay());
  sized.observe(stage);

  const last = () => data.frames.length; // the frame after all others is the answer
  function play() {
    clearTimeout(timer);
    timer = frame < last() ? setTimeout(() => (show(frame + 1), play()), PACE) : null;
    say();
  }
  function toggle() {
    if (timer === null) {
      if (frame === last()) show(0);
      play();
    } else {
      clearTimeout(timer);
      timer = null;
      say();
    }
  }
  const say = () => setText(again, timer !== null ? "Pause" : frame === last() ? "Play again" : "Play");

  // Once for each graph: where everything is.
  function draw() {
    const molecule = data.nodes.some(({ element }) => element);
    graph = createGraph({ trace: data, molecule, written: data.written, times: LARGER });
    graph.write(LETTERS);
    stage.replaceChildren(graph.svg);
    put(words, "data-verdict", data.end.verdict); // room is kept for the longest text, so that nothing moves
    put(words, "data-says", data.end.says);
    root.classList.toggle("tween", !lessMotion());
    dots.replaceChildren(...[...data.frames, data.end].map(({ members }) => el("i", { class: !members && "answer" })));
    tally.hidden = !data.reasons.length;
    tally.replaceChildren(...data.reasons.map(({ name, share, percent }) => {
      const bar = el("i", { style: `--share: ${share}` });
      return el("li", {}, el("span", {}, name), el("span", { class: "share" }, bar), el("b", {}, solid(percent)));
    }));
    lay();
  }
  function lay() {
    const size = [stage.clientWidth || 560, stage.clientHeight || 400];
    const box = framed(graph.box, size, ROOM);
    put(graph.svg, "viewBox", box.join(" "));
    graph.scaled(box[2] / size[0]);
  }

  function show(next) {
    frame = next;
    const { frames, end, known, edges } = data;
    const answer = frame === last();
    const motif = new Set(edges.flatMap(({ source, target, in_motif }) => (in_motif ? [source, target] : [])));
    const now = answer ? end : frames[frame];
    const trace = { ...data, steps: frames, start: now.start }; // samples of a whole graph start at different nodes
    graph.show(now.members ? stateScene(trace, now, null) : foundScene(trace, { motif, known }, now, "end"));
    const { says } = now;
    verdict.hidden = !answer;
    setText(verdict, solid(end.verdict));
    setText(caption, solid(says));
    put(graph.svg, "aria-label", says);
    [...dots.children].forEach((dot, number) => dot.classList.toggle("done", number <= frame));
    data.reasons.forEach(({ at }, number) => tally.children[number].classList.toggle("done", frame >= at));
    tally.classList.toggle("counted", answer);  // one sample of each has played: only now is it said how many end there
    say();
  }

  function tellIdle(setTriggerValue) {
    const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 300));
    setTimeout(() => idle(() => setTriggerValue("idle", true), { timeout: 3000 }), 300);
  }
  return {
    show({ idle, seek, ...rest }, { setTriggerValue }) {
      if (idle && !told) tellIdle(setTriggerValue);
      told ||= idle;
      if (text === JSON.stringify(rest)) return;
      text = JSON.stringify(rest);
      data = rest;
      clearTimeout(timer);
      timer = null;
      draw();
      if (seek) stage.scrollIntoView({ block: "nearest", behavior: lessMotion() ? "auto" : "smooth" });
      show(lessMotion() ? last() : 0);
      if (!lessMotion()) play();
    },
    destroy() {
      clearTimeout(timer);
      sized.disconnect();
    },
  };
});
