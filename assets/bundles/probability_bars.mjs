// assets/kit/dom.js
var written = (value) => typeof value === "number" ? Math.round(value * 100) / 100 : value;
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) element.setAttribute(name, value === true ? "" : written(value));
  }
  element.append(...children);
  return element;
}
var el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

// pages/ui/components/probability_bars.js
function probability_bars_default({ data, parentElement }) {
  const div = (name, ...children) => el("div", { class: name }, ...children);
  const rows = data.map(({ name, share, percent, note, predicted }) => {
    const label = div("label", name, ...note ? [el("span", { class: "note" }, note)] : []);
    const fill2 = el("div", { class: "fill", style: `width: ${100 * share}%` });
    return div(predicted ? "bar predicted" : "bar", div("line", label, div("value", percent)), div("track", fill2));
  });
  parentElement.querySelector(".bars").replaceChildren(...rows);
}
export {
  probability_bars_default as default
};
