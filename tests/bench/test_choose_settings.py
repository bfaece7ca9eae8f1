"""Settings chosen without ground truth: what they cost, written out; which win; what is kept, and who reads it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.baselines import registry
from gfx_core.baselines.disjoint_union import Union
from gfx_core.baselines.registry import (
    chosen_settings,
    read_settings,
    settings_path,
)
from gfx_core.baselines.subgraphx import SearchConfig, SubgraphX
from gfx_core.bench import choose_settings
from gfx_core.bench.choose_settings import choose, cost_of, main, mask_cost, order_cost
from gfx_core.config import Task
from gfx_core.datasets.graph import Half, shuffled_half
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import predict_instance
from gfx_core.user_models.adapter import private_copy
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise


def instances_of(task: Task) -> list[Instance]:
    graphs = [nx.gnp_random_graph(9, 0.4, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.path_graph(4)]
    return [instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs]


def log_p(model: GNN, instance: Instance, mask: np.ndarray) -> float:
    """One instance alone, its messages multiplied by hand."""
    union = Union(private_copy(model).double(), [instance], torch.device("cpu"))
    for conv in union.gnn.convs:
        conv.explain, conv._edge_mask, conv._apply_sigmoid = True, torch.from_numpy(mask), False  # type: ignore[union-attr]
        conv._loop_mask = instance.edge_index[0] != instance.edge_index[1]  # type: ignore[union-attr]
    return float(union(union.x, union.edge_index).log_softmax(-1)[0, union.predicted[0]])


@pytest.mark.parametrize("task", Task)
def test_a_mask_costs_what_it_loses_and_what_it_keeps(task: Task) -> None:
    model, instances = random_gnn(task, "sum", seed=3, std=0.8), instances_of(task)
    rng = np.random.default_rng(0)
    masks = [rng.random(instance.edge_index.shape[1]) for instance in instances]
    ways = (np.copy, np.ones_like, np.zeros_like)
    some = [([log_p(model, i, way(m)) for way in ways], m) for i, m in zip(instances, masks, strict=True) if len(m)]
    needing = [(values, m) for values, m in some if values[1] - values[2] > 0.1]
    assert len(needing) > 0
    masked, full, empty = np.mean([values for values, _ in needing], axis=0)
    expected = (full - masked) / (full - empty) + np.mean([m.mean() for _, m in needing])
    cost, collapsed = mask_cost(model, instances, masks)
    assert cost == pytest.approx(expected, abs=1e-6)
    assert collapsed == 0


@every_gnn
def test_keeping_all_or_nothing_costs_one(task: Task, kind: str) -> None:
    instances = instances_of(task)
    full = [np.ones(i.edge_index.shape[1]) for i in instances]
    models = (random_gnn(task, kind, seed=seed, std=1.5) for seed in range(50))
    model = next(each for each in models if mask_cost(each, instances, full)[0])  # whose answers need edges
    assert mask_cost(model, instances, full) == (pytest.approx(1), 0)
    assert mask_cost(model, instances, [0 * mask for mask in full]) == (pytest.approx(1), 1)
    assert mask_cost(model, [], []) == (0, 0)


@every_gnn
def test_an_order_costs_the_mean_cross_entropy_along_it(task: Task, kind: str) -> None:
    graph = nx.cycle_graph(6)
    model, instance = random_gnn(task, kind, seed=3), instance_of(graph, task, noise(graph))
    start = instance.target or 0
    around = [(start + step) % 6 for step in range(3)] if task is Task.GRAPH else [start, *graph_neighbours(instance)]
    orders = np.array([[*around, -1], [start, -1, -1, -1]])
    explained = predict_instance(model, instance).argmax()
    costs = []
    for order in orders:
        for upto in range(1, 5):
            held = np.zeros(instance.num_nodes, dtype=bool)
            held[[node for node in order[:upto] if node >= 0]] = True
            costs.append(-np.log(predict_instance(model, instance.part(held))[explained]))
    assert order_cost(model, [instance, instance], orders) == pytest.approx(np.mean(costs), abs=1e-5)


def graph_neighbours(instance: Instance) -> list[int]:
    return sorted(instance.edge_index[1][instance.edge_index[0] == instance.target].tolist())[:2]


def test_a_subgraph_costs_minus_its_shapley_value() -> None:
    instance = instance_of(nx.connected_watts_strogatz_graph(9, 4, 0.3, seed=4), Task.GRAPH)
    method = SubgraphX(random_gnn(Task.GRAPH, "sum", std=0.8), SearchConfig(rollouts=3, samples=20))
    value = method.search(instance).best().value
    assert cost_of(method, [instance]) == (pytest.approx(-value), 0)


QUICK: Mapping[str, Sequence[dict[str, Any]]] = {
    "pgexplainer": ({"epochs": 1}, {"epochs": 2, "size": 0.0}),
    "gnnexplainer": ({"epochs": 2}, {"epochs": 20, "lr": 0.1}),
    "subgraphx": (
        {"expand": "low2high", "rollouts": 1, "samples": 5},
        {"expand": "high2low", "rollouts": 1, "samples": 5},
    ),
    "rgexplainer": tuple(
        {"prices": prices, "epochs": 1, "list_epochs": 1, "set_epochs": 0} for prices in ({"size": 0.01}, {})
    ),
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(choose_settings, "TRIED", QUICK)
    monkeypatch.setattr(choose_settings, "LIMITS", dict.fromkeys(QUICK, 4))
    monkeypatch.setattr(registry, "LEARNT", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("quick")
def test_the_cheapest_wins_and_is_what_explainers_are_made_with(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, instances = "tree_cycles", list[list[int]]()

    def note(method: str, model: GNN, some: Sequence[Instance], device: str) -> dict[str, Any]:
        instances.append([instance.index for instance in some])
        return choose(method, model, some, device)

    monkeypatch.setattr(choose_settings, "choose", note)
    path = settings_path(data, "sum")
    path.write_text(json.dumps({"degree": {"chosen": {}}}))
    main([data, "--methods", *QUICK, "--device", "cpu"])
    assert instances == [shuffled_half(load_dataset(data).explainable, Half.TUNING)[:4].tolist()] * len(QUICK)
    found = dict(read_settings(path))
    assert found.pop("degree") == {"chosen": {}}  # not forgotten
    assert set(found) == set(QUICK)
    for method, each in found.items():
        assert [tried["settings"] for tried in each["tried"]] == list(QUICK[method])
        assert each["instances"] == 4
        best = min(each["tried"], key=lambda tried: (tried["collapsed"] > 0.05, round(tried["cost"], 3)))
        assert each["chosen"] == best["settings"] == chosen_settings(method, data, "sum")
        assert "versions" in each["made"]
    assert capsys.readouterr().out.count("cost ") == sum(map(len, QUICK.values()))


def test_a_collapse_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even if it were cheap, as is pretended here."""
    dear, usual = {"size": 5.0, "epochs": 60, "lr": 0.05}, {"epochs": 2}
    monkeypatch.setattr(choose_settings, "TRIED", {"pgexplainer": (dear, usual)})
    real = choose_settings.mask_cost
    costs = iter([0.1, 0.9])
    monkeypatch.setattr(choose_settings, "mask_cost", lambda *arguments: (next(costs), real(*arguments)[1]))
    data = load_dataset("tree_cycles")
    found = choose("pgexplainer", load_model("tree_cycles"), [data.instance(int(i)) for i in data.explainable[:6]])
    assert [tried["collapsed"] for tried in found["tried"]] == [1, 0]
    assert found["chosen"] == usual
