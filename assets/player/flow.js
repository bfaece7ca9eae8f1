// Flow balance of the current state on one scale: what flows in on the left, out on the right with the probability of
// each action, and the equation.

import { el, keyed, setText } from "../kit/dom.js";
import { amount, logSum, percent, signed } from "../kit/numbers.js";
import { actionRows, collapsed, makeBarRow, setMark, updateBarRow } from "./bars.js";
import { panel, symbol } from "./parts.js";

const MEANING = {
  in: "what flows into this state s, summed over its valid parents: the sets that are still connected without u",
  parent: "F(s∖{u} → s), the flow of the step that adds u to the parent s∖{u}",
  out: "what flows on, summed over the frontier: every node v that could be added",
  frontier: "F(s → s∪{v}), the flow of the step that adds the frontier node v",
  stop: "F(s → STOP), the flow that ends here: a trained policy has it equal to the reward R(s)",
  policy: "the probability of each action a in the state s: its flow, divided by all that flows out",
  scale:
    "a bar's length is its share of the larger of the two sums; log F is a natural logarithm, since flows span many " +
    "orders of magnitude",
  residual:
    "log in − log out: zero where the flows match exactly, as exact flows do and those of a perfectly trained " +
    "policy would",
};

export function createFlowPanel() {
  const inSide = el("ul", { class: "side-in", "aria-label": "In-flow from each valid parent" });
  const outSide = el("ul", { class: "side-out", "aria-label": "Out-flow to each frontier node and STOP" });
  const totals = ["in", "out"].map((side) => el("div", { class: `total total-${side}` }, el("span"), el("b")));
  const formula = el("div", { class: "formula" });
  const compared = el("small", { class: "compared" });
  const scales = el("small", { "data-tip": MEANING.scale }, "bars: share of the larger side · numbers: log F, ");
  scales.append(symbol("π(a│s)", MEANING.policy));
  const balance = el("div", { class: "balance" }, ...totals, inSide, outSide);
  const element = panel("flow", "Flow balance", ["Flow balance", scales, compared], balance, formula);

  function show(story, frame) {
    const step = story.step(frame);
    const log_in = step.log_in_flow;
    const scale = Math.max(log_in ?? -Infinity, step.log_out_flow);
    const share = (log) => (scale === -Infinity ? 0 : Math.exp(log - scale));
    const parent = ({ removed, log_flow }) =>
      ({ key: removed, kind: "parent", name: `s∖${story.name(removed)}`, nodes: [removed], log_flow });
    const parents = collapsed(step.parents.map(parent), "parents");
    const rows = actionRows(story, step);
    const others = story.trace.flows === "exact" ? "learned" : "exact";
    setText(compared, step.other ? `thin mark: by ${others} flows` : "");
    const tipOf = (row) => {
      const flow = `log F = ${signed(row.log_flow)}, F = ${amount(row.log_flow)}`;
      if (row.kind === "parent") return `The parent without ${story.name(row.nodes[0])} → this set: ${flow}`;
      const beside = (row.other ?? null) === null ? "" : `, by ${others} flows ${percent(row.other)}`;
      const chance = row.probability === undefined ? "" : `, π = ${percent(row.probability)}${beside}`;
      if (row.kind === "stop") return `This set → STOP: ${flow}${chance}`;
      if (row.kind === "frontier") return `This set → with ${row.name}: ${flow}${chance}`;
      return `${row.nodes.length} other ${row.what} together: ${flow}${chance}`;
    };
    keyed(inSide, parents, (row) => row.key, makeBarRow, (child, row) => {
      updateBarRow(child, row, share(row.log_flow), signed(row.log_flow), tipOf(row));
    });
    keyed(outSide, rows, (row) => row.key, makeActionRow, (child, row) => {
      const value = `${signed(row.log_flow)} · ${percent(row.probability)}`;
      updateBarRow(child, row, share(row.log_flow), value, tipOf(row));
      setMark(child.children[1], row.other === null ? null : row.other * share(step.log_out_flow));
    });
    setText(totals[0].children[0], log_in === null ? "s₀ is the source" : "in-flow");
    setText(totals[0].children[1], log_in === null ? "" : signed(log_in));
    setText(totals[1].children[0], "out-flow");
    setText(totals[1].children[1], signed(step.log_out_flow));
    formula.replaceChildren(...(log_in === null ? sourceLines(story, step) : equationLines(step)));
  }
  return { element, show };
}

function makeActionRow(row) {
  const child = makeBarRow(row);
  child.children[1].append(el("span", { class: "mark" }));
  return child;
}

function sourceLines(story, step) {
  const exact = story.trace.log_z_exact;
  const line = el("p", { class: "equation" });
  line.append(
    symbol(
      "log Z",
      "the log of the total flow: all that leaves s₀; with P ∝ R it is the sum of all rewards",
      "residual",
    ),
    " = log ",
    symbol("Σ F(s₀ → ·)", MEANING.out, "frontier"),
    ` = ${signed(step.log_out_flow, 3)}`,
  );
  if (exact !== null) line.append(` · exact: ${signed(exact, 3)}`);
  return [line];
}

// In words, with this step's numbers, and what is left over.
function equationLines(step) {
  const frontier = logSum(step.frontier.map(({ log_flow }) => log_flow));
  const words = el("p", { class: "equation" });
  words.append(symbol("Σᵤ F(s∖{u} → s)", MEANING.parent, "parent"), " = ");
  if (step.frontier.length) words.append(symbol("Σᵥ F(s → s∪{v})", MEANING.frontier, "frontier"), " + ");
  words.append(symbol("F(s → STOP)", MEANING.stop, "stop"));
  const equal = step.residual !== null && Math.abs(step.residual) < 0.05;
  const numbers = el("p", { class: "equation numbers" });
  const term = (kind, log) => el("span", { class: `term ${kind}` }, amount(log));
  numbers.append(term("parent", step.log_in_flow), el("b", {}, equal ? " ≈ " : " ≠ "));
  if (step.frontier.length) numbers.append(term("frontier", frontier), " + ");
  numbers.append(term("stop", step.stop.log_flow));
  const residual = el("p", { class: "equation residual-line" });
  residual.append(symbol("residual", MEANING.residual, "residual"));
  if (step.residual === null) residual.append(": undefined, one side is zero");
  else {
    const ratio = Math.exp(step.residual);
    residual.append(
      ` = ${signed(step.log_in_flow, 3)} − (${signed(step.log_out_flow, 3)}) = `,
      el("b", {}, signed(step.residual, 3)),
      ` · in is ${ratio >= 0.01 && ratio < 1000 ? ratio.toPrecision(3) : amount(step.residual)} × out`,
    );
  }
  return [words, numbers, residual];
}
