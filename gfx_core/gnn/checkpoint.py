"""GNN weights on disk: safetensors with a JSON header that says what they are and how they were made."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gfx_core.config import ASSETS, Task
from gfx_core.datasets.registry import DATASETS, dataset_info, file_of
from gfx_core.datasets.sentences import TABLE
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import DEFAULT_KIND, KINDS, checked_gnn, kind_info, kind_of
from gfx_core.weights import check_finite, read_json_header, read_tensors, tensor_shapes, write_tensors

if TYPE_CHECKING:
    from gfx_core.gnn.models import GNN


SCHEMA = 1
MODELS = ASSETS / "models"
LARGEST = {"in_channels": 100_000, "num_classes": 10_000, "hidden": 4096, "num_layers": 64}
"""What a header may say of sizes: enough for any GNN of ours."""


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


def model_path(dataset: str, gnn: str = DEFAULT_KIND) -> Path:
    """Where a GNN of a data set is kept; it is named as in `gfx_core.gnn.kinds.gnn_titles`."""
    return file_of(dataset_info(dataset).name, MODELS, "gnn", checked_gnn(gnn))


def read_header(path: Path) -> ModelHeader:
    """Read what a checkpoint says of itself, without torch; all of it is checked, also against the tensors' shapes."""
    again = "Train the GNN with: python -m gfx_core train gnn --dataset NAME."
    values = read_json_header(path, dict[str, Any], again)
    schema = values.get("schema")
    if type(schema) is not int or schema != SCHEMA:
        raise UserError(f"{path.name} has header version {str(schema)[:20]}, this program reads {SCHEMA}. {again}")
    if wrong := _wrong_field(values):
        raise UserError(f"{path.name} has a damaged header: {wrong}. {again}")
    try:
        header = ModelHeader(**values | {"task": Task(values["task"])})
    except (KeyError, TypeError) as error:
        raise UserError(
            f"{path.name} contains weights, but not a GNN in our format (no valid header). {again}"
        ) from error
    except ValueError as error:
        raise UserError(f"{path.name} names an architecture this program does not have. {again}") from error
    if header.kind not in KINDS:
        raise UserError(f"{path.name} names an architecture this program does not have. {again}")
    _check_head(header, path)
    return header


def _wrong_field(values: Mapping[str, Any]) -> str:
    """Which field of a header cannot be right, in a few words; empty if all may be. Missing ones are not its matter."""
    for name, most in LARGEST.items():
        if name in values and not (type(values[name]) is int and 1 <= values[name] <= most):
            return f"“{name}” must be a whole number from 1 to {most:,}"
    for name in ("dataset", "task", "kind"):
        if name in values and not (isinstance(values[name], str) and len(values[name]) <= 100):
            return f"“{name}” must be a name of at most 100 letters"
    for name in ("accuracy", "statistics", "training"):
        if not isinstance(values.get(name, {}), dict):
            return f"“{name}” must be a table of names and values"
    for name in ("accuracy", "statistics"):
        if not all(_is_number(value) for value in values.get(name, {}).values()):
            return f"“{name}” must contain numbers from 0 on"
    training = values.get("training", {})
    config = training.get("config", {})
    if not isinstance(config, dict) or not _is_number(config.get("fragments", 0)):
        return "“training” must contain a table “config” whose “fragments” are a number"
    if not all(_is_number(training.get(name, 0)) for name in ("epochs", "seconds")):
        return "“epochs” and “seconds” of “training” must be numbers from 0 on"
    if not isinstance(training.get("date", ""), str):
        return "“date” of “training” must be a text"
    try:
        json.dumps(values, allow_nan=False)
    except ValueError:
        return "it contains something that is not a finite number"
    return ""


def _is_number(value: object) -> bool:
    """Whether it is a number from 0 on that can be shown; True is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15


def _check_head(header: ModelHeader, path: Path) -> None:
    """Refuse a header whose sizes are not those of the last layer, or that counts other layers than there are."""
    shapes = tensor_shapes(path)
    layers = {name.split(".")[1] for name in shapes if name.startswith("convs.")}
    width = header.hidden * header.num_layers * (1 if header.task is Task.NODE else 2)
    if shapes.get("head.weight") != (header.num_classes, width) or layers != set(map(str, range(header.num_layers))):
        raise UserError(_UNFIT.format(path.name))


_UNFIT = "The weights in {} do not fit the architecture its header names."


def save_model(model: "GNN", header: ModelHeader, path: Path) -> None:
    """Write a GNN; an existing file is replaced only once the new one is whole."""
    words = {} if model.word_table is None else {TABLE: model.word_table}
    write_tensors(path, {**model.state_dict(), **words}, asdict(header))


def load_model(dataset: str, gnn: str = DEFAULT_KIND, *, path: Path | None = None) -> "GNN":
    """Load the trained GNN of a data set, in evaluation mode, on the CPU.

    Args:
        dataset: Data set name; the checkpoint must have been trained for it.
        gnn: Which of its GNNs: the name of a kind, or ``sum-plain`` for one that never saw a fragment.
        path: Another file than the shipped one.
    """
    info, kind = dataset_info(dataset), kind_of(gnn).name
    file = path or model_path(info.name, gnn)
    header = read_header(file)
    foreign = header.dataset != info.name and info.name in DATASETS  # what lies with uploaded data is for it
    if foreign or (path is None and header.kind != kind):
        raise UserError(f"{file.name} is a {header.kind} GNN for {header.dataset}, not a {kind} GNN for {info.name}.")
    model = read_model(file)
    model.name = model.kind if path else gnn
    return model


def read_model(file: Path) -> "GNN":
    """The GNN in a file, whatever it was trained on, in evaluation mode, on the CPU."""
    import torch

    from gfx_core.gnn.models import GNN

    header = read_header(file)
    sizes = (header.in_channels, header.num_classes, header.hidden, header.num_layers)
    with torch.device("meta"):  # where tensors have shapes and take no memory
        wanted = {
            name: tuple(value.shape) for name, value in GNN(header.task, header.kind, *sizes).state_dict().items()
        }
    shapes = tensor_shapes(file)
    if shapes.pop(TABLE, (0, header.in_channels))[1:] != (header.in_channels,) or shapes != wanted:
        raise UserError(_UNFIT.format(file.name))
    tensors = read_tensors(file)
    model = GNN(header.task, header.kind, *sizes)
    model.word_table = tensors.pop(TABLE, None)
    model.name = model.kind
    model.load_state_dict(tensors)
    words = {} if model.word_table is None else {TABLE: model.word_table}
    check_finite({**model.state_dict(), **words}, file.name)  # as it computes: a wider type may have more room
    return model.eval().requires_grad_(False)
