"""The link of Train: which prediction, which story, what differs from it in each training, and what results.

A link says only what does not go without saying: ``/train?story=sequence`` is a whole race, and ``&eps2=0.3`` changes
one knob of its second training. Numbers 1 and 2 end the names of what belongs to one of them.
"""

from dataclasses import dataclass
from typing import Any

from gfx_core.errors import UserError
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig
from gfx_core.training.lesson_graphs import Practice
from gfx_core.training.training import STORIES, Story, Subject, Training, defaults_for
from pages.ui.address import Parameter, nodes, one_of, spell_nodes, whole
from pages.ui.components.train_view import VIEWS
from pages.ui.explorer.parameters import DATASET, EXPLORER, NAMED, NAMES, PREDICTION

NUMBERS = (1, 2)
STORY = EXPLORER.parameter(
    "story",
    next(iter(STORIES)),
    lambda text: "" if text == "none" else STORIES[text].name,
    spell=lambda name: name or "none",
)
"""Which story is shown; none for a training of one's own, which a prediction in the link is."""
GRAPH = EXPLORER.parameter(
    "graph",
    "",
    lambda text: "" if text == "none" else str(Practice(text)),
    spell=lambda name: name or "none",
    under=(DATASET, *NAMES.values()),
)
"""A lesson's graph in place of a prediction."""
TWO: Parameter[Any] = EXPLORER.parameter(
    "lanes", None, {"1": False, "2": True}.__getitem__, spell=lambda two: str(1 + two), under=(STORY,)
)
"""Whether there are two trainings, where it is another number than the story's."""

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

_SUBJECT = (*PREDICTION, GRAPH)
AT = EXPLORER.parameter("at", None, whole(0, int(KNOBS["epochs"].high)), under=(STORY, TWO, *_SUBJECT))
"""The training step at which the clock stands; nothing where it plays or follows."""
PIN = EXPLORER.parameter("pin", (), nodes, spell=spell_nodes, under=(STORY, *_SUBJECT))
"""The nodes of the state that is pinned."""
VIEW = EXPLORER.parameter("see", VIEWS[0], one_of(VIEWS))
"""Which of the views is open, where there is room for one."""
RUN = EXPLORER.parameter("run", "", str, spell=lambda name: name or None, under=(STORY, *_SUBJECT))
"""A training that goes on without its page."""


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
        """What a training must be of to be shown here."""
        return self.story and self.story.name, self.subject, len(self.trainings)


def linked_story() -> Story | None:
    """The story of the link; none where the link itself says what is trained on."""
    named = any(parameter.in_link for parameter in (*NAMED, GRAPH))
    return None if named else STORIES.get(STORY.read())


def read_plan(subject: Subject) -> Plan:
    """The trainings that the link asks for, on a prediction or graph."""
    story = linked_story()
    if story is not None and story.trainings[-1].question != subject:  # of another GNN
        story = None
    usual = (defaults_for(subject),) if story is None else story.trainings
    base: list[Training] = []
    trainings: list[Training] = []
    problems: list[str] = []
    for number in NUMBERS[: 1 + TWO.read(len(usual) == 2)]:
        base.append(usual[number - 1] if number <= len(usual) else trainings[0])
        fields = FIELDS[number].items()
        problems += [parameter.problem for _, parameter in fields if parameter.problem]
        values = {name: parameter.read() for name, parameter in fields if parameter.in_link}
        changes = {name: value for name, value in values.items() if value is not None or KNOBS[name].optional}
        try:
            trainings.append(base[-1].changed(changes))
        except UserError as error:  # some do not go together
            problems.append(str(error))
            trainings.append(base[-1])
    return Plan(subject, tuple(trainings), tuple(base), story, tuple(dict.fromkeys(problems)))
