"""What can be trained on one prediction, and how it is written."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.knobs import differences, knobs
from gfx_core.gfn.settings import GFNConfig
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.training import Training, defaults_for, restarts

TREE = defaults_for(Question("tree_cycles", "511"))
PLAIN = Question("mutagenicity", "Ethanol", "compound", gnn="sum-plain", start=2)


@pytest.mark.parametrize(
    "training",
    [
        TREE,
        defaults_for(LessonGraph("two-modes")),
        defaults_for(PLAIN).changed({"epsilon": 0.0}),
        TREE.changed({"flow_model": "table", "loss": "tb", "parents": "sequence", "delta": None}),
        TREE.changed({"learns_from": "all"}),
        TREE.changed({"learns_from": "all", "flow_model": "table", "parents": "sequence"}),
        TREE.changed({"context": False, "stop": "learned", "seed": 7, "lr": 1, "beta": 3, "node_price": 0.3}),
    ],
)
def test_it_comes_back_from_json(training: Training) -> None:
    assert Training.from_dict(json.loads(json.dumps(training.as_dict()))) == training


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"epsilon": 1.5}, "ε must be"),
        ({"lr": 0}, "Learning rate must be"),
        ({"batch_size": 2000}, "at most 1,024 trajectories"),
        ({"loss": "hope"}, "Loss must be"),
        ({"context": "paper"}, "Network must be"),
        ({"delta": 0}, "from 1e-09 on"),
        ({"wings": 2}, "no setting wings"),
        ({"learns_from": "all", "parents": "sequence"}, "all valid parents"),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        TREE.changed(values)


@pytest.mark.parametrize(
    "wrong", [None, {"dataset": 3}, {"dataset": "moon", "name": "1"}, {"source": "lesson", "name": "9"}]
)
def test_what_it_cannot_be_about(wrong: Any) -> None:
    with pytest.raises(UserError):
        Training.from_dict({"question": wrong})
    with pytest.raises(UserError, match="learned by a table"):
        defaults_for(LessonGraph("toy")).changed({"flow_model": "network"})


def test_what_takes_effect_at_once() -> None:
    other: dict[str, Any] = {"epsilon": 0.5, "lr": 0.5, "batch_size": 3, "beta": 2.0, "node_price": 0.7}
    assert set(other) == {name for name, knob in knobs(GFNConfig).items() if knob.live}
    for name, value in other.items():
        after = TREE.changed({name: value})
        assert not restarts(TREE, after)
        assert (after.config.reward != TREE.config.reward) == knobs(GFNConfig)[name].rewards
        assert differences(TREE.config, after.config) == {name: value}
    assert restarts(TREE, TREE.changed({"seed": 1}))
    assert restarts(TREE, replace(TREE, question=Question("tree_cycles", "511", gnn="sum-plain")))
