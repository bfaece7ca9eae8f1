"""Every explainer behind one call, on our GNNs and on PyG's models: what it gives back, and what it leaves alone."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from torch import Tensor, nn
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE, MessagePassing, global_mean_pool

from gfx_core import UserError, load_dataset, load_model
from gfx_core.baselines import gradients, registry
from gfx_core.baselines.method import Explanation, Learner
from gfx_core.baselines.registry import METHODS, explain, learns_first, learnt_path, make_method, ready_method
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from gfx_core.weights import read_json_header
from tests.toys import instances as toys
from tests.toys.foreign import NodeNet, OneGraphNet, made, random_data, some_graphs
from tests.toys.gnns import untouched

DATA = ["tree_cycles", "ba_2motifs"]
LEARNERS = [info.name for info in METHODS.values() if info.learns and info.name != "gflowexplainer"]


@pytest.fixture(scope="module", autouse=True)
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the learners learn in one short epoch, in place of what is shipped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "LEARNT", tmp_path_factory.mktemp("learnt"))
        patch.setattr(gradients, "STEPS", 4)
        for name in DATA:
            data, model = load_dataset(name), load_model(name)
            few = [data.instance(int(index)) for index in data.explainable[:6]]
            for learner in LEARNERS:
                method = make_method(learner, model, {"epochs": 1})
                assert isinstance(method, Learner)
                method.fit(few)
                method.save(learnt_path(learner, name, "sum"))
        yield


@pytest.fixture(autouse=True)
def short_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    """How GNNExplainer fits a mask is tested with it."""
    monkeypatch.setattr(registry, "chosen_settings", lambda name, *_: {"epochs": 5} if name == "gnnexplainer" else {})


def instance_of(name: str, at: int = 40) -> Instance:
    data = load_dataset(name)
    return data.instance(int(data.explainable[at]))


@pytest.mark.parametrize("name", LEARNERS)
def test_what_was_learnt_says_how(name: str) -> None:
    header = read_json_header(learnt_path(name, "tree_cycles", "sum"), dict)
    assert header["config"]["epochs"] == 1
    assert {"device", "date", "versions"} <= set(header["made"])
    assert header["made"]["seconds"] > 0
    assert not learns_first(name, "tree_cycles", "sum")
    assert learns_first(name, "tree_cycles", "sum", seed=1)
    assert learns_first(name, "tree_cycles", "gcn")


def test_what_learns_nothing_or_each_prediction() -> None:
    assert not learns_first("saliency", "tree_cycles", "gcn")
    assert not learns_first("gflowexplainer", "tree_cycles", "gcn-plain")


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", METHODS)
def test_one_call_serves_all(name: str, data: str) -> None:
    model, instance = load_model(data), instance_of(data)
    model.head.weight.requires_grad_(True)  # whatever the caller's setting
    with untouched(model):
        found, again = (explain(name, model, instance, seed=0) for _ in range(2))
    assert np.array_equal(found.edge_mask, again.edge_mask)
    assert found.edge_mask.shape == (instance.edge_index.shape[1],)
    assert np.isfinite(found.edge_mask).all()
    for conv in model.modules():
        if isinstance(conv, MessagePassing):
            assert (conv.explain, conv._edge_mask, conv._loop_mask) == (None, None, None)


@pytest.mark.parametrize("name", [info.name for info in METHODS.values() if not info.uses_gnn])
def test_the_blind_ask_no_gnn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the GNN was asked")

    monkeypatch.setattr(GNN, "embed", refuse)
    monkeypatch.setattr(GNN, "dense", refuse)
    assert np.isfinite(make_method(name, load_model("tree_cycles")).explain(instance_of("tree_cycles")).edge_mask).all()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("task", Task)
def test_a_node_alone(name: str, task: Task) -> None:
    """One node and no edge: nothing to score, and nothing breaks."""
    dataset, alone = "tree_cycles" if task is Task.NODE else "ba_2motifs", nx.empty_graph(1)
    model = load_model(dataset)
    instance = toys.instance_of(alone, task, toys.ones(alone, model.in_channels))
    assert ready_method(name, model, dataset).explain(instance).edge_mask.shape == (0,)


def test_what_another_learnt_is_refused() -> None:
    rg, pg = (make_method(name, load_model("tree_cycles")) for name in ("rgexplainer", "pgexplainer"))
    assert isinstance(rg, Learner)
    assert isinstance(pg, Learner)
    with pytest.raises(UserError, match="not in our format"):
        rg.load(learnt_path("pgexplainer", "tree_cycles", "sum"))
    pg.load(learnt_path("pgexplainer", "ba_2motifs", "sum"))
    with pytest.raises(UserError, match="cannot explain"):
        pg.explain(instance_of("tree_cycles"))


# PyG's own models


ASKING = ["gnnexplainer", "pgexplainer", "saliency", "integrated_gradients", "grad_cam", "occlusion", "eig_search"]


class Pooled(nn.Module):
    """One of PyG's models as a graph classifier."""

    def __init__(self, kind: type[nn.Module]) -> None:
        super().__init__()
        self.net, self.head = kind(5, 8, 2), nn.Linear(8, 3)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        return self.head(global_mean_pool(self.net(x, edge_index), batch))


def answers(name: str, model: nn.Module, instances: Sequence[Instance]) -> list[Explanation]:
    settings = {"gnnexplainer": {"epochs": 5}, "pgexplainer": {"epochs": 2}}
    method = make_method(name, model, settings.get(name))
    with untouched(model):
        if isinstance(method, Learner):
            method.fit(instances)
        found = list(map(method.explain, instances))
    for instance, one in zip(instances, found, strict=True):
        assert one.edge_mask.shape == (instance.edge_index.shape[1],)
        assert np.isfinite(one.edge_mask).all()
    return found


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("kind", [GCN, GIN, GAT, GraphSAGE])
@pytest.mark.parametrize("name", ASKING)
def test_pygs_models(name: str, kind: type[nn.Module], task: Task) -> None:
    model = made(kind, 5, 8, 2, out_channels=3) if task is Task.NODE else made(Pooled, kind)
    subject = ModelInstances(model, random_data(16) if task is Task.NODE else some_graphs())
    found = answers(name, model, [subject.instance(index) for index in range(3)])
    assert any(np.ptp(one.edge_mask) > 0 for one in found)  # untrained units may be dead for one of them


@pytest.mark.parametrize("name", ASKING)
def test_a_model_of_one_graph_at_a_time(name: str) -> None:
    model = made(OneGraphNet)
    subject = ModelInstances(model, some_graphs())
    answers(name, model, [subject.instance(index) for index in range(2)])


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.parametrize("output", ["probabilities", "probability", "number"])
def test_whatever_the_model_puts_out_and_features_of_whole_numbers(name: str, output: str) -> None:
    last: dict[str, nn.Module] = {"probabilities": nn.Softmax(-1), "probability": nn.Sigmoid()}
    model, data = made(NodeNet, out=3 if output == "probabilities" else 1, last=last.get(output)), random_data(12)
    if output == "probabilities":
        data.x = (3 * data.x).round().long()
    subject = ModelInstances(model, data, ModelOptions(output=output))
    answers(name, model, [subject.instance(index) for index in range(2)])


class Unmasked(nn.Module):
    """Adds up neighbours without PyG's message passing."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(5, 3)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.head(x.index_add(0, edge_index[1], x[edge_index[0]]))


@pytest.mark.parametrize("name", ["gnnexplainer", "pgexplainer", "saliency", "grad_cam"])
def test_masks_need_message_passing_and_deleted_edges_do_not(name: str) -> None:
    model = made(Unmasked)
    instance = ModelInstances(model, random_data(12)).instance(3)
    answers("occlusion", model, [instance])
    with pytest.raises(UserError):
        answers(name, model, [instance])


def test_what_is_shipped_can_be_loaded() -> None:
    folder = Path(registry.__file__).parents[2] / "assets" / "explainers"
    for path in folder.glob("tree_cycles-*.safetensors"):
        method = make_method(path.stem.split("-")[-1], load_model("tree_cycles"))
        assert isinstance(method, Learner)
        method.load(path)
        assert np.ptp(method.explain(instance_of("tree_cycles")).edge_mask) > 0
