"""GNN weights on disk: safetensors with a JSON header on their shape and their training."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from msgspec import Meta

from gfx_core.config import ASSETS, Task
from gfx_core.datasets.registry import DATASETS, dataset_info, file_of
from gfx_core.datasets.sentences import TABLE
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import DEFAULT_KIND, checked_gnn, kind_info, kind_of
from gfx_core.json_files import convert
from gfx_core.weights import read_json_header, read_network, write_tensors

if TYPE_CHECKING:
    from gfx_core.gnn.models import GNN


MODELS = ASSETS / "models"
_AGAIN = "Train the GNN with: python -m gfx_core train gnn --dataset NAME."
_Name = Annotated[str, Meta(max_length=100)]
_Width = Annotated[int, Meta(ge=1, le=100_000)]
_Number = Annotated[float, Meta(ge=0, lt=1e15)]


class _Config(TypedDict, total=False):
    fragments: _Number


class _Training(TypedDict, total=False):
    """The entries of a header's ``training`` that are read again."""

    config: _Config
    epochs: _Number
    seconds: _Number
    date: str


@dataclass(frozen=True)
class ModelHeader:
    """The header of a checkpoint.

    Attributes:
        dataset: The data set it was trained on, by registry name.
        task: Node or graph classification.
        kind: The convolution, by its name in `gfx_core.gnn.kinds`.
        in_channels: Node features.
        num_classes: Classes.
        hidden: Width of each convolution.
        num_layers: Convolutions; three where an older header has none.
        accuracy: Share of right predictions on ``train``, ``validation`` and ``test``.
        statistics: The data set's counts when it was trained.
        training: Configuration, seed, epochs, seconds, device, versions and date.
        schema: Version of this header.
    """

    dataset: _Name
    task: Task
    kind: _Name
    in_channels: _Width
    num_classes: _Width
    hidden: _Width
    num_layers: Annotated[int, Meta(ge=1, le=64)] = 3
    accuracy: dict[str, _Number] = field(default_factory=dict)
    statistics: dict[str, Annotated[int, Meta(ge=0, le=2**53)]] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    schema: Literal[1] = 1

    def __post_init__(self) -> None:
        kind_info(self.kind)
        convert(self.training, _Training)

    @property
    def hops(self) -> int:
        """How far a node's prediction sees."""
        return kind_info(self.kind).hops(self.num_layers)

    @property
    def knows_fragments(self) -> bool:
        """Whether it was trained on fragments, too; not where an older header has no entry."""
        return self.training.get("config", {}).get("fragments", 0) > 0


def model_path(dataset: str, gnn: str = DEFAULT_KIND) -> Path:
    """The file of a data set's GNN, which is named as in `gfx_core.gnn.kinds.gnn_titles`."""
    return file_of(dataset_info(dataset).name, MODELS, "gnn", checked_gnn(gnn))


def read_header(path: Path) -> ModelHeader:
    """The header of a checkpoint, without torch."""
    return read_json_header(path, ModelHeader, _AGAIN)


def save_model(model: "GNN", header: ModelHeader, path: Path) -> None:
    """Write a GNN; an existing file is replaced only once the new one is whole."""
    words = {} if model.word_table is None else {TABLE: model.word_table}
    write_tensors(path, {**model.state_dict(), **words}, header)


def load_model(dataset: str, gnn: str = DEFAULT_KIND, *, path: Path | None = None) -> "GNN":
    """Load the trained GNN of a data set, in evaluation mode, on the CPU.

    Args:
        dataset: Data set name; the checkpoint must have been trained for it.
        gnn: The name of a kind, or ``sum-plain`` for a GNN that never saw a fragment.
        path: Another file than the shipped one.
    """
    info, kind = dataset_info(dataset), kind_of(gnn).name
    file = path or model_path(info.name, gnn)
    header = read_header(file)
    foreign = header.dataset != info.name and info.name in DATASETS  # a GNN beside uploaded data is for these
    if foreign or (path is None and header.kind != kind):
        raise UserError(f"{file.name} is a {header.kind} GNN for {header.dataset}, not a {kind} GNN for {info.name}.")
    model = read_model(file)
    model.name = model.kind if path else gnn
    return model


def read_model(file: Path) -> "GNN":
    """The GNN in a file, for any data set, in evaluation mode, on the CPU; without a table of word vectors."""
    from gfx_core.gnn.models import GNN

    header = read_header(file)
    sizes = (header.in_channels, header.num_classes, header.hidden, header.num_layers)
    return read_network(file, lambda: GNN(header.task, header.kind, *sizes)).eval().requires_grad_(False)
