"""One rule for the settings of all: the criterion written out, which try wins, what is kept, and who reads it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.__main__ import main
from gfx_core.baselines import registry
from gfx_core.baselines.generators import GFlowMethod
from gfx_core.baselines.registry import METHODS, chosen_settings, make_method, read_settings
from gfx_core.bench import choose_settings
from gfx_core.bench.choose_settings import EDGES, RULE, TRIES, criterion, settings_table, tuning_instances
from gfx_core.config import Task
from gfx_core.datasets.graph import Half, half_of
from gfx_core.errors import UserError
from gfx_core.gfn.settings import policy_config
from gfx_core.gnn.predict import SubgraphPredictor, predict_instance
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise


@every_gnn
def test_the_criterion_written_out(task: Task, kind: str) -> None:
    graphs = [nx.gnp_random_graph(9, 0.4, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.path_graph(3)]
    instances = [instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs]
    model, rng = random_gnn(task, kind, seed=3, std=0.8), np.random.default_rng(0)
    scores = [instance.both_directions(rng.random(len(instance.undirected))) for instance in instances]
    expected = []
    for instance, each in zip(instances, scores, strict=True):
        order = np.argsort(-each[instance.undirected])
        sizes = [k for k in EDGES if k <= len(order)] or [len(order)]
        values = []
        for k in sizes if len(order) else []:
            kept = np.zeros((1, len(order)), dtype=bool)
            kept[0, order[:k]] = True
            answer = SubgraphPredictor(model, [instance]).with_edges(instance, kept).probabilities[0]
            values.append(float(answer[predict_instance(model, instance).argmax()]))
        expected += [np.mean(values)] if values else []
    assert len(expected) == 3  # one has no edges
    assert criterion(model, instances, scores) == pytest.approx(np.mean(expected), abs=1e-6)
    assert criterion(model, [], []) == 0


def test_all_methods_have_as_many_tries_that_can_be_made() -> None:
    model = load_model("tree_cycles")
    assert set(TRIES) < set(METHODS)
    for name, tries in TRIES.items():
        assert len(tries) == len({json.dumps(each, sort_keys=True) for each in tries}) == 4
        for settings in tries:
            make_method(name, model, settings)
    assert all(len(sentence.split()) <= 25 for sentence in RULE.split(". "))


def test_what_is_explained_is_predicted_correctly_and_of_the_tuning_half() -> None:
    data, model = load_dataset("tree_grid"), load_model("tree_grid")
    explained, trained_on = tuning_instances("tree_grid", model)
    assert (len(explained), len(trained_on)) == (20, 100)
    assert {i.index for i in explained} < {i.index for i in trained_on} < set(half_of(data.explainable, Half.TUNING))
    assert all(predict_instance(model, instance).argmax() == instance.y for instance in explained)


def test_the_price_of_a_node_is_what_is_chosen_of_gflowexplainer() -> None:
    method = make_method("gflowexplainer", load_model("tree_cycles"), {"node_price": 0.2})
    assert isinstance(method, GFlowMethod)
    usual, changed = policy_config("tree_cycles", device="cpu"), method.recipe("tree_cycles", "cpu")
    assert changed.reward.prices == {**usual.reward.prices, "nodes": 0.2}
    assert {**changed.as_dict(), "reward": 0} == {**usual.as_dict(), "reward": 0}
    assert make_method("gflowexplainer", load_model("tree_cycles")).recipe("tree_cycles", "cpu") == usual  # type: ignore[attr-defined]


QUICK: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "pgexplainer": ({"epochs": 1}, {"epochs": 2, "size": 0.0}, {"epochs": 0}),
    "gnnexplainer": ({"epochs": 2}, {"epochs": 20, "lr": 0.1}),
    "subgraphx": ({"epochs": 1},),
}
DEGREE: Mapping[str, Any] = {"settings": {}, "tries": [{"settings": {}, "value": 0.5, "seconds": 1.0}]}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(choose_settings, "TRIES", QUICK)
    monkeypatch.setattr(choose_settings, "TRAINED_ON", 6)
    monkeypatch.setattr(registry, "SETTINGS", tmp_path / "settings.json")
    return tmp_path / "settings.json"


def test_the_best_wins_and_is_what_explainers_are_made_with(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick.write_text(json.dumps({"tree_cycles": {"sum": {"degree": DEGREE}}}))
    names = ["pgexplainer", "gnnexplainer", "subgraphx", "random"]
    main(["bench", "settings", "--datasets", "tree_cycles", "--methods", *names, "--out", str(quick.parent)])
    found = dict(read_settings(quick)["tree_cycles"]["sum"])
    assert found.pop("degree") == DEGREE  # not forgotten
    assert set(found) == {"pgexplainer", "gnnexplainer", "random"}  # all tries of another have failed
    for name, each in found.items():
        assert [tried["settings"] for tried in each["tries"]] == [dict(s) for s in QUICK.get(name, ({},))]
        best = max(tried.get("value", -1) for tried in each["tries"])
        first = next(tried for tried in each["tries"] if tried.get("value") == best)
        assert each["settings"] == first["settings"] == chosen_settings(name, "tree_cycles", "sum")
        assert "versions" in each["made"]
    assert "epochs" in found["pgexplainer"]["tries"][2]["error"]
    assert chosen_settings("pgexplainer", "tree_cycles", "gin") == found["pgexplainer"]["settings"]  # of the usual GNN
    assert chosen_settings("pgexplainer", "tree_grid", "sum") == {}
    printed = capsys.readouterr().out
    assert printed.count("[") >= 7
    assert RULE in printed
    assert settings_table(quick, "sum").columns == {"tree_cycles": "Tree-Cycles"}


def test_a_file_of_something_else(quick: Path) -> None:
    for content in ("[]", "{", '{"a": {"b": {"c": 1}}}', '{"a": 1}'):
        quick.write_text(content)
        with pytest.raises(UserError, match="bench settings makes it"):
            chosen_settings("degree", "tree_cycles", "sum")
