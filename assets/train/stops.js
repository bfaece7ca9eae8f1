// P(stop) of every state beside R/Z, the most wanted first. What is above its mark is on the wrong state.

import { percent, plural } from "../kit/numbers.js";
import { pointable } from "../state_graph/hub.js";
import { blend, createSurface, stampState } from "../state_graph/surface.js";
import { chances, holds, stateTip } from "../state_graph/words.js";
import { createPanel } from "./panel.js";

const PITCH = 7; // pixels a bar needs at least
const PICTURED = 30; // from so many pixels on there is a picture below each bar
const NAMED = 24; // or its name, where states have some
const [LEFT, TOP] = [40, 8];
const PEAK = 0.5; // of one state: then small shares are seen on an axis of square roots only
const ROOTS = [0, 0.01, 0.05, 0.2, 0.5, 1];

// Round shares up to the first that is above all.
function ticksOf(top) {
  const step = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((each) => top / each <= 4) ?? 0.25;
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, k) => k * step);
}

// The highest bar or mark.
function topOf(moment, order) {
  const [values, { target }] = [moment.get("stop") ?? moment.get("visits"), moment.scene];
  return order.reduce((best, k) => Math.max(best, values[k] ?? 0, target?.[k] ?? 0), 0.004);
}

// What is not drawn, in words: all other states together.
export function othersWords(moment, others) {
  const sum = (of) => others.reduce((total, state) => total + of[state], 0);
  return `${plural(others.length, "other")}: ${chances(sum(moment.get("stop")), sum(moment.scene.target))}`;
}

export function createStops({ lane, hub, colours, redraw }) {
  const panel = createPanel("stop", lane, "Where trajectories stop", redraw);
  const surface = createSurface(panel, "P(stop) of each state beside R over Z");
  const { canvas, pen } = surface;
  let shown = { moment: null, order: [], pitch: PITCH };

  // The most wanted states; without a target those that were passed most often.
  function ordered(moment) {
    const { scene } = moment;
    const room = Math.max(4, Math.floor((panel.width - LEFT - 6) / PITCH));
    if (shown.moment?.scene === scene && shown.room === room && scene.target) return shown;
    const by = scene.target ?? moment.get("visits");
    const all = Array.from(by, (_, state) => state).sort((a, b) => by[b] - by[a] || a - b);
    return { order: all.slice(0, room), others: scene.target ? all.slice(room) : [], room };
  }

  function draw(moment, all = [moment]) {
    if (!panel.width) return;
    surface.clear();
    if (!moment) return;
    const { scene } = moment;
    const { target } = scene;
    const values = target ? moment.get("stop") : moment.get("visits");
    if (!values) return;
    const { order, others, room } = ordered(moment);
    const pitch = Math.min(56, (panel.width - LEFT - 6) / order.length);
    const pictured = pitch >= (scene.names ? NAMED : PICTURED);
    const bottom = panel.height - (pictured ? Math.min(pitch, 34) + 6 : 18);
    shown = { moment, order, others, room, pitch, bottom };
    const alike = all.filter((other) => other && other.scene.target?.[order[0]] === target?.[order[0]]);
    const root = target?.[order[0]] > PEAK;
    const ticks = root ? ROOTS : ticksOf(Math.max(...alike.map((other) => topOf(other, order)))); // one for one target
    shown.level = (share) => (bottom - TOP) * (root ? Math.sqrt(share) : share / ticks.at(-1));
    axis(ticks, bottom);
    order.forEach((state, k) => {
      const x = LEFT + k * pitch;
      bar(x, pitch, values[state], target?.[state], { bottom, dim: isDim(scene, state) });
      if (pictured) {
        const size = Math.floor(Math.min(pitch - 4, 34));
        stampState(pen, scene, state, x + pitch / 2, bottom + 3 + size / 2, [size, size], colours);
      }
    });
    if (!pictured) under(moment, others, bottom);
    say(moment, order.length, others.length);
  }

  const isDim = (scene, state) => hub.lit !== null && !holds(hub.lit, scene, state);

  function axis(ticks, bottom) {
    pen.textAlign = "right";
    let last = bottom + 99;
    for (const value of ticks) {
      const y = bottom - shown.level(value);
      if (last - y < 11) continue; // one number on another can be read by nobody
      last = y;
      pen.fillStyle = blend(colours.ink, colours.paper, 0.12);
      pen.fillRect(LEFT - 2, Math.round(y), panel.width - LEFT, 1);
      pen.fillStyle = blend(colours.ink, colours.paper, 0.7);
      pen.fillText(percent(value, ticks[1] < 0.01 ? 1 : 0), LEFT - 5, y + 4);
    }
  }

  function bar(x, pitch, value, wanted, { bottom, dim }) {
    const high = shown.level;
    const width = Math.max(1.5, pitch * 0.72);
    const left = x + (pitch - width) / 2;
    const [right, tall] = [Math.min(value, wanted ?? value), high(value)];
    pen.globalAlpha = dim ? 0.25 : 1;
    pen.fillStyle = blend(wanted === undefined ? colours.water : colours.stop, colours.paper, 0.9);
    pen.fillRect(left, bottom - high(right), width, high(right));
    pen.fillStyle = blend(colours.off, colours.paper, 0.85);
    pen.fillRect(left, bottom - tall, width, tall - high(right));
    if (wanted !== undefined && wanted !== null) {
      pen.fillStyle = blend(colours.ink, colours.paper);
      const reach = Math.min(3, (pitch - width) / 2);
      pen.fillRect(left - reach, bottom - high(wanted) - 1, width + 2 * reach, 2);
    }
    pen.globalAlpha = 1;
  }

  function under(moment, others, bottom) {
    const first = moment.scene.target ? "the largest target first" : "the most visited first";
    pen.fillStyle = blend(colours.ink, colours.paper, 0.7);
    pen.textAlign = "left";
    pen.fillText(others.length ? othersWords(moment, others) : first, LEFT, bottom + 13);
  }

  function say(moment, count, others) {
    if (!moment.scene.target) {
      panel.say("Share of trajectories through a state. P(stop) and R/Z: not known, as not all states are listed.");
      return;
    }
    const all = others ? `The ${count} states with the largest target, the largest first. ` : "";
    const scale = moment.scene.target[shown.order[0]] > PEAK ? " Square-root scale." : "";
    panel.say(`${all}Bar: P(stop). Mark: R/Z, the aim. Orange: too much.${scale}`);
  }

  const found = (k) => {
    const { moment, order, pitch, bottom } = shown;
    const state = order[k];
    if (state === undefined) return null;
    const nodes = moment.scene.states[state];
    return {
      selection: { kind: "state", key: moment.scene.keys[state], nodes },
      box: [LEFT + k * pitch, TOP, pitch, bottom - TOP],
      text: () => stateTip(shown.moment, state),
    };
  };
  pointable(canvas, hub, {
    find(x) {
      const k = Math.floor((x - LEFT) / shown.pitch);
      return shown.moment ? found(k) : null;
    },
    walk(dx) {
      const { moment, order } = shown;
      if (!moment) return null;
      const now = order.indexOf(moment.scene.keys.indexOf(hub.lit?.key));
      return found(now < 0 ? 0 : Math.min(order.length - 1, Math.max(0, now + dx)));
    },
  });
  return { panel, draw };
}
