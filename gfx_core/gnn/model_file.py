"""GNN weights on disk: safetensors with a JSON header that says what they are and how they were made."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gfx_core.config import ASSETS, Task
from gfx_core.datasets.own.store import home_of
from gfx_core.datasets.registry import dataset_info
from gfx_core.datasets.subwords import TABLE
from gfx_core.errors import UserError
from gfx_core.files import read_json_header, read_tensors, write_tensors
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS, kind_info

if TYPE_CHECKING:
    from gfx_core.gnn.models import GNN

SCHEMA = 1
MODELS = ASSETS / "models"


@dataclass(frozen=True)
class ModelHeader:
    """What a checkpoint says of itself.

    Attributes:
        dataset: The data set it was trained on, by registry name.
        task: Node or graph classification.
        kind: Which convolution, by its name in `gfx_core.gnn.kinds`.
        in_channels: Node features.
        num_classes: Classes.
        hidden: Width of each convolution.
        num_layers: Convolutions; headers that do not say it are of GNNs that have three.
        accuracy: Share of right predictions on ``train``, ``validation`` and ``test``.
        statistics: The data set's counts when it was trained.
        training: Configuration, seed, epochs, seconds, device, versions and date.
        schema: Version of this header.
    """

    dataset: str
    task: Task
    kind: str
    in_channels: int
    num_classes: int
    hidden: int
    num_layers: int = 3
    accuracy: dict[str, float] = field(default_factory=dict)
    statistics: dict[str, int] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    schema: int = SCHEMA

    @property
    def hops(self) -> int:
        """How far a node's prediction sees."""
        return kind_info(self.kind).hops(self.num_layers)

    @property
    def knows_fragments(self) -> bool:
        """Whether it was trained on fragments too; headers that do not say it are of GNNs that were not."""
        return self.training.get("config", {}).get("fragments", 0) > 0


PLAIN = "plain"
"""The variant of a GNN that was trained on whole graphs only and never saw a fragment."""


def model_path(dataset: str, kind: str = DEFAULT_KIND, variant: str = "") -> Path:
    """Where the GNN of a data set is kept, or a variant of it."""
    name = dataset_info(dataset).name
    home = home_of(name)
    folder, begin = (MODELS, name) if home is None else (home, "gnn")
    return folder / f"{'-'.join(filter(None, (begin, kind_info(kind).name, variant)))}.safetensors"


def read_header(path: Path) -> ModelHeader:
    """Read what a checkpoint says of itself, without torch."""
    again = "Train the GNN with: python -m gfx_core train gnn --dataset NAME."
    values = read_json_header(path, again)
    if values.get("schema") != SCHEMA:
        raise UserError(f"{path.name} has header version {values.get('schema')}, this program reads {SCHEMA}. {again}")
    try:
        header = ModelHeader(**values | {"task": Task(values["task"])})
        if header.kind not in KINDS or header.num_layers < 1:
            raise ValueError
        return header
    except (KeyError, TypeError) as error:
        raise UserError(f"{path.name} holds weights but not one of our GNNs (no valid header). {again}") from error
    except ValueError as error:
        raise UserError(f"{path.name} names an architecture this program does not have. {again}") from error


def save_model(model: "GNN", header: ModelHeader, path: Path) -> None:
    """Write a GNN; an existing file is replaced only once the new one is whole."""
    words = {} if model.word_table is None else {TABLE: model.word_table}
    write_tensors(path, {**model.state_dict(), **words}, asdict(header))


def load_model(dataset: str, kind: str = DEFAULT_KIND, variant: str = "", *, path: Path | None = None) -> "GNN":
    """Load the trained GNN of a data set, in evaluation mode, on the CPU.

    Args:
        dataset: Data set name; the checkpoint must have been trained for it.
        kind: Which convolution.
        variant: ``plain``: the one that never saw a fragment; by default the one that is explained.
        path: Another file than the shipped one.
    """
    from gfx_core.gnn.models import GNN

    info, kind = dataset_info(dataset), kind_info(kind).name
    file = path or model_path(info.name, kind, variant)
    header = read_header(file)
    foreign = header.dataset != info.name and home_of(info.name) is None  # what lies in a home is for what lives there
    if foreign or (path is None and header.kind != kind):
        raise UserError(f"{file.name} is a {header.kind} GNN for {header.dataset}, not a {kind} GNN for {info.name}.")
    sizes = (header.in_channels, header.num_classes, header.hidden, header.num_layers)
    model = GNN(header.task, header.kind, *sizes)
    tensors = read_tensors(file)
    model.word_table = tensors.pop(TABLE, None)
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise UserError(f"The weights in {file.name} do not fit the architecture its header names.") from error
    return model.eval().requires_grad_(False)
