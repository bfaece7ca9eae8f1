"""What to call some words of a sentence: “not … funny”."""

from collections.abc import Collection

from gfx_core.datasets.instance import Instance
from gfx_core.datasets.shape_names import Name

_LONGEST = 160
_GAP = " … "


def phrase_name(instance: Instance, nodes: Collection[int]) -> Name:
    """The words in reading order, quoted; dots stand for those that are left out between them."""
    chosen = sorted(nodes, key=lambda node: int(instance.nodes[node]))
    said = ""
    before = None
    for node in chosen:
        place = int(instance.nodes[node])
        said += ("" if before is None else " " if place == before + 1 else _GAP) + instance.node_label(node)
        before = place
    return Name(f"“{said if len(said) <= _LONGEST else said[:_LONGEST] + '…'}”")
