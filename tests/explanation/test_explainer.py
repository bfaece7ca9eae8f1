"""GFlowExplainer as a library, and as an algorithm of PyG's."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.explain import Explainer
from torch_geometric.nn import GIN

from gfx_core import GFlowExplainer, GFNConfig, explain
from gfx_core.errors import UserError
from gfx_core.gfn.settings import USUAL_REWARD, RewardConfig
from gfx_core.gfn.trainer import Trainer
from tests.toys.foreign import GraphNet, NodeNet, as_batch, made, random_data, some_graphs
from tests.toys.gnns import untouched

SMALL = GFNConfig(max_nodes=4, reward=USUAL_REWARD, epochs=2)


def explainer(model: nn.Module, level: str, algorithm: GFlowExplainer, **options: str) -> Explainer:
    mode = {"mode": options.pop("mode", "multiclass_classification"), "task_level": level, "return_type": "raw"}
    return Explainer(
        model, algorithm=algorithm, explanation_type="model", edge_mask_type="object", model_config=mode, **options
    )


def test_fit_and_explain_give_a_mask_and_a_trace(tmp_path: Path) -> None:
    data, model = random_data(30), made(GIN, 5, 8, 2, out_channels=3, norm="batch_norm").train()
    mask = torch.zeros(30, dtype=torch.bool)
    mask[[3, 4]] = True
    with untouched(model):
        fitted = GFlowExplainer(SMALL, samples=8).fit(model, data, mask)
        found = fitted.explain(model, data, 5)
    assert fitted.trained is not None
    assert fitted.trained.made["instances"] == 2
    assert found.trace.flows == "learned"
    assert found.edge_mask.shape == (data.num_edges,)
    fitted.save(str(tmp_path / "policy.safetensors"))
    again = GFlowExplainer.load(str(tmp_path / "policy.safetensors"), samples=8)
    assert torch.equal(again.explain(model, data, 5).edge_mask, found.edge_mask)
    empty = Data(x=torch.ones(0, 5), edge_index=torch.zeros(2, 0, dtype=torch.long))
    for nothing, sentence in ((empty, "nothing to train"), ([], "no graphs")):
        with pytest.raises(UserError, match=sentence):
            GFlowExplainer(SMALL).fit(model, nothing)


def test_pyg_hands_further_arguments_on() -> None:
    data, model = random_data(14), made(NodeNet)
    weight = torch.rand(data.num_edges, generator=torch.Generator().manual_seed(0))
    plain = GFNConfig(max_nodes=4, reward=RewardConfig(1.0))  # β = 1: every edge has some share
    found = explainer(model, "node", GFlowExplainer(plain))(data.x, data.edge_index, edge_weight=weight, index=3)
    without = explainer(model, "node", GFlowExplainer(plain))(data.x, data.edge_index, index=3)
    data.edge_weight = weight
    exact = explain(model, data, 3, config=plain).edge_mask
    assert torch.allclose(found.edge_mask, exact, atol=0.25)  # what was drawn is near what is to be expected
    assert not torch.equal(found.edge_mask, without.edge_mask)


def test_pyg_keeps_a_policy_that_it_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    data, model, trainings = random_data(30), made(NodeNet), []
    fit = Trainer.fit
    monkeypatch.setattr(Trainer, "fit", lambda *given: trainings.append(1) or fit(*given))
    ask = explainer(model, "node", GFlowExplainer(SMALL, samples=8, fragments="as is", tuned=True))
    first = ask(data.x, data.edge_index, index=3).edge_mask
    assert torch.equal(first, ask(data.x, data.edge_index, index=3).edge_mask)
    assert len(trainings) == 1
    with torch.no_grad():
        model.two.bias.add_(1)
    ask(data.x, data.edge_index, index=3)
    assert len(trainings) == 2  # another model by now


def test_pyg_asks_for_one_graph_of_a_batch_a_logit_and_an_amount() -> None:
    graphs, batch = some_graphs(), as_batch(some_graphs())
    ask = explainer(made(GraphNet), "graph", GFlowExplainer(SMALL))
    found = ask(batch.x, batch.edge_index, batch=batch.batch, index=2).edge_mask
    inside = batch.batch[batch.edge_index[0]] == 2
    assert (found[~inside] == 0).all()
    assert torch.equal(found[inside], ask(graphs[2].x, graphs[2].edge_index).edge_mask)
    data, single = random_data(14), made(NodeNet, out=1)
    for mode in ("binary_classification", "regression"):
        mask = explainer(single, "node", GFlowExplainer(SMALL), mode=mode)(data.x, data.edge_index, index=3).edge_mask
        assert mask.shape == (data.num_edges,)
    with pytest.raises(ValueError, match="does not support"):
        explainer(single, "edge", GFlowExplainer(SMALL))
