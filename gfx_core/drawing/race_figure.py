"""Accumulated time of 𝒵 against searches for the cut vertices, and in words who wins where."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gfx_core.drawing.colours import CUT_VERTEX, PARENT, PLAIN

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

METHODS = {"tracker": "𝒵 (Theorem 1)", "tarjan": "Tarjan's search", "networkx": "networkx"}
_COLOURS = {"tracker": CUT_VERTEX.colour, "tarjan": PARENT.colour, "networkx": PLAIN.colour}
_SYMBOLS = {"tracker": "circle", "tarjan": "square", "networkx": "diamond"}


def race_figure(results: Sequence[Mapping[str, Any]]) -> "Figure":
    """A line for each method and number of sets at a time, in milliseconds a set; both axes are logarithmic."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for sets in sorted({row["sets"] for row in results}):
        rows = [row for row in results if row["sets"] == sets]
        for method, label in _raced(rows):
            figure.add_scatter(
                x=[row["size"] for row in rows],
                y=[1e3 * row[method] / sets for row in rows],
                customdata=[1e3 * row[method] for row in rows],
                name=f"{label}, {sets} at a time",
                mode="lines+markers",
                line={"color": _COLOURS[method], "dash": "dot" if sets == 1 else "solid"},
                marker={"symbol": _SYMBOLS[method], "size": 8},
                hovertemplate="%{x} nodes: %{y:.3g} ms a set (%{customdata:.3g} ms in all)",
            )
    figure.update_layout(
        height=330,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": -0.22},
        xaxis={"type": "log", "title": "nodes in the set", "tickvals": sorted({row["size"] for row in results})},
        yaxis={"type": "log", "title": "accumulated time, ms a set", "dtick": 1, "exponentformat": "none"},
    )
    return figure


def race_verdict(results: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each number of sets at a time: who is faster at which sizes, and by how much at the largest."""
    sentences = []
    for sets in sorted({row["sets"] for row in results}):
        rows = sorted((row for row in results if row["sets"] == sets), key=lambda row: row["size"])
        raced, last = dict(_raced(rows)), rows[-1]
        winners = [min(raced, key=row.__getitem__) for row in rows]
        word = "faster" if len(raced) == 2 else "fastest"
        parts = []
        for method, label in raced.items():
            if sizes := [str(row["size"]) for row, winner in zip(rows, winners, strict=True) if winner == method]:
                parts.append(f"{label} is {word} at {', '.join(sizes)} nodes")
        first, second = sorted(last[method] for method in raced)[:2]
        how = "One set" if sets == 1 else f"{sets} sets"
        factor = f"at {last['size']} nodes by a factor of {second / max(first, 1e-9):.2g}"
        sentences.append(f"{how} at a time: {' and '.join(parts)} ({factor}).")
    return sentences


def _raced(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The methods that took part, and what they are called."""
    return [(method, label) for method, label in METHODS.items() if method in rows[0]]
