"""GFlowExplainer as a library, and as an algorithm of PyG's."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.explain import Explainer
from torch_geometric.nn import GCN, GIN, global_mean_pool

from gfx_core import GFlowExplainer, GFNConfig, load_dataset, load_model
from gfx_core.errors import UserError
from gfx_core.user_models.predictor import model_predictor
from tests.toys.gnns import untouched

CONFIG = GFNConfig(max_nodes=6, epochs=4)


class GraphGIN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gin, self.head = GIN(10, 12, 2), nn.Linear(12, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        return self.head(global_mean_pool(self.gin(x, edge_index), batch))


def explainer(model: nn.Module, level: str, algorithm: GFlowExplainer, **options: object) -> Explainer:
    config = {"mode": "multiclass_classification", "task_level": level, "return_type": "raw"}
    return Explainer(
        model, algorithm=algorithm, explanation_type="model", edge_mask_type="object", model_config=config, **options
    )


@pytest.mark.parametrize("kind", [GCN, GIN])
def test_node_task_on_pygs_own_models(kind: type[nn.Module]) -> None:
    data = load_dataset("tree_cycles").to_pyg()
    model = kind(10, 12, 2, out_channels=2)
    asked = explainer(model, "node", GFlowExplainer(CONFIG), node_mask_type="object")
    with untouched(model):
        explanation = asked(data.x, data.edge_index, index=600)
    assert explanation.edge_mask.shape == (data.num_edges,)
    assert explanation.node_mask.shape == (data.num_nodes, 1)
    assert 0 < explanation.edge_mask.max() <= 1
    assert explanation.node_mask[600] == 1
    reached = data.edge_index[:, explanation.edge_mask > 0].unique()
    far = 3 if kind is GCN else 2  # two layers see two hops, and a degree counts who is one hop beyond
    near = load_dataset("tree_cycles").instance(600, hops=far).nodes
    assert set(reached.tolist()) <= set(near.tolist())


def test_a_trained_policy_serves_pyg(tree_explainer: GFlowExplainer) -> None:
    data, model = load_dataset("tree_cycles").to_pyg(), load_model("tree_cycles")
    explanation = explainer(model, "node", tree_explainer)(data.x, data.edge_index, index=torch.tensor([600]))
    trace = tree_explainer.trace(model, load_dataset("tree_cycles"), 600)
    marginal = {
        (trace.nodes[edge.source].id, trace.nodes[edge.target].id): sum(
            sample.count / trace.num_drawn for sample in trace.samples if at in sample.edges
        )
        for at, edge in enumerate(trace.edges)
    }
    for (source, target), score in zip(data.edge_index.T.tolist(), explanation.edge_mask.tolist(), strict=True):
        expected = marginal.get((source, target), marginal.get((target, source), 0.0))
        assert score == pytest.approx(expected, abs=1e-6)


def test_edge_lists_in_any_state(tree_explainer: GFlowExplainer) -> None:
    data = load_dataset("tree_cycles").to_pyg()
    one_way = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    loops = torch.arange(5).expand(2, -1)
    messy = torch.cat([one_way, loops, one_way[:, :9]], dim=1)
    explanation = explainer(GIN(10, 12, 2, out_channels=2), "node", GFlowExplainer(CONFIG))(data.x, messy, index=600)
    assert explanation.edge_mask.shape == (messy.shape[1],)
    assert (explanation.edge_mask[one_way.shape[1] : one_way.shape[1] + 5] == 0).all()
    assert torch.equal(explanation.edge_mask[-9:], explanation.edge_mask[:9])
    ours = explainer(load_model("tree_cycles"), "node", tree_explainer)
    with pytest.raises(UserError, match="read undirected graphs"):
        ours(data.x, messy, index=600)


def test_one_pass_over_the_union_equals_one_by_one() -> None:
    from tests.toys.subsets import one_by_one, random_subsets

    dataset = load_dataset("tree_grid")
    instances = [dataset.instance(int(i), hops=2) for i in dataset.explainable[:6]]
    model = GIN(10, 12, 2, out_channels=2).eval()
    subsets, owner = random_subsets(instances, 60, 8, seed=4)
    together = model_predictor(model, instances)(subsets, owner).logits
    single = [
        one_by_one(model, instances[i], s[s >= 0].numpy())  # type: ignore[arg-type]
        for i, s in zip(owner, subsets, strict=True)
    ]
    assert torch.allclose(together, torch.stack(single), atol=1e-5)


def test_pyg_settings_that_cannot_be_served() -> None:
    with pytest.raises(ValueError, match="does not support"):
        explainer(GCN(10, 4, 2, out_channels=2), "edge", GFlowExplainer(CONFIG))


def test_fit_on_pyg_graphs() -> None:
    graphs = load_dataset("ba_2motifs").to_pyg()[:5]
    fitted = GFlowExplainer(CONFIG, samples=8).fit(GraphGIN(), graphs)
    assert fitted.trace(GraphGIN(), graphs, 2).steps


def test_nothing_to_fit_on() -> None:
    empty = Data(x=torch.ones(0, 10), edge_index=torch.zeros(2, 0, dtype=torch.long))
    with pytest.raises(UserError, match="nothing to train on"):
        GFlowExplainer(CONFIG).fit(GCN(10, 8, 2, out_channels=2), empty)
    with pytest.raises(UserError, match="no graphs"):
        GFlowExplainer(CONFIG).fit(GraphGIN(), [])


def test_memory_that_runs_out_is_met_with_smaller_parts(
    tree_explainer: GFlowExplainer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from gfx_core.gnn.predict import SubgraphPredictor, Subgraphs

    dataset = load_dataset("tree_cycles")
    predictor = SubgraphPredictor(load_model("tree_cycles"), [dataset.instance(600)])
    subsets = torch.zeros(300, 4, dtype=torch.long) - 1
    subsets[:, 0] = 0
    expected = predictor(subsets).logits
    evaluate = SubgraphPredictor.evaluate

    def small_device(self: SubgraphPredictor, subgraphs: Subgraphs) -> object:
        if len(subgraphs.x) > 100:
            raise torch.OutOfMemoryError("no room")
        return evaluate(self, subgraphs)

    monkeypatch.setattr(SubgraphPredictor, "evaluate", small_device)
    assert torch.allclose(predictor(subsets).logits, expected)
    assert "memory is full" in caplog.text
    assert np.isfinite(expected.numpy()).all()
