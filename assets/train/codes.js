// Numbers of a recording, two bytes each in base64: `gfx_core/training/recording.py` writes them.

const TOP = 65_535;
const FARTHEST = 8; // residuals beyond this are written as this

function numbers(text, from) {
  const bytes = atob(text);
  const values = new Float32Array(bytes.length >> 1);
  for (let k = 0; k < values.length; k += 1) {
    values[k] = from((bytes.charCodeAt(2 * k) + 256 * bytes.charCodeAt(2 * k + 1)) / TOP);
  }
  return values;
}

// From 0 to 1; the square root was rounded, so that small ones are as exact as large ones.
export const probabilities = (text) => numbers(text, (share) => share * share);

// log in − log out of states.
export const residuals = (text) => numbers(text, (share) => (2 * share - 1) * FARTHEST);
