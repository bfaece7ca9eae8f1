"""Policies of a visitor's own: kept by what they hold, refused in a sentence, and used instead of the shipped one."""

import json
from pathlib import Path

import pytest

from gfx_core.errors import UserError
from gfx_core.explainers import answers, own_policies
from gfx_core.explainers.own_policies import keep, own_header, path_of, present
from gfx_core.gfn.paths import policy_path
from gfx_core.gfn.policy_file import load_policy, save_policy
from gfx_core.question import Question


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "data"))


def shipped() -> bytes:
    return policy_path("tree_cycles").read_bytes()


def test_a_policy_is_kept_under_what_it_holds() -> None:
    name = keep(shipped())
    assert keep(shipped()) == name
    assert own_header(name)["dataset"] == "tree_cycles"
    question = Question("tree_cycles", "612", own=name)
    assert present(question).read_bytes() == shipped()
    assert path_of(Question("tree_cycles", "612")) == policy_path("tree_cycles")
    assert not question.is_plain
    assert not question.prediction.own


def test_the_oldest_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_policies, "KEPT", 1)
    first = keep(shipped())
    other = tmp_path / "other.safetensors"
    save_policy(load_policy(policy_path("tree_grid")), other)
    second = keep(other.read_bytes())
    assert own_header(second)["dataset"] == "tree_grid"
    with pytest.raises(UserError, match="not kept here any more"):
        own_header(first)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04 a pickle",
        b"\xff" * 64,
        (2).to_bytes(8, "little") + b"{}",
        (len(h := json.dumps({"__metadata__": {"gfx": "[]"}}).encode())).to_bytes(8, "little") + h,
    ],
)
def test_what_is_no_policy_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(UserError, match="policy"):
        keep(data)
    assert not list(own_policies._path("0" * 16).parent.glob("*"))


def test_a_large_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_policies, "MAX_MB", 0)
    with pytest.raises(UserError, match="MB"):
        keep(shipped())


@pytest.mark.parametrize("name", ["../../etc/passwd", "0" * 15, "Z" * 16, "0" * 17])
def test_a_name_is_no_path(name: str) -> None:
    with pytest.raises(UserError, match="not the name"):
        Question("tree_cycles", "612", own=name)


def test_one_for_another_data_set_says_so() -> None:
    with pytest.raises(UserError, match="Tree-Cycles, not the sum GNN of Tree-Grid"):
        present(Question("tree_grid", "512", own=keep(shipped())))


def test_it_explains_in_place_of_the_shipped_one(tmp_path: Path) -> None:
    trained = load_policy(policy_path("tree_cycles"))
    for weight in trained.policy.parameters():
        weight.data.mul_(0.1)
    file = tmp_path / "weak.safetensors"
    save_policy(trained, file)
    own = answers.explain(Question("tree_cycles", "612", own=keep(file.read_bytes()), samples=8))
    usual = answers.explain(Question("tree_cycles", "612", samples=8))
    assert own.total_variation != usual.total_variation
