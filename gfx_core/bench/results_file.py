"""RESULTS.md: every table from the records on disk, with the sentences that they support. Nothing in it is typed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gfx_core.bench.cells import Record
from gfx_core.bench.journal import RESULTS, read_table
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.verdicts import CLOSE
from gfx_core.errors import UserError
from gfx_core.files import replacing, why_unwritten

_INTRO = (
    "Made by `python -m gfx_core bench results` from the records beside this file; one record for each data set, "
    "method and seed, with its configuration, versions, device and seconds. Cells show the mean ± the standard "
    "deviation over seeds (their number). All methods explain the same GNNs on the same instances and are scored on "
    "the same undirected edges. Rows marked “paper” are figures that the GFlowExplainer paper reports for other GNNs "
    "and another ground truth."
)

_HOW_TO_READ = (
    "How to read the tables of quality:\n\n"
    "- **Two halves.** The explainable instances were shuffled once. Settings are chosen on the *tuning half*; tables "
    "come from the *reporting half*, and every title says so. Explainers that learn have learnt from both halves, "
    "without ever seeing a motif. Where trained weights are shipped they are the first seed; each file's header tells "
    "where it was trained.\n"
    "- **Wrong answers.** What is explained is the GNN's answer. Where that is wrong the motif cannot be its reason: "
    "such instances are left out. Their number stands below the methods, and a table of its own has them in.\n"
    "- **Controls.** Some rows cannot know the GNN's reasons: heuristics that never ask it, GFlowExplainer before its "
    "training, GFlowExplainer trained on a GNN that always gives the same answer. Where one of them is within "
    f"{CLOSE} of the best explainer the column tells nothing: it is marked §, and a first place in it does not count.\n"
    "- **Reasons.** A motif can be in the data and yet not be the GNN's reason. P(class │ motif alone) stands below "
    "the methods, and a column whose GNN does not name its class by the motif alone is marked ‡.\n"
    f"- **Ties.** Numbers within {CLOSE} of each other are called level, everywhere."
)

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
    parts = ["# Results", _INTRO, _HOW_TO_READ, "## Where we stand"]
    for name, study in STUDIES.items():
        if study.headline:
            parts += map(str, study.verdicts(records[name]))
    for name, study in STUDIES.items():
        if records[name]:
            parts += [f"## {study.title}", study.question]
            made = (f"{command(study)}.", machines(records[name], study.titles), coverage(study, records[name]))
            parts.append(" ".join(filter(None, made)))
            if not study.headline:
                parts += map(str, study.verdicts(records[name]))
            parts += (table.markdown() for table in study.tables(records[name]))
    if missing := [study for name, study in STUDIES.items() if not records[name]]:
        parts += ["## To be measured", TO_BE_MEASURED]
        parts.append("\n".join(f"- {study.title}: {command(study)}" for study in missing))
    path = folder / "RESULTS.md"
    try:
        with replacing(path) as part:
            part.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path.name} cannot be written: {why_unwritten(error)}.") from error
    return path


def read_records(study: Study, folder: Path = RESULTS) -> list[Record]:
    """The finished cells of a study; none if it was never run."""
    cells, _ = read_table(folder / f"{study.benchmark}.json")
    return [record for record in cells.values() if record["status"] == "done"]


def command(study: Study) -> str:
    """What measures a study."""
    return f"`python -m gfx_core bench {study.name}`"


def coverage(study: Study, records: Sequence[Record]) -> str:
    """Which share of a study's cells some records are, in a sentence; nothing if they are all of them."""
    devices = {record["options"].get("device", "cpu") for record in records}
    every = [Asked(list(study.datasets), list(study.methods), device=device) for device in devices]
    wanted = {cell.key for asked in every for cell in study.cells(asked)}
    found = wanted & {record["key"] for record in records}
    if len(found) == len(wanted):
        return ""
    absent = study.named(name for name in study.datasets if name not in {record["dataset"] for record in records})
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
        cores = f"{made['cpu_cores']} cores" if "cpu_cores" in made else ""  # the oldest records do not tell
        machine = (made["device"], cores, f"torch {made['versions']['torch']}", made.get("date"))
        methods = found.setdefault(", ".join(filter(None, machine)), [])
        methods.append(titles.get(record["method"], record["method"]))
    names = {machine: list(dict.fromkeys(methods)) for machine, methods in found.items()}
    if len(names) == 1 and len(*names.values()) > MANY:
        return f"All on {next(iter(names))}."
    return "; ".join(f"{', '.join(methods)} on {machine}" for machine, methods in names.items()) + "."
