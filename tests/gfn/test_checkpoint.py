"""Policies on disk: there and back, damaged, kept in the data folder, and under another β or a smaller K_M."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gfn import own_policies
from gfx_core.gfn.checkpoint import TrainedPolicy, changed_policy, load_policy, policy_data, save_policy
from gfx_core.gfn.own_policies import LOOK_AHEAD, dataset_of, keep_policy, own_policy, policy_file
from gfx_core.gfn.settings import PolicyConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gnn.checkpoint import model_path
from gfx_core.jobs import requests
from tests.gnn.damaged_files import NAN, damaged, taken_apart, with_header, with_weight
from tests.toys.trainings import policy_of, same, trainer, weights


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))


@pytest.fixture
def trained() -> TrainedPolicy:
    return load_policy(policy_of("tree_cycles"))


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_a_policy_there_and_back(name: str, tmp_path: Path) -> None:
    trained = trainer(name, 4, epochs=1, stop=Stop.LEARNED)
    trained.fit()
    path = tmp_path / "policy.safetensors"
    save_policy(TrainedPolicy.of(trained, name, "sum"), path)
    loaded = load_policy(path)
    assert same(loaded.policy.state_dict(), trained.policy.state_dict())
    assert (loaded.config, loaded.dataset, loaded.curve) == (trained.config, name, tuple(trained.curve))
    assert (loaded.locator is None) == (name == "tree_cycles")


# Files that are damaged


def test_a_policy_whose_header_lies_is_refused_before_it_is_made(tmp_path: Path) -> None:
    good, path = policy_of("ba_2motifs").read_bytes(), tmp_path / "x.safetensors"
    _, header, _ = taken_apart(good)
    config = header["config"]
    for change in (
        {"num_features": 50_000},
        *({"locator": sizes} for sizes in ([90_000, 90_000], [-1, 3])),
        *({"config": config | {"policy": config["policy"] | more}} for more in ({"hidden": 4000}, {"steps": 10**9})),
        *({"config": config | more} for more in ({"loss": "x" * 5000}, {"lr": NAN})),
        {"curve": 5},
    ):
        path.write_bytes(with_header(good, **change))
        with pytest.raises(UserError):
            load_policy(path)
    for content, sentence in (
        (with_weight(good, NAN), "NaN or infinite"),
        (good[:-40], "cut off"),
        (model_path("tree_cycles").read_bytes(), "python -m gfx_core train policy"),
        (LOOK_AHEAD.read_bytes(), "look-ahead policy"),
    ):
        path.write_bytes(content)
        with pytest.raises(UserError, match=sentence):
            load_policy(path)
    with pytest.raises(UserError, match="There is no file"):
        load_policy(tmp_path / "nothing")


def test_fuzz_of_policies(tmp_path: Path) -> None:
    """Whatever is wrong with a file, it is read or refused in one sentence."""
    rng, path = random.Random(0), tmp_path / "x.safetensors"
    small = trainer("ba_2motifs", 1, epochs=1, policy=PolicyConfig(hidden=4))
    small.fit()
    good = policy_data(TrainedPolicy.of(small, "ba_2motifs", "sum"))
    keep_policy(good)
    readers: tuple[Callable[[bytes], object], ...] = (dataset_of, keep_policy, lambda _: load_policy(path))
    for number in range(150):
        data = damaged(good, rng)
        path.write_bytes(data)
        for read in readers:
            message = ""
            try:
                read(data)
            except UserError as error:
                message = str(error)
            assert len(message) < 300, number
            assert "\n" not in message, number


# Policies that are kept in the data folder


def other_policy(folder: Path) -> bytes:
    """The shipped policy of Tree-Cycles for at most five nodes."""
    shipped = load_policy(policy_of("tree_cycles"))
    smaller = replace(shipped, policy=shipped.policy.smaller(5), config=replace(shipped.config, max_nodes=5))
    save_policy(smaller, folder / "smaller.safetensors")
    return (folder / "smaller.safetensors").read_bytes()


def test_one_that_is_kept_explains_in_place_of_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = other_policy(tmp_path)
    kept = keep_policy(data)
    assert keep_policy(data) == kept == own_policy(kept.name)
    path = policy_file("tree_cycles", kept.name)
    assert path.read_bytes() == data
    assert (kept.dataset, kept.gnn, kept.config["max_nodes"]) == ("tree_cycles", "sum", 5)
    assert not list(tmp_path.glob("policies/*.part"))
    question = Question("tree_cycles", "511", own=kept.name)
    assert len(explain(Question("tree_cycles", "511", samples=4)).final.nodes) == 6
    assert len(explain(replace(question, samples=4)).final.nodes) <= 5
    assert path in requests.explain(question).files
    with pytest.raises(UserError, match="GNN of Tree-Cycles"):
        explain(Question("tree_grid", "1021", own=kept.name))
    monkeypatch.setattr(own_policies, "KEPT", 1)
    keep_policy(policy_of("tree_cycles").read_bytes())
    assert not path.is_file()  # the oldest go first


def test_what_is_no_policy_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not in our format"):
        keep_policy(model_path("tree_cycles").read_bytes())
    assert not list(tmp_path.glob("policies/*"))
    with pytest.raises(UserError, match="been deleted"):
        own_policy("0" * 24)
    for name in ("../../etc/passwd", "xyz"):
        with pytest.raises(UserError, match="not the name"):
            Question("tree_cycles", "511", own=name)


# Under another β or a smaller K_M


@pytest.mark.parametrize("context", [True, False])
@torch.no_grad()
def test_a_smaller_k_m_gives_smaller_sets_the_same_flows(context: bool) -> None:
    trained = trainer(policy=PolicyConfig(context=context))
    before = weights(trained)
    large, small = trained.policy, changed_policy(TrainedPolicy.of(trained), max_nodes=3).policy
    assert (large.max_nodes, small.max_nodes) == (6, 3)
    episodes = trained.batches[0]
    starts = States(episodes, torch.arange(6), episodes.start[:, None])
    pairs = torch.stack([episodes.start, starts.frontier(6).amax(1)], dim=1)
    for states in (starts, States(episodes, torch.arange(6), pairs)):
        flows = [
            policy(policy.encode(episodes), states, states.frontier(policy.max_nodes)) for policy in (large, small)
        ]
        assert torch.allclose(flows[0].log_out, flows[1].log_out, atol=1e-5)
    assert same(before, weights(trained))  # the given one is left as it is


def test_another_beta_or_price_changes_the_reward_alone(trained: TrainedPolicy) -> None:
    milder, dearer = changed_policy(trained, beta=3), changed_policy(trained, node_price=0.25)
    assert milder.config == replace(trained.config, reward=replace(trained.config.reward, beta=3.0))
    assert (dearer.config.reward.price("nodes"), dearer.config.reward.beta) == (0.25, trained.config.reward.beta)
    assert milder.policy is dearer.policy is trained.policy
    assert changed_policy(trained, beta=trained.config.reward.beta, max_nodes=10) == trained


def test_what_cannot_be_changed(trained: TrainedPolicy) -> None:
    learned = replace(trained, config=replace(trained.config, stop=Stop.LEARNED))
    with pytest.raises(UserError, match="when to stop"):
        changed_policy(learned, beta=3.0)
    nan, infinite = float("nan"), float("inf")
    for name, values, sentence in (
        ("beta", (0.0, -1.0, infinite, nan), "β must be a number"),
        ("node_price", (-0.1, infinite, nan), "Node price must be"),
        ("max_nodes", (1, 11), "between 2 and 10"),
    ):
        for value in values:
            with pytest.raises(UserError, match=sentence):
                changed_policy(trained, **{name: value})  # type: ignore[arg-type]
