"""What a user's model returns, and that it is left as it is."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Data

from gfx_core import UserError
from gfx_core.user_models.adapter import OutputKind
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import ModelPredictor, predictor_on
from tests.toys.foreign import Around, NodeNet, made, random_data
from tests.user_models.test_model_data import subsets


@pytest.mark.parametrize("squeeze", [False, True])
def test_one_logit_or_probability_is_two_classes(squeeze: bool) -> None:
    data, model = random_data(), made(NodeNet, out=1, squeeze=squeeze)
    expected = model(data.x, data.edge_index).flatten()[3].sigmoid()
    told = Data(x=data.x, edge_index=data.edge_index, y=torch.randint(0, 2, (40,)))  # classes 0 and 1
    sure = made(NodeNet, out=1, squeeze=squeeze, last=nn.Sigmoid())
    for instances, kind in (
        (ModelInstances(model, data, ModelOptions(output="logit")), OutputKind.LOGIT),
        (ModelInstances(model, told), OutputKind.LOGIT),
        (ModelInstances(sure, told), OutputKind.PROBABILITY),
    ):
        assert instances.adapter.output.kind is kind
        found = ModelPredictor(instances.adapter, [instances.instance(3)]).whole.probabilities[0]
        assert torch.allclose(found, torch.stack([1 - expected, expected]), atol=1e-5)


def test_an_amount_is_explained_by_staying_near_it() -> None:
    data = random_data(y=torch.randn(40))
    model = made(NodeNet, out=1)
    instances = ModelInstances(model, data)
    assert instances.adapter.output.kind is OutputKind.NUMBER
    instance = instances.instance(3)
    predictor = ModelPredictor(instances.adapter, [instance])
    assert predictor.whole.probabilities[0, 0] == pytest.approx(1, abs=1e-5)
    whole = model(data.x, data.edge_index)
    assert instance.info.classes[0].startswith(f"{whole[3, 0].item():.4g} ±")
    found = predictor(subsets(instance))
    apart = (found.embedding[:, 0] - whole[3, 0]) / (whole.std() / 2)
    assert torch.allclose(found.probabilities[:, 0], (-0.5 * apart**2).exp(), atol=1e-4)


def test_what_a_model_keeps_of_its_last_call_does_not_hinder() -> None:
    class Keeping(NodeNet):
        def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
            self.seen = super().forward(x, edge_index)
            return self.seen

    data, model = random_data(), made(Keeping)
    model(data.x, data.edge_index)
    assert ModelInstances(model, data).instance(2).num_nodes


def test_randomness_that_does_not_end_is_refused() -> None:
    noisy = made(Around, before=lambda x, edge_index: (functional.dropout(x), edge_index))
    with pytest.raises(UserError, match="differently each time"):
        ModelInstances(noisy, random_data())


def test_a_model_that_is_trained_further_is_copied_anew() -> None:
    data, model = random_data(), made(NodeNet)
    instance = ModelInstances(model, data).instance(3)
    before = predictor_on(model, [instance])(torch.tensor([[0, 1]])).logits
    with torch.no_grad():
        model.two.bias.add_(1.0)
    assert torch.allclose(predictor_on(model, [instance])(torch.tensor([[0, 1]])).logits, before + 1, atol=1e-5)
