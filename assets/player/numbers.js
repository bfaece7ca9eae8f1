// Numbers as people read them. Flows span many orders of magnitude, so they live as logarithms.

const MINUS = "\u2212";
const SUPERSCRIPTS = { "-": "\u207b", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function signed(value, digits = 2) {
  if (value === -Infinity) return `${MINUS}∞`;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

// e^log in digits: 0.0747, 12.3 or 1.4·10⁻³⁶.
function amount(log) {
  if (log === -Infinity) return "0";
  const power = log / Math.LN10;
  if (power >= -3 && power < 4) return String(Number(Math.exp(log).toPrecision(3)));
  let exponent = Math.floor(power);
  let mantissa = (10 ** (power - exponent)).toFixed(1);
  if (mantissa === "10.0") [mantissa, exponent] = ["1.0", exponent + 1];
  return `${mantissa}·10${[...String(exponent)].map((digit) => SUPERSCRIPTS[digit]).join("")}`;
}

function percent(share) {
  const value = share * 100;
  const digits = value < 1 ? 2 : value < 10 || (value > 99 && value < 99.95) ? 1 : 0;
  const text = value > 0 && value < 0.01 ? "<0.01" : value === 0 ? "0" : value.toFixed(digits);
  return `${text}\u00a0%`; // number and sign stay on one line
}

function logSum(logs) {
  const most = Math.max(-Infinity, ...logs);
  return most === -Infinity ? most : most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function listing(names, most = 4) {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
