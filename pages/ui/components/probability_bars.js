// Class probabilities as labelled bars.

import { el } from "../../../assets/kit/dom.js";

export default function ({ data, parentElement }) {
  const div = (name, ...children) => el("div", { class: name }, ...children);
  const rows = data.map(({ name, share, percent, note, predicted }) => {
    const label = div("label", name, ...(note ? [el("span", { class: "note" }, note)] : []));
    const fill = el("div", { class: "fill", style: `width: ${100 * share}%` });
    return div(predicted ? "bar predicted" : "bar", div("line", label, div("value", percent)), div("track", fill));
  });
  parentElement.querySelector(".bars").replaceChildren(...rows);
}
