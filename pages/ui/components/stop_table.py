"""Where a walk stops, against R/Z: a table of states with both as bars and as numbers."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.drawing import colours
from pages.ui.components.files import whole

_CSS = (
    f".stops {{ --stop: {colours.MOTIF.colour}; }}"
    + """
.stops { font-family: var(--st-font); color: var(--st-text-color); font-size: 0.85rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { font-weight: 600; text-align: right; padding: 0 0 0.3rem 0.5rem; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td { padding: 0.16rem 0 0.16rem 0.5rem; text-align: right; white-space: nowrap;
  border-top: 1px solid color-mix(in srgb, var(--st-text-color) 10%, transparent); }
td.name { font-weight: 600; }
td.bars { width: 34%; }
tr.marked td { background: color-mix(in srgb, var(--st-primary-color) 10%, transparent); }
.bar { height: 6px; border-radius: 2px; box-sizing: border-box; transition: width 0.18s; min-width: 1px; }
.got { background: var(--stop); }
.want { margin-top: 2px; border: 1.5px solid var(--st-text-color); opacity: 0.8; }
.key { display: inline-block; width: 14px; height: 7px; margin-right: 4px; vertical-align: baseline; }
tfoot td { font-weight: 600; }
tfoot td.z { text-align: left; }
@media (prefers-reduced-motion: reduce) { .bar { transition: none; } }
"""
)
_HTML = """
<div class="stops">
  <table>
    <thead><tr>
      <th scope="col">State</th><th scope="col">R</th><th scope="col" aria-label="Bars"></th>
      <th scope="col"><span class="key got"></span>P(stop)</th><th scope="col"><span class="key want"></span>R / Z</th>
    </tr></thead>
    <tbody></tbody>
    <tfoot><tr><td>Sum</td><td class="z" colspan="2"></td><td class="all"></td><td class="all"></td></tr></tfoot>
  </table>
</div>
"""
_JS = """
export default function ({ data: [data], parentElement }) {
  const body = parentElement.querySelector("tbody");
  while (body.rows.length > data.rows.length) body.deleteRow(-1);
  while (body.rows.length < data.rows.length) body.append(newRow());
  data.rows.forEach(({ name, reward, stop, target }, k) => {
    const row = body.rows[k];
    row.classList.toggle("marked", name === data.marked);
    const [called, amount, , got, want] = row.cells;
    called.textContent = name;
    amount.textContent = Number(reward.toFixed(2));
    got.textContent = percent(stop);
    want.textContent = percent(target);
    row.querySelector(".got").style.width = `${100 * stop}%`;
    row.querySelector(".want").style.width = `${100 * target}%`;
  });
  const total = (key) => data.rows.reduce((sum, row) => sum + row[key], 0);
  parentElement.querySelector(".z").textContent = `Z = ${Number(total("reward").toFixed(2))}`;
  const [got, want] = parentElement.querySelectorAll(".all");
  got.textContent = `${Math.round(100 * total("stop"))} %`;
  want.textContent = `${Math.round(100 * total("target"))} %`;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function newRow() {
  const row = document.createElement("tr");
  for (const name of ["name", "", "bars", "", ""]) {
    const cell = row.insertCell();
    cell.className = name;
    if (name !== "bars") continue;
    for (const kind of ["got", "want"]) {
      const bar = document.createElement("div");
      bar.className = `bar ${kind}`;
      cell.append(bar);
    }
  }
  return row;
}
"""
_table = st.components.v2.component("stop_table", html=_HTML, css=_CSS, js=_JS)


def stop_table(
    names: Sequence[str],
    reward: Sequence[float],
    stop: Sequence[float],
    target: Sequence[float],
    *,
    key: str,
    marked: str | None = None,
) -> None:
    """One row for each state, P(stop) as a solid bar and R/Z as a hollow one.

    Args:
        names: Of the states.
        reward: R of each.
        stop: Probability to stop there.
        target: R/Z.
        key: Widget key.
        marked: Name of a state whose row is tinted.
    """
    rows = [
        {"name": name, "reward": round(float(r), 4), "stop": round(float(s), 6), "target": round(float(t), 6)}
        for name, r, s, t in zip(names, reward, stop, target, strict=True)
    ]
    _table(key=key, data=whole({"rows": rows, "marked": marked}))
