// Lesson 1: flow is water. Drag a reward, and all flows, and where walks stop, follow.

import { el, setText } from "../kit/dom.js";
import { percent, plain } from "../kit/numbers.js";
import { solve } from "./flows.js";
import { buttons, lesson, statePart } from "./lesson.js";
import { createTable } from "./table.js";

export default lesson((body, content, report) => {
  const { picture, reward: first, most, goal, wanted, fixed } = content;
  const names = picture.boxes.map(({ name }) => name);
  let [reward, chosen] = [first, 0];
  const graph = statePart(content, heard);
  const table = createTable(content, "stops", ["State", "R", "", "P(stop)", "R/Z"], names, goal);
  const [balance, step, reached] = ["p", "p", "p"].map((tag) => el(tag));
  const scaled = (factor) => () => change(reward.map((value) => factor * value));
  const acts = { "Double all": scaled(2), "Halve all": scaled(0.5), Reset: () => change(first) };
  const row = buttons(acts, content);
  const words = el("div", {}, graph.element, balance, step);
  body.append(el("div", { class: "two wide" }, words, el("div", {}, table.element, reached, row)));

  function tell() {
    const same = reward.every((value, k) => value === first[k]);
    report({ r: same ? "" : reward.join("_"), s: names[chosen] === goal ? "" : names[chosen] });
  }
  function change(next) {
    reward = next;
    draw();
    tell();
  }
  function heard(kind, value) {
    if (kind === "state") chosen = value;
    else {
      reward = reward.with(value.state, value.value);
      if (!reward.some(Boolean)) reward = reward.with(value.state, 0.5); // something must flow
    }
    draw();
    if (kind === "state" || value.settled) tell();
  }
  // What flows in at one end of links, in words.
  const listed = (flow, end, other, way) => picture.links.flatMap((link, k) =>
    link[end] === chosen ? [`${plain(flow[k])} ${way} ${names[link[other]]}`] : []);
  function draw() {
    const { through, flow } = solve(picture.links, reward);
    const share = (amount) => amount / through[0];
    const boxes = picture.boxes.map((box, k) => {
      const stop = share(reward[k]);
      return { ...box, flow: share(through[k]), stop, target: stop, reward: reward[k] };
    });
    const links = picture.links.map((link, k) => ({ ...link, flow: share(flow[k]) }));
    const view = { draggable: !fixed, rewardMax: most, selected: chosen, path: [], height: 325 };
    graph.show({ ...view, picture: { ...picture, boxes, links } });
    const lines = reward.map((amount) => {
      const text = percent(share(amount), 1);
      return { cells: [plain(amount), text, text], bar: share(amount), mark: share(amount) };
    });
    table.show(lines, `Sum of all R: Z = ${plain(through[0])}`);
    const into = listed(flow, "target", "source", "from").join(" + ") || "Z, all the water";
    const onward = listed(flow, "source", "target", "to");
    const out = [`${plain(reward[chosen])} stops here`, ...onward].join(" + ");
    balance.replaceChildren(el("b", {}, names[chosen]), ` · in: ${into} = ${plain(through[chosen])} = out: ${out}.`);
    const last = picture.links.findLastIndex(({ source }) => source === chosen);
    const onto = last < 0 ? "stops" : `goes on to ${names[picture.links[last].target]}`;
    const amount = last < 0 ? reward[chosen] : flow[last];
    const ratio = `${plain(amount)} / ${plain(through[chosen])} = ${percent(amount / through[chosen])}`;
    setText(step, through[chosen] ? `From ${names[chosen]} a walk ${onto} with probability ${ratio}.` : "");
    const got = share(reward[names.indexOf(goal)]);
    const open = `Goal: ${goal} at ${percent(wanted)} or more. It is at ${percent(got, 1)}.`;
    setText(reached, got < wanted ? open : `✓ ${goal} has ${percent(got, 1)}: done. Now the question below.`);
    const [double, halve] = row.children;
    double.disabled = 2 * Math.max(...reward) > most;
    halve.disabled = Math.max(...reward) < 1;
  }
  return ({ r, s }) => {
    const values = (r ?? "").split("_").map(Number);
    const sound = values.length === first.length && values.every((value) => value >= 0 && value <= most);
    reward = sound && values.some(Boolean) ? values : first;
    chosen = names.indexOf(names.includes(s) ? s : goal);
    draw();
  };
});
