"""The two kinds of convolution, and what each can see."""

import pytest
import torch

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gnn.convolutions import EdgeList, SumConv
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn


def ring(size: int) -> torch.Tensor:
    nodes = torch.arange(size)
    after = (nodes + 1) % size
    return torch.stack([torch.cat([nodes, after]), torch.cat([after, nodes])])


def test_sum_convolution_by_hand() -> None:
    conv = SumConv(2, 2)
    with torch.no_grad():
        conv.lin.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
        conv.lin.bias.copy_(torch.tensor([1.0, 0.0]))
    x = torch.tensor([[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    edge_index = torch.tensor([[0, 1, 0, 2], [1, 0, 2, 0]])  # node 0 sees 1 and 2
    out = conv(x, EdgeList(conv, x, edge_index))
    assert torch.allclose(out[0], torch.tensor([3.0, 6.0]) / 45**0.5)  # ((2+0)+1, 2·(0+3)), then unit length
    assert torch.allclose(out[1], torch.tensor([2.0, 2.0]) / 8**0.5)


def test_normalised_convolution_cannot_tell_a_lone_node_from_a_cycle_but_the_sum_can() -> None:
    alone, cycle = torch.zeros(2, 0, dtype=torch.long), ring(6)
    ones = torch.ones(6, 3)
    for kind, same in (("gcn", True), ("sum", False)):
        gnn = random_gnn(Task.NODE, kind, (3, 2), seed=0)
        difference = (gnn(ones[:1], alone)[0] - gnn(ones, cycle)[0]).abs().max()
        assert bool(difference < 1e-5) is same


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["ba_shapes", "tree_grid"])
def test_an_instance_is_all_that_a_gnn_sees(kind: str, name: str) -> None:
    dataset = load_dataset(name)
    torch.manual_seed(0)
    gnn = GNN(Task.NODE, kind, 10, 4).eval()
    data = dataset.to_pyg()
    whole = gnn(data.x, data.edge_index)
    for index in (0, 350, 421, 699):
        instance = dataset.instance(index, hops=gnn.hops)
        cut = gnn(torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index))[instance.target]
        assert torch.allclose(cut, whole[index], atol=1e-5)
    assert gnn.hops == (4 if kind == "gcn" else 3)  # a degree counts who is one hop beyond
    with pytest.raises(UserError, match=f"cut it out with hops={gnn.hops}"):
        SubgraphPredictor(gnn, [dataset.instance(699, hops=2)])
