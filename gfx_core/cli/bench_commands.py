"""The studies as commands: ``python -m gfx_core bench answers | auc | time | … | results``."""

import argparse
from pathlib import Path

from gfx_core.baselines.registry import METHODS, SETTINGS, method_info
from gfx_core.bench.report import ICONS, STUDIES, write_results
from gfx_core.bench.run import RunOptions, run_cells
from gfx_core.bench.study import GNNS, KINDS, Study, Sweep
from gfx_core.cli import add_workers
from gfx_core.datasets.graph import Half
from gfx_core.datasets.registry import dataset_info
from gfx_core.device import choose_device
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.parallel import Workers


def add_bench(bench: argparse.ArgumentParser) -> None:
    """A command for each study, and one for the results of all."""
    names = bench.add_subparsers(required=True, metavar="STUDY")
    for study in STUDIES.values():
        command = names.add_parser(study.name, help=study.question)
        _add_options(command, study)
        command.set_defaults(run=lambda options, study=study: run_study(study, options))
    _add_gnns(names.add_parser("gnns", help="train the GNNs that studies explain, and print how good they are"))
    _add_settings(names.add_parser("settings", help="choose every explainer's settings by one rule"))
    results = names.add_parser(
        "results", help="write RESULTS.md, numbers and figures of the documents from all records"
    )
    results.add_argument("--out", type=Path, metavar="FOLDER", help="where the records are (default: assets/results)")
    results.set_defaults(run=lambda options: write_all(options.out))


def write_all(folder: Path | None) -> None:
    """RESULTS.md from the records in a folder, and from the shipped ones the documents in assets/docs."""
    from gfx_core.bench.documents import write_documents

    print(f"→ {write_results(folder)}")
    for path in write_documents() if folder is None else ():
        print(f"→ {path}")


def _add_gnns(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--device", default="auto", help="auto, cpu or cuda (default: %(default)s)")
    add("--datasets", nargs="+", metavar="NAME", help="by default: all whose reasons are known")
    add("--kinds", nargs="+", metavar="KIND", help="some of: sum, sum-plain, gcn, gin")
    add("--seeds", type=int, default=3, metavar="N", help="seeds 0 to N - 1 (default: %(default)s)")
    add("--workers", type=int, default=1, metavar="N", help="processes (default: %(default)s)")
    add("--out", type=Path, metavar="FOLDER", default=GNNS, help="where to write (default: assets/results/gnns)")
    command.set_defaults(run=_train_gnns)


def _train_gnns(options: argparse.Namespace) -> int:
    from gfx_core.bench import subjects

    names = [dataset_info(name).name for name in options.datasets or Study.datasets]
    every = [(name, kind, seed) for name in names for kind in options.kinds or KINDS for seed in range(options.seeds)]
    folder, failed = options.out, 0
    for line in subjects.train_subjects(every, Workers(options.workers), options.device, folder):
        print(line, flush=True)
        failed += ": failed" in line
    print(f"{subjects.dataset_table(folder).markdown()}\n→ {folder}")
    return 1 if failed else 0


def _add_settings(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--device", default="cpu", help="auto, cpu or cuda (default: %(default)s)")
    add("--datasets", nargs="+", metavar="NAME", help="by default: all whose reasons are known")
    add("--gnns", nargs="+", metavar="KIND", default=[DEFAULT_KIND], help="of sum, sum-plain, gcn, gin (default: sum)")
    add("--methods", nargs="+", metavar="NAME", help="by default: all")
    add("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/results)")
    add_workers(command)
    command.set_defaults(run=_choose_settings)


def _choose_settings(options: argparse.Namespace) -> None:
    from gfx_core.bench.choose_settings import choose, settings_table

    datasets = [dataset_info(name).name for name in options.datasets or Study.datasets]
    methods = [method_info(name).name for name in options.methods or METHODS]
    path = (options.out or SETTINGS.parent) / SETTINGS.name
    where = Workers(1 if options.workers is None else options.workers, options.dask)
    for line in choose(datasets, options.gnns, methods, options.device, where, path):
        print(line, flush=True)
    print("\n\n".join(settings_table(path, gnn).markdown() for gnn in options.gnns))
    print(f"→ {path}")


def _add_options(command: argparse.ArgumentParser, study: Study) -> None:
    add = command.add_argument
    add("--device", default="auto", help="auto, cpu or cuda (default: %(default)s)")
    add("--datasets", nargs="+", metavar="NAME", help=f"by default: {', '.join(study.datasets)}")
    add("--methods", nargs="+", metavar="NAME", help=f"some of: {', '.join(study.methods)}")
    if study.gnns:
        add("--gnns", nargs="+", metavar="NAME", help=f"some of: {', '.join(study.gnns)}")
    add("--seeds", type=int, metavar="N", help="seeds 0 to N - 1 (default: by study and method)")
    add("--quick", action="store_true", help="few instances, hardly any training: to see that it works")
    if "half" in study.options:
        add("--half", choices=list(Half), help=f"which instances are scored (default: {study.options['half']})")
    add("--out", type=Path, metavar="FOLDER", help="where to write (default: assets/results)")
    add_workers(command)


def run_study(study: Study, options: argparse.Namespace) -> int:
    """Compute the cells of a study that are not finished yet and print its tables; 1 if one has failed."""
    if options.quick and options.out is None:
        raise UserError("--quick would mix with the shipped results: choose another folder with --out.")
    half = getattr(options, "half", None)
    if half not in (None, study.options.get("half")) and options.out is None:
        raise UserError(f"--half {half} would mix with the shipped results: choose another folder with --out.")
    if options.seeds is not None and options.seeds < 1:
        raise UserError(f"--seeds must be at least 1 (got {options.seeds}).")
    if study.workers is not None and (options.dask is not None or options.workers not in (None, study.workers)):
        raise UserError(f"The cells of {study.name} must not disturb each other: leave --workers and --dask out.")
    sweep = Sweep(
        list(dict.fromkeys(study.name_of(each, "data set") for each in options.datasets or study.datasets)),
        list(dict.fromkeys(study.name_of(each, "method") for each in options.methods or study.methods)),
        options.seeds,
        options.device if options.dask else choose_device(options.device),  # a cluster's workers choose it themselves
        options.quick,
        half,
        [study.name_of(each, "GNN") for each in getattr(options, "gnns", None) or ()],
    )
    where = RunOptions(1 if options.workers is None else options.workers, options.dask, options.out)
    outcome = run_cells(study, study.cells(sweep), where)
    print("\n\n".join(table.markdown() for table in study.tables(outcome.records)))
    for claim in study.claims(outcome.records):
        print(f"{ICONS[claim.verdict]} {claim.sentence} {claim.verdict.capitalize()}: {claim.number}.")
    print(f"→ {outcome.path}")
    return 1 if outcome.failed else 0
