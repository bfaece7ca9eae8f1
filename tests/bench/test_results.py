"""What the shipped records come to: no number has changed, claims follow their rules, documents are current."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.baselines.registry import OWN
from gfx_core.bench import report
from gfx_core.bench.claims import CLAIMS, Claim, claims
from gfx_core.bench.studies import CONTENT, read_records, write_records
from gfx_core.bench.tables import Entry, Table, TableRow, tables
from gfx_core.metrics.intervals import RESAMPLES, interval

FROZEN: dict[str, Any] = json.loads(Path(__file__).with_name("frozen.json").read_text(encoding="utf-8"))
RENAMED = ("GFlowExplainer, exact flows of listed subgraphs", "GFlowExplainer, learned policy")
"""Rows that are called what they are."""
DROPPED = {"The GNN: accuracy on the test part", "The GNN: its student agrees on the whole"}
DROPPED |= {"The GNN: explained through the student", "Share that can be listed", "Exact P ∝ R"}
DROPPED |= {"GFlowExplainer, always as is"}  # has tables of its own
RULES = {
    "auc_order": ": order weights of one sample (the paper's rule)",
    "auc_own": ": its own rule (ours: exact or expected marginals; others: order weights of a greedy one)",
}
"""How rows were called that have tables of their own now."""
shown = cache(tables)


@cache
def decided() -> dict[str, Claim]:
    return {claim.name: claim for claim in claims(shown())}


@cache
def frozen_tables() -> dict[str, dict[str, dict[str, str]]]:
    """The numbers of each table by title, row and data set, as they were."""
    frozen = {}
    for heading, table in [pair for study in FROZEN.values() for pair in study["tables"].items()]:
        title = heading.replace(" (reporting half)", "")
        title = title.replace("(CPU, 2 cores", "(on a CPU").replace("(NVIDIA H200", "(on a GPU")
        frozen[title] = table["rows"]
    return frozen


@pytest.mark.parametrize("name", [entry["name"] for entry in CONTENT["table"]])
def test_numbers_have_not_changed(name: str) -> None:
    table, frozen = shown()[name], frozen_tables()
    before = frozen.get(table.title.replace(", which all query as it is", ""), {})
    if name in RULES:
        before = {label.removesuffix(RULES[name]): row for label, row in frozen["AUC by scoring rule"].items()}
    pattern = re.compile("|".join(RENAMED))
    labels = {pattern.sub("GFlowExplainer", row.label): row for row in table.rows}
    if name not in ("auc_student", "auc_plain", *RULES):
        assert before.keys() - labels.keys() <= DROPPED
    for label, row in labels.items():
        as_is = name.endswith("as_is") and row.method == OWN
        where = before.get("GFlowExplainer, always as is" if as_is else label, {})
        for column in where.keys() & row.entries.keys():
            assert table.text(row, column) == re.sub(r" \(\d+\)$", "", where[column]), (label, column)


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"[+−]?\d*\.?\d+", text))


def test_verdicts_have_not_changed_but_for_the_paired_ones() -> None:
    every = [claim for study in FROZEN.values() for claim in study["claims"]]
    kept = {(verdict, tuple(numbers(number))) for _, verdict, number, _ in every}
    assert len(decided()) == len(CLAIMS["claim"])
    for claim in decided().values():
        values = numbers(claim.number)
        near = tuple(sorted([*values, "0.1"]))  # the rule stands in the sentence
        if claim.name != "f1":
            assert (claim.verdict, tuple(values)) in kept or (claim.verdict, near) in kept, claim


def test_exact_flows_are_called_what_they_are() -> None:
    records = read_records("explainers")
    own = records[(records["method"] == OWN) & records["auc"].notna()]
    assert (own["listed"] == 1).all()
    assert "exact flows" in shown()["f1"].rows[0].label


def test_claims_of_the_paper_are_judged_by_both_rules() -> None:
    claim = decided()["rg"]
    assert (claim.verdict, claim.paper_verdict) == ("holds", "does not hold here")
    assert numbers(claim.paper_number)[:1] == ["−0.008"]
    turned = [name for name, claim in decided().items() if claim.paper_verdict != claim.verdict]
    assert set(turned) == {"auc", "parents_auc", "rg", "rg_few", "parents_few"}


def test_differences_are_paired_over_the_same_owners() -> None:
    """The slow way: SubgraphX explained half as many instances; only those count, one owner after the other."""
    records = read_records("explainers").set_index(["dataset", "method", "gnn", "seed", "variant"]).sort_index()
    owners = records.loc["benzene", "subgraphx", "sum-0", 0, "as is"]["owners"]
    names, rng = sorted(set(owners.tolist())), np.random.RandomState(0)
    samples = rng.randint(len(names), size=(RESAMPLES, len(names)))
    means = {}
    for method, seeds in ((OWN, range(3)), ("subgraphx", range(1))):
        means[method] = np.zeros(RESAMPLES)
        for gnn, seed in np.ndindex(3, len(seeds)):
            record = records.loc["benzene", method, f"sum-{gnn}", seed, "as is"]
            scores, pairs = iter(record["f1"]), zip(record["owners"], record["right"], strict=True)
            by_owner = {owner: next(scores) for owner, right in pairs if right}
            for number, sample in enumerate(samples):
                drawn = [by_owner[names[i]] for i in sample if names[i] in owners and names[i] in by_owner]
                means[method][number] += np.mean(drawn) / 3 / len(seeds)
    rows = {row.method: row.entries for row in shown()["f1"].rows}
    paired = rows[OWN]["benzene"].resampled(len(owners)) - rows["subgraphx"]["benzene"].resampled()
    assert paired == pytest.approx(means[OWN] - means["subgraphx"])
    _, high = interval(paired) or (0, 0)
    assert high < 0
    best, _ = shown()["f1"].leaders("benzene")
    assert "SubgraphX" in best
    assert not any(label.startswith("GFlowExplainer") for label in best)
    assert str(decided()["f1"].values["share"]).startswith("5 of 8")


def toy(best: str, **rows: float) -> Table:
    methods = {"ours": OWN, "other": "saliency", "control": "random"}
    entries = [TableRow(label, {"d": Entry([mean])}, methods[label]) for label, mean in rows.items()]
    return Table("toy", "toy", "Toy", "f1", best=best, columns={"d": "D"}, rows=entries)


def test_a_control_is_never_best_and_silences_its_column() -> None:
    table = toy("high", ours=0.9, other=0.8, control=0.7)
    assert table.leaders("d") == ({"ours"}, False)
    assert table.markdown().startswith("|  | D |\n|---|---:|\n| ours | 0.900 |")
    assert toy("low", ours=0.9, other=0.8, control=0.95).leaders("d") == ({"other"}, False)
    assert toy("high", ours=0.9, other=0.8, control=0.895).leaders("d") == (set(), True)
    assert toy("high", ours=0.9, other=0.8, control=0.95).leaders("d") == (set(), True)
    assert toy("", ours=0.9, other=0.8).leaders("d") == toy("high", ours=0.9, other=0.9).leaders("d") == (set(), False)


def test_results_and_documents_are_current() -> None:
    texts = report.results()
    assert {path.name for path in texts} == {"RESULTS.md", "answers.svg", "README.md"} | {
        f"{name}.md" for name in report.TITLES
    }
    for path, text in texts.items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_a_folder_with_a_few_records_has_tables_and_no_claims(tmp_path: Path) -> None:
    records = read_records("explainers")
    few = records[(records["method"] == "saliency") & (records["dataset"] == "tree_cycles")]
    few = few.dropna(axis="columns", how="all")
    write_records(tmp_path / "explainers.parquet", few.to_dict("records"))
    made = tables(tmp_path)
    assert [row.method for row in made["f1"].rows] == ["saliency"]
    assert claims(made) == []
