"""Stories: trainings side by side that show one thing, each with a sentence on what to watch. Needs no torch."""

from dataclasses import dataclass, replace
from pathlib import Path

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.gfn.settings import Loss, Parents
from gfx_core.question import Question
from gfx_core.training.setting import LaneSetting, Learner, LessonGraph, Network, defaults_for

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

STORIES: dict[str, Story] = {
    story.name: story
    for story in (
        Story(
            "first",
            "A policy learns one prediction",
            "P(stop) moves onto R/Z: at first the walk stops anywhere, after some dozen steps almost always at "
            "the cycle of six.",
            (replace(_TREE, steps=200),),
            recorded=True,
        ),
        Story(
            "sequence",
            "A graph of states against a tree of orders",
            "GFlow-Sequence counts every order of a set as a state of its own, so sets that can be built in many "
            "orders get too much: its total variation stays high although its loss falls.",
            (replace(_TREE, beta=5.0), replace(_TREE, beta=5.0, parents=Parents.SEQUENCE)),
            recorded=True,
        ),
        Story(
            "orders",
            "The same on the lessons’ graph",
            "The whole graph, abcde, can be built in four orders. GFlow-Sequence gives each of them the whole reward: "
            "its residuals become as small as the other’s, and yet it stops there far too often (orange).",
            (_TOY, replace(_TOY, parents=Parents.SEQUENCE)),
            recorded=True,
        ),
        Story(
            "epsilon",
            "Without random steps a mode is missed",
            "Both good ends have the same reward. With ε = 0 the learner believes its small flows and never walks to "
            "the far one; a few random steps find it.",
            (replace(_TWO, epsilon=0.0), replace(_TWO, epsilon=0.2)),
            recorded=True,
        ),
        Story(
            "log-z",
            "One log Z against one from the start node",
            "Trajectory balance needs log Z. As one number it begins at 0 and walks to the true value at its own pace; "
            "from the start node’s features it is there at once, and the flows follow.",
            (
                replace(_TREE, loss=Loss.TRAJECTORY_BALANCE),
                replace(_TREE, loss=Loss.TRAJECTORY_BALANCE_CONDITIONAL),
            ),
        ),
        Story(
            "beta",
            "β from 1 to 100",
            "With β = 1 the target is spread over all subgraphs; with β = 100 one of them has nearly all of it, and "
            "the edge marginals become the answer.",
            (replace(_TREE, beta=1.0), replace(_TREE, beta=100.0)),
            recorded=True,
        ),
        Story(
            "network",
            "The paper’s network against ours",
            "The paper’s network scores a node by its own neighbourhood alone. It cannot tell sets apart that look the "
            "same from there, so residuals stay; ours sees the whole set.",
            (replace(_TREE, network=Network.PAPER), _TREE),
        ),
        Story(
            "table",
            "A table against a network",
            "A table learns each flow by itself and must have been everywhere; a network says something sensible of "
            "states that it has not seen. Compare how many states were visited when each is close.",
            (replace(_TREE, learner=Learner.TABLE, lr=0.3), _TREE),
        ),
        Story(
            "gnn",
            "A GNN that knows fragments against one that does not",
            "The same prediction, almost the same certainty. But the GNN that was trained on whole graphs only is sure "
            "of fragments that are none: its rewards, and so the policy, miss the cycle (see the AUC).",
            (replace(_TREE, plain=True), _TREE),
            recorded=True,
        ),
    )
}
"""By name, the one that is shown first at the top."""


def story(name: str) -> Story:
    """A story by its name."""
    if name not in STORIES:
        raise UserError(f"There is no story “{name[:60]}”: choose one of {', '.join(STORIES)}.")
    return STORIES[name]


def shipped_stories() -> tuple[Story, ...]:
    """Those of which a recording is there."""
    return tuple(each for each in STORIES.values() if each.path.is_file())
