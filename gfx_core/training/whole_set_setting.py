"""WholeSet: which policy is trained on a whole data set. Needs no torch."""

import json
from dataclasses import dataclass
from pathlib import Path

from gfx_core import storage
from gfx_core.config import data_root
from gfx_core.datasets.own.store import home_of
from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.files import digest_of, read_json_header
from gfx_core.gnn.kinds import DEFAULT_KIND, kind_info

MAX_EPOCHS = 10_000


@dataclass(frozen=True)
class WholeSet:
    """A training by the recipe of the shipped policies.

    Attributes:
        dataset: Its name.
        gnn: The kind of GNN that is explained.
        seed: Of weights, batches and actions.
        epochs: Another number of epochs than the recipe's.
        limit: Train on about so many instances, evenly spread; by default on all that can be explained.
        watched: Numbers of instances that are shown while it learns; by default a few that can be listed.
        resume: Whether to go on with what was kept of the same training, if there is something.
    """

    dataset: str
    gnn: str = DEFAULT_KIND
    seed: int = 0
    epochs: int | None = None
    limit: int | None = None
    watched: tuple[int, ...] = ()
    resume: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset", dataset_info(self.dataset).name)
        kind_info(self.gnn)
        if not 0 <= self.seed < 2**32:
            raise UserError(f"The seed must be a whole number from 0 to {2**32 - 1} (got {self.seed}).")
        for name, noun in (("epochs", "epochs"), ("limit", "instances")):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= MAX_EPOCHS:
                raise UserError(f"There must be between 1 and {MAX_EPOCHS:,} {noun} (got {value}).")

    def checkpoint(self, device: str) -> Path:
        """Where it is kept while it goes on, so that it can be resumed."""
        said = json.dumps([self.dataset, self.gnn, self.seed, self.epochs, self.limit, device.partition(":")[0]])
        folder = (home_of(self.dataset) or data_root()) / "trainings"
        return folder / f"{self.dataset}-{self.gnn}-{digest_of(said.encode())}.training"

    def resumable(self, device: str) -> int:
        """How many epochs were kept of it; 0 where it would begin anew."""
        path = storage.find(self.checkpoint(device))
        if path is None:
            return 0
        try:
            return len(read_json_header(path, "").get("curve", ()))
        except UserError:
            return 0
