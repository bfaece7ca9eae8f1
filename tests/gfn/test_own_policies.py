"""Policies that are kept in the data folder, and explanations by them."""

from dataclasses import replace
from pathlib import Path

import pytest

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gfn import own_policies
from gfx_core.gfn.checkpoint import load_policy, save_policy
from gfx_core.gfn.own_policies import keep_policy, own_policy, policy_path
from gfx_core.gnn.checkpoint import model_path
from gfx_core.jobs.requests import Explain


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    return tmp_path


def other_policy(folder: Path) -> bytes:
    """The shipped policy of Tree-Cycles for at most five nodes."""
    shipped = load_policy(policy_path("tree_cycles"))
    smaller = replace(shipped, policy=shipped.policy.smaller(5), config=replace(shipped.config, max_nodes=5))
    save_policy(smaller, folder / "smaller.safetensors")
    return (folder / "smaller.safetensors").read_bytes()


def test_kept_once_and_found_again(tmp_path: Path) -> None:
    data = other_policy(tmp_path)
    kept = keep_policy(data)
    assert keep_policy(data) == kept == own_policy(kept.name)
    assert kept.path.read_bytes() == data
    assert (kept.dataset, kept.gnn, kept.config["max_nodes"]) == ("tree_cycles", "sum", 5)
    assert not list(tmp_path.glob("policies/*.part"))


def test_it_explains_in_place_of_the_shipped_one(tmp_path: Path) -> None:
    kept = keep_policy(other_policy(tmp_path))
    question = Question("tree_cycles", "511", own=kept.name)
    assert len(explain(Question("tree_cycles", "511", samples=4)).final.nodes) == 6
    assert len(explain(replace(question, samples=4)).final.nodes) <= 5
    assert kept.path in Explain(question).files()
    assert not question.is_plain
    with pytest.raises(UserError, match="explains the sum GNN of Tree-Cycles"):
        explain(Question("tree_grid", "1021", own=kept.name))


def test_what_is_no_policy_is_refused(tmp_path: Path) -> None:
    data = other_policy(tmp_path)
    gnn = model_path("tree_cycles").read_bytes()
    for wrong in (b"", b"nonsense", data[:1000], gnn):
        with pytest.raises(UserError):
            keep_policy(wrong)
    assert not list(tmp_path.glob("policies/*"))
    with pytest.raises(UserError, match="been deleted"):
        own_policy("0" * 24)
    for name in ("../../etc/passwd", "xyz"):
        with pytest.raises(UserError, match="not the name of a stored file"):
            Question("tree_cycles", "511", own=name)


def test_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_policies, "KEPT", 1)
    first = keep_policy(other_policy(tmp_path))
    keep_policy(policy_path("tree_cycles").read_bytes())
    assert not first.path.is_file()
