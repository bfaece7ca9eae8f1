// As much of a test framework as the kit needs: cases with names, and what went wrong with them.

const cases = [];

export const test = (name, body) => cases.push([name, body]);

export function equal(got, wanted) {
  const [a, b] = [got, wanted].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`got ${a}, wanted ${b}`);
}

export function close(got, wanted, within = 1e-9) {
  const [a, b] = [got, wanted].map((value) => [value].flat());
  const far = a.length !== b.length || a.some((value, i) => !(Math.abs(value - b[i]) <= within));
  if (far) throw new Error(`got ${a.join(", ")}, wanted ${b.join(", ")}`);
}

// Each case with "" or what went wrong.
export async function run() {
  const found = [];
  for (const [name, body] of cases) {
    const wrong = await Promise.resolve().then(body).then(() => "", (error) => String(error.stack ?? error));
    found.push([name, wrong]);
  }
  return found;
}

// Until all that was begun has come to its end.
export const soon = () => new Promise((done) => { setTimeout(done, 1); });
