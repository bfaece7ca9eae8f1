"""Stories: trainings side by side that show one thing, each with a sentence on what to watch. Needs no torch.

The texts are in assets/content.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.training import Training, defaults_for

TRAININGS = ASSETS / "trainings"
"""Where recordings are shipped."""


@dataclass(frozen=True)
class Story:
    """Trainings that differ in one thing.

    Attributes:
        name: In links and file names.
        title: For people.
        watch: What to watch, a sentence or two.
        trainings: What is trained.
    """

    name: str
    title: str
    watch: str
    trainings: tuple[Training, ...]

    @property
    def path(self) -> Path:
        """Where its recording is shipped."""
        return TRAININGS / f"{self.name}.json"


_TREE = defaults_for(Question("tree_cycles", "511")).changed({"epochs": 300})
_PLAIN = replace(_TREE, question=Question("tree_cycles", "511", gnn="sum-plain"))
_TABLE = _TREE.changed({"flow_model": "table", "beta": 5.0, "lr": 0.1})  # what it comes to depends on the loss alone
_STOP = {"stop": "learned"}
_TOY, _TWO = defaults_for(LessonGraph("toy")), defaults_for(LessonGraph("two-modes"))


def _side_by_side(training: Training, *values: Mapping[str, Any]) -> tuple[Training, ...]:
    return tuple(training.changed(each) for each in values)


_TRAININGS: dict[str, tuple[Training, ...]] = {
    "first": _side_by_side(_TREE, {"epochs": 200}),
    "sequence": _side_by_side(_TREE, {"beta": 5.0}, {"beta": 5.0, "parents": "sequence"}),
    "orders": _side_by_side(_TOY, {}, {"parents": "sequence"}),
    "epsilon": _side_by_side(_TWO, {"epsilon": 0.0}, {"epsilon": 0.2}),
    "beta": _side_by_side(_TREE, {"beta": 1.0}, {"beta": 100.0}),
    "gnn": (_PLAIN, _TREE),
    "network": _side_by_side(_TREE, {"context": False}, {}),
    "exact": _side_by_side(_TREE, {}, {"learns_from": "all"}),
    "tb": _side_by_side(_TABLE, {}, {"loss": "tb"}),
    "subtb": _side_by_side(_TABLE, {}, {"loss": "subtb"}),
    "db": _side_by_side(_TABLE, {}, {"loss": "db"}),
    "mdb": _side_by_side(_TABLE, _STOP, {**_STOP, "loss": "mdb"}),
    "backward": _side_by_side(_TABLE, {"loss": "db"}, {"loss": "db", "learned_backward": True}),
    "first-child": _side_by_side(_TOY, {}, {"loss": "first-child"}),
}
_TEXTS = tomllib.loads((ASSETS / "content" / "stories.toml").read_text(encoding="utf-8"))

STORIES: dict[str, Story] = {
    name: Story(name, **_TEXTS[name], trainings=trainings) for name, trainings in _TRAININGS.items()
}
"""By name, the one that is shown first at the top."""


def story(name: str) -> Story:
    """A story by its name."""
    if name not in STORIES:
        raise UserError(f"There is no story “{name[:60]}”: choose one of {', '.join(STORIES)}.")
    return STORIES[name]
