"""GivenGraph: a graph as its owner gave it, with every tensor that a model reads, row by row."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from gfx_core.arrays import Ints
from gfx_core.datasets.instance import Instance

if TYPE_CHECKING:
    from gfx_core.gnn.foreign.asking import AskedModel
    from gfx_core.gnn.foreign.outputs import Meaning


@dataclass(frozen=True, eq=False)
class GivenGraph:
    """Directed edges stay directed, self-loops and duplicates stay, and all of them stay in their order.

    Attributes:
        x: What the model is given of each node.
        edge_index: The edges.
        nodes: Further arguments with a row for each node, by name.
        edges: Those with a row for each edge.
        graphs: Those with a row for each graph.
        others: Those without rows, handed on as they are.
    """

    x: Tensor  # [n, …]
    edge_index: Tensor  # [2, e]
    nodes: dict[str, Tensor] = field(default_factory=dict)  # [n, …] each
    edges: dict[str, Tensor] = field(default_factory=dict)  # [e, …] each
    graphs: dict[str, Tensor] = field(default_factory=dict)  # [G, …] each
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        return len(self.x)

    def part(self, nodes: Ints) -> "GivenGraph":
        """The subgraph that some nodes induce, under local ids in their order."""
        chosen = torch.from_numpy(np.ascontiguousarray(nodes)).to(self.edge_index.device)
        local = torch.full((self.num_nodes,), -1, dtype=torch.long, device=chosen.device)
        local[chosen] = torch.arange(len(chosen), device=chosen.device)
        ends = local[self.edge_index]  # [2, e]
        kept = (ends >= 0).all(0)
        return replace(self, edge_index=ends[:, kept]).rows(chosen, kept)

    def rows(self, nodes: Tensor, edges: Tensor) -> "GivenGraph":
        """The same with some rows of what nodes and edges have; ``edge_index`` stays."""
        return replace(
            self,
            x=self.x[nodes],
            nodes={name: values[nodes] for name, values in self.nodes.items()},
            edges={name: values[edges] for name, values in self.edges.items()},
        )

    def with_graphs(self, graphs: Tensor) -> "GivenGraph":
        """The same with some rows of what graphs have. [B]"""
        return replace(self, graphs={name: values[graphs] for name, values in self.graphs.items()})

    def to(self, device: str | torch.device, dtype: torch.dtype | None = None) -> "GivenGraph":
        """The same elsewhere; what is a floating point number has the precision of the model."""

        def moved(values: Tensor) -> Tensor:
            return values.to(device, dtype if dtype is not None and values.is_floating_point() else values.dtype)

        def all_moved(named: dict[str, Tensor]) -> dict[str, Tensor]:
            return {name: moved(values) for name, values in named.items()}

        return GivenGraph(
            moved(self.x),
            self.edge_index.to(device),
            all_moved(self.nodes),
            all_moved(self.edges),
            all_moved(self.graphs),
            self.others,
        )


def joined(parts: list[GivenGraph]) -> GivenGraph:
    """The disjoint union of some graphs with the same arguments."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    sizes = [part.num_nodes for part in parts]
    offsets = np.cumsum([0, *sizes[:-1]]).tolist()

    def all_of(kind: str) -> dict[str, Tensor]:
        return {name: torch.cat([getattr(part, kind)[name] for part in parts]) for name in getattr(first, kind)}

    return GivenGraph(
        torch.cat([part.x for part in parts]),
        torch.cat([part.edge_index + offset for part, offset in zip(parts, offsets, strict=True)], dim=1),
        all_of("nodes"),
        all_of("edges"),
        all_of("graphs"),
        first.others,
    )


@dataclass(frozen=True, eq=False)
class GivenInstance(Instance):
    """An instance of somebody else's graph. Its own edges say what hangs together; the model sees the given ones.

    Attributes:
        given: What the model is asked about, under the instance's local ids.
        answer: What the model says on the whole graph, as it came out of it. [1, C]
        asked: The model that it was cut out for.
        meaning: What that model's numbers mean.
        labels: What to write on each node, where its owner says so.
        notes: What is to be read before an explanation of it is believed.
        beyond: The larger instance that this one is a window on.
    """

    given: GivenGraph | None = None
    answer: Tensor | None = None
    asked: "AskedModel | None" = None
    meaning: "Meaning | None" = None
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    beyond: "GivenInstance | None" = None

    def node_label(self, node: int) -> str:
        return self.labels[node] if self.labels else super().node_label(node)


def given_of(instance: Instance) -> GivenGraph:
    """What a model sees of an instance: what its owner gave, or the plain graph of one of ours."""
    if isinstance(instance, GivenInstance) and instance.given is not None:
        return instance.given
    return GivenGraph(torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index))
