// Curves of both lanes over the steps: what has been, and faintly what is to come.

import { el, put, setText, svgEl } from "../kit/dom.js";
import { percent, signed, steady } from "../kit/numbers.js";
import { createPanel } from "./panel.js";

const HIGH = 74; // of one small picture
const [LEFT, RIGHT, TOP, BOTTOM] = [4, 6, 6, 4];
const LEAST = 1e-6; // of what is drawn on a logarithmic axis

// Name in a frame, title, what it says, how its numbers are written, and how its axis goes.
const CURVES = [
  { name: "total_variation", title: "Total variation", about: "how much probability stands on wrong states", floor: 0 },
  { name: "loss", title: "Loss (log)", about: "what training makes small", log: true },
  {
    name: "residual",
    title: "Mean residual (visited)",
    about:
      "|log in − log out|, mean over visited states: those of the latest trajectories. Others do not count, so it " +
      "can be small while the answer is wrong",
    floor: 0,
  },
  { name: "log_z", title: "log Z", about: "learned; dotted: the true one", truth: "log_z" },
  { name: "log_reward", title: "Mean log R", about: "of the latest trajectories" },
  { name: "modes", title: "Modes visited", about: "share of all modes of P ∝ R", floor: 0, ceiling: 1 },
  {
    name: "auc",
    title: "AUC of the edges",
    about:
      "edges ordered by P(edge is found), against the true motif. It says little about the policy: the order can be " +
      "right before it has learned, and a target that is spread over many subgraphs can give 0.5",
    floor: 0.4,
    ceiling: 1,
  },
];

export function createCurves({ redraw, goTo }) {
  const panel = createPanel("curves", null, "Curves", redraw);
  const plots = CURVES.map((curve) => createPlot(curve, goTo));
  const list = el("div", { class: "plots" }, ...plots.map(({ element }) => element));
  panel.body.append(list);
  panel.say("Each number over the training steps. Click in a curve to go there.");

  const build = (lanes) => plots.forEach((plot) => plot.build(lanes));
  const draw = (moments, step) => plots.forEach((plot) => plot.draw(moments, step));
  return { panel, build, draw };
}

function createPlot(curve, goTo) {
  const { name, title, about, log } = curve;
  const label = `${title}: ${about}`;
  const shape = { class: "plot", preserveAspectRatio: "none", viewBox: `0 0 200 ${HIGH}` };
  const svg = svgEl("svg", { ...shape, role: "img", "aria-label": label });
  const values = el("span", { class: "values" });
  const range = el("span");
  const element = el(
    "figure",
    { "data-curve": name, "data-tip": label },
    el("figcaption", {}, title, el("small", {}, about)),
    svg,
    el("p", { class: "below" }, range, values),
  );
  const cursor = svgEl("line", { class: "cursor", y1: TOP - 4, y2: HIGH - BOTTOM });
  // As far as the clock has come.
  const past = svgEl("svg", { width: 0, height: HIGH, overflow: "hidden", "aria-hidden": "true" });
  let scale = null;
  svg.addEventListener("click", (event) => {
    const frame = svg.getBoundingClientRect();
    const share = ((event.clientX - frame.left) / frame.width) * 200;
    if (scale) goTo(((share - LEFT) / (200 - LEFT - RIGHT)) * scale.last);
  });

  const level = (value) => (log ? Math.log(Math.max(value, LEAST)) : value);
  const x = (step) => LEFT + (step / scale.last) * (200 - LEFT - RIGHT);
  const y = (value) => {
    const share = (level(value) - scale.low) / (scale.high - scale.low);
    return HIGH - BOTTOM - Math.min(1.04, Math.max(-0.03, share)) * (HIGH - TOP - BOTTOM);
  };

  function build(lanes) {
    const series = lanes.map(({ frames }) => frames.filter((frame) => Number.isFinite(frame[name])));
    const truths = lanes.map((lane) => (curve.truth ? truthOf(lane) : []));
    const all = [...series.flatMap((frames) => frames.map((frame) => frame[name])), ...truths.flat().map(([, v]) => v)];
    element.hidden = !all.length;
    if (!all.length) return;
    const levels = all.map(level);
    const [least, most] = [Math.min(...levels), Math.max(...levels)];
    const low = Math.min(curve.floor ?? least, least);
    const high = Math.max(curve.ceiling ?? most, low + (log ? 0.5 : 0.05), most);
    const last = Math.max(1, ...lanes.flatMap(({ frames }) => frames.slice(-1).map(({ step }) => step)));
    scale = { low, high, last };
    const lines = series.map((frames, lane) => {
      const points = pointsOf(frames.map((frame) => [x(frame.step), y(frame[name])]));
      return ["curve ahead", "curve"].map((kind) => svgEl("polyline", { class: `${kind} lane-${lane}`, points }));
    });
    const levelled = truths.flatMap((truth, lane) =>
      truth.length ? [svgEl("polyline", { class: `truth lane-${lane}`, points: pointsOf(truth.map(atTruth)) })] : [],
    );
    past.replaceChildren(...lines.map(([, line]) => line));
    svg.replaceChildren(...levelled, ...lines.map(([ahead]) => ahead), past, cursor);
    values.replaceChildren(...lines.map((_, lane) => el("b", { class: `lane-${lane}` })));
    const shown = (value) => written(log ? Math.exp(value) : value);
    setText(range, `${shown(low)} to ${shown(high)}`);
  }
  const atTruth = ([step, value]) => [x(step), y(value)];
  const written = name === "modes" ? percent : steady;

  function draw(moments, step) {
    if (element.hidden || !scale) return;
    for (const [part, name] of [[cursor, "x1"], [cursor, "x2"], [past, "width"]]) put(part, name, x(step));
    moments.forEach((moment, lane) => {
      const value = moment?.get(name) ?? null;
      setText(values.children[lane], value === null ? "–" : words(value));
    });
  }
  const words = name === "log_z" || name === "log_reward" ? (value) => signed(value) : written;
  return { element, build, draw };
}

const pointsOf = (points) => points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

// The true value holds as long as its scene does.
function truthOf({ scenes, frames }) {
  return scenes.flatMap((scene, k) => {
    if (scene.log_z === null || !frames[scene.from]) return [];
    const next = scenes[k + 1] && frames[scenes[k + 1].from];
    const until = (next ?? frames.at(-1)).step;
    return [[frames[scene.from].step, scene.log_z], [until, scene.log_z]];
  });
}
