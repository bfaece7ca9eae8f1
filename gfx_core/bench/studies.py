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
    "auc": ("auc", "AUC and top-k accuracy of every explainer (Table 1)"),
    "fidelity": ("fidelity", "fidelity, sparsity and connectedness of the same explanations"),
    "time": ("times", "seconds of training, milliseconds of explaining, and training until the AUC is final"),
    "inductive": ("inductive", "AUC on instances that were not trained on, by the share that was"),
    "convergence": ("convergence", "flow matching by kinds of parents, and trajectory balance, along their training"),
    "ceiling": ("ceiling", "what exact P ∝ R allows, and how far the shipped policies are from it"),
    "tuning": ("tuning", "what training a policy further on one instance brings"),
}
"""Module and purpose of each command; a module named time would hide Python's own."""


def study_module(name: str) -> Any:
    """The module of a study: BENCHMARK, FUNCTION, VALUE, cells, cost and tables, and what it may have besides.

    These are figure, if its records can be drawn, and LEGEND, if its marks need one; WORKERS, if more processes would
    spoil it; OWN_DATASETS, if it does not take all by default; OWN_METHODS (titles by name), if they are not the
    explainers of the registry.
    """
    return import_module(f"gfx_core.bench.{STUDIES[name][0]}")


def add_study(command: argparse.ArgumentParser) -> None:
    """The options of one study."""
    command.add_argument("--datasets", nargs="+", metavar="NAME", help=f"some of: {', '.join(DATASETS)}")
    command.add_argument(
        "--methods",
        nargs="+",
        metavar="NAME",
        help=f"some of: {', '.join(METHODS)}; inductive and convergence have their own",
    )
    command.add_argument("--seeds", type=int, metavar="N", help="seeds 0 to N - 1 (default: by study and method)")
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
    study = study_module(name)
    if options.quick and options.out is None:
        raise UserError("--quick would mix with the shipped results: choose another folder with --out.")
    if options.seeds is not None and options.seeds < 1:
        raise UserError(f"--seeds must be at least 1 (got {options.seeds}).")
    if options.figure is not None and not hasattr(study, "figure"):
        raise UserError(f"The study {name} draws no figure: leave --figure out.")
    workers = options.workers
    if hasattr(study, "WORKERS"):
        if options.dask is not None or workers not in (None, study.WORKERS):
            raise UserError(f"The cells of {name} must not disturb each other: leave --workers and --dask out.")
        workers = study.WORKERS
    datasets = [dataset_info(each).name for each in options.datasets or getattr(study, "OWN_DATASETS", DATASETS)]
    given = None if options.methods is None else [_method_name(study, each) for each in options.methods]
    cells = study.cells(datasets, given, options.seeds, choose_device(options.device), options.quick)
    outcome = run_cells(
        cells,
        study.FUNCTION,
        workers=workers,
        dask=options.dask,
        fresh=options.fresh,
        folder=options.out,
        value=study.VALUE,
        cost=study.cost,
    )
    print("\n\n".join(table.markdown() for table in study.tables(outcome.records)))
    print(f"→ {outcome.path}")
    if options.figure is not None:
        record = json.loads(outcome.path.read_text(encoding="utf-8"))
        study.figure(record).write_html(options.figure, include_plotlyjs=True)
        print(f"→ {options.figure}")
    return outcome.status


def _method_name(study: Any, name: str) -> str:
    """The name of one of the study's methods, given by name or title."""
    if not hasattr(study, "OWN_METHODS"):
        return method_info(name).name
    wanted = name.strip().lower()
    for key, title in study.OWN_METHODS.items():
        if wanted in (key, title.lower()):
            return str(key)
    raise UserError(f"This study has no method “{name[:60]}”. Choose one of: {', '.join(study.OWN_METHODS)}.")
