"""The link of Train: which prediction, which story, what differs from it in each lane, and the training that results.

A link says only what does not go without saying: ``/train?story=sequence`` is a whole race, and ``&eps2=0.3`` changes
one knob of its second lane. Numbers 1 and 2 end the names of what belongs to a lane.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gfx_core.errors import UserError
from gfx_core.explanation.question import MAX_SEED
from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.training.lesson_graphs import Practice
from gfx_core.training.setting import (
    MAX_BATCH,
    MAX_STEPS,
    Begin,
    FlowModel,
    LaneSetting,
    LearnsFrom,
    NetworkKind,
    Subject,
    defaults_for,
)
from gfx_core.training.stories import STORIES, Story
from pages.ui.address import Parameter, flag, nodes, one_of, real, spell_flag, spell_nodes, spell_number, whole
from pages.ui.components.train_view import VIEWS
from pages.ui.explorer.parameters import BY_NUMBER, DATASET, EXPLORER, GNN, NAMES

LANES = (1, 2)
FIRST_STORY = next(iter(STORIES))


STORY = EXPLORER.parameter(
    "story",
    FIRST_STORY,
    lambda text: "" if text == "none" else STORIES[text].name,
    spell=lambda name: name or "none",
)
"""Which story is told; nothing for a training of one's own, which a prediction in the link is."""
GRAPH = EXPLORER.parameter(
    "graph", "", lambda text: str(Practice(text)), spell=lambda name: name or None, under=(DATASET, *NAMES.values())
)
"""A lesson's graph in place of a prediction."""
COUNT = EXPLORER.parameter("lanes", None, whole(1, 2), under=(STORY,))
"""How many lanes there are, where it is another number than the story's."""


def _run_name(text: str) -> str:
    """The name of a training."""
    if not re.fullmatch(r"[0-9a-f]{24}", text):
        raise ValueError
    return text


_SPELT: dict[str, tuple[str, Callable[[str], Any], Callable[[Any], str | None]]] = {
    "plain": ("plain", flag, lambda on: spell_flag(on) or "0"),
    "learner": ("learner", FlowModel, str),
    "learns_from": ("from", LearnsFrom, str),
    "loss": ("loss", Loss, str),
    "parents": ("parents", Parents, str),
    "stop": ("stop", Stop, str),
    "network": ("net", NetworkKind, str),
    "begin": ("begin", Begin, str),
    "seed": ("seed", whole(0, MAX_SEED), str),
    "epsilon": ("eps", real(0, 1), spell_number),
    "lr": ("lr", real(1e-6, 10), spell_number),
    "batch": ("batch", whole(1, MAX_BATCH), str),
    "beta": ("beta", real(0.01, 1000), spell_number),
    "node_price": ("price", real(0, 10), spell_number),
    "similarity": ("alike", real(0, 10), spell_number),
    "max_nodes": ("k", whole(2, 20), str),
    "steps": ("steps", whole(1, MAX_STEPS), str),
}
"""Of each field of a lane's setting: what links call it, and how it is read and written."""

FIELDS: dict[int, dict[str, Parameter[Any]]] = {
    lane: {
        field: EXPLORER.parameter(f"{short}{lane}", None, parse, spell=spell, under=(STORY,))
        for field, (short, parse, spell) in _SPELT.items()
    }
    for lane in LANES
}
"""The parameter of each field, by lane."""

_SUBJECT = (DATASET, BY_NUMBER, *NAMES.values(), GNN, GRAPH)
AT = EXPLORER.parameter("at", None, whole(0, MAX_STEPS), under=(STORY, COUNT, *_SUBJECT))
"""The training step at which the clock stands; nothing where it plays or follows."""
PIN = EXPLORER.parameter("pin", (), nodes, spell=spell_nodes, under=(STORY, *_SUBJECT))
"""The nodes of the state that is pinned."""
VIEW = EXPLORER.parameter("see", VIEWS[0], one_of(VIEWS))
"""Which of the views is open, where there is room for one."""

RUN = EXPLORER.parameter("run", "", _run_name, spell=lambda name: name or None, under=(STORY, *_SUBJECT))
"""A training that goes on without its page."""


def story_name() -> str:
    """The story that is told; empty for none, as where the link itself says what is trained on."""
    return "" if names_prediction() else STORY.read()


def names_prediction() -> bool:
    """Whether the link itself says what is trained on."""
    return any(each.in_link for each in (DATASET, BY_NUMBER, GRAPH, *NAMES.values()))


@dataclass(frozen=True)
class Plan:
    """What is to be trained.

    Attributes:
        lanes: The settings of each lane, with all that the link changes.
        base: The same without what the link changes in single knobs.
        story: The story it belongs to, if any.
        problems: A sentence for each change that could not be made.
    """

    lanes: tuple[LaneSetting, ...]
    base: tuple[LaneSetting, ...]
    story: Story | None
    problems: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What a training must be of to be shown here: the story, the prediction and the number of lanes."""
        return self.story and self.story.name, self.lanes[0].question, len(self.lanes)


def story_subject() -> Subject | None:
    """What the story that the link names is about."""
    story = STORIES.get(story_name())
    return None if story is None else story.lanes[0].question


def read_plan(subject: Subject) -> Plan:
    """The lanes that the link asks for, on a prediction or graph."""
    story = STORIES.get(story_name())
    if story is not None and story.lanes[0].question != subject:  # of another GNN
        story = None
    problems: list[str] = []
    usual = (defaults_for(subject),) if story is None else story.lanes
    count = COUNT.read() or len(usual)
    base = (usual * 2)[:count] if len(usual) == 1 else usual[:count]
    lanes: list[LaneSetting] = []
    for number, setting in zip(LANES, base, strict=False):
        begun = lanes[0] if number > 1 and (story is None or len(story.lanes) < number) else setting
        changes = {field: parameter.read() for field, parameter in FIELDS[number].items()}
        changes = {field: value for field, value in changes.items() if value is not None}
        lanes.append(_with_changes(begun, changes, problems))
    return Plan(tuple(lanes), base, story, tuple(dict.fromkeys(problems)))


def _with_changes(setting: LaneSetting, values: Mapping[str, Any], problems: list[str]) -> LaneSetting:
    """A setting with some changes; those that cannot be go into the problems and are left out."""
    try:
        return setting.changed(values)
    except UserError:
        for name, value in values.items():
            try:
                setting = setting.changed({name: value})
            except UserError as error:
                problems.append(str(error))
        return setting
