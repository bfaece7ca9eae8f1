"""The link of Train: which prediction, which story, and what differs from it in each of the two lanes.

A link says only what does not go without saying: ``/train?story=sequence`` is a whole race, and ``&eps2=0.3`` changes
one knob of its second lane. Numbers 1 and 2 end the names of what belongs to a lane.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.question import MAX_SEED
from gfx_core.training.lesson_graphs import Practice
from gfx_core.training.setting import MAX_BATCH, MAX_STEPS, Begin, Learner, LearnsFrom, Network
from gfx_core.training.stories import STORIES
from pages.ui.address import Parameter, flag, nodes, one_of, real, spell_flag, spell_nodes, spell_number, whole
from pages.ui.components.train_view import VIEWS
from pages.ui.explorer.parameters import BY_NUMBER, DATASET, EXPLORER, GNN, NAMES

LANES = (1, 2)
PACES = (0.0, 100.0, 20.0, 5.0, 1.0)
"""Steps a second that can be asked for; 0 for as many as it can."""
FIRST_STORY = next(iter(STORIES))


def _story(text: str) -> str:
    return "" if text == "none" else STORIES[text].name


STORY = EXPLORER.parameter("story", FIRST_STORY, _story, spell=lambda name: name or "none")
"""Which story is told; nothing for a training of one's own, which a prediction in the link is unless it says more."""
WHOLE = EXPLORER.parameter("what", False, lambda text: text == "dataset", spell=lambda on: "dataset" if on else None)
"""Whether a whole data set is trained."""
GRAPH = EXPLORER.parameter(
    "graph", "", lambda text: str(Practice(text)), spell=lambda name: name or None, under=(DATASET, *NAMES.values())
)
"""A lesson's graph in place of a prediction."""
COUNT = EXPLORER.parameter("lanes", None, whole(1, 2), under=(STORY,))
"""How many lanes there are, where it is another number than the story's."""


def read_name(text: str) -> str:
    """The name of a training."""
    if not re.fullmatch(r"[0-9a-f]{24}", text):
        raise ValueError
    return text


def _choice(kind: type[StrEnum]) -> Callable[[str], str]:
    return lambda text: str(kind(text))


_SPELT: dict[str, tuple[str, Callable[[str], Any], Callable[[Any], str | None]]] = {
    "plain": ("plain", flag, lambda on: spell_flag(on) or "0"),
    "learner": ("learner", _choice(Learner), str),
    "learns_from": ("from", _choice(LearnsFrom), str),
    "loss": ("loss", _choice(Loss), str),
    "parents": ("parents", _choice(Parents), str),
    "stop": ("stop", _choice(Stop), str),
    "network": ("net", _choice(Network), str),
    "begin": ("begin", _choice(Begin), str),
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

RUN = EXPLORER.parameter("run", "", read_name, spell=lambda name: name or None, under=(STORY, *_SUBJECT))
"""A training that goes on without its page."""
PACE = EXPLORER.parameter("pace", 0.0, one_of(PACES), spell=lambda pace: spell_number(pace) if pace else None)
"""Training steps a second."""


def story_name() -> str:
    """The story that is told; empty for none."""
    return STORY.read("" if names_prediction() else FIRST_STORY)


def overrides(lane: int) -> dict[str, Any]:
    """What the link changes in a lane; what makes no sense is passed over."""
    found = {field: parameter.read() for field, parameter in FIELDS[lane].items()}
    return {field: value for field, value in found.items() if value is not None}


def names_prediction() -> bool:
    """Whether the link itself says what is trained on."""
    return any(each.given for each in (DATASET, BY_NUMBER, GRAPH, *NAMES.values()))
