// Plays the snapshots of a training. Python hears of a snapshot only when playing or scrubbing ends.

import { lessMotion } from "../../../assets/kit/dom.js";
import { keptView } from "../../../assets/kit/views.js";
import { MAKERS, formula } from "./training_panels.js";

const SECONDS = 7; // for the whole training
const NARROWEST = 304; // a panel, as in the style sheet
const [GAP, EDGE] = [12, 24]; // between panels, and from a panel's rim to its picture

export default keptView((parentElement) => createView(parentElement.querySelector(".training")));

function createView(root) {
  let shown = "";
  const observer = new ResizeObserver(() => root.player?.resized());
  observer.observe(root);
  return {
    show(data, { setStateValue }) {
      root.report = (run, number) => setStateValue("frame", { run, number });
      const text = JSON.stringify(data);
      if (shown === text) return;
      shown = text;
      root.player?.end();
      root.player = new TrainingPlayer(root, data, root.player?.chosen);
    },
    destroy() {
      observer.disconnect();
      root.player.end();
    },
  };
}

class TrainingPlayer {
  constructor(root, data, chosen) {
    Object.assign(this, { root, data, last: data.steps.length - 1, at: 0, timer: 0 });
    this.find = (name) => root.querySelector(name);
    this.flow = data.panels.find((panel) => panel.kind === "flow");
    this.chosen = this.flow ? Math.min(chosen ?? this.worst(), this.flow.names.length - 1) : null;
    this.build();
    this.listen();
    const calm = lessMotion();
    this.show(data.opened ?? (calm ? this.last : 0));
    if (data.opened === null && !calm) this.play();
    else this.buttons();
    if (data.opened === null && calm) this.settle(); // it has ended
  }

  build() {
    this.width = this.root.clientWidth;
    const columns = Math.max(1, Math.min(this.data.panels.length, Math.floor((this.width + GAP) / (NARROWEST + GAP))));
    const wide = Math.max(240, Math.round((this.width - GAP * (columns - 1)) / columns - EDGE));
    const about = { wide, steps: this.data.steps, choose: (state) => this.choose(state) };
    this.panels = this.data.panels.map((panel) => MAKERS[panel.kind](panel, about));
    this.find(".panels").replaceChildren(...this.panels.map((panel) => panel.box));
  }

  resized() {
    if (Math.abs(this.root.clientWidth - this.width) < 16) return;
    this.build();
    this.show(this.at);
  }

  // The state that is furthest from balance at the beginning
  worst() {
    const off = this.flow.residual[0].map(Math.abs);
    return off.indexOf(Math.max(...off));
  }

  listen() {
    const range = this.find("input");
    range.max = this.last;
    range.oninput = () => { this.pause(false); this.show(Number(range.value)); };
    range.onchange = () => this.settle();
    this.find(".play").onclick = () => (this.timer ? this.pause() : this.play());
    this.find(".back").onclick = () => this.step(-1);
    this.find(".on").onclick = () => this.step(1);
    this.root.onkeydown = (event) => {
      if (event.target === range && event.key.startsWith("Arrow")) return;
      if (event.key === "ArrowRight") this.step(1);
      else if (event.key === "ArrowLeft") this.step(-1);
      else if (event.key === " " && event.target.localName !== "button") this.find(".play").click();
      else return;
      event.preventDefault();
    };
  }

  choose(state) {
    this.chosen = state;
    this.show(this.at);
  }

  step(by) {
    this.pause(false);
    this.show(Math.max(0, Math.min(this.last, Math.floor(this.at) + by)));
    this.settle();
  }

  play() {
    if (this.at >= this.last) this.show(0);
    let before = performance.now();
    const turn = (now) => {
      if (!this.root.isConnected) return;
      this.show(Math.min(this.last, this.at + (Math.max(0, now - before) / 1000 / SECONDS) * this.last));
      before = now;
      if (this.at >= this.last) this.pause();
      else this.timer = requestAnimationFrame(turn);
    };
    this.timer = requestAnimationFrame(turn);
    this.buttons();
  }

  pause(settle = true) {
    cancelAnimationFrame(this.timer);
    this.timer = 0;
    this.buttons();
    if (settle) {
      this.show(Math.floor(this.at));
      this.settle();
    }
  }

  // Another training takes its place, or the page is left: nothing is said any more
  end() {
    this.pause(false);
    clearTimeout(this.telling);
  }

  // At rest: say where we are, to people who listen and to Python
  settle() {
    const numbers = [...this.root.querySelectorAll(".lines .legend li")].map((entry) => entry.textContent);
    this.find(".said").textContent = `Step ${this.data.steps[Math.floor(this.at)]}. ${numbers.join(", ")}`;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.root.report(this.data.run, Math.floor(this.at)), 250);
  }

  buttons() {
    const button = this.find(".play");
    const [sign, word] = this.timer ? ["❚❚", "Pause"] : this.at >= this.last ? ["↺", "Play again"] : ["▶", "Play"];
    button.textContent = `${sign} ${word}`;
  }

  show(at) {
    this.at = at;
    for (const panel of this.panels) panel.draw(at, this.chosen);
    if (this.flow) formula(this.flow, this.chosen, Math.floor(at), this.find(".formula"));
    this.find("input").value = Math.floor(at);
    const steps = this.data.steps;
    const words = `step ${steps[Math.floor(at)]} of ${steps[this.last]}`;
    this.find("output").textContent = words;
    this.find("input").setAttribute("aria-valuetext", words);
    if (!this.timer) this.buttons();
  }
}
