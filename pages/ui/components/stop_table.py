"""Where a walk stops, against R/Z: a table of states with both as bars and as numbers."""

from collections.abc import Sequence

from gfx_core.drawing import colours
from pages.ui.components.component_files import component, style

_COLOURS = colours.role_css("stops", stop=colours.MOTIF)
_HTML = """
<div class="kit stops">
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
_table = component("stop_table", _HTML, _COLOURS + style("stop_table.css"))


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
    _table(key=key, data={"rows": rows, "marked": marked})
