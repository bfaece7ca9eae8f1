"""What to call some words of a sentence: “not … funny”."""

from collections.abc import Collection

from gfx_core.datasets.instance import Instance
from gfx_core.datasets.shape_names import Name
from gfx_core.sentence_shape import phrase

_LONGEST = 160


def phrase_name(instance: Instance, nodes: Collection[int]) -> Name:
    """The words in reading order, quoted; dots stand for those that are left out between them."""
    said = phrase({int(instance.nodes[node]): instance.node_label(node) for node in nodes})
    return Name(f"“{said if len(said) <= _LONGEST else said[:_LONGEST] + '…'}”")
