"""The paper's tables as commands: ``python -m gfx_core bench auc | fidelity | time | inductive | convergence``."""

import argparse
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from gfx_core.bench.runner import add_run_options, run_cells
from gfx_core.datasets.registry import DATASETS, dataset_info
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.explainers.registry import METHODS, method_info

STUDIES = {
    "auc": "AUC and top-k accuracy of every explainer (Table 1)",
    "fidelity": "fidelity, sparsity and connectedness of the same explanations",
}


def add_study(command: argparse.ArgumentParser) -> None:
    """The options of one study."""
    command.add_argument("--datasets", nargs="+", metavar="NAME", help=f"some of: {', '.join(DATASETS)}")
    command.add_argument("--methods", nargs="+", metavar="NAME", help=f"some of: {', '.join(METHODS)}")
    command.add_argument("--seeds", type=int, metavar="N", help="seeds 0 to N - 1 (default: 10; by method)")
    command.add_argument(
        "--quick", action="store_true", help="few instances, hardly any training: to see that it works"
    )
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/results)")
    command.add_argument(
        "--figure", type=Path, metavar="FILE", help="draw the records into an HTML file, if they can be"
    )
    add_run_options(command)


def run_study(name: str, options: argparse.Namespace) -> int:
    """Compute the cells of a study that are not finished yet and print its tables; 1 if one has failed."""
    study: Any = import_module(f"gfx_core.bench.{name}")
    if options.quick and options.out is None:
        raise UserError("--quick would mix with the shipped results: choose another folder with --out.")
    if options.seeds is not None and options.seeds < 1:
        raise UserError(f"--seeds must be at least 1 (got {options.seeds}).")
    datasets = [dataset_info(each).name for each in options.datasets or DATASETS]
    given = None if options.methods is None else [method_info(each).name for each in options.methods]
    cells = study.cells(datasets, given, options.seeds, choose_device(options.device), options.quick)
    outcome = run_cells(
        cells,
        study.FUNCTION,
        workers=options.workers,
        dask=options.dask,
        fresh=options.fresh,
        folder=options.out,
        value=study.VALUE,
        cost=study.cost,
    )
    print(study.table(outcome.records))
    print(f"→ {outcome.path}")
    if options.figure is not None:
        record = json.loads(outcome.path.read_text(encoding="utf-8"))
        study.figure(record).write_html(options.figure, include_plotlyjs=True)
        print(f"→ {options.figure}")
    return outcome.status
