"""Stories: trainings side by side that show one thing, each with a sentence on what to watch. Needs no torch.

The texts are in assets/content.
"""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import Loss, Parents
from gfx_core.training.setting import FlowModel, LaneSetting, LessonGraph, NetworkKind, defaults_for

TRAININGS = ASSETS / "trainings"
"""Where recordings are shipped."""


@dataclass(frozen=True)
class Story:
    """Lanes that differ in one thing.

    Attributes:
        name: In links and file names.
        title: For people.
        watch: What to watch, a sentence or two.
        lanes: What is trained.
        recorded: Whether a recording of it is shipped.
    """

    name: str
    title: str
    watch: str
    lanes: tuple[LaneSetting, ...]
    recorded: bool = False

    @property
    def path(self) -> Path:
        """Where its recording is, if one is shipped."""
        return TRAININGS / f"{self.name}.json"


_TREE = replace(defaults_for(Question("tree_cycles", "511")), steps=300)
_TOY, _TWO = defaults_for(LessonGraph("toy")), defaults_for(LessonGraph("two-modes"))

_LANES: dict[str, tuple[LaneSetting, ...]] = {
    "first": (replace(_TREE, steps=200),),
    "sequence": (replace(_TREE, beta=5.0), replace(_TREE, beta=5.0, parents=Parents.SEQUENCE)),
    "orders": (_TOY, replace(_TOY, parents=Parents.SEQUENCE)),
    "epsilon": (replace(_TWO, epsilon=0.0), replace(_TWO, epsilon=0.2)),
    "log-z": tuple(
        replace(_TREE, loss=loss) for loss in (Loss.TRAJECTORY_BALANCE, Loss.TRAJECTORY_BALANCE_CONDITIONAL)
    ),
    "beta": (replace(_TREE, beta=1.0), replace(_TREE, beta=100.0)),
    "network": (replace(_TREE, network=NetworkKind.PAPER), _TREE),
    "table": (replace(_TREE, learner=FlowModel.TABLE, lr=0.3), _TREE),
    "gnn": (replace(_TREE, plain=True), _TREE),
}
_RECORDED = ("first", "sequence", "orders", "epsilon", "beta", "gnn")
_TEXTS = tomllib.loads((ASSETS / "content" / "stories.toml").read_text(encoding="utf-8"))

STORIES: dict[str, Story] = {
    name: Story(name, **_TEXTS[name], lanes=lanes, recorded=name in _RECORDED) for name, lanes in _LANES.items()
}
"""By name, the one that is shown first at the top."""


def story(name: str) -> Story:
    """A story by its name."""
    if name not in STORIES:
        raise UserError(f"There is no story “{name[:60]}”: choose one of {', '.join(STORIES)}.")
    return STORIES[name]
