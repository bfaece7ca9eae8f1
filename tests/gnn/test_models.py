"""The two kinds of convolution, and what each can see."""

import pytest
import torch

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn


def ring(size: int) -> torch.Tensor:
    nodes = torch.arange(size)
    after = (nodes + 1) % size
    return torch.stack([torch.cat([nodes, after]), torch.cat([after, nodes])])


def test_normalised_convolution_cannot_tell_a_lone_node_from_a_cycle_but_the_sum_can() -> None:
    alone, cycle = torch.zeros(2, 0, dtype=torch.long), ring(6)
    ones = torch.ones(6, 3)
    for kind, same in (("gcn", True), ("sum", False)):
        gnn = random_gnn(Task.NODE, kind, (3, 2), seed=0)
        difference = (gnn(ones[:1], alone)[0] - gnn(ones, cycle)[0]).abs().max()
        assert bool(difference < 1e-5) is same


@pytest.mark.parametrize(("kind", "hops"), [("sum", 3), ("gcn", 4)])
def test_an_instance_must_hold_all_that_a_gnn_sees(kind: str, hops: int) -> None:
    dataset, gnn = load_dataset("tree_grid"), random_gnn(Task.NODE, kind, (10, 4))
    assert gnn.hops == hops  # a degree counts who is one hop beyond
    with pytest.raises(UserError, match=f"cut it out with hops={hops}"):
        SubgraphPredictor(gnn, [dataset.instance(699, hops=2)])
