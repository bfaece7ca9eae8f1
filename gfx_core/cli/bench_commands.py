"""The studies as commands: ``gfx bench run | check | results | gnns | settings``."""

import random
from collections.abc import Sequence
from pathlib import Path

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.claims import claims
from gfx_core.bench.studies import GNN_SEEDS, RESULTS, STUDIES, TITLES, compare, read_records, run_cells
from gfx_core.bench.tables import tables
from gfx_core.cli import Commands, add_command
from gfx_core.device import choose_device
from gfx_core.errors import UserError, look_up
from gfx_core.files import write_text
from gfx_core.parallel import Workers

_CHECKED, _QUICK_S = 20, 10  # cells of each study that `check` computes again, and the longest time that one took


def add_bench(commands: Commands) -> None:
    """``bench``, with a command for studies and for what they need and give."""
    bench = commands.add_parser("bench", help=f"measure: {', '.join(STUDIES)}")
    names = bench.add_subparsers(required=True, metavar="WHAT")
    for function in (run, check, results, gnns, settings):
        add_command(names, function.__name__, function)


def run(
    studies: Sequence[str],
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    gnns: list[str] | None = None,
    device: str = "auto",
    workers: int = 1,
    dask: str | None = None,
    out: Path = RESULTS,
) -> int:
    """Compute the cells of studies that have no record yet, and print their tables and claims.

    Args:
        studies: names of studies
        datasets: some of their data sets
        methods: some of their methods
        gnns: some of their GNNs, such as gin-2
        device: auto, cpu or cuda
        workers: number of processes
        dask: compute on the cluster of this dask scheduler
        out: another folder
    """
    failed, where = 0, Workers(workers, dask)
    device = device if dask else choose_device(device)  # a cluster's workers choose it themselves
    for study in (STUDIES[look_up(name, {name: name for name in STUDIES}, "There is no study")] for name in studies):
        if where != Workers() and not study.side_by_side:
            raise UserError(f"The cells of {study.name} must not disturb each other: leave --workers and --dask out.")
        chosen = [look_up(name, TITLES, "There is no data set") for name in datasets or TITLES]
        tried = [look_up(name, study.titles, f"{study.title} has no method") for name in methods or study.titles]
        cells = [
            cell
            for cell in study.cells(device=device)
            if cell.dataset in chosen and cell.method in tried and cell.gnn in (gnns or [cell.gnn])
        ]
        failed += run_cells(study, cells, where, out)
        by_name = tables(out)
        for table in (table for table in by_name.values() if table.study == study.name):
            print(f"**{table.title}**\n\n{table.markdown()}\n")
        for claim in (claim for claim in claims(by_name) if claim.study == study.name):
            print(f"{claim.sentence} {claim.verdicts}: {claim.numbers}.")
    return 1 if failed else 0


def check() -> int:
    """Compute sampled cells again and compare their numbers with the records."""
    failed = False
    for study in (study for study in STUDIES.values() if study.side_by_side):
        records = read_records(study.name)
        quick = set(records[records["wall_s"] <= _QUICK_S]["key"])
        cells = [cell for cell in study.cells() if cell.key in quick]
        for cell in random.Random(0).sample(cells, min(_CHECKED, len(cells))):
            try:
                differences = compare(study, cell)
            except UserError as error:  # such as a data set that cannot be downloaded
                differences = [str(error)]
            print(f"{study.name}/{cell.key}: {'; '.join(differences) or 'as in the records'}", flush=True)
            failed |= bool(differences)
    return failed


def results() -> None:
    """Write RESULTS.md and the numbers of the documents from all records."""
    from gfx_core.bench import report

    for path, text in report.results().items():
        write_text(path, text)
        print(f"→ {path}")


def gnns(datasets: list[str] | None = None, device: str = "auto", workers: int = 1) -> None:
    """Train the GNNs that studies explain, and print how good they are.

    Args:
        datasets: some of the data sets
        device: auto, cpu or cuda
        workers: number of processes
    """
    from gfx_core.bench.gnns import train_gnns

    seeds = range(GNN_SEEDS)
    kinds = STUDIES["reasons"].methods
    names = [(dataset, f"{kind}-{seed}") for dataset in datasets or TITLES for kind in kinds for seed in seeds]
    for line in train_gnns(names, Workers(workers), device):
        print(line, flush=True)


def settings(
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    workers: int = 1,
) -> None:
    """Choose every explainer's settings by one rule.

    Args:
        datasets: some of the data sets
        methods: some of the explainers
        workers: number of processes
    """
    from gfx_core.bench.explainers import choose_settings

    for line in choose_settings(datasets or [*TITLES], methods or [*METHODS], Workers(workers)):
        print(line, flush=True)
