"""Every explainer behind one call: what it gives back, and that it leaves the GNN alone."""

from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from torch_geometric.nn import MessagePassing

from gfx_core import UserError, load_dataset, load_model
from gfx_core.baselines import gradients, registry
from gfx_core.baselines.method import Learner
from gfx_core.baselines.registry import METHODS, explain, learnt_path, make_method, method_info, ready_method
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.files import read_json_header
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_instance
from tests.toys import instances as toys
from tests.toys.gnns import untouched

DATA = ["tree_cycles", "ba_2motifs"]


@pytest.fixture(scope="module", autouse=True)
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the learners learn in one short epoch, in place of what is shipped."""
    folder = tmp_path_factory.mktemp("learnt")
    patch = pytest.MonkeyPatch()
    patch.setattr(registry, "LEARNT", folder)
    patch.setattr(gradients, "STEPS", 4)
    for name in DATA:
        data, model = load_dataset(name), load_model(name)
        few = [data.instance(int(index)) for index in data.explainable[:6]]
        for info in METHODS.values():
            if info.learns and info.name != "gflowexplainer":
                method = make_method(info.name, model, epochs=1)
                assert isinstance(method, Learner)
                method.fit(few)
                method.save(learnt_path(info.name, name, "sum"))
    yield folder
    patch.undo()


def instance_of(name: str) -> Instance:
    data = load_dataset(name)
    return data.instance(int(data.explainable[40]))


@pytest.mark.parametrize(
    "name", [info.name for info in METHODS.values() if info.learns and info.name != "gflowexplainer"]
)
def test_what_was_learnt_says_how(name: str) -> None:
    header = read_json_header(learnt_path(name, "tree_cycles", "sum"), "")
    assert header["config"]["epochs"] == 1
    assert header["seconds"] > 0
    assert {"device", "date", "versions"} <= set(header["made"])


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", METHODS)
def test_one_call_serves_all(name: str, data: str) -> None:
    model, instance = load_model(data), instance_of(data)
    probabilities = predict_instance(model, instance)
    model.head.weight.requires_grad_(True)  # whatever the caller's setting
    with untouched(model):
        found = explain(name, model, instance, seed=0)
    assert found.fit_seconds is not None
    assert found.fit_seconds >= 0
    assert found.explain_seconds is not None
    assert found.explain_seconds > 0
    explanation = found.to_pyg(instance)
    assert explanation.validate()
    assert explanation.edge_mask.shape == (instance.edge_index.shape[1],)
    assert bool(explanation.edge_mask.isfinite().all())
    assert explanation.target.tolist() == [int(probabilities.argmax())]
    assert explanation.get("index") == instance.target
    order = explanation.get("order")
    if order is not None:
        graph = nx.Graph(instance.edge_index.T.tolist())
        nodes = order.tolist()
        assert len(set(nodes)) == len(nodes) <= 10
        assert instance.target is None or nodes[0] == instance.target
        assert all(nx.is_connected(graph.subgraph(nodes[:count])) for count in range(1, len(nodes) + 1))
    for conv in model.modules():
        if isinstance(conv, MessagePassing):
            assert (conv.explain, conv._edge_mask, conv._loop_mask) == (None, None, None)
    assert np.array_equal(predict_instance(model, instance), probabilities)


@pytest.mark.parametrize("name", METHODS)
def test_the_seed_decides(name: str) -> None:
    model, instance = load_model("tree_cycles"), instance_of("tree_cycles")
    one, again = (explain(name, model, instance, seed=0).edge_mask for _ in range(2))
    assert np.array_equal(one, again)
    if name in ("random", "bfs", "most_links", "gnnexplainer"):  # what others draw seldom shows
        another = load_dataset("tree_cycles").instance(700)
        others = (explain(name, model, another, seed=seed).edge_mask for seed in range(8))
        first = next(others)
        assert any(not np.array_equal(first, other) for other in others)


@pytest.mark.parametrize("name", [info.name for info in METHODS.values() if not info.uses_gnn])
def test_the_blind_ask_no_gnn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the GNN was asked")

    monkeypatch.setattr(GNN, "embed", refuse)
    monkeypatch.setattr(GNN, "dense", refuse)
    found = make_method(name, load_model("tree_cycles")).explain(instance_of("tree_cycles"))
    assert np.isfinite(found.edge_mask).all()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("task", Task)
def test_a_node_alone(name: str, task: Task) -> None:
    """One node and no edge: nothing to score, and nothing breaks."""
    dataset, alone = "tree_cycles" if task is Task.NODE else "ba_2motifs", nx.empty_graph(1)
    model = load_model(dataset)
    instance = toys.instance_of(alone, task, toys.ones(alone, model.in_channels))
    found = ready_method(name, model, dataset).explain(instance)
    assert found.edge_mask.shape == (0,)
    assert found.order is None or found.order.tolist() == [0]


def test_names() -> None:
    assert method_info("GNNExplainer").name == "gnnexplainer"
    assert method_info("RGExplainer, no pretraining").name == "rgexplainer_plain"
    with pytest.raises(UserError, match="Did you mean subgraphx"):
        method_info("subgrafx")


def test_what_another_learnt_is_refused() -> None:
    path = learnt_path("pgexplainer", "tree_cycles", "sum")
    method = make_method("rgexplainer", load_model("tree_cycles"))
    assert isinstance(method, Learner)
    with pytest.raises(UserError, match="was not trained by RGExplainer"):
        method.load(path)
    other = make_method("pgexplainer", load_model("tree_cycles", "gcn"))
    assert isinstance(other, Learner)
    with pytest.raises(UserError, match="do not fit"):
        other.load(path)
