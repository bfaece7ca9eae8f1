"""All studies, their records on disk, and RESULTS.md: every table with a sentence. Nothing in it is typed.

A study is added by a file of its own and a line here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gfx_core.bench.answer_quality import AnswerQuality
from gfx_core.bench.any_gnn import AnyGnn
from gfx_core.bench.ceiling import Ceiling
from gfx_core.bench.gnns import Calibration, Reasons
from gfx_core.bench.learners import Convergence, ExplainerTimes, Inductive
from gfx_core.bench.losses import Losses
from gfx_core.bench.quality import Auc, Fidelity
from gfx_core.bench.speed import Speed
from gfx_core.bench.study import Study, Sweep
from gfx_core.bench.tables import CLOSE, Record
from gfx_core.config import ASSETS
from gfx_core.errors import UserError
from gfx_core.files import replacing, why_unwritten

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        AnswerQuality(),
        Auc(),
        AnyGnn(),
        Reasons(),
        Ceiling(),
        Calibration(),
        Fidelity(),
        ExplainerTimes(),
        Inductive(),
        Convergence(),
        Losses(),
        Speed(),
    )
}
"""By name, in the order in which they are shown."""

RESULTS = ASSETS / "results"
"""Where the shipped records are."""

_AGAIN = "put it back from git, move it away and measure again, or choose another folder with --out."

TO_BE_MEASURED = (
    "The GNNs and the policies have been made again since these studies were last run, so their numbers are no longer "
    "shown. Each command measures one of them."
)

MANY = 6
"""More methods than this are not named one by one, if all were measured on one machine."""


def write_results(folder: Path | None = None) -> Path:
    """Write RESULTS.md from the records in a folder."""
    folder = folder or RESULTS
    records = {name: read_records(study, folder) for name, study in STUDIES.items()}
    if not records["auc"]:
        raise UserError(f"There are no records of `bench auc` in {folder}: run it first.")
    how_to_read = (ASSETS / "content" / "results.md").read_text(encoding="utf-8").strip().format(close=CLOSE)
    parts = ["# Results", how_to_read]
    for name, study in STUDIES.items():
        if records[name]:
            parts += [f"## {study.title}", f"{study.question} {study.finding(records[name])}".strip()]
            made = (f"{command(study)}.", machines(records[name], study.titles), coverage(study, records[name]))
            parts.append(" ".join(filter(None, made)))
            parts += (table.markdown() for table in study.tables(records[name]))
    if missing := [study for name, study in STUDIES.items() if not records[name]]:
        parts += ["## To be measured", TO_BE_MEASURED]
        parts.append("\n".join(f"- {study.title}: {command(study)}" for study in missing))
    path = folder / "RESULTS.md"
    _write(path, "\n\n".join(parts) + "\n")
    return path


def _write(path: Path, text: str) -> None:
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{path.name} cannot be written: {why_unwritten(error)}. Make room, or choose another folder with --out."
        ) from error


def write_table(path: Path, benchmark: str, cells: Iterable[Record]) -> None:
    """Write the records of a study to its file."""
    table = {"benchmark": benchmark, "cells": list(cells)}
    _write(path, json.dumps(table, indent=1, ensure_ascii=False) + "\n")


def read_table(path: Path) -> dict[str, Record]:
    """The records of a table's file by key."""
    try:
        table = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        json.dumps(table, allow_nan=False)  # ValueError where a number is none, or infinite: nothing can be made of it
        cells = {cell["key"]: cell for cell in table.get("cells", [])}
        damaged = [key for key, cell in cells.items() if not is_record(cell)]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UserError(f"{path.name} is not a table of cells: {_AGAIN}") from error
    if damaged:
        raise UserError(f"{path.name} holds something else than records (“{str(damaged[0])[:60]}”): {_AGAIN}")
    return cells


def is_record(cell: Record) -> bool:
    """Whether a finished cell has what every reader of records relies on."""
    texts = all(isinstance(cell.get(name), str) for name in ("key", "dataset", "method", "status"))
    parts = all(isinstance(cell.get(name), dict) for name in ("options", "made", "values"))
    return texts and parts and isinstance(cell["made"].get("versions"), dict) and "torch" in cell["made"]["versions"]


def read_records(study: Study, folder: Path = RESULTS) -> list[Record]:
    """The finished cells of a study; none if it was never run."""
    return list(read_table(folder / f"{study.benchmark}.json").values())


def command(study: Study) -> str:
    """What measures a study."""
    return f"`python -m gfx_core bench {study.name}`"


def coverage(study: Study, records: Sequence[Record]) -> str:
    """Which share of a study's cells some records are, in a sentence; nothing if they are all of them."""
    devices = {record["options"].get("device", "cpu") for record in records}
    every = [Sweep(list(study.datasets), list(study.methods), device=device) for device in devices]
    wanted = {cell.key for sweep in every for cell in study.cells(sweep)}
    found = wanted & {record["key"] for record in records}
    if len(found) == len(wanted):
        return ""
    absent = study.listed(name for name in study.datasets if name not in {record["dataset"] for record in records})
    on = f", and nothing yet on {absent}" if absent else ""
    return (
        f"So far {len(found)} of {len(wanted)} cells (data set, method, seed) are measured{on}; {command(study)} "
        "measures the others."
    )


def machines(records: Sequence[Record], titles: Mapping[str, str]) -> str:
    """On what some records were made."""
    found: dict[str, list[str]] = {}
    for record in records:
        made = record["made"]
        machine = f"{made['device']}, {made['cpu_cores']} cores, torch {made['versions']['torch']}, {made['date']}"
        found.setdefault(machine, []).append(titles.get(record["method"], record["method"]))
    names = {machine: list(dict.fromkeys(methods)) for machine, methods in found.items()}
    if len(names) == 1 and len(*names.values()) > MANY:
        return f"All on {next(iter(names))}."
    return "; ".join(f"{', '.join(methods)} on {machine}" for machine, methods in names.items()) + "."
