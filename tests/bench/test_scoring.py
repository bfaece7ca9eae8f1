"""What a cell of the table of quality holds, against slow references."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.arrays import spread
from gfx_core.baselines.edge_scores import edge_marginals, order_weights
from gfx_core.baselines.generators import GFlowMethod, ManyDraws
from gfx_core.baselines.gradients import Saliency
from gfx_core.baselines.heuristics import BreadthFirst
from gfx_core.baselines.method import Explanation, Learner
from gfx_core.baselines.registry import ready_method
from gfx_core.bench.measures import scoring
from gfx_core.bench.measures.scoring import Untrained, by_rules, method_of
from gfx_core.bench.study import Cell
from gfx_core.datasets.graph import half_of
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN, constant_gnn
from gfx_core.gnn.predict import SubgraphPredictor, predict_instance
from gfx_core.metrics.edges import pooled_auc
from gfx_core.user_models.predictor import predictor_on


def some(name: str, count: int = 10, half: str = "reporting") -> list[Instance]:
    dataset = load_dataset(name)
    known = half_of(dataset.explainable, half)
    return [dataset.instance(int(i)) for i in known[:: len(known) // count][:count]]


def cell(method: str, dataset: str = "ba_shapes", **options: Any) -> Cell:
    return Cell("auc", dataset, method, 0, options={"device": "cpu", "half": "reporting", "limit": 30, **options})


# Which instances count


def test_only_right_answers_of_the_half_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, model = load_dataset("ba_shapes"), load_model("ba_shapes")
    monkeypatch.setattr(scoring, "faithfulness", lambda model, instances, scores: {})  # plays no part in it
    values = scoring.score(cell("saliency", limit=40))
    every = [dataset.instance(int(i)) for i in spread(half_of(dataset.explainable), 40)]
    right = [instance for instance in every if predict_instance(model, instance).argmax() == instance.y]
    explain = Saliency(model).explain
    assert values["instances"] == len(every)
    assert values["wrong"] == len(every) - len(right)
    assert values["auc_own"] == pytest.approx(pooled_auc(right, [explain(i).edge_mask for i in right]))
    assert values["auc_own_with_wrong"] == pytest.approx(pooled_auc(every, [explain(i).edge_mask for i in every]))
    assert values["wrong"] > 0
    assert sum(values["instances_by_class"].values()) == len(right)
    for number, name in enumerate(dataset.info.class_names(dataset.num_classes)):
        part = [instance for instance in right if instance.y == number]
        if part:
            assert values["auc_own_by_class"][name] == pooled_auc(part, [explain(i).edge_mask for i in part])
            assert values["prior_by_class"][name] == pytest.approx((dataset.y == number).mean())
    monkeypatch.setattr(scoring, "answers_right", lambda model, instances: np.zeros(len(instances), dtype=bool))
    none = scoring.score(cell("random"))
    assert none["wrong"] == none["instances"] == 30
    assert "auc_own" not in none
    assert none["auc_own_with_wrong"] is not None


def test_what_learns_learns_on_both_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[int] = []
    monkeypatch.setattr(GFlowMethod, "fit", lambda self, instances: learnt.extend(i.index for i in instances))
    scoring.learn(
        method_of(cell("gflowexplainer"), load_model("ba_shapes")), cell("gflowexplainer", epochs=1, limit=None)
    )
    assert sorted(learnt) == load_dataset("ba_shapes").explainable.tolist()


@pytest.mark.parametrize("method", ["gflowexplainer", "rgexplainer"])
def test_the_first_seed_is_what_is_shipped(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Learner, instances: Sequence[Instance]) -> None:
        raise AssertionError("it learns again")

    monkeypatch.setattr(Learner, "fit", refuse)
    first = Cell("auc", "tree_cycles", method, 0, options={"half": "reporting"})
    made = method_of(first, load_model("tree_cycles"))
    assert isinstance(made, Learner)
    seconds = scoring.learn(made, first)
    assert seconds is None or seconds > 0
    ready = ready_method(method, load_model("tree_cycles"), "tree_cycles")
    (instance,) = some("tree_cycles", 1)
    assert np.array_equal(made.explain(instance).edge_mask, ready.explain(instance).edge_mask)
    for other in (Cell("auc", "tree_cycles", method, 1), Cell("auc", "tree_cycles", method, 0, options={"epochs": 1})):
        with pytest.raises(AssertionError, match="again"):
            scoring.learn(method_of(other, load_model("tree_cycles")), other)


def test_answers_that_have_collapsed_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def explain(self: BreadthFirst, instance: Instance) -> Explanation:
        note = "The mask has collapsed." if instance.index % 2 else ""
        return Explanation(np.zeros(instance.edge_index.shape[1]), note=note)

    monkeypatch.setattr(BreadthFirst, "explain", explain)
    found = scoring.score(cell("bfs"))["collapsed"]
    known = half_of(load_dataset("ba_shapes").explainable)
    chosen = known[np.linspace(0, len(known) - 1, 30).round().astype(int)]
    assert found == (chosen % 2).sum()


# Controls


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_a_constant_gnn_says_the_same_of_everything(name: str) -> None:
    model, instances = load_model(name), some(name, 4)
    before = predictor_on(model, [instances[0]]).whole.logits
    constant = constant_gnn(model)
    assert isinstance(constant, GNN)
    answers = [predictor_on(constant, [instance]).whole.logits for instance in instances]
    for instance in instances:
        kept = np.random.RandomState(0).random_sample((5, len(instance.undirected))) < 0.5
        answers.append(predictor_on(constant, [instance]).with_edges(instance, kept).logits)
    predictor = SubgraphPredictor(constant, instances)
    answers += [predictor.whole.logits, predictor(torch.zeros(4, 1, dtype=torch.long), torch.arange(4)).logits]
    every = torch.cat(answers)
    assert torch.equal(every, every[:1].expand_as(every))
    assert not predictor.node_embedding.any()
    assert torch.equal(predictor_on(model, [instances[0]]).whole.logits, before)


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_an_untrained_policy_is_where_a_training_begins(name: str) -> None:
    model, instances, config = load_model(name), some(name, 4), GFNConfig(max_nodes=5, epochs=1, seed=3)
    method = Untrained(model, seed=3, config=config)
    method.fit(instances)
    trainer = Trainer(SubgraphPredictor(model, instances), config)
    begun = [*trainer.policy.parameters(), *(trainer.locator.parameters() if trainer.locator else ())]
    assert all(torch.equal(*pair) for pair in zip(method.network.parameters(), begun, strict=True))
    assert len(method.explain_many(instances)) == 4


@pytest.mark.parametrize("method", ["untrained", "constant_gnn"])
def test_controls_are_scored_on_the_real_gnn(method: str) -> None:
    values, usual = (scoring.score(cell(m, "tree_cycles", limit=8, epochs=2)) for m in (method, "random"))
    assert values["wrong"] == usual["wrong"]
    assert values["motif_alone"] == usual["motif_alone"]
    assert 0 <= values["auc_own"] <= 1
    assert 0 <= values["auc_own_order"] <= 1
    assert ("residual" in values) == (method == "constant_gnn")


# Scoring rules


def drawn_at_random(instances: Sequence[Instance]) -> ManyDraws:
    """Two random sets of nodes for each instance."""
    rng = np.random.RandomState(0)
    grown = np.stack([[rng.permutation(5), rng.permutation(5)] for _ in instances])
    orders = grown.copy()
    orders[:, 0, 3:] = -1
    reach = -np.sort(-rng.random_sample(grown.shape), -1)  # ever less likely
    return ManyDraws(orders, rng.random_sample((len(instances), 2)), grown, reach)


def expected_by_hand(instance: Instance, grown: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """The mean chance that both ends of each edge are reached. [E]"""
    scores = np.zeros(instance.edge_index.shape[1])
    for order, chances in zip(grown.tolist(), reach, strict=True):
        for number, ends in enumerate(instance.edge_index.T.tolist()):
            if all(end in order for end in ends):
                scores[number] += chances[max(order.index(end) for end in ends)] / len(grown)
    return scores


def test_rules_by_hand() -> None:
    instances = some("tree_cycles", 6)
    drawn = drawn_at_random(instances)
    orders, log_reward = drawn.orders, drawn.log_reward
    values = by_rules(instances, drawn, orders[:, 1])
    best = [int(rewards.argmax()) for rewards in log_reward]
    scores = {
        "expected": [expected_by_hand(*of) for of in zip(instances, drawn.grown, drawn.reach, strict=True)],
        "marginals": [edge_marginals(i, o) for i, o in zip(instances, orders, strict=True)],
        "order": [order_weights(i, o[0]) for i, o in zip(instances, orders, strict=True)],
        "best": [edge_marginals(i, o[[b]]) for i, o, b in zip(instances, orders, best, strict=True)],
        "greedy": [order_weights(i, o[1]) for i, o in zip(instances, orders, strict=True)],
    }
    for rule, masks in scores.items():
        assert values[f"auc_own_{rule}"] == pooled_auc(instances, masks)
        assert values[f"auc_all_{rule}"] == pooled_auc(instances, masks, "all")
    assert values["samples"] == 2
    assert "auc_own_greedy" not in by_rules(instances, drawn)


def test_the_best_sample_is_no_larger_than_an_answer_may_be() -> None:
    (instance,) = some("ba_2motifs", 1)
    orders = np.full((1, 2, 8), -1)
    orders[0, 0], orders[0, 1, :5] = np.arange(8), np.arange(5)
    drawn = ManyDraws(orders, np.array([[2.0, 1.0]]), orders, (orders >= 0).astype(float))
    found = by_rules([instance], drawn)["auc_own_best"]
    assert found == pooled_auc([instance], [edge_marginals(instance, orders[0, 1:])])


def test_rgexplainer_is_judged_by_our_rules_and_we_by_its() -> None:
    ours, theirs = (scoring.score(cell(m, "tree_cycles", limit=6, epochs=1)) for m in ("gflowexplainer", "rgexplainer"))
    assert ours["auc_own"] == ours["auc_own_expected"]
    assert theirs["auc_own"] == theirs["auc_own_greedy"]
    for values in (ours, theirs):
        assert {f"auc_own_{rule}" for rule in ("expected", "marginals", "greedy", "order", "best")} <= set(values)


def test_chosen_settings_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.baselines.registry.SETTINGS", tmp_path / "settings.json")
    kept = {"tree_cycles": {"sum": {"gnnexplainer": {"settings": {"epochs": 2}, "tries": []}}}}
    (tmp_path / "settings.json").write_text(json.dumps(kept), encoding="utf-8")
    assert scoring.score(cell("gnnexplainer", "tree_cycles", limit=2))["settings"] == {"epochs": 2}
    assert "settings" not in scoring.score(cell("degree", "tree_cycles", limit=2))


# Cells
