"""Somebody's model is left as it is, whatever it does while it is asked."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GCN, GCNConv

from gfx_core import UserError
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import NodeNet, made, random_data
from tests.toys.gnns import untouched
from tests.user_models.owners import subsets


def test_batch_norm_and_dropout_are_not_written_into() -> None:
    data = random_data()
    model = made(GCN, 5, 8, 2, out_channels=3, norm="batch_norm", dropout=0.5).train()
    with untouched(model):
        instances = ModelInstances(model, data)
        first = instances.predictor([instances.instance(4)]).whole.logits
        assert torch.equal(first, ModelInstances(model, data).predictor([instances.instance(4)]).whole.logits)
    assert model.training
    assert torch.allclose(first[0], model.eval()(data.x, data.edge_index)[4], atol=1e-5)


def test_cached_convolutions_see_each_subgraph_anew() -> None:
    class Cached(nn.Module):
        def __init__(self, cached: bool = True) -> None:
            super().__init__()
            self.conv = GCNConv(5, 3, cached=cached)

        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
            return self.conv(x, edge_index)

    data, model, plain = random_data(), made(Cached), made(Cached, cached=False)
    with torch.no_grad():
        model(data.x, data.edge_index)  # the cache is full
    kept = model.conv._cached_edge_index
    instances = ModelInstances(model, data)
    instance = instances.instance(9)
    assert model.conv._cached_edge_index is kept
    found = instances.predictor([instance])(subsets(instance)).logits
    again = ModelInstances(plain, data)
    assert torch.allclose(found, again.predictor([instance])(subsets(instance)).logits, atol=1e-6)


def test_what_a_model_keeps_of_its_last_call_does_not_hinder() -> None:
    class Keeping(NodeNet):
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            self.seen = super().forward(x, edge_index)
            return self.seen

    data, model = random_data(), made(Keeping)
    model(data.x, data.edge_index)
    assert ModelInstances(model, data).instance(2).num_nodes


def test_randomness_that_does_not_end_is_refused() -> None:
    class Noisy(NodeNet):
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(functional.dropout(x), edge_index)

    with pytest.raises(UserError, match="differently each time"):
        ModelInstances(made(Noisy), random_data())


def test_a_model_that_is_trained_on_is_copied_anew() -> None:
    data, model = random_data(), made(NodeNet)
    adapter = ModelInstances(model, data).adapter
    assert adapter.is_copy_of(model)
    with torch.no_grad():
        model.two.bias.add_(1.0)
    assert not adapter.is_copy_of(model)
