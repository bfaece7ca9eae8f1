"""What pages ask of the crew about trainings. Needs no torch; what a request imports to be answered does."""

from dataclasses import dataclass
from pathlib import Path

from gfx_core.crew.context import JobContext
from gfx_core.crew.request import Request
from gfx_core.errors import UserError
from gfx_core.gfn.paths import policy_path
from gfx_core.gnn.model_file import PLAIN, model_path
from gfx_core.training.outcome import LEFT_S as LEFT_S
from gfx_core.training.outcome import PAUSED_S as PAUSED_S
from gfx_core.training.outcome import TIME_UP, TrainedLane
from gfx_core.training.setting import LaneSetting, LessonGraph

MAX_LANES = 2


@dataclass(frozen=True)
class Train(Request[tuple[TrainedLane, ...]]):
    """Train one or two lanes in turn, on one clock; see `gfx_core.training.live` for events and commands.

    Attributes:
        lanes: What is trained, and how.
        running: Whether it begins at once, or paused at step 0.
    """

    lanes: tuple[LaneSetting, ...]
    running: bool = True

    live = True
    last_words = TIME_UP
    shared = False
    device = "cpu"

    def __post_init__(self) -> None:
        if not 1 <= len(self.lanes) <= MAX_LANES:
            raise UserError(f"One or two trainings run side by side (got {len(self.lanes)}).")

    def files(self) -> tuple[Path, ...]:
        found = []
        for lane in self.lanes:
            about = lane.question
            if not isinstance(about, LessonGraph):
                found.append(model_path(about.dataset, about.gnn, PLAIN if lane.plain else ""))
                found.append(policy_path(about.dataset, about.gnn))
        return tuple(found)

    def answer(self, job: JobContext) -> tuple[TrainedLane, ...]:
        from gfx_core.training.live import train

        return train(self.lanes, self.running, job)
