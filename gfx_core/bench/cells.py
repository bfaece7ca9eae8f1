"""Cells of studies (data set × GNN × method × seed), and the records of those that are computed.

A study's records are one parquet file: a row for each cell, a column for each of its values. A cell's ``options`` (how
it is computed) are not part of its key: a record with other options takes the place of the former one.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gfx_core.config import ASSETS, FragmentModel
from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.files import read_once, replacing, why_unwritten
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.kinds import DEFAULT_KIND

if TYPE_CHECKING:
    from pandas import DataFrame

RESULTS = ASSETS / "results"
"""Where the shipped records are."""
GNNS = RESULTS / "gnns"
"""Where those GNNs of studies are that are not shipped with the explorer."""
KINDS = {
    "sum": "Sum, trained on fragments",
    "sum-plain": "Sum, trained on whole graphs",
    "gcn": "GCN of PyG",
    "gin": "GIN of PyG",
}
"""Titles of the kinds of GNN that studies explain."""
AS_IS, STUDENT = FragmentModel.AS_IS, FragmentModel.STUDENT
"""Which model is queried about fragments: the GNN, or a student of it."""
GNN_SEEDS = 3
"""GNNs of each kind and data set."""
TRAINED_ON = 100
"""The most instances of the tuning half from which a method learns."""

OWN = "gflowexplainer"
SHIPPED = "gflow_shipped"
"""GFlowExplainer by the policy that is shipped for a data set."""
SEEN = (SHIPPED, "shipped")
"""Policies that have learned from the instances that are scored: no other is compared with them."""
UNTRAINED, CONSTANT = "untrained", "constant_gnn"
CONTROLS = (UNTRAINED, CONSTANT, "bfs")
"""What cannot know the GNN's reasons, beside the explainers that never query it: a policy before its training,
GFlowExplainer on a GNN whose answer never changes, and growth breadth first."""

_AGAIN = "put it back from git, move it away and measure again, or choose another folder with --out."


@dataclass(frozen=True)
class Cell:
    """One computation of a study.

    Attributes:
        study: The study, which is also the name of its file of records.
        dataset: The data set.
        method: The explainer, or what else is compared.
        seed: The seed of everything random in it.
        variant: What else distinguishes two cells, e.g. the share of the motifs that is trained on.
        gnn: The GNN by kind and seed (``gin-2``); empty if the study has one of each data set.
        options: How it is computed (plain JSON): ``device``, limits, epochs.
    """

    study: str
    dataset: str
    method: str
    seed: int = 0
    variant: str = ""
    gnn: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """Its name among the study's records."""
        return "/".join(filter(None, (self.dataset, self.gnn, self.method, str(self.seed), self.variant)))

    @property
    def device(self) -> str:
        """Where it is computed: the option ``device``, or the CPU."""
        return str(self.options.get("device", "cpu"))

    @cached_property
    def grid(self) -> str:
        """A hash of its place in the study's grid and of its options; equal on every device."""
        options = {name: value for name, value in self.options.items() if name != "device"}
        text = json.dumps([self.study, self.key, options], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def kind(self) -> str:
        """The kind of its GNN."""
        return self.gnn.rpartition("-")[0]


def gnn_file(dataset: str, gnn: str, folder: Path = GNNS) -> Path:
    """Where a GNN (``gin-2``) is: with the shipped ones if it is one of those, otherwise in a folder."""
    kind, seed = gnn.rsplit("-", 1)
    shipped = model_path(dataset, kind) if kind.startswith(DEFAULT_KIND) and seed == "0" else None
    return shipped if shipped and shipped.is_file() else folder / f"{dataset}-{gnn}.safetensors"


# Records


def to_record(cell: Cell, values: Mapping[str, Any], wall_s: float) -> dict[str, Any]:
    """The record of a cell that was computed: what it is, how it was made, and its values.

    Args:
        cell: The cell.
        values: Plain JSON without NaN; a value that is a dictionary is kept as JSON.
        wall_s: How long it took.
    """
    made = provenance(cell.device)
    return {
        **asdict(cell),
        "key": cell.key,
        "grid": cell.grid,
        "options": json.dumps(dict(cell.options), sort_keys=True),
        "wall_s": round(wall_s, 3),
        "device": made["device"],
        "cores": os.cpu_count(),
        "date": made["date"],
        "versions": json.dumps(made["versions"]),
        "commit": _commit(),
        "weights": _weights_digest(cell),
        **{name: json.dumps(value) if isinstance(value, dict) else value for name, value in values.items()},
    }


def _commit() -> str:
    """The commit of the code, marked if files have changed since; empty outside a repository."""
    command = ["git", "-C", str(ASSETS.parent), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _weights_digest(cell: Cell) -> str:
    """Hashes of the weights behind a cell: its GNN, or the data set's GNN and policy."""
    policy = ASSETS / "policies" / f"{cell.dataset}-{DEFAULT_KIND}.safetensors"
    paths = [gnn_file(cell.dataset, cell.gnn)] if cell.gnn else [model_path(cell.dataset), policy]
    return " ".join(hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in paths if path.is_file())


def records_path(study: str, folder: Path = RESULTS) -> Path:
    """The file of a study's records."""
    return folder / f"{study}.parquet"


def read_records(study: str, folder: Path = RESULTS) -> "DataFrame":
    """The records of a study, empty if there are none; they are read once and not to be changed."""
    return _read_file(records_path(study, folder))


@read_once(8)
def _read_file(path: Path) -> "DataFrame":
    import pandas as pd

    if not path.is_file():
        return pd.DataFrame(columns=["key", "dataset", "gnn", "method", "variant", "seed"])
    try:
        frame = pd.read_parquet(path)
        frame = frame.astype(dict.fromkeys(frame.select_dtypes("str"), object))  # groups of these are faster
        return frame.set_index("key", drop=False, verify_integrity=True).rename_axis(None)
    except (OSError, ValueError, KeyError) as error:  # pyarrow's errors are among these
        raise UserError(f"{path.name} is not a file of records: {_AGAIN}") from error


def write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write the records of a study; ``UserError`` if that cannot be done."""
    import pandas as pd

    try:
        with replacing(path) as part:
            pd.DataFrame.from_records(list(records)).to_parquet(part, index=False, compression="zstd")
    except OSError as error:
        raise UserError(
            f"{path.name} cannot be written: {why_unwritten(error)}. Make room, or choose another folder with --out."
        ) from error


def stored(cell: Cell) -> dict[str, Any] | None:
    """The shipped record of a cell, if there is one with the same options; values that it lacks are left out."""
    frame = read_records(cell.study)
    if cell.key not in frame.index or frame.at[cell.key, "grid"] != cell.grid:
        return None
    return record_of(frame, cell.key)


def record_of(frame: "DataFrame", key: str) -> dict[str, Any]:
    """A row of records without what it lacks: lists as arrays, numbers as they are."""
    return {str(name): value for name, value in frame.loc[key].dropna().items()}
