"""RESULTS.md: every table from the records on disk, with the sentences that they support. Nothing in it is typed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gfx_core.bench.auc import TITLES
from gfx_core.bench.cells import Record
from gfx_core.bench.record import RESULTS
from gfx_core.bench.studies import study_module
from gfx_core.bench.verdicts import VERDICTS
from gfx_core.errors import UserError


@dataclass(frozen=True)
class Chapter:
    """One study among the results.

    Attributes:
        title: Its name for people.
        question: What it asks.
    """

    title: str
    question: str


CHAPTERS = {
    "auc": Chapter("AUC and top-k accuracy", "Do an explainer's highest-scored edges lie in the true motif?"),
    "ceiling": Chapter(
        "What exact enumeration allows", "How good would perfect training be, and how near to it are the policies?"
    ),
    "fidelity": Chapter(
        "Fidelity, sparsity, connectedness", "Are the edges that an explainer names enough for the GNN's answer?"
    ),
    "time": Chapter("Time", "How long do explainers learn, and how long do they take to explain?"),
    "inductive": Chapter(
        "Instances never seen in training", "What do learners make of motifs that they were not trained on?"
    ),
    "convergence": Chapter(
        "Losses and ablations", "Which loss, and which parents of a state, bring the policy to its target?"
    ),
    "tuning": Chapter("Training on one instance", "What does a policy gain from training on one prediction alone?"),
}
"""By study, in the order in which they are shown."""


def write_results(folder: Path | None = None) -> Path:
    """Write RESULTS.md from the records in a folder."""
    folder = folder or RESULTS
    records = {name: read_records(name, folder) for name in CHAPTERS}
    if not records["auc"]:
        raise UserError(f"There are no records of `bench auc` in {folder}: run it first.")
    parts = ["# Results", _intro(), "## Where we stand"]
    for name in ("auc", "ceiling"):
        parts += map(str, VERDICTS[name](records[name]))
    for name, chapter in CHAPTERS.items():
        if records[name]:
            study = study_module(name)
            made = f"`python -m gfx_core bench {name}`. {machines(records[name], getattr(study, 'TITLES', TITLES))}"
            said = [] if name in ("auc", "ceiling") else list(map(str, VERDICTS[name](records[name])))
            tables = (table.markdown() for table in study.tables(records[name]))
            parts += [f"## {chapter.title}", chapter.question, made, *said, *tables]
    if (folder / "exact.json").is_file():
        parts += ["## Exactness", *_exactness(json.loads((folder / "exact.json").read_text(encoding="utf-8")))]
    path = folder / "RESULTS.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def read_records(study: str, folder: Path = RESULTS) -> list[Record]:
    """The finished cells of a study; none if it was never run."""
    path = folder / f"{study_module(study).BENCHMARK}.json"
    if not path.is_file():
        return []
    return [record for record in json.loads(path.read_text(encoding="utf-8"))["cells"] if record["status"] == "done"]


def _intro() -> str:
    return (
        "Made by `python -m gfx_core bench results` from the records beside this file; one record for each data set, "
        "method and seed, with its configuration, versions, device and seconds. Cells show the mean ± the standard "
        "deviation over seeds (their number). All methods explain the same GNNs on the same instances, every "
        "explainable one, and are scored on the same undirected edges. Rows marked “paper” are figures that the "
        "GFlowExplainer paper reports for other GNNs and another ground truth."
    )


def machines(records: Sequence[Record], titles: Mapping[str, str] = TITLES) -> str:
    """On what some records were made."""
    found: dict[str, list[str]] = {}
    for record in records:
        made = record["made"]
        versions = made["versions"]
        machine = f"{made['device']}, {made['cpu_cores']} cores, torch {versions['torch']}, {made['date']}"
        found.setdefault(machine, []).append(str(titles.get(record["method"], record["method"])))
    lines = [f"{', '.join(dict.fromkeys(methods))} on {machine}" for machine, methods in found.items()]
    return f"{'; '.join(lines)}."


def _exactness(record: dict[str, Any]) -> list[str]:
    from gfx_core.bench.exact_table import verdict

    made = record["made"]
    return [
        f"`python -m gfx_core bench exact`, {made['device']}, {made['date']}: total variation from R/Z.",
        "\n".join(f"- {line}" for line in verdict(record).splitlines()),
    ]
