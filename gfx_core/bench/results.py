"""RESULTS.md: every table from the records on disk, with the sentences that they support. Nothing in it is typed."""

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gfx_core.bench.auc import TITLES
from gfx_core.bench.cells import Record
from gfx_core.bench.record import RESULTS
from gfx_core.bench.studies import STUDIES, study_module
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.explainers.registry import METHODS

CLOSE = 0.01
"""Two AUCs that differ by less are called equal."""

_CHAPTERS = {
    "auc": "AUC and top-k accuracy",
    "ceiling": "What exact enumeration allows",
    "fidelity": "Fidelity, sparsity, connectedness",
    "time": "Time",
    "inductive": "Instances never seen in training",
    "convergence": "Losses and ablations",
}


def write_results(folder: Path | None = None) -> Path:
    """Write RESULTS.md from the records in a folder."""
    folder = folder or RESULTS
    records = {name: _records(folder / f"{study_module(name).BENCHMARK}.json") for name in STUDIES}
    if not records["auc"]:
        raise UserError(f"There are no records of `bench auc` in {folder}: run it first.")
    parts = ["# Results", _intro(), "## Where we stand", *paragraphs(records["auc"], records["ceiling"])]
    for name, title in _CHAPTERS.items():
        if records[name]:
            study = study_module(name)
            made = f"`python -m gfx_core bench {name}`. {machines(records[name], getattr(study, 'TITLES', TITLES))}"
            parts += [f"## {title}", made, study.table(records[name])]
    if (folder / "exact.json").is_file():
        parts += ["## Exactness", *_exactness(json.loads((folder / "exact.json").read_text(encoding="utf-8")))]
    path = folder / "RESULTS.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def _records(path: Path) -> list[Record]:
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


def paragraphs(auc: Sequence[Record], ceiling: Sequence[Record]) -> list[str]:
    """Three paragraphs: the ranks, the heuristics that ask no GNN, and the ceiling."""
    means = _means(auc)
    return [_ranks(means), _heuristics(means), _ceilings(ceiling)]


def _means(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Mean AUC over seeds, by data set and method."""
    values: dict[str, dict[str, list[float]]] = {}
    for record in records:
        if (value := record["values"]["auc_own"]) is not None:
            values.setdefault(record["dataset"], {}).setdefault(record["method"], []).append(value)
    return {d: {m: statistics.fmean(v) for m, v in values[d].items()} for d in DATASETS if d in values}


def _ranks(means: dict[str, dict[str, float]]) -> str:
    said, firsts = [], 0
    for dataset, by_method in means.items():
        asked = {m: v for m, v in by_method.items() if METHODS[m].uses_gnn}
        if "gflowexplainer" not in asked:
            continue
        own = asked["gflowexplainer"]
        better = sorted((m for m in asked if asked[m] > own), key=lambda m: -asked[m])
        firsts += not better
        ahead = ", ".join(f"{TITLES[m]} {asked[m]:.3f}" for m in better)
        place = f"behind {ahead}" if better else "first"
        said.append(f"{TITLES[dataset]} {own:.3f}, {place}")
    return (
        f"**Ranks.** Among the methods that ask the GNN, GFlowExplainer (edge marginals, AUC of the own motif) is "
        f"first on {firsts} of {len(said)} data sets: {'; '.join(said)}."
    )


def _heuristics(means: dict[str, dict[str, float]]) -> str:
    said, close = [], []
    for dataset, by_method in means.items():
        blind = {m: v for m, v in by_method.items() if not METHODS[m].uses_gnn}
        asked = {m: v for m, v in by_method.items() if METHODS[m].uses_gnn}
        if not blind or not asked:
            continue
        best, first = max(blind, key=blind.__getitem__), max(asked, key=asked.__getitem__)
        own = by_method.get("gflowexplainer")
        said.append(f"{TITLES[dataset]}: {TITLES[best]} {blind[best]:.3f}, {TITLES[first]} {asked[first]:.3f}")
        if own is not None and blind[best] >= own - CLOSE:
            close.append(TITLES[dataset])
    verdict = f"does as well as GFlowExplainer, or better, on {', '.join(close)}" if close else "is behind everywhere"
    return (
        f"**Without asking the GNN.** The best of the heuristics that never ask the GNN {verdict} (within {CLOSE}). "
        f"Best heuristic against best explainer: {'; '.join(said)}. Where a heuristic is as good, the data set tells "
        "explainers apart only by their mistakes."
    )


def _ceilings(records: Sequence[Record]) -> str:
    said = []
    for record in records:
        values, dataset = record["values"], record["dataset"]
        if values.get("auc_exact") is None:
            continue
        exact, policy, apart = values["auc_exact"], values["auc_policy"], values["distance_mean"]
        if policy < exact - CLOSE:
            why = "training is what is missing"
        else:
            why = "the policy is at its own target or above it, so the reward on this GNN is the ceiling"
        said.append(
            f"{TITLES[dataset]} ({values['enumerated']} of {values['instances']} instances): exact P ∝ R {exact:.3f}, "
            f"exact best subgraph {values['auc_best']:.3f}, policy {policy:.3f} at a total variation of {apart:.3f}; "
            f"{why}"
        )
    if not said:
        return "**The ceiling.** Not measured yet: run `python -m gfx_core bench ceiling`."
    return (
        "**The ceiling.** On the instances of which every subgraph can be listed, exact P ∝ R is what perfect training "
        f"would give: {'; '.join(said)}."
    )


def _exactness(record: dict[str, Any]) -> list[str]:
    from gfx_core.bench.exact_table import verdict

    made = record["made"]
    return [
        f"`python -m gfx_core bench exact`, {made['device']}, {made['date']}: total variation from R/Z.",
        "\n".join(f"- {line}" for line in verdict(record).splitlines()),
    ]
