"""What pages ask of the crew about data that somebody brought. Needs no torch; what a request imports may.

Files are put into the room of the visit before they are asked about: a request says where they lie, so it is small, and
a reader that goes wrong brings down a worker and never the server.
"""

from dataclasses import dataclass
from pathlib import Path

from gfx_core.crew.context import JobContext
from gfx_core.crew.request import Request
from gfx_core.errors import UserError
from gfx_core.training.own_gnn_setting import GnnReport, GnnSetting
from gfx_core.user_data import limits
from gfx_core.user_data.build import Meaning, Preview, preview
from gfx_core.user_data.read import Brought
from gfx_core.user_data.store import about, visit_of

_NODE_S = 2e-3  # seconds for the fewest epochs of a training, about, by node


@dataclass(frozen=True)
class LookAt(Request[Preview]):
    """Read some files and make a data set of them, if one can be made.

    Attributes:
        visit: Whose files.
        names: What they are called.
        paths: Where they lie.
        meaning: What their columns mean; guessed by default.
        title: What the data set is to be called.
    """

    visit: str
    names: tuple[str, ...]
    paths: tuple[str, ...]
    meaning: Meaning | None = None
    title: str = ""
    short = True
    deadline_s = limits.MAX_SECONDS + 10  # the readers' own clock is not looked at inside other libraries
    deadline_words = f"Reading this took longer than {limits.MAX_SECONDS:.0f} s: bring a smaller part of it."

    def files(self) -> tuple[Path, ...]:
        return tuple(map(Path, self.paths))

    def answer(self, job: JobContext) -> Preview:
        job.report(0.1, "reading")
        try:
            files = [Brought(name, path.read_bytes()) for name, path in zip(self.names, self.files(), strict=True)]
        except OSError as error:
            raise UserError("The file is not here any more: bring it again.") from error
        return preview(files, self.visit, self.meaning, self.title)


@dataclass(frozen=True)
class TrainGnn(GnnSetting, Request[GnnReport]):
    """Train a GNN for a data set of somebody's own."""

    shared = False

    @property
    def expected_s(self) -> float:
        """As long as it may take; a large data set also needs its time for the fewest epochs."""
        return self.seconds + _NODE_S * about(self.dataset).nodes

    def answer(self, job: JobContext) -> GnnReport:
        from gfx_core.training.own_gnn import train_gnn

        return train_gnn(self, job)


@dataclass(frozen=True)
class BringGnn(Request[GnnReport]):
    """Take a GNN that somebody brought for a data set of their own.

    Attributes:
        dataset: The data set.
        path: Where the file lies.
        turn: Tells apart what is brought twice.
    """

    dataset: str
    path: str
    turn: int = 0
    shared = False
    short = True

    def answer(self, job: JobContext) -> GnnReport:
        from gfx_core.training.own_gnn import bring_gnn

        if not visit_of(self.dataset):
            raise UserError("A GNN is brought for a data set of one’s own.")
        return bring_gnn(self.dataset, Path(self.path))
