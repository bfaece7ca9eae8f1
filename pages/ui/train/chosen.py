"""What the link asks to be trained: the prediction or graph, and the settings of one or two lanes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from gfx_core.errors import UserError
from gfx_core.training.setting import LaneSetting, LessonGraph, Subject, defaults_for
from gfx_core.training.stories import STORIES, Story
from pages.ui.train.link import COUNT, GRAPH, LANES, overrides, story_name


@dataclass(frozen=True)
class Chosen:
    """What is to be trained.

    Attributes:
        lanes: The settings of each lane, with all that the link changes.
        told: The same without what the link changes in single knobs.
        story: The story that is told, if one is.
        own: Whether it is told of what it was made for.
        problems: A sentence for each change that could not be made.
    """

    lanes: tuple[LaneSetting, ...]
    told: tuple[LaneSetting, ...]
    story: Story | None
    own: bool
    problems: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[Any, ...]:
        """What a recording must be of to be shown here: the story, the prediction and the number of lanes."""
        return self.story and self.story.name, self.lanes[0].question, len(self.lanes)


def told_story() -> Story | None:
    """The story that the link names."""
    return STORIES.get(story_name())


def subject_of_story() -> Subject | None:
    """What the story that the link names is about."""
    story = told_story()
    return None if story is None else story.lanes[0].question


def chosen(subject: Subject) -> Chosen:
    """The lanes that the link asks for, on a prediction or graph."""
    story = told_story()
    problems: list[str] = []
    base, own = _told(story, subject, problems)
    lanes = []
    for number, setting in zip(LANES, base, strict=False):
        begun = lanes[0] if number > 1 and (story is None or len(story.lanes) < number) else setting
        lanes.append(_changed(begun, overrides(number), problems))
    return Chosen(tuple(lanes), base, story, own, tuple(dict.fromkeys(problems)))


def _told(story: Story | None, subject: Subject, problems: list[str]) -> tuple[tuple[LaneSetting, ...], bool]:
    """The lanes of a story on whatever prediction, as many as the link wants; and whether it is the story's own."""
    if story is None:
        lanes: tuple[LaneSetting, ...] = (defaults_for(subject),)
        own = True
    elif story.lanes[0].question == subject:
        lanes, own = story.lanes, True
    else:
        lanes, own = retold(story.lanes, subject, problems), False
    count = COUNT.read() or len(lanes)
    return (lanes * 2)[:count] if len(lanes) == 1 else lanes[:count], own


def retold(lanes: Sequence[LaneSetting], subject: Subject, problems: list[str]) -> tuple[LaneSetting, ...]:
    """A story's lanes on another prediction: what is usual there, and what tells the lanes apart.

    Args:
        lanes: Of the story.
        subject: The other prediction or graph.
        problems: Takes a sentence for each lane that cannot be had there.
    """
    apart = [f.name for f in fields(LaneSetting) if len({getattr(lane, f.name) for lane in lanes}) > 1]
    apart = [name for name in apart if name not in ("question", "steps")]
    usual = defaults_for(subject)
    return tuple(_changed(usual, {name: getattr(lane, name) for name in apart}, problems) for lane in lanes)


def _changed(setting: LaneSetting, values: Mapping[str, Any], problems: list[str]) -> LaneSetting:
    """A setting with some changes; those that cannot be are told of and left out."""
    try:
        return setting.changed(values)
    except UserError:
        for name, value in values.items():
            try:
                setting = setting.changed({name: value})
            except UserError as error:
                problems.append(str(error))
        return setting


def lesson_graph() -> LessonGraph | None:
    """The lesson's graph that the link names."""
    return LessonGraph(GRAPH.read()) if GRAPH.read() else None
