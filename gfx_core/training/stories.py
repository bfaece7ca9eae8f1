"""Stories: trainings side by side that show one thing, each with a sentence on what to watch. Needs no torch.

They stand in assets/content/stories.toml.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.training.training import Training, defaults_for, subject_of

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


def _story(name: str, title: str, watch: str, on: dict[str, str], trainings: list[dict[str, Any]]) -> Story:
    """A story as its table has it."""
    return Story(
        name,
        title,
        watch,
        tuple(defaults_for(subject_of(on | {"gnn": values.pop("gnn", "")})).changed(values) for values in trainings),
    )


_TABLES = tomllib.loads((ASSETS / "content" / "stories.toml").read_text(encoding="utf-8"))

STORIES: dict[str, Story] = {name: _story(name, **table) for name, table in _TABLES.items()}
"""By name, the one that is shown first at the top."""


def story(name: str) -> Story:
    """A story by its name."""
    if name not in STORIES:
        raise UserError(f"There is no story “{name[:60]}”: choose one of {', '.join(STORIES)}.")
    return STORIES[name]
