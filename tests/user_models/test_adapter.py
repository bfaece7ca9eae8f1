"""What a user's model returns, and that it is left as it is."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Data
from torch_geometric.nn import GCN, GCNConv

from gfx_core import UserError
from gfx_core.user_models.adapter import OutputKind
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import NodeNet, made, random_data
from tests.toys.gnns import untouched
from tests.user_models.test_model_data import subsets


def test_probabilities_are_not_softmaxed_again() -> None:
    data, logits = random_data(), made(NodeNet)
    model = made(NodeNet, last=nn.Softmax(-1))
    instances = ModelInstances(model, data)
    assert instances.output.kind is OutputKind.PROBABILITIES
    found = instances.predictor([instances.instance(3)]).whole.probabilities[0]
    assert torch.allclose(found, logits(data.x, data.edge_index)[3].softmax(-1), atol=1e-5)
    with pytest.raises(UserError, match="do not add up to 1"):
        ModelInstances(logits, data, ModelOptions(output="probabilities"))


@pytest.mark.parametrize("squeeze", [False, True])
def test_one_logit_or_probability_is_two_classes(squeeze: bool) -> None:
    data, model = random_data(), made(NodeNet, out=1, squeeze=squeeze)
    with pytest.raises(UserError, match=r"one number for each prediction\. Choose what it is"):
        ModelInstances(model, data)
    expected = model(data.x, data.edge_index).flatten()[3].sigmoid()
    for options, y in ((ModelOptions(output="logit"), None), (None, torch.randint(0, 2, (40,)))):
        instances = ModelInstances(model, Data(x=data.x, edge_index=data.edge_index, y=y), options)
        assert instances.output.kind is OutputKind.LOGIT
        found = instances.predictor([instances.instance(3)]).whole.probabilities[0]
        assert torch.allclose(found, torch.stack([1 - expected, expected]), atol=1e-5)
    with pytest.raises(UserError, match="cannot be output=“logits”"):
        ModelInstances(model, data, ModelOptions(output="logits"))
    with pytest.raises(UserError, match="some are below 0"):
        ModelInstances(model, data, ModelOptions(output="probability"))
    sure = made(NodeNet, out=1, squeeze=squeeze, last=nn.Sigmoid())
    instances = ModelInstances(sure, Data(x=data.x, edge_index=data.edge_index, y=torch.randint(0, 2, (40,))))
    assert instances.output.kind is OutputKind.PROBABILITY
    found = instances.predictor([instances.instance(3)]).whole.probabilities[0]
    assert torch.allclose(found, torch.stack([1 - expected, expected]), atol=1e-5)


def test_an_amount_is_explained_by_staying_near_it() -> None:
    data = random_data(y=torch.randn(40))
    model = made(NodeNet, out=1)
    instances = ModelInstances(model, data)
    assert instances.output.kind is OutputKind.NUMBER
    instance = instances.instance(3)
    predictor = instances.predictor([instance])
    assert predictor.whole.probabilities[0, 0] == pytest.approx(1, abs=1e-5)
    whole = model(data.x, data.edge_index)
    assert instance.info.classes[0].startswith(f"{whole[3, 0].item():.4g} ±")
    found = predictor(subsets(instance))
    apart = (found.embedding[:, 0] - whole[3, 0]) / (whole.std() / 2)
    assert torch.allclose(found.probabilities[:, 0], (-0.5 * apart**2).exp(), atol=1e-4)
    with pytest.raises(UserError, match="tolerance of an amount must be above 0"):
        ModelInstances(model, data, ModelOptions(tolerance=-1.0))


def test_what_is_no_prediction_is_refused() -> None:
    class Two(NodeNet):
        def forward(self, x: Tensor, edge_index: Tensor) -> Any:  # type: ignore[override]
            return super().forward(x, edge_index), x

    class Edges(NodeNet):
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            return super().forward(x, edge_index)[edge_index[0]]

    numberless = made(NodeNet)
    with torch.no_grad():
        numberless.two.bias.fill_(float("nan"))
    for model, sentence in (
        (made(Two), "returns a tuple"),
        (made(Edges), "must return one row for each graph"),
        (numberless, "NaN or infinity"),
    ):
        with pytest.raises(UserError, match=sentence):
            ModelInstances(model, random_data())


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
