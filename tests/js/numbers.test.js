// How numbers are written.

import {
  addends, amount, listing, logSum, percent, plain, plural, plusMinus, signed, solid, steady, thousands,
} from "../../assets/kit/numbers.js";
import { close, equal, run, test } from "./harness.js";

const plainly = (text) => text.replace("\u00a0", " ");
const written = (...shares) => shares.map((share) => plainly(percent(share)));
const column = (digits, ...shares) => shares.map((share) => plainly(percent(share, digits)));

test("per cent has as many digits as tell something", () => {
  equal(written(0.5, 0.234, 0.0996, 0.1), ["50 %", "23 %", "10 %", "10 %"]);
  equal(written(0.0994, 0.05, 0.00996, 0.01), ["9.9 %", "5.0 %", "1.0 %", "1.0 %"]);
  equal(written(0.00994, 0.0012, 0.0001, 0.00006), ["0.99 %", "0.12 %", "0.01 %", "0.01 %"]);
  equal(written(0.99, 0.9901, 0.995, 0.9994), ["99 %", "99.0 %", "99.5 %", "99.9 %"]);
});

test("no line of a sentence begins with a percent sign", () => {
  equal(solid("It gives 92 %, alone 7 %."), "It gives 92\u00a0%, alone 7\u00a0%.");
});

test("per cent says 0 and 100 of nothing and of all only", () => {
  equal(written(0, 1), ["0 %", "100 %"]);
  equal(written(1e-5, 1e-300, 1 - 1e-4, 1 - 1e-16), ["<0.01 %", "<0.01 %", ">99.9 %", ">99.9 %"]);
  equal(column(1, 0, 1, 1e-4, 0.9996), ["0.0 %", "100.0 %", "<0.1 %", ">99.9 %"]);
  equal(column(0, 0.001, 0.999), ["<1 %", ">99 %"]);
});

test("a column of per cent has the digits it asks for", () => {
  equal(column(1, 0.125, 0.05, 0.48), ["12.5 %", "5.0 %", "48.0 %"]);
});

test("per cent falls nowhere while the share grows", () => {
  let before = -1;
  for (let k = 0; k <= 100_000; k += 7) {
    const text = percent(k / 100_000);
    const value = Number(text.replace(/[<>\u00a0%]/g, "")) + (text[0] === "<" ? -0.005 : text[0] === ">" ? 0.05 : 0);
    if (value < before) throw new Error(`${text} after ${before}`);
    before = value;
  }
});

const units = (text, digits) => Math.round(Number(text.replace("\u2212", "-")) * 10 ** digits);

test("the numbers of a sum add up as they are written", () => {
  equal(addends([0.137, 30, 3.456], 33.593), ["0.14", "30.00", "3.45"]); // by themselves they would give 33.60
  equal(addends([0.004, 0.004, 0.004], 0.012), ["0.01", "0.00", "0.00"]);
  equal(addends([50 * 0.1 * 3, 0, 0.001], 15.001), ["15.00", "0.00", "0.00"]); // 15.000000000000002
  equal(addends([2.555, -1.222], 1.333), ["2.55", "\u22121.22"]);
  equal(addends([0.0126, 0], 0.0126, 3), ["0.013", "0.000"]);
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let k = 0; k < 2000; k++) {
    const [digits, values] = [2 + (k % 2), Array.from({ length: 1 + (k % 6) }, () => 40 * random() ** 3)];
    const total = Math.fround(values.reduce((sum, value) => sum + value, 0)); // the GNN computes with 32-bit numbers
    const texts = addends(values, total, digits);
    const sum = texts.reduce((all, text) => all + units(text, digits), 0);
    if (sum !== units(signed(total, digits), digits)) throw new Error(`${texts} are not ${total}`);
    texts.forEach((text, index) => {
      const off = Math.abs(units(text, digits) / 10 ** digits - values[index]);
      if (off > 10 ** -digits) throw new Error(`${text} for ${values[index]}`);
    });
  }
});

test("the numbers of a sum that is none are written as they are", () => {
  equal(addends([1, 2], 7), ["1.00", "2.00"]);
  equal(addends([1, 2], Infinity), ["1.00", "2.00"]);
  equal(addends([], 0), []);
});

test("a minus is a minus, and nothing is −0", () => {
  equal([signed(-1.234), signed(1.234, 1), signed(-0.001), signed(-Infinity)], ["−1.23", "1.2", "0.00", "−∞"]);
  equal([plusMinus(0.5), plusMinus(-0.5), plusMinus(0.004), plusMinus(-0.004)], ["+0.50", "−0.50", "0.00", "0.00"]);
});

test("amounts of logarithms", () => {
  equal([amount(Math.log(0.0747)), amount(Math.log(12.34)), amount(-Infinity)], ["0.0747", "12.3", "0"]);
  equal([amount(-83.16), amount(Math.log(99_999))], ["7.7·10⁻³⁷", "1.0·10⁵"]);
});

test("plain numbers have no needless digits", () => {
  equal([plain(0), plain(4), plain(2.5), plain(1 / 3), plain(-1.25)], ["0", "4", "2.5", "0.33", "−1.25"]);
  equal([plain(0.00123), plain(12_345), plain(-1e-9)], ["0.00123", "1.2·10⁴", "−1.0·10⁻⁹"]);
});

test("steady numbers keep their decimals", () => {
  equal([steady(0), steady(0.0001), steady(0.05), steady(0.5)], ["0", "≈ 0", "0.050", "0.50"]);
  equal([steady(9.99), steady(9.996), steady(123.4), steady(-0.5)], ["9.99", "10.0", "123", "−0.50"]);
});

test("sums of logarithms", () => {
  close(logSum([Math.log(1), Math.log(2)]), Math.log(3));
  close(logSum([-1000, -1000]), -1000 + Math.LN2);
  equal([logSum([]) === -Infinity, logSum([-Infinity]) === -Infinity], [true, true]);
});

test("words", () => {
  equal([plural(1, "node"), plural(2, "node"), plural(0, "edge")], ["1 node", "2 nodes", "0 edges"]);
  equal(thousands(12_345), "12,345");
  equal([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((names) => listing(names)), ["", "a", "a and b", "a, b and c"]);
  equal([listing(["a", "b", "c", "d", "e"]), listing(["a", "b", "c"], 2)], ["a, b, c and 2 others", "a and 2 others"]);
});

export default run;
