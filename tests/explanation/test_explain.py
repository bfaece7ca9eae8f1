"""explain(model, data, index): one call, and what comes out of it."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.explain import Explainer
from torch_geometric.nn import GCN, GIN

from gfx_core import GFlowExplainer, GFNConfig, UserError, explain, load_dataset, load_model
from gfx_core.config import FlowSource, Task
from gfx_core.explanation import flows
from gfx_core.explanation.result import ExplanationResult
from gfx_core.gfn.settings import DEFAULT_PRESET, NODE_PRICE, REWARD_PRESETS
from gfx_core.trace import serialize
from gfx_core.training.session import Session
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.user_models.predictor import influence, window
from tests.toys.foreign import GraphNet, NodeNet, as_batch, made, random_data, some_graphs
from tests.toys.gnns import untouched

HOSTILE = ("</script><img src=x onerror=alert(1)>", 'b" onload="alert(2)', "c")
SMALL = GFNConfig(max_nodes=4, reward=REWARD_PRESETS[DEFAULT_PRESET], epochs=2)


@pytest.fixture(scope="module")
def found() -> ExplanationResult:
    return explain(made(NodeNet).train(), random_data(14), 3, classes=HOSTILE, title="<b>", control=True)


def test_an_explanation_says_all(found: ExplanationResult) -> None:
    data, model = random_data(14), made(NodeNet)
    predicted = int(model(data.x, data.edge_index)[3].argmax())
    assert found.trace.prediction.predicted == predicted
    assert found.prediction == HOSTILE[predicted]
    assert found.sentence.startswith("The GNN predicts")
    assert found.edge_mask.shape == (data.num_edges,)
    assert found.node_mask.shape == (14,)
    assert found.node_mask[3] == 1
    assert 3 in found.nodes
    assert found.trace.flows is FlowSource.EXACT
    assert found.sentence in repr(found)
    pairs = {(int(s), int(t)): float(m) for (s, t), m in zip(data.edge_index.T, found.edge_mask, strict=True)}
    assert all(pairs[s, t] == pairs[t, s] for s, t in pairs)
    for edge, score in zip(found.trace.edges, found.trace.edge_marginals, strict=True):
        ends = found.trace.nodes[edge.source].id, found.trace.nodes[edge.target].id
        assert pairs[ends] == pytest.approx(score, abs=1e-6)


def test_it_plays_in_a_notebook_behind_glass(found: ExplanationResult) -> None:
    shown = found._repr_html_()
    frame = re.search(r'<iframe sandbox="([^"]*)" srcdoc="([^"]*)"', shown)
    assert frame is not None
    assert "allow-same-origin" not in frame[1]
    page = unescape(frame[2])
    assert page == found.html()
    assert "onerror" not in shown.replace(frame[2], "").replace(
        HOSTILE[0].replace("<", "&lt;").replace(">", "&gt;"), ""
    )
    assert "</script><img" not in page
    assert not re.findall(r'(?:src|href)="http', page)


def test_it_is_saved_in_three_ways(found: ExplanationResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert serialize.load(found.save(str(tmp_path / "x.json"))) == found.trace
    assert found.save(tmp_path / "x.html").read_text(encoding="utf-8") == found.html()
    assert found.save(tmp_path / "x.gif").read_bytes().startswith(b"GIF89a")
    with pytest.raises(UserError, match=r"\.html, \.json or \.gif"):
        found.save(tmp_path / "x.png")
    with pytest.raises(UserError, match="cannot be written"):
        found.save(tmp_path / "none" / "x.json")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = found.show()
    assert opened == [path.as_uri()]
    assert path.read_text(encoding="utf-8") == found.html()


def test_it_goes_on_to_networkx_and_pyg(found: ExplanationResult) -> None:
    graph = found.to_networkx()
    assert {node for node, held in graph.nodes(data="in_answer") if held} == set(found.nodes)
    assert graph.number_of_edges() == len(found.trace.edges)
    assert sum(held for *_, held in graph.edges(data="in_answer")) == len(found.trace.answer.first.edges)  # type: ignore[union-attr]
    pyg = found.to_pyg()
    assert torch.equal(pyg.edge_mask, found.edge_mask)
    assert pyg.validate(raise_on_error=True)


def test_the_free_network_needs_nothing_and_runs_nothing_else(found: ExplanationResult, tmp_path: Path) -> None:
    network = found.to_pyvis()
    network.save_graph(str(tmp_path / "net.html"))
    page = (tmp_path / "net.html").read_text(encoding="utf-8")
    assert page == network.generate_html()
    assert not re.findall(r"<(?:script|link)[^>]*(?:src|href)=", page)
    assert "default-src 'none'" in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert len(data["nodes"]) == len(found.trace.nodes)
    assert len(data["edges"]) == len(found.trace.edges)
    labels = explain(made(NodeNet), random_data(14), 3, labels=[HOSTILE[0]] * 14).to_pyvis().generate_html()
    assert "<img" not in labels
    assert page.count("<script") == labels.count("<script")
    assert '<iframe sandbox="allow-scripts" srcdoc=' in network._repr_html_()


def test_the_control_tells_what_does_not_come_from_the_gnn(found: ExplanationResult) -> None:
    assert found.control is not None
    assert found.control.edge_marginals.shape == (len(found.trace.edges),)
    assert found.control.sentence in found.words

    class Silent(NodeNet):
        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
            return 0 * super().forward(x, edge_index)

    same = explain(made(Silent), random_data(14), 3, control=True)
    assert same.control is not None
    assert np.allclose(same.control.edge_marginals, same.trace.edge_marginals, atol=1e-6)
    assert same.control.correlation == pytest.approx(1, abs=1e-6)
    assert "hardly depends on the GNN" in same.control.sentence


def test_the_default_has_one_price_for_nodes_and_one_for_graphs(found: ExplanationResult) -> None:
    usual = REWARD_PRESETS[DEFAULT_PRESET]
    for_nodes = replace(usual, prices={**usual.prices, "nodes": NODE_PRICE})
    assert found.trace.made["config"]["reward"] == for_nodes.as_dict()
    assert GFlowExplainer().config.reward == for_nodes
    assert GFlowExplainer().config_for(Task.GRAPH).reward == usual
    assert GFlowExplainer().config.max_nodes == 10


def test_graphs_of_a_list_and_of_a_batch() -> None:
    graphs, model = some_graphs(), made(GraphNet)
    one = explain(model, graphs, 2, atoms=("C", "N", "O", "H", "S"), config=SMALL)
    two = explain(model, as_batch(graphs), 2, atoms=("C", "N", "O", "H", "S"), config=SMALL)
    assert torch.equal(one.edge_index, graphs[2].edge_index)
    assert torch.equal(one.edge_mask, two.edge_mask)
    assert one.sentence == two.sentence
    assert one.trace.index == 2
    assert {node.element for node in one.trace.nodes} <= {"C", "N", "O", "H", "S"}


def test_where_too_many_are_to_be_listed_fewer_nodes_or_a_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    data, model = random_data(30), made(NodeNet)
    monkeypatch.setattr(flows, "LISTED", 100)
    monkeypatch.setattr(flows.SubgraphSampler, "cap", 100)
    monkeypatch.setattr(flows, "_SMALLEST", 2)
    fewer = explain(model, data, 3)
    assert fewer.trace.flows is FlowSource.EXACT
    assert "only subgraphs of at most" in fewer.words
    monkeypatch.setattr(flows, "_SMALLEST", 4)
    monkeypatch.setattr(flows, "_FAR", 1.0)
    with untouched(model):
        learned = explain(model, data, 3, config=SMALL)
    assert learned.trace.flows is FlowSource.LEARNED
    assert learned.trace.made["policy"]["epochs"] == 2


def test_a_window_on_much_keeps_the_prediction_of_all() -> None:
    data, model = random_data(60), made(GCN, 5, 8, 2, out_channels=3)
    whole = ModelInstances(model, data).instance(0)
    seen = window(whole, 12)
    assert seen.num_nodes == 12
    assert seen.left_out == whole.num_nodes - 12
    assert f"sees {whole.num_nodes} nodes" in seen.notes[-1]
    assert influence(whole).argmax() == 0  # its own features count most
    door = ModelInstances(model, data)
    assert torch.equal(door.predictor([seen]).whole.logits, door.predictor([whole]).whole.logits)
    kept = np.ones(len(seen.undirected), dtype=bool)
    kept[:3] = False
    gone = {frozenset(pair) for pair in seen.nodes[seen.edge_index[:, seen.undirected[:3]]].T.tolist()}
    ends = whole.nodes[whole.edge_index[:, whole.undirected]].T.tolist()
    reference = np.array([frozenset(pair) not in gone for pair in ends])
    found = door.predictor([seen]).with_edges(seen, kept[None]).logits
    assert torch.allclose(found, door.predictor([whole]).with_edges(whole, reference[None]).logits, atol=1e-5)


def test_fit_and_explain_give_a_mask_and_a_trace(tmp_path: Path) -> None:
    data, model = random_data(30), made(GIN, 5, 8, 2, out_channels=3, norm="batch_norm").train()
    mask = torch.zeros(30, dtype=torch.bool)
    mask[[3, 4]] = True
    with untouched(model):
        fitted = GFlowExplainer(SMALL, samples=8).fit(model, data, mask)
        found = fitted.explain(model, data, 5)
        fitted.tune(model, data, 3, epochs=1)
    assert fitted.trained is not None
    assert fitted.trained.made["instances"] == 2
    assert found.trace.flows is FlowSource.LEARNED
    assert found.edge_mask.shape == (data.num_edges,)
    fitted.save(str(tmp_path / "policy.safetensors"))
    again = GFlowExplainer.load(str(tmp_path / "policy.safetensors"), samples=8)
    assert torch.equal(again.explain(model, data, 5).edge_mask, found.edge_mask)


def test_our_own_gnns_and_data_go_the_same_way() -> None:
    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    found = explain(model, dataset, 600)
    assert found.edge_mask.shape == (dataset.edge_index.shape[1],)
    same = explain(model, dataset.to_pyg(), 600, classes=("tree", "cycle"))
    assert torch.equal(same.edge_mask, found.edge_mask)


def pyg_explainer(model: torch.nn.Module, algorithm: GFlowExplainer, **config: str) -> Explainer:
    model_config = {"mode": "multiclass_classification", "task_level": "node", "return_type": "raw", **config}
    return Explainer(model, algorithm, explanation_type="model", edge_mask_type="object", model_config=model_config)


def test_pyg_hands_further_arguments_on() -> None:
    data, model = random_data(14), made(NodeNet)
    weight = torch.rand(data.num_edges)
    plain = GFNConfig(max_nodes=4)  # β = 1: every edge has some share
    found = pyg_explainer(model, GFlowExplainer(plain))(data.x, data.edge_index, edge_weight=weight, index=3)
    without = pyg_explainer(model, GFlowExplainer(plain))(data.x, data.edge_index, index=3)
    data.edge_weight = weight
    exact = explain(model, data, 3, config=plain).edge_mask
    assert torch.allclose(found.edge_mask, exact, atol=0.25)  # what was drawn is near what is to be expected
    assert not torch.equal(found.edge_mask, without.edge_mask)


def test_pyg_keeps_a_policy_that_it_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    data, model, trainings = random_data(30), made(NodeNet), []
    monkeypatch.setattr(flows, "LISTED", 30)
    monkeypatch.setattr(flows, "_FAR", 1.0)
    monkeypatch.setattr(flows.SubgraphSampler, "cap", 30)
    run = Session.run
    monkeypatch.setattr(Session, "run", lambda *given: trainings.append(1) or run(*given))
    ask = pyg_explainer(model, GFlowExplainer(SMALL, samples=8, fragments="as is"))
    first = ask(data.x, data.edge_index, index=3).edge_mask
    assert torch.equal(first, ask(data.x, data.edge_index, index=3).edge_mask)
    assert len(trainings) == 1
    with torch.no_grad():
        model.two.bias.add_(1)
    ask(data.x, data.edge_index, index=3)
    assert len(trainings) == 2  # another model by now


def test_pyg_asks_for_one_graph_of_a_batch_a_logit_and_an_amount() -> None:
    graphs, batch = some_graphs(), as_batch(some_graphs())
    ask = pyg_explainer(made(GraphNet), GFlowExplainer(SMALL), task_level="graph")
    found = ask(batch.x, batch.edge_index, batch=batch.batch, index=2).edge_mask
    inside = batch.batch[batch.edge_index[0]] == 2
    assert (found[~inside] == 0).all()
    assert torch.equal(found[inside], ask(graphs[2].x, graphs[2].edge_index).edge_mask)
    data, single = random_data(14), made(NodeNet, out=1)
    for mode in ("binary_classification", "regression"):
        mask = pyg_explainer(single, GFlowExplainer(SMALL), mode=mode)(data.x, data.edge_index, index=3).edge_mask
        assert mask.shape == (data.num_edges,)
