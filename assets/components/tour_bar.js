// The bar of the guided tour: where one is, a sentence, the ways back, on and out, by key too. A ring is drawn around
// what the sentence speaks of as soon as that is on the page, and what is to be pressed is pressed once.

import { lessMotion, put, setText } from "../kit/dom.js";
import { listenToKeys, presenting } from "../kit/keys.js";
import { keptView } from "../kit/views.js";

const LOOK = 200; // milliseconds between looks for what is pointed at
const SETTLE = 3000; // as long a page may still grow and push it away
const RING = [
  { outline: "3px solid #6a74e0", outlineOffset: "3px" },
  { outline: "3px solid #e0578f", outlineOffset: "3px" },
];
const TYPES = "input, textarea, select, [contenteditable], [role=listbox], [role=dialog], [role=menu]";

export default keptView((parentElement) => {
  const bar = parentElement.querySelector(".tour");
  const [count, sentence, back, next, end] = bar.children;
  let [stop, target, ring, pressed, settled] = [null, null, null, false, 0];

  const go = (link) => () => (link.hidden ? false : link.click());
  const leave = () => (presenting() ? false : end.click());
  const forgetKeys = listenToKeys(bar, { n: go(next), b: go(back), Escape: leave }, { own: TYPES, anywhere: true });
  const acted = () => { settled = 0; };
  for (const kind of ["wheel", "touchmove", "pointerdown"]) window.addEventListener(kind, acted, { passive: true });
  const looking = setInterval(look, LOOK);

  function look() {
    if (!target?.isConnected) {
      ring?.cancel();
      target = find(stop.point);
      if (!target) return;
      ring = target.animate(RING, { duration: lessMotion() ? 1e9 : 900, iterations: Infinity, direction: "alternate" });
      settled = performance.now() + SETTLE;
    }
    if (performance.now() < settled) target.scrollIntoView({ block: "nearest" });
    const state = document.querySelector(".stApp")?.dataset.testScriptState ?? "notRunning"; // the site has no server
    const ready = state === "notRunning" && !pressed && stop.press.length && !lessMotion();
    const button = ready ? find(stop.press) : null;
    pressed ||= Boolean(button);
    button?.click();
  }
  return {
    show(data) {
      const same = stop?.number === data.number;
      stop = data;
      setText(count, `${data.number} of ${data.of}`);
      setText(sentence, data.sentence);
      for (const [link, to] of [[back, data.back], [next, data.next], [end, data.end]]) {
        link.hidden = !to;
        put(link, "href", to);
      }
      bar.classList.toggle("last", !data.next);
      if (same) return;
      ring?.cancel();
      [target, pressed] = [null, false];
      toTop();
    },
    destroy() {
      clearInterval(looking);
      forgetKeys();
      ring?.cancel();
      toTop(); // what it pointed at may have been further down
      for (const kind of ["wheel", "touchmove", "pointerdown"]) window.removeEventListener(kind, acted);
    },
  };
});

const toTop = () => document.querySelector(".stMain")?.scrollTo(0, 0);

// Something on the page, or in the component that is there.
function find([place, part]) {
  const host = document.querySelector(place);
  if (!host || !part) return host;
  const inside = [...host.querySelectorAll("*")].find((each) => each.shadowRoot)?.shadowRoot;
  const found = (inside ?? host).querySelector(part);
  return found?.getClientRects().length ? found : null;
}
