"""The link of Train: which prediction, which story, what differs from it in each training, and what results.

A link says only what does not go without saying: ``/train?story=sequence`` is a whole race, and ``&eps2=0.3`` changes
one knob of its second training. Numbers 1 and 2 end the names of what belongs to one of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gfx_core.errors import UserError
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gnn.kinds import gnn_name, kind_of
from gfx_core.training.lesson_graphs import LessonGraph, Practice
from gfx_core.training.training import STORIES, Story, Subject, Training, defaults_for
from pages.ui.address import Parameter, nodes, one_of, spell_nodes, whole
from pages.ui.components.train_view import VIEWS
from pages.ui.explorer.parameters import DATASET, EXPLORER, NAMED, NAMES, PREDICTION

NUMBERS = (1, 2)
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
"""How many trainings there are, where it is another number than the story's."""


def _run_name(text: str) -> str:
    """The name of a training."""
    if not re.fullmatch(r"[0-9a-f]{24}", text):
        raise ValueError
    return text


KNOBS = {name: knob for name, knob in knobs(GFNConfig).items() if knob.link}
"""What a link can set in each training."""

FIELDS: dict[int, dict[str, Parameter[Any]]] = {
    number: {
        name: EXPLORER.parameter(f"{knob.link}{number}", None, knob.read, spell=knob.spell, under=(STORY,))
        for name, knob in KNOBS.items()
    }
    for number in NUMBERS
}
"""The parameter of each knob, by training."""
PLAIN: dict[int, Parameter[Any]] = {
    number: EXPLORER.parameter(f"plain{number}", None, "1".__eq__, spell=lambda on: str(int(on)), under=(STORY,))
    for number in NUMBERS
}
"""Whether the GNN of each training is the one that never saw a fragment."""

_SUBJECT = (*PREDICTION, GRAPH)
AT = EXPLORER.parameter("at", None, whole(0, int(KNOBS["epochs"].high)), under=(STORY, COUNT, *_SUBJECT))
"""The training step at which the clock stands; nothing where it plays or follows."""
PIN = EXPLORER.parameter("pin", (), nodes, spell=spell_nodes, under=(STORY, *_SUBJECT))
"""The nodes of the state that is pinned."""
EVERY = EXPLORER.switch("sliders", "all")
"""Whether all knobs that act at once are seen, and not only those of the reward."""
VIEW = EXPLORER.parameter("see", VIEWS[0], one_of(VIEWS))
"""Which of the views is open, where there is room for one."""

RUN = EXPLORER.parameter("run", "", _run_name, spell=lambda name: name or None, under=(STORY, *_SUBJECT))
"""A training that goes on without its page."""


def story_name() -> str:
    """The story that is told; empty for none, as where the link itself says what is trained on."""
    return "" if names_prediction() else STORY.read()


def names_prediction() -> bool:
    """Whether the link itself says what is trained on."""
    return any(each.in_link for each in (*NAMED, GRAPH))


@dataclass(frozen=True)
class Plan:
    """What is to be trained.

    Attributes:
        subject: On what.
        trainings: With all that the link changes.
        base: The same without what the link changes in single knobs.
        story: The story it belongs to, if any.
        problems: A sentence for each change that could not be made.
    """

    subject: Subject
    trainings: tuple[Training, ...]
    base: tuple[Training, ...]
    story: Story | None
    problems: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What a training must be of to be shown here: the story and the prediction."""
        return self.story and self.story.name, self.subject


def story_subject() -> Subject | None:
    """What the story that the link names is about."""
    story = STORIES.get(story_name())
    return None if story is None else story.trainings[-1].question


def read_plan(subject: Subject) -> Plan:
    """The trainings that the link asks for, on a prediction or graph."""
    story = STORIES.get(story_name())
    if story is not None and story.trainings[-1].question != subject:  # of another GNN
        story = None
    problems: list[str] = []
    usual = (defaults_for(subject),) if story is None else story.trainings
    count = COUNT.read() or len(usual)
    base = (usual * 2)[:count] if len(usual) == 1 else usual[:count]
    trainings: list[Training] = []
    for number, training in zip(NUMBERS, base, strict=False):
        begun = trainings[0] if number > 1 and (story is None or len(story.trainings) < number) else training
        for parameter in FIELDS[number].values():
            problems += filter(None, [parameter.problem])
        changes = {name: parameter.read() for name, parameter in FIELDS[number].items() if parameter.in_link}
        changes = {name: value for name, value in changes.items() if value is not None or KNOBS[name].optional}
        trainings.append(_with_changes(begun, PLAIN[number].read(), changes, problems))
    return Plan(subject, tuple(trainings), base, story, tuple(dict.fromkeys(problems)))


def _with_changes(training: Training, plain: bool | None, values: Mapping[str, Any], problems: list[str]) -> Training:
    """A training with some changes; those that cannot be go into the problems and are left out."""
    about = training.question
    if plain is not None and isinstance(about, LessonGraph):
        problems.append("A lesson’s graph has no GNN: its rewards are given.")
    elif plain is not None:
        training = replace(training, question=replace(about, gnn=gnn_name(kind_of(about.gnn).name, plain=plain)))
    try:
        return training.changed(values)
    except UserError:
        for name, value in values.items():
            try:
                training = training.changed({name: value})
            except UserError as error:
                problems.append(str(error))
        return training
