"""The studies, their cells (data set × GNN × method × seed), and the records of the cells that are computed.

A study is an entry of ``assets/content/studies.toml``, with its tables, and one function ``measure(cell) -> values``.
What its records decide is in ``assets/content/claims.toml``.

A study's records are one parquet file: a row for each cell, a column for each of its values. A cell's ``options`` (how
it is computed) are not part of its key: a record with other options takes the place of the former one. The file is
written again after each cell. So a run that was stopped, however it was, goes on where it was when it is started again.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_core.baselines.registry import METHODS
from gfx_core.config import ASSETS
from gfx_core.datasets.registry import DATASETS
from gfx_core.device import choose_device, provenance
from gfx_core.errors import UserError
from gfx_core.files import read_once, replacing
from gfx_core.gfn.own_policies import LOOK_AHEAD
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.parallel import Workers, computed

if TYPE_CHECKING:
    from pandas import DataFrame

RESULTS = ASSETS / "results"
"""Where the shipped records are."""
GNNS = RESULTS / "gnns"
"""Where those GNNs of studies are that are not shipped with the explorer."""
TITLES = {name: info.title for name, info in DATASETS.items() if info.knows_reasons}
"""Of the data sets whose motifs are known."""
GNN_SEEDS = 3
"""GNNs of each kind and data set."""
TRAINED_ON = 100
"""The most instances of the tuning half from which a method learns."""

AHEAD = "look_ahead"
"""GFlowExplainer by the look-ahead policy, which has seen none of the instances."""
UNTRAINED, CONSTANT = "untrained", "constant_gnn"
CONTROLS = (UNTRAINED, CONSTANT, "bfs")
"""What cannot know the GNN's reasons, beside the explainers that never query it: a policy before its training,
GFlowExplainer on a GNN whose answer never changes, and growth breadth first."""


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
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Its name among the study's records."""
        return "/".join(filter(None, (self.dataset, self.gnn, self.method, str(self.seed), self.variant)))

    @property
    def device(self) -> str:
        """Where it is computed: the option ``device``, or the CPU."""
        return str(self.options.get("device", "cpu"))

    @property
    def grid(self) -> str:
        """A hash of its place in the study's grid and of its options; equal on every device."""
        options = {name: value for name, value in self.options.items() if name != "device"}
        text = json.dumps([self.study, self.key, options], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Study:
    """A question, and the cells that answer it.

    Attributes:
        name: Of its command and of its file of records.
        title: Its chapter among the results.
        question: What it answers.
        measure: The function that computes a cell's values, as ``module:name``.
        methods: Titles of its methods that are no explainers, or are called otherwise here.
        changes: What a method changes in the configuration of a training.
        grid: Blocks of its cells.
        options: How its cells are computed by default.
        datasets: Its data sets.
        side_by_side: Whether its cells may run at the same time.
    """

    name: str
    title: str
    question: str
    measure: str
    methods: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    grid: Sequence[Mapping[str, Any]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    datasets: Sequence[str] = tuple(TITLES)
    side_by_side: bool = True

    @property
    def titles(self) -> dict[str, str]:
        """Of all methods, in the order in which they are shown."""
        return {name: info.title for name, info in METHODS.items()} | dict(self.methods)

    def cells(self, **options: Any) -> list[Cell]:
        """Its grid, with some options instead of its own."""
        cells = []
        for block in self.grid:
            how = {**self.options, **options, **block.get("options", {})}
            axes = (block.get(axis, [""]) for axis in ("methods", "gnns", "variants"))
            seeds = range(block.get("seeds", 1))
            for dataset, method, gnn, variant, seed in product(block.get("datasets", self.datasets), *axes, seeds):
                if variant not in ("cpu", "cuda") or variant == how["device"]:  # times of each device are a variant
                    cells.append(Cell(self.name, dataset, method, seed, variant, gnn, how))
        return cells

    def compute(self, cell: Cell) -> dict[str, Any]:
        """The values of a cell, plain JSON without NaN."""
        values: dict[str, Any] = resolve_name(self.measure)(cell)
        return values


CONTENT: dict[str, Any] = tomllib.loads((ASSETS / "content" / "studies.toml").read_text(encoding="utf-8"))
STUDIES = {name: Study(name, **entry) for name, entry in CONTENT.items() if name not in ("table", "ordinary")}
"""By name, in the order in which they are shown."""


# Records


def gnn_file(dataset: str, gnn: str) -> Path:
    """Where a GNN (``gin-2``) is: the first of ours with the shipped ones, all others in a folder of their own."""
    kind, seed = gnn.rsplit("-", 1)
    if kind.startswith(DEFAULT_KIND) and seed == "0":
        return model_path(dataset, kind)
    return GNNS / f"{dataset}-{gnn}.safetensors"


def to_record(cell: Cell, values: Mapping[str, Any], wall_s: float) -> dict[str, Any]:
    """The record of a cell that was computed: what it is, how it was made, and its values.

    It has the commit of the code, marked if files have changed since (empty outside a repository), and hashes of the
    weights behind the cell: its GNN and the look-ahead policy.

    Args:
        cell: The cell.
        values: Plain JSON without NaN; what is a dictionary is kept as JSON.
        wall_s: How long it took.
    """
    git = f'git -C "{ASSETS.parent}" describe --always --dirty --abbrev=12 "--exclude=*" 2>{os.devnull}'
    weights = [gnn_file(cell.dataset, cell.gnn) if cell.gnn else model_path(cell.dataset)]
    weights += [LOOK_AHEAD] * (cell.method == AHEAD)
    record = {
        **asdict(cell),
        "key": cell.key,
        "grid": cell.grid,
        "wall_s": round(wall_s, 3),
        "cores": os.cpu_count(),
        **provenance(cell.device),
        "commit": subprocess.getoutput(git),
        "weights": " ".join(hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in weights if path.is_file()),
        **values,
    }
    return {
        name: json.dumps(value, sort_keys=True) if isinstance(value, dict) else value for name, value in record.items()
    }


def records_path(study: str, folder: Path = RESULTS) -> Path:
    """The file of a study's records."""
    return folder / f"{study}.parquet"


def read_records(study: str, folder: Path = RESULTS) -> "DataFrame":
    """The records of a study by key, empty if there are none; they are read once and not to be changed."""
    return _read_file(records_path(study, folder))


@read_once(8)
def _read_file(path: Path) -> "DataFrame":
    import pandas as pd

    if not path.is_file():
        return pd.DataFrame(columns=["key", "dataset", "gnn", "method", "variant", "seed", "grid", "sizes"])
    try:
        return pd.read_parquet(path).set_index("key", drop=False)
    except (OSError, ValueError, KeyError) as error:  # pyarrow's errors are among these
        raise UserError(
            f"{path.name} is not a file of records: put it back from git, move it away and measure again, or choose "
            "another folder with --out."
        ) from error


def write_records(path: Path, records: Iterable[Mapping[Any, Any]]) -> None:
    """Write the records of a study."""
    import pandas as pd

    with replacing(path) as part:
        pd.DataFrame.from_records(list(records)).to_parquet(part, index=False, compression="zstd")


# Runs


def compute(study: Study, cell: Cell) -> dict[str, Any] | str:
    """The record of a cell as plain JSON, computed on the device that this process has, or why there is none."""
    started = time.perf_counter()
    try:
        cell = replace(cell, options={**cell.options, "device": choose_device(cell.device)})
        record = to_record(cell, study.compute(cell), time.perf_counter() - started)
        return json.loads(json.dumps(record, allow_nan=False))
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def run_cells(study: Study, cells: Sequence[Cell], where: Workers, folder: Path = RESULTS) -> int:
    """Compute all cells that have no record with the same options, and write their records; the number that failed.

    Other records of the file stay. Failed cells are tried again by the next run.
    """
    from tqdm import tqdm

    if not cells:
        raise UserError("There is nothing to compute: no data set, method, GNN or seed is left.")
    grids = read_records(study.name, folder)["grid"]
    todo = [cell for cell in cells if grids.get(cell.key) != cell.grid]
    failed = 0
    bar = tqdm(total=len(cells), initial=len(cells) - len(todo), desc=study.name, unit="cell", disable=None)
    with bar, closing(computed(compute, study, todo, where)) as outcomes:
        for cell, outcome in outcomes:
            if isinstance(outcome, dict):
                # read again: another run may have written
                records: dict[Any, Any] = read_records(study.name, folder).to_dict("index")
                write_records(records_path(study.name, folder), (records | {cell.key: outcome}).values())
            else:
                failed += 1
                tqdm.write(f"{cell.key}: {outcome or 'its worker died twice (out of memory?)'}", file=sys.stderr)
            bar.update()
    return failed


def compare(study: Study, cell: Cell) -> list[str]:
    """Compute a cell again and compare its numbers with its record; those that differ.

    What is drawn at random on a GPU is not what is drawn on a CPU: the device of the record stands beside its numbers.
    """
    record, values, differences = read_records(study.name).loc[cell.key].dropna(), study.compute(cell), []
    for name in filter(values.__contains__, record.index):
        before, now = (np.asarray(row[name], dtype=np.float64) for row in (record, values))
        if before.shape != now.shape or not np.allclose(before, now, atol=1e-3, equal_nan=True):
            differences.append(f"{name}: {record[name]} on {record['device']}, {values[name]} now")
    return differences
