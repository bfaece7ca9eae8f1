// Elements, tips and the camera on a real page.

import { createCamera } from "../../assets/kit/camera.js";
import { el, keyed, onScreen, parseSvg, put, setText, svgEl } from "../../assets/kit/dom.js";
import { createTip, onPointing } from "../../assets/kit/tips.js";
import { createHub, pointable } from "../../assets/state_graph/hub.js";
import { close, equal, run, test } from "./harness.js";

test("elements have attributes, listeners and children", () => {
  let clicks = 0;
  const onclick = () => (clicks += 1);
  const about = { class: "a", hidden: true, title: null, disabled: false, width: 1.23456, onclick };
  const made = el("button", about, "text", el("b", {}, "<i>"));
  equal(made.outerHTML, '<button class="a" hidden="" width="1.23">text<b>&lt;i&gt;</b></button>');
  made.click();
  equal(clicks, 1);
  equal(svgEl("path", { d: "M0 0" }).namespaceURI, "http://www.w3.org/2000/svg");
  equal(parseSvg('<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>').children.length, 1);
});

test("only what differs is changed", () => {
  const made = el("p", { title: "x" }, "one");
  const kept = made.firstChild;
  setText(made, "one");
  equal(made.firstChild === kept, true);
  put(made, "title", null);
  put(made, "aria-pressed", false);
  put(made, "width", 2.005);
  equal(made.outerHTML, '<p aria-pressed="false" width="2.01">one</p>');
  put(made, "width", null);
  equal(made.hasAttribute("width"), false);
});

test("children are kept by their key and put in order", () => {
  const list = el("ul");
  const draw = (...names) => keyed(list, names, (name) => name, () => el("li"), (child, name) => setText(child, name));
  draw("a", "b", "c");
  const [a, , c] = list.children;
  draw("c", "d", "a");
  equal([...list.children].map((child) => child.textContent), ["c", "d", "a"]);
  equal([list.children[0] === c, list.children[2] === a], [true, true]);
});

test("a tip says what is pointed at", () => {
  const target = el("button", { style: "position: absolute; left: 100px; top: 100px" }, "x");
  const root = el("div", { style: "position: relative; height: 200px" }, target);
  document.body.append(root);
  equal(onScreen(root), true);
  const tip = createTip(root);
  const told = [];
  onPointing(root, () => told.push("over"), () => told.push("out"));
  tip.show(target, () => "said");
  const element = root.querySelector("[role=tooltip]");
  equal([element.hidden, element.textContent], [false, "said"]);
  tip.hide();
  equal(element.hidden, true);
  target.dataset.tip = "named";
  target.focus();
  equal([element.hidden, element.textContent], [false, "named"]);
  target.blur();
  equal([element.hidden, ...told], [true, "over", "out"]);
  root.remove();
});

test("the camera zooms with the wheel and pans within the picture", () => {
  const svg = svgEl("svg", { style: "width: 400px; height: 300px; display: block" });
  const stage = el("div", { style: "width: 400px; height: 300px" }, svg);
  document.body.append(stage);
  let seen = null;
  const camera = createCamera(stage, svg, { home: () => [0, 0, 200, 150], changed: (box) => (seen = box) });
  equal([svg.getAttribute("viewBox"), stage.className], ["0 0 200 150", ""]);
  const { left, top } = stage.getBoundingClientRect();
  const at = (x, y) => ({ clientX: left + x, clientY: top + y, pointerId: 1 });
  stage.dispatchEvent(new WheelEvent("wheel", { ...at(100, 75), deltaY: -1 }));
  equal(seen, [0, 0, 200, 150]); // a plain wheel is the page's
  stage.dispatchEvent(new WheelEvent("wheel", { ...at(100, 75), deltaY: -1, ctrlKey: true }));
  close(seen, [50 - 50 / 1.4, 37.5 - 37.5 / 1.4, 200 / 1.4, 150 / 1.4], 1e-6);
  equal(stage.className, "zoomed");
  const [x, y] = seen;
  stage.dispatchEvent(new PointerEvent("pointerdown", at(200, 150)));
  stage.dispatchEvent(new PointerEvent("pointermove", at(202, 150)));
  equal([camera.dragged, seen[0]], [false, x]); // a press that shakes a little
  stage.dispatchEvent(new PointerEvent("pointermove", at(180, 150)));
  close(seen.slice(0, 2), [x + (20 * seen[2]) / 400, y], 0.01); // written with two decimals
  stage.dispatchEvent(new PointerEvent("pointermove", at(5000, 150)));
  equal([camera.dragged, seen[0]], [true, 0]);
  camera.fit();
  equal(seen, [0, 0, 200, 150]);
  camera.destroy();
  stage.remove();
});

function shown(words) {
  const [root, target] = [el("div"), el("b")];
  root.append(target);
  document.body.append(root);
  const tip = createTip(root);
  tip.show(target, words);
  const said = () => (root.querySelector(".tip").hidden ? null : root.querySelector(".tip").textContent);
  return { tip, target, said };
}

test("a tip goes when its target is gone, though no pointer has left it", () => {
  const { tip, target, said } = shown(() => "one");
  equal([tip.check(), said()], [true, "one"]);
  target.remove();
  equal([tip.check(), said()], [false, null]);
  equal(tip.check(), false);
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
  hub.tip.show(root, () => "a curve");
  hub.say(); // as whenever it plays on
  equal(root.querySelector(".tip").hidden, false);
  hub.point(null);
  equal(root.querySelector(".tip").hidden, false);
});

export default run;
