"""What to call a part of an instance: by its shape, in chemists' words, or by the words of a sentence."""

from collections.abc import Collection

import networkx as nx
import numpy as np

from gfx_core.config import Drawing
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecule_names import molecule_part_name
from gfx_core.datasets.phrase_names import phrase_name
from gfx_core.datasets.shape_names import Name, shape_name


def subgraph_name(instance: Instance, nodes: Collection[int]) -> Name:
    """What to call the subgraph that some nodes of an instance induce; they hang together."""
    if instance.info.drawing is Drawing.SENTENCE:
        return phrase_name(instance, nodes)
    if instance.node_names:
        name = molecule_part_name(instance, nodes)
        if name is not None:
            return name
    held = np.zeros(instance.num_nodes, dtype=bool)
    held[list(nodes)] = True
    graph: nx.Graph = nx.Graph(instance.edge_index[:, held[instance.edge_index].all(axis=0)].T.tolist())
    graph.add_nodes_from(nodes)
    labels = {node: instance.node_name(node) if instance.node_texts else str(instance.nodes[node]) for node in nodes}
    return shape_name(graph, labels, instance.info.vocabulary.node)
