// A trace, large and simple: the graph with big labels, one sentence, one button. It plays once, a sample for each
// reason, and rests at the answer. The graph is drawn by the player's own code.

import { framed } from "../kit/camera.js";
import { el, lessMotion, put, setText } from "../kit/dom.js";
import { percent, solid } from "../kit/numbers.js";
import { keptView } from "../kit/views.js";
import { createGraph } from "../player/graph.js";
import { foundScene, stateScene } from "../player/scenes.js";
import { createStory } from "../player/story.js";

const PACE = 1150; // milliseconds a frame stays
const ROOM = [330, 230]; // a small graph is not blown up beyond this box
const LARGER = 1.35; // nodes than in the player
const LETTERS = { least: 14, size: 15, long: false };

// What plays: the steps of a sample for each reason; where there are several, the part in which each ends; the answer.
function script(data) {
  const whole = createStory(data, { ended: true, covered: false });
  const { reasons, className, trace: { prediction, answer, edges } } = whole;
  const several = reasons.length > 1;
  const judged = several ? edges.map((edge) => ({ ...edge, in_motif: null })) : edges;
  const truth = { motif: several ? new Set() : whole.motif, known: whole.known && !several };
  const found = (part, start) => foundScene({ ...whole.trace, edges: judged, start }, truth, part, "end");
  const frames = [];
  const starts = new Set();
  for (const [number, reason] of reasons.entries()) {
    const { trace, name } = createStory(data, { ended: true, covered: false, reason: number + 1 });
    starts.add(trace.start);
    for (const [at, step] of trace.steps.entries()) {
      let says = `The GNN predicts “${className}” (${percent(prediction.probabilities[prediction.predicted])}). Why?`;
      if (number) says = "The next sample takes other steps: each is taken at random, by its probability.";
      if (at) {
        const { frontier } = trace.steps[at - 1];
        const { probability } = frontier.find(({ node }) => node === step.added);
        says = `It adds ${name(step.added)}, one of ${frontier.length + 1} choices, with a probability of ${percent(probability)}.`;
      }
      frames.push({ scene: stateScene(trace, { ...step, cut_vertices: [], parents: [] }), says });
    }
    const alone = percent(reason.alone[prediction.predicted]);
    const says = `Sample ${number + 1} stops: ${reason.name}. This part alone gives ${alone}.`;
    if (several) frames.push({ scene: found(reason, reason.nodes[0]), says, ends: number });
  }
  const all = (name) => [...new Set(reasons.flatMap((reason) => reason[name]))];
  const scene = found({ nodes: all("nodes"), edges: all("edges") }, starts.size > 1 ? null : [...starts][0]);
  return { ...whole, frames: [...frames, { scene, says: answer.sentence, ends: null }] };
}

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
  let [plot, frame, timer, graph, text] = [null, 0, null, null, null];
  const sized = new ResizeObserver(() => graph && lay());
  sized.observe(stage);

  const last = () => plot.frames.length - 1; // the answer
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
  function draw(outcome) {
    graph = createGraph({ ...plot, times: LARGER });
    graph.write(LETTERS);
    stage.replaceChildren(graph.svg);
    setText(verdict, solid(outcome));
    put(words, "data-verdict", outcome); // room is kept for the longest text, so that nothing moves
    put(words, "data-says", plot.frames[last()].says);
    root.classList.toggle("tween", !lessMotion());
    dots.replaceChildren(...plot.frames.map(({ ends }) => el("i", { class: ends !== undefined && "answer" })));
    const reasons = plot.reasons.length > 1 ? plot.reasons : [];
    tally.hidden = !reasons.length;
    tally.replaceChildren(...reasons.map(({ name, share }, number) => {
      const bar = el("i", { style: `--share: ${share}` });
      return el("li", {}, el("span", {}, name), el("span", { class: "share" }, bar), el("b", {}, plot.shares[number]));
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
    const { scene, says } = plot.frames[frame];
    const answer = frame === last();
    graph.show(scene);
    verdict.hidden = !answer;
    setText(caption, solid(says));
    put(graph.svg, "aria-label", says);
    [...dots.children].forEach((dot, number) => dot.classList.toggle("done", number <= frame));
    plot.frames.forEach(({ ends }, at) => tally.children[ends]?.classList.toggle("done", frame >= at));
    tally.classList.toggle("counted", answer);  // one sample of each has played: only now is it said how many end there
    say();
  }

  return {
    show({ seek, verdict: outcome, ...data }) {
      if (text === data.trace) return;
      text = data.trace;
      plot = script(data);
      clearTimeout(timer);
      timer = null;
      draw(outcome);
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
