"""GivenInstance: what a model that others wrote sees of one prediction."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.datasets.instance import Instance
from gfx_core.gnn.foreign.asking import AskedModel
from gfx_core.gnn.foreign.given import GivenGraph
from gfx_core.gnn.foreign.outputs import Meaning


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
    asked: AskedModel | None = None
    meaning: Meaning | None = None
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
