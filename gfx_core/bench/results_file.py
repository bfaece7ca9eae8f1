"""RESULTS.md: every table from the records on disk, with the sentences that they support. Nothing in it is typed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gfx_core.bench.cells import Record
from gfx_core.bench.journal import RESULTS, read_table
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.study import Study
from gfx_core.errors import UserError

_INTRO = (
    "Made by `python -m gfx_core bench results` from the records beside this file; one record for each data set, "
    "method and seed, with its configuration, versions, device and seconds. Cells show the mean ± the standard "
    "deviation over seeds (their number). All methods explain the same GNNs on the same instances, every "
    "explainable one, and are scored on the same undirected edges. Rows marked “paper” are figures that the "
    "GFlowExplainer paper reports for other GNNs and another ground truth."
)

MANY = 6
"""More methods than this are not named one by one, if all were measured on one machine."""


def write_results(folder: Path | None = None) -> Path:
    """Write RESULTS.md from the records in a folder."""
    folder = folder or RESULTS
    records = {name: read_records(study, folder) for name, study in STUDIES.items()}
    if not records["auc"]:
        raise UserError(f"There are no records of `bench auc` in {folder}: run it first.")
    parts = ["# Results", _INTRO, "## Where we stand"]
    for name, study in STUDIES.items():
        if study.headline:
            parts += map(str, study.verdicts(records[name]))
    for name, study in STUDIES.items():
        if records[name]:
            parts += [f"## {study.title}", study.question]
            parts.append(f"`python -m gfx_core bench {name}`. {machines(records[name], study.titles)}")
            if not study.headline:
                parts += map(str, study.verdicts(records[name]))
            parts += (table.markdown() for table in study.tables(records[name]))
    path = folder / "RESULTS.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def read_records(study: Study, folder: Path = RESULTS) -> list[Record]:
    """The finished cells of a study; none if it was never run."""
    cells, _ = read_table(folder / f"{study.benchmark}.json")
    return [record for record in cells.values() if record["status"] == "done"]


def machines(records: Sequence[Record], titles: Mapping[str, str]) -> str:
    """On what some records were made."""
    found: dict[str, list[str]] = {}
    for record in records:
        made = record["made"]
        cores = f"{made['cpu_cores']} cores" if "cpu_cores" in made else ""  # the oldest records do not tell
        machine = (made["device"], cores, f"torch {made['versions']['torch']}", made.get("date"))
        methods = found.setdefault(", ".join(filter(None, machine)), [])
        methods.append(titles.get(record["method"], record["method"]))
    names = {machine: list(dict.fromkeys(methods)) for machine, methods in found.items()}
    if len(names) == 1 and len(*names.values()) > MANY:
        return f"All on {next(iter(names))}."
    return "; ".join(f"{', '.join(methods)} on {machine}" for machine, methods in names.items()) + "."
