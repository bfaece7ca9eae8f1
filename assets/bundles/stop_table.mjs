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
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
function keyed(parent, items, keyOf, make, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = String(keyOf(item));
    let child = old.get(key);
    old.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
    update(child, item);
  });
  for (const child of old.values()) child.remove();
}

// assets/kit/numbers.js
var MINUS = "−";
var SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
function percent(share, digits = usefulDigits(share)) {
  const [value, least] = [100 * share, 10 ** -digits];
  let text = value.toFixed(digits);
  if (share > 0 && value < least / 2) text = `<${least.toFixed(digits)}`;
  if (share < 1 && value >= 100 - least / 2) text = `>${(100 - least).toFixed(digits)}`;
  return `${text} %`;
}
function usefulDigits(share) {
  if (share === 0 || share === 1) return 0;
  return share < 995e-5 ? 2 : share < 0.0995 || share > 0.99 ? 1 : 0;
}
function amount(log) {
  if (log === -Infinity) return "0";
  const power = log / Math.LN10;
  if (power >= -3 && power < 4) return String(Number(Math.exp(log).toPrecision(3)));
  let exponent = Math.floor(power);
  let mantissa = (10 ** (power - exponent)).toFixed(1);
  if (mantissa === "10.0") [mantissa, exponent] = ["1.0", exponent + 1];
  return `${mantissa}·10${[...String(exponent)].map((digit) => SUPERSCRIPTS[digit]).join("")}`;
}
function plain(value) {
  if (value === 0 || Math.abs(value) >= 0.01 && Math.abs(value) < 1e4) {
    return String(Number(value.toFixed(2))).replace("-", MINUS);
  }
  return (value < 0 ? MINUS : "") + amount(Math.log(Math.abs(value)));
}

// assets/kit/views.js
function latest(show) {
  return (component) => {
    let end = null;
    const soon = setTimeout(() => {
      end = show(component);
    });
    return () => {
      clearTimeout(soon);
      end?.();
    };
  };
}

// pages/ui/components/stop_table.js
var stop_table_default = latest(({ data: [{ rows, marked }], parentElement }) => {
  const root = parentElement.querySelector(".stops");
  if (!root.firstChild) root.append(newTable());
  keyed(root.querySelector("tbody"), rows, (row) => rows.indexOf(row), newRow, (element, row) => {
    element.classList.toggle("marked", row.name === marked);
    const [name, amount2, bars, got2, want2] = element.cells;
    setText(name, row.name);
    setText(amount2, plain(row.reward));
    setText(got2, percent(row.stop, 1));
    setText(want2, percent(row.target, 1));
    [row.stop, row.target].forEach((share, k) => bars.children[k].style.width = `${100 * share}%`);
  });
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  setText(root.querySelector(".z"), `Z = ${plain(total("reward"))}`);
  const [got, want] = root.querySelectorAll(".all");
  const whole = (share) => percent(Math.round(100 * share) / 100, 0);
  setText(got, whole(total("stop")));
  setText(want, whole(total("target")));
});
function newTable() {
  const head = (...inside) => el("th", { scope: "col" }, ...inside);
  const key = (kind) => el("span", { class: `key ${kind}` });
  const bars = el("th", { scope: "col", "aria-label": "Bars" });
  const heads = [head("State"), head("R"), bars, head(key("got"), "P(stop)"), head(key("want"), "R / Z")];
  const all = [0, 1].map(() => el("td", { class: "all" }));
  const sums = [el("td", {}, "Sum"), el("td", { class: "z", colspan: 2 }), ...all];
  return el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody"), el("tfoot", {}, el("tr", {}, ...sums)));
}
function newRow() {
  const bars = ["got", "want"].map((kind) => el("div", { class: `bar ${kind}` }));
  return el("tr", {}, el("td", { class: "name" }), el("td"), el("td", { class: "bars" }, ...bars), el("td"), el("td"));
}
export {
  stop_table_default as default
};
