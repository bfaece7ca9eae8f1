"""What the recipes of assets/docs/adding-things.md have added to the copy in which ``test_recipes`` runs this."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gfx_core import GFlowExplainer, GFNConfig, UserError, load_dataset, load_model
from gfx_core.__main__ import main
from gfx_core.baselines.masks import score_edges
from gfx_core.baselines.registry import METHODS, explain
from gfx_core.datasets.registry import source_of
from gfx_core.drawing.export import player_html
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.explanation import run
from gfx_core.explanation.question import Question
from gfx_core.gfn.reward_terms import REWARD_TERMS
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Loss, RewardConfig
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.gnn.predict import SubgraphPredictor, predict_instance
from gfx_core.jobs import requests
from gfx_core.trace import serialize
from gfx_core.training import recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.session import session_of
from gfx_core.training.training import defaults_for, restarts, training_names
from pages.ui.explorer.parameters import OPTIONS
from pages.ui.train import FIELDS
from tests.pages.page_reading import opened, url
from tests.test_recipes import RECIPES
from tests.toys.instances import graph_of

FAR = 4  # layers of the GNN of the recipe


def command(line: str, *options: str) -> None:
    """Run a command that a recipe names."""
    assert f"`python -m gfx_core {line}`" in " ".join(RECIPES.values())
    assert main([*line.split(), *options]) == 0


def test_a_data_set_is_explained_and_compared_by_its_name() -> None:
    command("train gnn --dataset rings", "--epochs", "10", "--seeds", "1")
    rings = load_dataset("Rings")
    assert (rings.num_nodes, rings.num_classes, len(rings.explainable)) == (80, 2, 40)  # type: ignore[attr-defined]
    instance = rings.instance(42)
    assert instance.own_edges.sum() == 10
    other = source_of("rings", "index").make(seed=1)  # type: ignore[attr-defined]
    assert not np.array_equal(other.edge_index, rings.edge_index)  # type: ignore[attr-defined]
    question = Question("rings", "42", samples=8)
    trace = run.explain(question)
    assert (trace.dataset_title, trace.classes) == ("Rings", ("path", "ring"))
    assert any(edge.in_motif for edge in trace.edges)
    assert len(score_edges(question, "degree").scores) == len(trace.edges)
    explainer = GFlowExplainer(samples=8)
    assert explainer.trace(load_model("rings"), rings, 42).prediction == trace.prediction


def test_a_gnn_predicts_the_same_of_the_whole_graph_of_a_part_and_of_subgraphs() -> None:
    command("train gnn --dataset tree_cycles --kind mean --layers 4", "--epochs", "5", "--hidden", "8")
    mean = load_model("tree_cycles", "mean")
    header, dataset = read_header(model_path("tree_cycles", "mean")), load_dataset("tree_cycles")
    assert (header.kind, header.num_layers, header.hidden, len(mean.convs)) == ("mean", FAR, 8, FAR)
    data = dataset.to_pyg()
    with torch.no_grad():
        whole = mean(data.x, data.edge_index)
    for index in (0, 511, 700):
        instance = dataset.instance(index, hops=FAR)
        np.testing.assert_allclose(predict_instance(mean, instance), whole[index].softmax(-1), atol=1e-5)
        logits = SubgraphPredictor(mean, [instance])(torch.arange(instance.num_nodes)[None]).logits
        torch.testing.assert_close(logits, whole[index, None], atol=1e-4, rtol=0)
    near = dataset.instance(600, hops=FAR - 1)
    for name in (name for name, info in METHODS.items() if info.uses_gnn and not info.learns):
        with pytest.raises(UserError, match=r"within 3 hops .* sees 4 hops far"):
            explain(name, mean, near)
    assert len(score_edges(Question("tree_cycles", "600", gnn="mean"), "degree").scores) > len(near.undirected)


def test_an_explainer_is_behind_the_one_call_and_compared() -> None:
    instance = load_dataset("tree_cycles").instance(600)
    source, target = instance.edge_index
    explanation = explain("Nearest", load_model("tree_cycles"), instance)
    assert np.array_equal(explanation.edge_mask, -(instance.hops[source] + instance.hops[target]).astype(float))
    assert explanation.edge_mask.shape == (instance.edge_index.shape[1],)
    mask = score_edges(Question("tree_cycles", "600"), "nearest")
    assert mask.method == "nearest"
    assert "auc_own" in mask.metrics


def test_a_reward_term_is_trained_sampled_recorded_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (spelt,) = re.findall(r"`(GFNConfig\(.*?\))`", RECIPES["A reward term"])
    config = eval(spelt)

    def leaves(nodes: Any) -> int:
        return sum(degree == 1 for _, degree in graph_of(instance).subgraph(nodes).degree())

    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    instance = dataset.instance(600)
    predictor, subsets = SubgraphPredictor(model, [instance]), enumerate_states(instance, max_nodes=6).subsets
    states, which = torch.from_numpy(subsets), torch.zeros(len(subsets), dtype=torch.long)
    dearer = Reward(predictor, config.reward)(states, which) - Reward(predictor, RewardConfig())(states, which)
    counts = [leaves([node for node in row if node >= 0]) for row in subsets.tolist()]
    assert len(set(counts)) > 2
    assert torch.allclose(dearer, -50 * 0.1 * torch.tensor(counts, dtype=torch.float), atol=1e-4)

    explainer = GFlowExplainer(replace(config, max_nodes=4, epochs=2), samples=8)
    explainer.fit(model, dataset, dataset.explainable[:4]).save(tmp_path / "policy.safetensors")
    trace = GFlowExplainer.load(tmp_path / "policy.safetensors", samples=8).trace(model, dataset, index=600)
    for step in trace.steps:
        term, count = step.reward.terms[-1], leaves(step.members)
        assert (term.name, term.value, term.price) == ("leaves", count, 0.1)
        assert term.contribution == pytest.approx(0.1 * count)
    text = serialize.to_json(trace)
    assert "λ₄ · leaves" in player_html(trace)
    monkeypatch.delitem(REWARD_TERMS, "leaves")  # a reader without the term draws it all the same
    assert serialize.from_json(text) == trace
    with pytest.raises(UserError, match="no reward term “leaves”"):
        RewardConfig(prices={"leaves": 0.1})


def test_a_knob_and_a_loss_are_in_links_commands_and_recordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UserError, match="Warmth must be a number from 0 to 9"):
        GFNConfig(warmth=10)  # type: ignore[call-arg]
    toy = defaults_for(LessonGraph("toy"))
    warm, huber = toy.changed({"warmth": 2}), toy.changed({"loss": "huber"})
    assert training_names([toy, warm]) == ("Warmth 1.5", "Warmth 2")
    assert training_names([toy, huber])[1] == "flow matching, Huber"
    assert not restarts(toy, warm)
    assert (FIELDS[1]["warmth"].parse("3"), FIELDS[1]["loss"].parse("huber")) == (3.0, Loss("huber"))
    at = opened("train", story="none", graph="toy", warm1="2")
    at.select_slider(key="warm1").set_value(3.0).run()
    assert url(at, "warm1") == "3"
    network = defaults_for(Question("tree_cycles", "612")).changed({"loss": "huber", "max_nodes": 4, "epochs": 15})
    for training in (huber.changed({"epochs": 15, "lr": 0.1}), network):
        session = session_of(training)
        before = session.frame()["total_variation"]
        session.advance(15)
        assert session.frame()["total_variation"] < before
    assert main(["train", "record", "epsilon", "--warmth", "11"]) == 2
    assert "Warmth must be" in capsys.readouterr().err
    options = ("--epochs", "3", "--warmth", "2.5", "--loss", "huber", "--out", str(tmp_path))
    assert main(["train", "record", "epsilon", *options]) == 0
    config = recording.read(tmp_path / "epsilon.json").lanes[0].training.config
    assert (config.warmth, config.loss) == (2.5, Loss("huber"))


def test_an_option_of_a_question_is_in_links_commands_and_messages(capsys: pytest.CaptureFixture[str]) -> None:
    cold, warm = Question("tree_cycles", "612"), Question("tree_cycles", "612", warmth=2)  # type: ignore[call-arg]
    assert (warm.is_plain, cold.is_plain) == (False, True)
    assert warm.policy != cold.policy  # nobody takes one for the other
    assert (OPTIONS["warmth"].parse("3"), OPTIONS["warmth"].spell(2.5)) == (3.0, "2.5")
    assert main(["explain", "--dataset", "tree_cycles", "--index", "612", "--warmth", "11"]) == 2
    assert "The warmth must be" in capsys.readouterr().err
    assert requests.explain(warm).key != requests.explain(cold).key
    with pytest.raises(UserError, match="The warmth must be"):
        GFlowExplainer(warmth="hot")


def test_a_lesson_is_among_the_others() -> None:
    at = opened("learn", lesson="10")
    assert at.title[0].value == "10 · Water again"
    assert any("10 · " in name for name in at.menu_button(key="lessons").options)
