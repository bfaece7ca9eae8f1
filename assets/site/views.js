// Where the views of a page of the site come to life. Components of the explorer stand in shadow trees, each with its
// own looks, as they do there; what they report is heard here instead of in Python.

import glossaryStyle from "../../pages/ui/components/glossary_view.css";
import glossaryView from "../../pages/ui/components/glossary_view.js";
import graphViewStyle from "../../pages/ui/components/graph_view.css";
import graphView from "../../pages/ui/components/graph_view.js";
import handStyle from "../../pages/ui/components/hand_view.css";
import handView from "../../pages/ui/components/hand_view.js";
import heroStyle from "../../pages/ui/components/hero.css";
import heroView from "../../pages/ui/components/hero.js";
import sequenceStyle from "../../pages/ui/components/sequence_view.css";
import sequenceView from "../../pages/ui/components/sequence_view.js";
import tourStyle from "../../pages/ui/components/tour_bar.css";
import tourBar from "../../pages/ui/components/tour_bar.js";
import stopStyle from "../../pages/ui/components/stop_table.css";
import stopTable from "../../pages/ui/components/stop_table.js";
import { el, put, setText } from "../kit/dom.js";
import kit from "../kit/kit.css";
import { percent, plain, signed } from "../kit/numbers.js";
import graphStyle from "../player/graph.css";
import panelStyle from "../player/panels.css";
import playerStyle from "../player/player.css";
import { createPlayer } from "../player/player.js";
import { createStatePicture } from "../state_graph/picture.js";
import stateStyle from "../state_graph/state_graph.css";
import { createTrain } from "../train/train.js";
import { solve } from "./flows.js";

const LOOKS = [":host { display: block; }", kit];
const ASKED = new URLSearchParams(window.location.search);
const TOURED = ASKED.has("tour"); // then views look as at the stops of the explorer: presented, with few tools
const GRAPH = [graphStyle, playerStyle, panelStyle];

// What stands in a part of the page moves into a shadow tree of that part.
function shaded(part, ...styles) {
  const root = part.attachShadow({ mode: "open" });
  root.append(...part.childNodes);
  root.adoptedStyleSheets = [...LOOKS, ...styles].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return root;
}

// A component of the explorer as a function of its data; `tell(name, value)` hears what it reports.
function component(view, root, tell = () => {}) {
  return (data) => view({ data: [data], parentElement: root, setTriggerValue: tell, setStateValue: tell });
}

const parts = (host) => Object.fromEntries([...host.querySelectorAll("[data-part]")].map((e) => [e.dataset.part, e]));
const graphPane = (part, tell) => component(graphView, shaded(part, ...GRAPH, graphViewStyle), tell);
const statePicture = (part, report) =>
  createStatePicture(shaded(part, stateStyle).querySelector(".state-graph"), { report });
const onButtons = (host, acts) => host.addEventListener("click", (event) => acts[event.target.dataset?.do]?.());

// Lesson 1: drag a reward, and all flows follow.
function water(host, { picture, reward: first, most, goal, chosen }) {
  const { states, stops, balance, reached } = parts(host);
  let reward = [...first];
  const graph = statePicture(states, heard);
  const table = component(stopTable, shaded(stops, stopStyle));
  const name = (state) => picture.boxes.find(({ id }) => id === state).name;
  const scale = (factor) => reward.map((each) => Math.min(most, factor * each));
  const change = (next) => ((reward = next), draw());
  onButtons(host, {
    double: () => Math.max(...reward) * 2 <= most && change(scale(2)),
    halve: () => change(scale(0.5)),
    reset: () => change([...first]),
  });
  function heard(kind, value) {
    if (kind === "state") chosen = value;
    else {
      reward[value.state] = value.value;
      if (!reward.some(Boolean)) reward[value.state] = 0.5; // something must flow
    }
    draw();
  }
  function draw() {
    const { through, flow } = solve(picture.links, reward);
    const share = (amount) => amount / through[0];
    const boxes = picture.boxes.map((box) => {
      const stop = share(reward[box.id]);
      return { ...box, flow: share(through[box.id]), stop, target: stop, reward: reward[box.id] };
    });
    const links = picture.links.map((link, k) => ({ ...link, flow: share(flow[k]) }));
    const view = { draggable: true, rewardMax: most, selected: chosen, path: [], height: 325, beside: true };
    graph.show({ ...view, picture: { ...picture, boxes, links }, action: "write out its balance below" });
    const rows = boxes.map(({ id, stop }) => ({ name: name(id), reward: reward[id], stop, target: stop }));
    table({ rows, marked: goal });
    const sum = (end, way) => picture.links.flatMap((link, k) =>
      link[end] === chosen ? [`${plain(flow[k])} ${way} ${name(link[end === "target" ? "source" : "target"])}`] : []);
    const into = sum("target", "from").join(" + ") || "all the water, Z";
    const out = [`${plain(reward[chosen])} stops here`, ...sum("source", "to")].join(" + ");
    setText(balance, `${name(chosen)} · in: ${into} = ${plain(through[chosen])} = out: ${out}.`);
    const got = share(reward[picture.boxes.find((box) => box.name === goal).id]);
    const done = got >= 0.25 ? " Done. Now the question below." : " The goal is 25 % or more.";
    setText(reached, `${goal} gets ${plain(Math.round(1000 * got) / 10)} % of the water.${done}`);
  }
  draw();
}

const keyOf = (nodes) => [...nodes].sort((a, b) => a - b).join();

// Lesson 2: build a set by clicking; different orders arrive at the same state.
function orders(host, { graph, picture, goal, ways }) {
  const { nodes, states, way } = parts(host);
  const stateOf = new Map(picture.boxes.map(({ id, nodes: held }) => [keyOf(held), id]));
  const found = new Set();
  let order = [picture.start];
  const pane = graphPane(nodes, (_, node) => go([...order, node]));
  const dag = statePicture(states, (_, state) => {
    const at = path().indexOf(state);
    const next = at < 0 ? frontier().find((node) => stateOf.get(keyOf([...order, node])) === state) : null;
    if (next != null) go([...order, next]);
    else if (at >= 0) go(order.slice(0, at + 1));
  });
  onButtons(host, { again: () => go(order.slice(0, 1)), back: () => order.length > 1 && go(order.slice(0, -1)) });
  const path = () => order.map((_, k) => stateOf.get(keyOf(order.slice(0, k + 1))));
  const near = (id) => graph.edges.some(([a, b]) => (a === id && order.includes(b)) || (b === id && order.includes(a)));
  const frontier = () => graph.nodes.flatMap(({ id }) => (!order.includes(id) && near(id) ? [id] : []));
  function go(next) {
    order = next;
    const open = frontier();
    const role = (id) => (order.includes(id) ? "member" : open.includes(id) ? "frontier" : "outside");
    const roles = ({ id }) => [role(id), ...(id === order[0] ? ["start"] : [])];
    const names = order.map((node) => graph.nodes[node].label);
    if (keyOf(order) === keyOf(goal)) found.add(names.join(" → "));
    const drawn = graph.nodes.map((node) => ({ ...node, roles: roles(node) }));
    pane({ ...graph, nodes: drawn, clickable: open, description: `The set ${names.join(", ")}` });
    const at = path();
    const view = { draggable: false, rewardMax: 0, height: 250, beside: false, action: "go there in one step" };
    dag.show({ ...view, picture: { ...picture, path: at }, selected: at.at(-1), path: at });
    const listed = found.size ? ` (${[...found].join("; ")})` : "";
    const to = goal.map((node) => graph.nodes[node].label).join("");
    setText(way, `You went ${names.join(" → ")}. Orders found to ${to}: ${found.size} of ${ways}${listed}.`);
  }
  go(order);
}

// Lesson 3: copies of a set, apart or merged.
function sequences(host, { views, words }) {
  const { view, said } = parts(host);
  const show = component(sequenceView, shaded(view, sequenceStyle));
  const button = host.querySelector("[data-do]");
  let merged = false;
  function draw() {
    show(views[Number(merged)]);
    setText(said, words[Number(merged)]);
    put(button, "aria-pressed", merged);
  }
  onButtons(host, { merge: () => ((merged = !merged), draw()) });
  draw();
}

// Lesson 5: which nodes may be removed?
function puzzles(host, all) {
  const { graph, hint, answers } = parts(host);
  let [at, checked] = [0, false];
  const picked = new Set();
  const pane = graphPane(graph, (_, node) => {
    if (!picked.delete(node)) picked.add(node);
    checked = false;
    draw();
  });
  onButtons(host, {
    check: () => ((checked = true), draw()),
    another: () => (([at, checked] = [(at + 1) % all.length, false]), picked.clear(), draw()),
  });
  function draw() {
    const { words, view, removable, reasons } = all[at];
    const right = (id) => removable.includes(id);
    const mark = (id) => (!picked.has(id) ? [] : checked ? [right(id) ? "right" : "wrong"] : ["picked"]);
    pane({ ...view, nodes: view.nodes.map((node) => ({ ...node, roles: [...node.roles, ...mark(node.id)] })) });
    setText(hint, `State ${at + 1} of ${all.length}. ${words}`);
    const told = checked ? view.clickable.filter((id) => picked.has(id) || right(id)) : [];
    const say = (id) => (!picked.has(id) ? "Missed" : right(id) ? "Right" : "Not removable");
    const kind = (id) => (picked.has(id) && right(id) ? "good" : "bad");
    answers.replaceChildren(...told.map((id) =>
      el("li", { class: kind(id) }, el("b", {}, view.nodes[id].label), ` ${say(id)}: ${reasons[id]}`)));
  }
  draw();
}

// Lesson 6: click a subgraph together; what the GNN predicts for each was asked before.
function rewards(host, { graph, start, sets, predicted, best }) {
  const { nodes, says } = parts(host);
  const costs = Object.values(sets);
  const picked = new Set([start]);
  let shown = false;
  const pane = graphPane(nodes, (_, node) => {
    if (!picked.delete(node)) picked.add(node);
    draw();
  });
  onButtons(host, {
    best: () => ((shown = true), draw()),
    again: () => ((shown = false), picked.clear(), picked.add(start), draw()),
  });
  function draw() {
    const touches = (id) => graph.edges.some(([a, b]) => (a === id && picked.has(b)) || (b === id && picked.has(a)));
    const role = (id) => (picked.has(id) ? "member" : touches(id) ? "frontier" : "outside");
    const marks = (id) => [id === start && "start", shown && best.includes(id) && "right"].filter(Boolean);
    const roles = ({ id }) => [role(id), ...marks(id)];
    const open = graph.nodes.flatMap(({ id }) => (id === start ? [] : [id]));
    pane({ ...graph, nodes: graph.nodes.map((node) => ({ ...node, roles: roles(node) })), clickable: open });
    const cost = sets[keyOf(picked)];
    const worse = costs.filter((other) => other > cost + 1e-5).length;
    const reward = (some) => `“${predicted}” with ${percent(Math.exp(-some))}: log R = ${signed(-some)}.`;
    const alone = `For this part alone the GNN predicts ${reward(cost)}`;
    const known = `${alone} That is better than ${worse} of ${costs.length} subgraphs.`;
    const mine = cost == null ? "This set is not connected, or too large: no walk builds it." : known;
    const named = best.map((node) => graph.nodes[node].label).join(", ");
    setText(says, shown ? `${mine} For the best one, ${named}, it predicts ${reward(sets[keyOf(best)])}` : mine);
  }
  draw();
}

// A stop of the guided tour, where the link names it and it is on this page.
export function showTour(host, stops) {
  const number = Number(ASKED.get("tour"));
  const stop = stops[number - 1];
  if (stop?.page !== (window.location.pathname.split("/").pop() || "index.html")) return;
  const ways = { back: stops[number - 2]?.address, next: stops[number]?.address, end: "index.html" };
  put(document.body, "data-tour", number);
  host.hidden = false;
  component(tourBar, shaded(host, tourStyle))({ ...stop, ...ways, number, of: stops.length });
}

export const VIEWS = {
  hero: (host, data) => component(heroView, shaded(host, ...GRAPH, heroStyle))(data),
  player: (host, { options, ...data }) => {
    const toured = TOURED && { autoplay: false, atAnswer: true, few: true, presenting: true };
    createPlayer(host, {}).show({ ...data, options: { ...options, ...toured } });
  },
  train: (host, data) =>
    createTrain(host, {}).show({ ...data, presenting: TOURED, opened: { view: ASKED.get("see") } }),
  glossary: (host, data) => component(glossaryView, shaded(host, glossaryStyle))(data),
  hand: (host, data) => component(handView, shaded(host, handStyle))(data),
  water,
  orders,
  sequences,
  puzzles,
  rewards,
};
