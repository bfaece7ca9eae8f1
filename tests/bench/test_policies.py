"""How far policies and losses are from P ∝ R, against a slow reference."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.bench import policies
from gfx_core.bench.cells import UNTRAINED, Cell
from gfx_core.bench.policies import PolicyData, measure
from gfx_core.bench.studies import STUDIES
from gfx_core.datasets.graph import Half, half_of
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import load_policy
from gfx_core.gfn.own_policies import policy_path
from tests.bench.reference import slow_distances

QUICK = {(cell.dataset, cell.method, cell.variant): cell for cell in STUDIES["policies"].cells(quick=True)}


def cell(dataset: str, method: str, variant: str = "policy", **options: Any) -> Cell:
    quick = QUICK[dataset, method, variant]
    return replace(quick, options={**quick.options, **options})


def test_each_policy_is_compared_on_the_same_instances() -> None:
    values = {method: measure(cell("tree_cycles", method)) for method in ("exact", "samples", "shipped", UNTRAINED)}
    assert len({(value["listed"], value["auc_exact"]) for value in values.values()}) == 1
    (shipped,), (untrained,) = values["shipped"]["distance"], values[UNTRAINED]["distance"]
    assert 0 <= shipped < untrained <= 1
    assert len({value["distance"][0] for value in values.values()}) == 4
    assert values["shipped"]["auc"][0] == pytest.approx(values["shipped"]["auc_exact"], abs=0.02)


@pytest.mark.parametrize("dataset", ["tree_cycles", "ba_2motifs"])
def test_the_distance_is_that_of_one_instance_after_the_other(dataset: str) -> None:
    values = measure(cell(dataset, "shipped", held_out=4))
    data, model, policy = load_dataset(dataset), load_model(dataset), load_policy(policy_path(dataset))
    for name, half, count in (("", Half.REPORTING, 4), ("_seen", Half.TUNING, 2)):
        known = half_of(data.explainable, half)
        chosen = known[np.linspace(0, len(known) - 1, count).round().astype(int)]
        instances = [data.instance(int(index), hops=model.hops) for index in chosen]
        slow = slow_distances(policy, model, instances, SubgraphSampler.locate, 3000)
        assert values[f"distance{name}"] == pytest.approx([np.mean(slow)], abs=1e-4)


@pytest.mark.parametrize("variant", ["table", "network"])
def test_each_loss_can_be_learnt(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "RATES", {variant: (0.01,)})
    methods = {method for dataset, method, own in QUICK if (dataset, own) == ("tree_cycles", variant)}
    methods &= methods if variant == "table" else {"fm", "fm-replay", "db-learned", "exact-flows"}
    values = {method: measure(cell("tree_cycles", method, variant)) for method in methods}
    assert all(value["distance"] != value.get("distance_seen") for value in values.values())  # of other instances
    distances = {method: value["distance"][0] for method, value in values.items()}
    assert all(0 <= distance <= 1 for distance in distances.values())
    assert len(set(distances.values())) >= len(methods) - 1 > 2  # the losses differ


def test_a_network_learns_from_the_tuning_half_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[int] = []

    def stop(_data: PolicyData, indices: Any, _config: Any) -> Any:
        learnt.extend(indices.tolist())
        raise KeyboardInterrupt

    monkeypatch.setattr(PolicyData, "trainer", stop)
    for method, variant in (("fm", "network"), ("samples", "policy")):
        with pytest.raises(KeyboardInterrupt):
            measure(cell("tree_cycles", method, variant))
    assert len(learnt) == 8
    assert set(learnt) < set(half_of(load_dataset("tree_cycles").explainable, Half.TUNING).tolist())


def test_the_rate_that_is_best_on_the_tuning_half_is_used_with_all_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = {0.05: 0.3, 0.2: 0.1, 0.5: 0.2}

    def numbers(rate: float, seed: int | None) -> dict[str, float]:
        return {"distance": tried[rate] if seed is None else rate + seed}

    monkeypatch.setattr(policies, "tables", lambda *_: numbers)
    values = measure(cell("tree_cycles", "fm", "table", seeds=2))
    assert values == {"rate": 0.2, "tried": tried, "distance": [0.2, 1.2]}


def test_each_seed_has_tables_of_other_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies.ListedTraining, "run", lambda _: None)  # then the instances alone decide
    first, second = measure(cell("tree_cycles", "fm", "table", seeds=2))["distance"]
    assert first != second
