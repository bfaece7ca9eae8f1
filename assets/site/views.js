// Where the views of a page of the site come to life. Components of the explorer stand in shadow trees, each with its
// own looks, as they do there; nothing hears what they report.

import glossaryStyle from "../components/glossary_view.css";
import glossaryView from "../components/glossary_view.js";
import handStyle from "../components/hand_view.css";
import handView from "../components/hand_view.js";
import heroStyle from "../components/hero.css";
import heroView from "../components/hero.js";
import tourStyle from "../components/tour_bar.css";
import tourBar from "../components/tour_bar.js";
import { put } from "../kit/dom.js";
import { shaded } from "../kit/shade.js";
import orders from "../lessons/orders.js";
import puzzles from "../lessons/puzzles.js";
import rewards from "../lessons/rewards.js";
import sequences from "../lessons/sequences.js";
import water from "../lessons/water.js";
import graphStyle from "../player/graph.css";
import panelStyle from "../player/panels.css";
import playerStyle from "../player/player.css";
import { createPlayer } from "../player/player.js";
import { createTrain } from "../train/train.js";

const ASKED = new URLSearchParams(window.location.search);
const TOURED = ASKED.has("tour"); // then views look as at the stops of the explorer: presented, with few tools

const ignore = () => {};
const mount = (view, parentElement, data) =>
  view({ data: [data], parentElement, setTriggerValue: ignore, setStateValue: ignore });
const component = (view, ...styles) => (host, data) => mount(view, shaded(host, ...styles), data);
const lesson = (view) => (host, data) => mount(view, host, data); // it has a shadow tree of its own

// A stop of the guided tour, where the link names it and it is on this page.
export function showTour(host, stops) {
  const number = Number(ASKED.get("tour"));
  const stop = stops[number - 1];
  if (stop?.page !== (window.location.pathname.split("/").pop() || "index.html")) return;
  const ways = { back: stops[number - 2]?.address, next: stops[number]?.address, end: "index.html" };
  put(document.body, "data-tour", number);
  host.hidden = false;
  component(tourBar, tourStyle)(host, { ...stop, ...ways, number, of: stops.length });
}

export const VIEWS = {
  hero: component(heroView, graphStyle, playerStyle, panelStyle, heroStyle),
  player: (host, { options, ...data }) => {
    const toured = TOURED && { autoplay: false, atAnswer: true, few: true, presenting: true };
    createPlayer(host, {}).show({ ...data, options: { ...options, ...toured } });
  },
  train: (host, data) =>
    createTrain(host, {}).show({ ...data, presenting: TOURED, opened: { view: ASKED.get("see") } }),
  glossary: component(glossaryView, glossaryStyle),
  hand: component(handView, handStyle),
  water: lesson(water),
  orders: lesson(orders),
  sequences: lesson(sequences),
  puzzles: lesson(puzzles),
  rewards: lesson(rewards),
};
