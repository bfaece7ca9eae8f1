// A tip says what is so now, and goes with what it explains.

import { el } from "../../assets/kit/dom.js";
import { createTip } from "../../assets/kit/tips.js";
import { createHub, pointable } from "../../assets/state_graph/hub.js";
import { equal, run, test } from "./harness.js";

function shown(text, about = {}) {
  const [root, target] = [el("div"), el("b", about)];
  root.append(target);
  document.body.append(root);
  const tip = createTip(root);
  tip.show(target, text);
  const said = () => (root.querySelector(".tip").hidden ? null : root.querySelector(".tip").textContent);
  return { tip, target, said };
}

test("a tip goes when its target is gone, though no pointer has left it", () => {
  const { tip, target, said } = shown("one");
  equal([tip.check(), said()], [true, "one"]);
  target.remove();
  equal([tip.check(), said()], [false, null]);
  equal(tip.check(), false);
});

test("a tip changes with what its target says", () => {
  const { tip, target, said } = shown("one", { "data-tip": "one" });
  target.dataset.tip = "two";
  tip.check();
  equal(said(), "two");
});

test("a tip whose words end goes", () => {
  let words = "one";
  const { tip, said } = shown(() => words);
  words = "two";
  tip.check();
  equal(said(), "two");
  words = "";
  tip.check();
  equal(said(), null);
});

test("a picture that is drawn anew takes its tip along", () => {
  const [root, picture] = [el("div"), el("div")];
  root.append(picture);
  document.body.append(root);
  const hub = createHub(root, { changed: () => {} });
  const found = { selection: { kind: "state", key: "0" }, box: [0, 0, 1, 1], text: () => "a state" };
  pointable(picture, hub, { find: () => found, walk: () => found });
  picture.dispatchEvent(new PointerEvent("pointermove", { pointerType: "mouse" }));
  equal([hub.over?.key, root.querySelector(".tip").hidden], ["0", false]);
  picture.remove();
  hub.say();
  equal([hub.over, root.querySelector(".tip").hidden], [null, true]);
});

test("a hub that says nothing leaves other tips alone", () => {
  const root = el("div");
  document.body.append(root);
  const hub = createHub(root, { changed: () => {} });
  hub.tip.show(root, "a curve");
  hub.say(); // as whenever it plays on
  equal(root.querySelector(".tip").hidden, false);
  hub.point(null);
  equal(root.querySelector(".tip").hidden, false);
});

export default run;
