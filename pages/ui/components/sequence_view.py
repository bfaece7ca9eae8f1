"""The tree of sequences beside the state DAG, and what was drawn from either; merging is animated in the browser."""

from typing import Any

import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.drawing import colours
from gfx_core.exact.enumeration import StateDag
from gfx_core.teaching.sequences import SequenceDraws, SequenceTree
from gfx_core.training.lesson_graphs import state_name
from pages.ui.components.component_files import component, style

_HTML = """
<div class="kit sequences">
  <div class="stage"></div>
  <div class="results">
    <div class="table"></div>
    <figure class="factors"></figure>
  </div>
</div>
"""
_COLOURS = colours.role_css(
    "sequences",
    drawn=colours.PARENT,
    water=colours.PARENT,
    wrong=colours.MISTAKE,
    off=colours.MISTAKE,
    plain=colours.PLAIN,
)
_view = component("sequence_view", _HTML, _COLOURS + style("sequence_view.css"))


def sequence_view(
    instance: Instance, dag: StateDag, tree: SequenceTree, draws: SequenceDraws, *, merged: bool, key: str
) -> None:
    """Show the tree, the DAG, and the draws.

    Args:
        instance: The graph.
        dag: Its states.
        tree: All orders.
        draws: What was drawn from the tree or, if merged, from the DAG.
        merged: Whether equal sets are one state.
        key: Widget key. New numbers for the same states are animated.
    """
    _view(key=key, data=_tree_data(instance, dag, tree) | _draw_data(draws, merged))


def _tree_data(instance: Instance, dag: StateDag, tree: SequenceTree) -> dict[str, Any]:
    return {
        "sequences": [
            {
                "name": "".join(instance.node_label(node) for node in order),
                "state": int(state),
                "parent": int(parent),
            }
            for order, state, parent in zip(tree.orders, tree.state, tree.parent, strict=True)
        ],
        "states": [{"name": state_name(instance, dag, state)} for state in range(dag.num_states)],
        "steps": [[int(a), int(b)] for a, b in zip(dag.parent, dag.child, strict=True)],
    }


def _draw_data(draws: SequenceDraws, merged: bool) -> dict[str, Any]:
    def plain(values: np.ndarray) -> list[float]:
        return [round(float(value), 5) for value in values]

    return {
        "merged": merged,
        "total": draws.total,
        "bySequence": draws.by_sequence.tolist(),
        "byState": draws.by_state.tolist(),
        "orders": draws.orders.tolist(),
        "target": plain(draws.target),
        "frequency": plain(draws.frequency),
        "factor": plain(draws.factor),
        "expectedFactor": plain(draws.expected_factor),
        "highest": round(draws.highest_factor, 5),
    }
