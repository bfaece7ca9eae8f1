// The pieces that taking a node away would leave, as 𝒵 tells them apart: each has a number, a colour and a badge.

export const MATRIX_MEANING =
  "row i labels the pieces that are left when node i is taken away; a row of zeros means that i is no cut vertex";

export const groupClass = (number) => `group-${(number - 1) % 4}`;

// The pieces of one row with the numbers that it gives them; nodes by their place in the row.
export function rowPieces(row) {
  const numbers = [...new Set(row)].filter((number) => number > 0).sort((a, b) => a - b);
  return numbers.map((number) => ({ number, nodes: row.flatMap((each, place) => (each === number ? [place] : [])) }));
}
