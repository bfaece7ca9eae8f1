"""What can be trained, and how it is written."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.training.setting import (
    LIVE,
    SOON_S,
    Begin,
    FlowModel,
    LaneSetting,
    LearnsFrom,
    LessonGraph,
    NetworkKind,
    changes_reward,
    defaults_for,
    in_words,
    lane_names,
    restarts,
    shorter,
    step_seconds,
)

TREE = Question("tree_cycles", "511")


@pytest.mark.parametrize(
    "setting",
    [
        defaults_for(TREE),
        defaults_for(LessonGraph("two-modes")),
        LaneSetting(Question("mutagenicity", "Ethanol", "compound", start=2), plain=True, epsilon=0.0),
        LaneSetting(TREE, learner=FlowModel.TABLE, loss=Loss.TRAJECTORY_BALANCE, parents=Parents.SEQUENCE),
        LaneSetting(TREE, learns_from=LearnsFrom.ALL),
        LaneSetting(TREE, learns_from=LearnsFrom.ALL, learner=FlowModel.TABLE, parents=Parents.SEQUENCE),
        LaneSetting(TREE, network=NetworkKind.PAPER, stop=Stop.LEARNED, seed=7, lr=1, beta=3),
    ],
)
def test_it_comes_back_from_json(setting: LaneSetting) -> None:
    written = json.loads(json.dumps(setting.as_dict()))
    assert LaneSetting.from_dict(written) == setting
    assert written["question"]["gnn"].endswith("-plain") == setting.plain  # as its file is called


def test_a_question_may_name_the_gnn_that_never_saw_a_fragment() -> None:
    named, told = (Question("tree_cycles", "612", gnn=gnn) for gnn in ("sum-plain", "sum"))
    assert LaneSetting(named) == LaneSetting(told, plain=True)
    assert LaneSetting(named).gnn == "sum-plain"
    assert LaneSetting(named).changed({"plain": False}) == LaneSetting(told)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"epsilon": 1.5}, "ε must lie between 0 and 1"),
        ({"lr": 0}, "learning rate must be above 0"),
        ({"lr": float("nan")}, "learning rate must lie"),
        ({"batch": 0}, "trajectories of a step"),
        ({"batch": 1.5}, "whole number"),
        ({"beta": "much"}, "β must be a number"),
        ({"beta": 0}, "β must be above 0"),
        ({"loss": "hope"}, "There is no loss “hope”"),
        ({"learner": "pupil"}, "There is no learner"),
        ({"steps": 10**6}, "number of steps"),
        ({"max_nodes": 1}, "K_M"),
        ({"seed": -1}, "seed"),
        ({"wings": 2}, "no setting wings"),
        ({"plain": True}, "no setting plain"),
        ({"begin": "shipped", "learner": "table"}, "begin from scratch"),
        ({"begin": "shipped", "network": "paper"}, "begin from scratch"),
        ({"learns_from": "all", "parents": "sequence"}, "all valid parents"),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        LaneSetting.from_dict({"question": {"dataset": "tree_cycles", "name": "511", "source": "index"}} | values)


@pytest.mark.parametrize(
    "question",
    [None, {"dataset": 3}, {"dataset": "moon", "name": "1"}, {"source": "lesson", "name": "9"}, {"gnn": "sum-odd"}],
)
def test_what_it_cannot_be_about(question: Any) -> None:
    with pytest.raises(UserError):
        LaneSetting.from_dict({"question": question})


def test_what_takes_effect_at_once() -> None:
    before = defaults_for(TREE)
    other: dict[str, Any] = {"epsilon": 0.5, "lr": 0.5, "batch": 3, "beta": 2.0, "node_price": 0.7}
    assert set(other) == set(LIVE)
    for name, value in other.items():
        after = before.changed({name: value})
        assert not restarts(before, after)
        assert changes_reward(before, after) == (name in ("beta", "node_price"))
    assert restarts(before, replace(before, seed=1))
    assert restarts(before, replace(before, begin=Begin.SHIPPED))
    with pytest.raises(UserError, match="no setting"):
        before.changed({"nonsense": 1})


def test_names_tell_lanes_apart() -> None:
    one = defaults_for(TREE)
    assert lane_names([one]) == ("network, flow matching",)
    assert lane_names([one, replace(one, parents=Parents.SEQUENCE)]) == ("GFlowExplainer", "GFlow-Sequence")
    assert lane_names([replace(one, epsilon=0.0), one]) == ("ε = 0", "ε = 0.1")
    for name in (field.name for field in fields(one)):
        assert in_words(one, name)


def test_more_nodes_and_more_trajectories_take_longer_and_fewer_steps_are_done_soon() -> None:
    setting = defaults_for(TREE)
    assert step_seconds(setting, 10) < step_seconds(setting, 800) / 5
    assert step_seconds(replace(setting, batch=128), 800) == 2 * step_seconds(setting, 800)
    assert shorter(0.42) == 100
    assert shorter(SOON_S / 5000) == 5000
    assert shorter(1000.0) == 10
