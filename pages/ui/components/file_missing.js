// Stands in for a component whose script cannot be read: a sentence in its place.

const NAME = "FILE";

export default function ({ parentElement }) {
  const needs = `This part needs the file ${NAME}, which cannot be read here`;
  parentElement.textContent = `${needs}: install the explorer again.`;
}
