"""Settings chosen without ground truth: what wins, what is kept, and who reads it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core import UserError, load_dataset, load_model
from gfx_core.__main__ import main
from gfx_core.datasets.halves import Half, half_of
from gfx_core.explainers import choosing, registry
from gfx_core.explainers.choosing import TRIED, choose, choose_all
from gfx_core.explainers.kept_settings import in_words, keep_settings, read_settings
from gfx_core.explainers.pgexplainer import PGExplainer
from gfx_core.explainers.registry import METHODS, chosen_settings, make_method, ready_method, settings_path
from gfx_core.explainers.rg import RGExplainer
from gfx_core.explainers.subgraphx import SubgraphX

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
    monkeypatch.setattr(choosing, "TRIED", QUICK)
    monkeypatch.setattr(choosing, "LIMITS", dict.fromkeys(QUICK, 4))
    monkeypatch.setattr(registry, "LEARNT", tmp_path)
    return tmp_path


def test_instances_are_of_the_tuning_half(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, seen = load_dataset("tree_cycles"), []
    monkeypatch.setattr(choosing, "choose", lambda _method, _model, instances, **_: seen.extend(instances))
    choose_all(data, load_model("tree_cycles"), ["gnnexplainer", "subgraphx"])
    indices = [instance.index for instance in seen]
    assert set(indices) <= set(half_of(data.explainable, Half.TUNING).tolist())
    assert indices == np.random.RandomState(0).permutation(data.explainable)[:4].tolist() * 2


@pytest.mark.parametrize("method", TRIED)
def test_all_that_is_tried_can_be_made(method: str) -> None:
    for settings in TRIED[method]:
        made = make_method(method, load_model("tree_cycles"), settings)
        for name, value in settings.items():
            kept = made.config.reward.prices if name == "prices" else getattr(made.config, name)  # type: ignore[attr-defined]
            assert kept == ({k: v for k, v in value.items() if v} if name == "prices" else value)


@pytest.mark.parametrize("data", ["tree_cycles", "ba_2motifs"])
def test_the_cheapest_wins_and_what_was_tried_is_told(data: str, quick: Path) -> None:
    told: list[str] = []
    found = choose_all(load_dataset(data), load_model(data), list(QUICK), tell=told.append)
    assert list(found) == list(QUICK)
    assert len(told) == sum(map(len, QUICK.values()))
    for method, each in found.items():
        assert [tried["settings"] for tried in each["tried"]] == list(QUICK[method])
        assert each["instances"] == 4
        best = min(each["tried"], key=lambda tried: (tried["collapsed"] > 0.05, round(tried["cost"], 3)))
        assert each["chosen"] == best["settings"]
    again = choose_all(load_dataset(data), load_model(data), list(QUICK))
    for method, each in found.items():
        for one, other in zip(each["tried"], again[method]["tried"], strict=True):
            assert one["cost"] == pytest.approx(other["cost"], abs=1e-6)


def test_a_collapse_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even if it were cheap, as is pretended here."""
    dear, usual = {"size": 5.0, "epochs": 60, "lr": 0.05}, {"epochs": 2}
    monkeypatch.setattr(choosing, "TRIED", {"pgexplainer": (dear, usual)})
    real = choosing.mask_cost
    costs = iter([0.1, 0.9])
    monkeypatch.setattr(choosing, "mask_cost", lambda *given: (next(costs), real(*given)[1]))
    data = load_dataset("tree_cycles")
    found = choose("pgexplainer", load_model("tree_cycles"), [data.instance(int(i)) for i in data.explainable[:6]])
    assert [tried["collapsed"] for tried in found["tried"]] == [1, 0]
    assert found["chosen"] == usual


def test_what_is_kept_is_what_explainers_are_made_with(quick: Path) -> None:
    model, path = load_model("tree_cycles"), settings_path("tree_cycles", "sum")
    assert path.parent == quick
    assert all(chosen_settings(name, "tree_cycles", "sum") == {} for name in METHODS)
    keep_settings(path, {"pgexplainer": {"chosen": {"size": 0.03}, "tried": []}}, "cpu")
    assert chosen_settings("pgexplainer", "tree_cycles", "sum") == {"size": 0.03}
    keep_settings(path, {"rgexplainer": {"chosen": {"prices": {"size": 0.5}}}, "subgraphx": {"chosen": {}}}, "cpu")
    keep_settings(path, {"subgraphx": {"chosen": {"expand": "high2low"}}}, "cpu")
    assert chosen_settings("pgexplainer", "tree_cycles", "sum") == {"size": 0.03}  # not forgotten
    assert chosen_settings("pgexplainer", "tree_cycles", "gcn") == {}
    plain = make_method("rgexplainer_plain", model, chosen_settings("rgexplainer_plain", "tree_cycles", "sum"))
    assert isinstance(plain, RGExplainer)
    assert plain.config.reward.prices == {"size": 0.5}
    assert plain.config.pretraining_epochs == 0
    search = ready_method("subgraphx", model, "tree_cycles")
    assert isinstance(search, SubgraphX)
    assert search.config.expand == "high2low"
    learner = make_method("pgexplainer", model, chosen_settings("pgexplainer", "tree_cycles", "sum"), epochs=1)
    assert isinstance(learner, PGExplainer)
    assert (learner.config.size, learner.config.epochs) == (0.03, 1)
    assert "made" in read_settings(path)["pgexplainer"]
    path.write_text("[1]")
    with pytest.raises(UserError, match="not a file of settings"):
        chosen_settings("pgexplainer", "tree_cycles", "sum")


def test_what_is_shipped_can_be_used() -> None:
    for path in registry.LEARNT.glob("*-settings.json"):
        dataset, gnn, _ = path.stem.split("-")
        for method in read_settings(path):
            make_method(method, load_model(dataset, gnn), chosen_settings(method, dataset, gnn))


def test_who_has_nothing_to_choose_says_so() -> None:
    model = load_model("tree_cycles")
    with pytest.raises(UserError, match="nothing to choose for saliency"):
        choose("saliency", model, [])
    with pytest.raises(UserError, match="Saliency has no settings"):
        make_method("saliency", model, {"steps": 3})


def test_the_command(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ["train", "settings", "--dataset", "tree_cycles", "--methods", "gnnexplainer", "--device", "cpu"]
    assert main([*told, "--out", str(quick)]) == 0
    assert "gnnexplainer is given" in capsys.readouterr().out
    kept = chosen_settings("gnnexplainer", "tree_cycles", "sum")
    assert kept in QUICK["gnnexplainer"]


def test_what_was_tried_in_words() -> None:
    tried = [
        {"settings": {}, "cost": 0.25, "collapsed": 0.0},
        {"settings": {"prices": {"size": 0.1}, "epochs": 3}, "cost": 1.0, "collapsed": 0.5},
        {"settings": {"prices": {}}, "cost": 0.5, "collapsed": 0.0},
    ]
    assert in_words({"chosen": {}, "tried": tried, "instances": 7}) == (
        "chosen: as usual (tried, with their cost on 7 instances: as usual: 0.250; price of size 0.1, epochs 3: 1.000, "
        "50% of the masks collapsed; prices none: 0.500)"
    )
