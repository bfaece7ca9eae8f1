// A molecule's hydrogens: drawn small, or folded into the atom that holds them, which is then written CH₃ or NH₂.

import { subscript } from "../kit/numbers.js";

// Which atom holds each hydrogen; one that does not hang on exactly one other atom is an atom like any other.
export function hydrogenHosts(nodes, edges) {
  const bonds = nodes.map(() => []);
  for (const { source, target } of edges) {
    bonds[source].push(target);
    bonds[target].push(source);
  }
  const hangs = (node) => nodes[node].element === "H" && bonds[node].length === 1;
  const pairs = nodes.flatMap((_, node) => (hangs(node) ? [[node, bonds[node][0]]] : []));
  return new Map(pairs.filter(([, host]) => nodes[host].element !== "H"));
}

// The hydrogens that are not drawn now, with their atoms: those that nothing is said of. The answer's stay.
export function foldedIn(hosts, looks, agreed, open) {
  const silent = open ? ["outside"] : ["outside", "frontier"];
  return new Map(
    [...hosts].filter(
      ([node]) => silent.includes(looks[node].role) && !looks[node].flags.includes("start") && !agreed.has(node),
    ),
  );
}

// What is written on an atom with so many hydrogens folded into it.
export function withHydrogens(label, count) {
  if (!count) return label;
  return `${label}H${count > 1 ? subscript(count) : ""}`;
}
