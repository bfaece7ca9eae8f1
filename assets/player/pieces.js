// The pieces that taking a node away would leave, as 𝒵 tells them apart: each has a number, a colour and a badge.

import { listing } from "../kit/numbers.js";

export const MATRIX_MEANING =
  "row i labels the pieces that are left when node i is removed; a row of zeros means that i is not a cut vertex";

export const groupClass = (number) => `group-${(number - 1) % 4}`;

// The pieces of one row with the numbers that it gives them; nodes by their place in the row.
export function rowPieces(row) {
  const numbers = [...new Set(row)].filter((number) => number > 0).sort((a, b) => a - b);
  return numbers.map((number) => ({ number, nodes: row.flatMap((each, place) => (each === number ? [place] : [])) }));
}

// What a row says, in words; `listed(nodes)` names the nodes of a piece.
export function rowSentence(name, pieces, listed) {
  const parts = pieces.map(({ number, nodes }) => `(${number}) ${listed(nodes)}`);
  return parts.length
    ? `Without ${name}, ${parts.length} pieces are left: ${parts.join("; ")}.`
    : `Without ${name} the others stay in one piece: it is not a cut vertex.`;
}

// What column j says: in which pieces of others its node lies; `nameOf(i)` names the node of a row.
export function columnSentence(matrix, j, nameOf) {
  const lies = matrix.flatMap((row, i) => (row[j] ? [`piece ${row[j]} of ${nameOf(i)}`] : []));
  return lies.length ? `${nameOf(j)} lies in ${listing(lies)}.` : `${nameOf(j)}: no other node is a cut vertex.`;
}
