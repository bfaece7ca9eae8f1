// Numbers and lists as people read them.

const MINUS = "\u2212";
const SUPERSCRIPTS = { "-": "\u207b", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// A share in per cent. One rule everywhere: as many digits as tell something (none from 10 to 99, one near the ends,
// two below 1), or as many as a column wants; and what is neither nothing nor all is never rounded to 0 or to 100.
export function percent(share, digits = usefulDigits(share)) {
  const [value, least] = [100 * share, 10 ** -digits];
  let text = value.toFixed(digits);
  if (share > 0 && value < least / 2) text = `<${least.toFixed(digits)}`;
  if (share < 1 && value >= 100 - least / 2) text = `>${(100 - least).toFixed(digits)}`;
  return `${text}\u00a0%`; // number and sign stay on one line
}

// A sentence in which no line begins with a percent sign.
export const solid = (sentence) => sentence.replaceAll(" %", "\u00a0%");

function usefulDigits(share) {
  if (share === 0 || share === 1) return 0;
  return share < 0.00995 ? 2 : share < 0.0995 || share > 0.99 ? 1 : 0;
}

// With a real minus, and never −0.00.
export function signed(value, digits = 2) {
  if (value === -Infinity) return `${MINUS}∞`;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

// The same, and + where it is above zero: for what may be off in either direction.
export function plusMinus(value, digits = 2) {
  const text = signed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

// Numbers of a sum, in digits that add up to those of the total: each is rounded up or down, and those nearest to the
// next higher digit are rounded up. A total that is not their sum, or that is not finite, gets no such care.
export function addends(values, total, digits = 2) {
  const unit = 10 ** digits;
  const low = values.map((value) => Math.floor(value * unit + 1e-6)); // 0.1 · 3 is no digit short of 0.3
  const more = Math.round(Number(total.toFixed(digits)) * unit) - low.reduce((sum, units) => sum + units, 0);
  if (!(more >= 0 && more <= values.length)) return values.map((value) => signed(value, digits));
  const rest = values.map((value, index) => value * unit - low[index]);
  const order = rest.map((_, index) => index).sort((a, b) => rest[b] - rest[a]);
  const up = new Set(order.slice(0, more));
  return low.map((units, index) => signed((units + (up.has(index) ? 1 : 0)) / unit, digits));
}

// e^log in digits: 0.0747, 12.3 or 1.4·10⁻³⁶. Flows span many orders of magnitude, so they live as logarithms.
export function amount(log) {
  if (log === -Infinity) return "0";
  const power = log / Math.LN10;
  if (power >= -3 && power < 4) return String(Number(Math.exp(log).toPrecision(3)));
  let exponent = Math.floor(power);
  let mantissa = (10 ** (power - exponent)).toFixed(1);
  if (mantissa === "10.0") [mantissa, exponent] = ["1.0", exponent + 1];
  return `${mantissa}·10${[...String(exponent)].map((digit) => SUPERSCRIPTS[digit]).join("")}`;
}

// At most two decimals and none that are zero: 4, 2.5; what that would hide or blow up is written as `amount` does.
export function plain(value) {
  if (value === 0 || (Math.abs(value) >= 0.01 && Math.abs(value) < 10_000)) {
    return String(Number(value.toFixed(2))).replace("-", MINUS);
  }
  return (value < 0 ? MINUS : "") + amount(Math.log(Math.abs(value)));
}

// About three digits, with the same decimals while a value moves a little.
export function steady(value) {
  const size = Math.abs(value);
  if (size < 0.0005) return size === 0 ? "0" : "≈ 0";
  return signed(value, size >= 100 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3);
}

export function logSum(logs) {
  const most = Math.max(-Infinity, ...logs);
  return most === -Infinity ? most : most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}

export const thousands = (count) => count.toLocaleString("en");

export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// a, b and c; of more than `most` names the last ones are only counted.
export function listing(names, most = 4) {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
