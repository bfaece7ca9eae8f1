"""A GNN is added as the recipe says: a third convolution, four layers, and every explainer serves it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import GCN

from gfx_core import GFlowExplainer, GFNConfig, UserError, load_dataset, load_model
from gfx_core.__main__ import main
from gfx_core.baselines import gradients
from gfx_core.baselines.degree import Decomposition
from gfx_core.baselines.method import Explanation, Learner
from gfx_core.baselines.registry import METHODS, make_method
from gfx_core.baselines.subgraphx import CoalitionGame, SearchConfig, ShapleyValues, SubgraphX
from gfx_core.bench.answers import Answers
from gfx_core.bench.run import compute
from gfx_core.bench.study import Cell
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.method_masks import score_edges
from gfx_core.explanation.question import Question
from gfx_core.gnn import checkpoint
from gfx_core.gnn.checkpoint import read_header
from gfx_core.gnn.convolutions import Neighbours, SumConv
from gfx_core.gnn.kinds import KINDS, KindInfo
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor, predict_instance
from gfx_core.user_models.predictor import predictor_on
from tests.baselines.degree_reference import reference
from tests.recipes import added_line, added_module, recipe
from tests.toys.gnns import random_gnn
from tests.toys.instances import dataset_of, graph_of, noise

RECIPE = recipe("A GNN")
CPU = torch.device("cpu")
FAR = 4
NAMES = {Task.NODE: "tree_cycles", Task.GRAPH: "ba_2motifs"}  # a policy is trained by the recipe of a data set
TINY: dict[str, dict[str, Any]] = {
    "gnnexplainer": {"epochs": 3},
    "subgraphx": {"config": SearchConfig(rollouts=2)},
}
ASKING = [info.name for info in METHODS.values() if info.uses_gnn]


class SquashedConv(SumConv):
    """A convolution with an operation that DEGREE has no rule for."""

    def forward(self, z: Tensor, graph: Neighbours) -> Tensor:
        return torch.tanh(self.lin(graph.sum(z)))


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The recipe, word for word: the file, the line in the registry, the command; and a GNN that DEGREE cannot read."""
    folder = tmp_path_factory.mktemp("added")
    (command,) = re.findall(r"`python -m gfx_core (.*?)` trains it", RECIPE)
    with pytest.MonkeyPatch.context() as patch:
        added_module(RECIPE, folder, patch)
        line = added_line(RECIPE, "gfx_core/gnn/kinds.py")
        info = eval(line, {"KindInfo": KindInfo})
        patch.setitem(KINDS, info.name, info)
        patch.setattr("gfx_core.gnn.convolutions.SquashedConv", SquashedConv, raising=False)
        patch.setitem(KINDS, "squashed", KindInfo("squashed", "Squashed", "squashes.", "convolutions:SquashedConv"))
        patch.setattr(checkpoint, "MODELS", folder)
        patch.setattr(gradients, "STEPS", 4)
        assert main([*command.split(), "--epochs", "5", "--hidden", "8"]) == 0
        assert main([*command.replace("mean", "squashed").split(), "--epochs", "1", "--hidden", "8"]) == 0
        yield folder


def gnn(task: Task, kind: str = "mean") -> GNN:
    return random_gnn(task, kind, std=0.4, num_layers=FAR).requires_grad_(False)


def toy(task: Task, graph: nx.Graph | None = None, hops: int = FAR + 1) -> Instance:
    graph = nx.barbell_graph(3, 5) if graph is None else graph  # so long that no layer hears all of it
    return dataset_of(graph, task, noise(graph), NAMES[task]).instance(0, hops=hops)


def random_sets(instance: Instance, count: int = 12) -> Tensor:
    rng = np.random.default_rng(0)
    sets = torch.from_numpy(rng.random((count, instance.num_nodes)) < rng.random((count, 1)))
    sets[:, 0] = True
    return sets


def plain_logits(model: GNN, instance: Instance, members: Tensor) -> Tensor:
    """What the GNN predicts for one induced subgraph: an ordinary call of it. [C]"""
    if not members.any():
        return model.head.bias
    number = torch.full((len(members),), -1)
    number[members] = torch.arange(int(members.sum()))
    edges = number[torch.from_numpy(instance.edge_index)]
    logits = model(torch.from_numpy(instance.x)[members], edges[:, (edges >= 0).all(0)])
    return logits[0 if instance.target is None else int(number[instance.target])]


class PlainGame:
    """The game of `CoalitionGame`, one plain call of the GNN for each coalition."""

    def __init__(self, model: GNN, instance: Instance) -> None:
        fast = CoalitionGame(model, instance, CPU)
        self.num_nodes, self.always, self.device, self.adjacency = fast.num_nodes, fast.always, CPU, fast.adjacency
        self._model, self._instance = model, instance
        self._explained = int(plain_logits(model, instance, torch.ones(self.num_nodes, dtype=torch.bool)).argmax())

    def __call__(self, members: Tensor) -> Tensor:
        logits = [plain_logits(self._model, self._instance, row | self.always) for row in members]
        return torch.stack(logits).softmax(-1)[:, self._explained]


# What was trained


def test_the_header_names_kind_and_depth_and_comes_back(folder: Path) -> None:
    path = folder / "tree_cycles-mean.safetensors"
    header = read_header(path)
    assert (header.kind, header.num_layers, header.hidden) == ("mean", FAR, 8)
    assert header.training["config"]["num_layers"] == FAR
    model = load_model("tree_cycles", "mean")
    assert (model.kind, model.num_layers, len(model.convs)) == ("mean", FAR, FAR)
    assert model.head.in_features == FAR * 8
    checkpoint.save_model(model, header, path)
    assert read_header(path) == header


def test_the_whole_graph_and_what_is_cut_out_of_it_give_the_same_answer() -> None:
    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles", "mean")
    data = dataset.to_pyg()
    whole = model(data.x, data.edge_index).softmax(-1)
    for index in (0, 511, 700):
        cut = predict_instance(model, dataset.instance(index, hops=FAR))
        np.testing.assert_allclose(cut, whole[index], atol=1e-5)


# One algebra


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("kind", ["sum", "gcn", "mean", "squashed"])
def test_all_ways_to_ask_agree(task: Task, kind: str) -> None:
    model, instance = gnn(task, kind), toy(task)
    sets = random_sets(instance)
    plain = torch.stack([plain_logits(model, instance, members) for members in sets])
    width = instance.num_nodes
    padded = torch.stack([torch.cat([s.nonzero()[:, 0], torch.full((width,), -1)])[:width] for s in sets])
    torch.testing.assert_close(SubgraphPredictor(model, [instance])(padded).logits, plain, atol=1e-4, rtol=0)
    game = CoalitionGame(model, instance, CPU)
    log_probability = plain.log_softmax(-1)[:, game.explained_class]
    torch.testing.assert_close(game.log_probability(sets), log_probability, atol=1e-4, rtol=0)
    everything = np.ones((1, len(instance.undirected)), dtype=bool)
    whole = plain_logits(model, instance, torch.ones(width, dtype=torch.bool))
    torch.testing.assert_close(
        predictor_on(model, [instance]).with_edges(instance, everything).logits[0], whole, atol=1e-4, rtol=0
    )


@pytest.mark.parametrize("task", Task)
def test_degree_adds_up_to_the_logits_and_is_the_slow_reference(task: Task) -> None:
    model, instance = gnn(task), toy(task)
    groups = random_sets(instance)
    groups[::2, 0] = False
    decomposition = Decomposition(model, instance, CPU)
    logits = plain_logits(model, instance, torch.ones(instance.num_nodes, dtype=torch.bool))
    torch.testing.assert_close(decomposition.logits, logits, atol=1e-4, rtol=0)
    for group, fast in zip(groups, decomposition.relevant(groups), strict=True):
        rel, irr = reference(model, instance, set(group.nonzero()[:, 0].tolist()))
        torch.testing.assert_close(rel + irr, logits, atol=1e-4, rtol=0)
        torch.testing.assert_close(fast, rel, atol=1e-4, rtol=0)


@pytest.mark.parametrize("task", Task)
def test_subgraphx_values_subgraphs_as_plain_calls_of_the_gnn_do(task: Task) -> None:
    model, instance = gnn(task), toy(task)
    config = SearchConfig(rollouts=2, search_nodes=None, max_actions=3, samples=16)
    search = SubgraphX(model, config, seed=3).search(instance)
    nodes = list(search.nodes.values())[:20]
    slow = ShapleyValues(PlainGame(model, instance), samples=16, seed=3)  # type: ignore[arg-type]
    expected = slow(torch.from_numpy(np.stack([node.members for node in nodes])))
    assert expected.std() > 1e-3
    torch.testing.assert_close(torch.tensor([node.value for node in nodes]), expected, atol=1e-4, rtol=0)


# Every explainer


def explained(name: str, model: GNN, instance: Instance) -> Explanation:
    method = make_method(name, model, epochs=1)
    for setting, value in TINY.get(name, {}).items():
        setattr(method, setting, value)
    if isinstance(method, Learner):
        method.fit([instance])
    return method.explain(instance)


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("name", METHODS)
def test_every_explainer_serves_it(name: str, task: Task) -> None:
    model, instance = gnn(task), toy(task)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    found = explained(name, model, instance)
    assert found.edge_mask.shape == instance.edge_index.shape[1:]
    assert np.isfinite(found.edge_mask).all()
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())


@pytest.mark.parametrize("name", ASKING)
def test_a_graph_that_ends_too_soon_is_refused(name: str) -> None:
    """Three hops do not hold what four layers see: no explainer may pass over that in silence."""
    model, near = gnn(Task.NODE), toy(Task.NODE, hops=3)
    with pytest.raises(UserError, match=r"within 3 hops .* sees 4 hops far.* hops=4"):
        explained(name, model, near)


def test_other_ways_to_ask_refuse_it_too() -> None:
    model, near = gnn(Task.NODE), toy(Task.NODE, hops=3)
    explainer = GFlowExplainer(GFNConfig(max_nodes=4, epochs=1), samples=4)
    data = dataset_of(graph_of(near), Task.NODE, near.x)
    explainer.fit(model, data, [0])
    assert explainer.trace(model, data, index=0).prediction is not None
    for ask in (
        lambda: explainer.trace(model, near),
        lambda: explainer.tune(model, near),
        lambda: explainer.trace(GCN(3, 4, FAR, 3), near),
        lambda: predict_instance(model, near),
        lambda: predictor_on(model, [near]).with_edges(near, np.ones((1, len(near.undirected)), dtype=bool)),
    ):
        with pytest.raises(UserError, match="within 3 hops"):
            ask()
    small = toy(Task.NODE, nx.path_graph(3), hops=3)  # one that ends by itself
    assert predict_instance(model, small).shape == (3,)


# What cannot be served


@pytest.mark.parametrize("name", ["gflowexplainer", "degree"])
def test_a_model_of_somebody_elses_is_refused_in_one_sentence(name: str) -> None:
    """By those that look into layers; all others explain it, and so does GFlowExplainer itself, without a table."""
    with pytest.raises(UserError, match="reads the layers of gfx_core's own GNNs, and GCN is none of them"):
        make_method(name, GCN(3, 4, 2, 3))  # type: ignore[arg-type]


def test_degree_says_what_it_has_no_rule_for() -> None:
    with pytest.raises(UserError, match="no rule for how “tanh” splits"):
        make_method("degree", gnn(Task.NODE, "squashed")).explain(toy(Task.NODE))


def test_the_same_sentence_on_compare_and_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="no rule for how “tanh” splits"):
        score_edges(Question("tree_cycles", "600", gnn="squashed"), "degree")
    monkeypatch.setattr(
        "gfx_core.bench.scoring.subject_gnn", lambda dataset, *_: (load_model(dataset, "squashed"), 1.0)
    )
    everything = property(lambda self: np.ones(len(self.every), dtype=bool))  # one epoch: all its predictions are wrong
    monkeypatch.setattr("gfx_core.bench.scoring.CellInstances.right", everything)
    options = {"half": "reporting", "limit": 1, "trained_on": 1}
    cell = Cell("explainers", "tree_cycles", "degree", 0, "as is", options, "sum-0")
    assert "no rule for how “tanh” splits" in compute(Answers(), cell)["error"]


def test_a_worker_cuts_out_as_far_as_the_gnn_sees() -> None:
    instance = load_dataset("tree_cycles").instance(600, hops=FAR)
    assert instance.num_nodes > load_dataset("tree_cycles").instance(600).num_nodes
    found = score_edges(Question("tree_cycles", "600", gnn="mean"), "degree")
    assert len(found.scores) == len(instance.undirected)
