"""The tree of sequences beside the state DAG, and what was drawn from either; merging is animated in the browser."""

from gfx_core.datasets.instance import Instance
from gfx_core.drawing import colours
from gfx_core.exact.enumeration import StateDag
from gfx_core.teaching.sequences import SequenceDraws, SequenceTree, sequence_data
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
    _view(key=key, data=sequence_data(instance, dag, tree, draws, merged=merged))
