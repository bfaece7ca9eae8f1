"""What the shipped records come to: no number has changed, claims follow their rules, documents are current."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.baselines.registry import OWN
from gfx_core.bench import report
from gfx_core.bench.claims import CLAIMS, Claim, claims
from gfx_core.bench.studies import read_records, write_records
from gfx_core.bench.tables import Entry, Table, TableRow, tables
from gfx_core.metrics.intervals import RESAMPLES, interval

FROZEN: dict[str, Any] = json.loads(Path(__file__).with_name("frozen.json").read_text(encoding="utf-8"))
"""All numbers of the tables and claims, as they were measured and shown."""
shown = cache(tables)


@cache
def decided() -> dict[str, Claim]:
    return {claim.name: claim for claim in claims(shown())}


def test_numbers_and_verdicts_have_not_changed() -> None:
    assert len(decided()) == len(CLAIMS["claim"])
    texts = {
        name: {row.label: {dataset: table.text(row, dataset) for dataset in row.entries} for row in table.rows}
        for name, table in shown().items()
    }
    assert texts == FROZEN["tables"]
    for claim in decided().values():
        assert [claim.verdict, claim.number, claim.paper_verdict, claim.paper_number] == FROZEN["claims"][claim.name]


def test_exact_flows_are_called_what_they_are() -> None:
    records = read_records("explainers")
    own = records[(records["method"] == OWN) & records["auc"].notna()]
    assert (own["listed"] == 1).all()
    assert "exact flows" in shown()["f1"].rows[0].label


def test_claims_of_the_paper_are_judged_by_both_rules() -> None:
    claim = decided()["rg"]
    assert (claim.verdict, claim.paper_verdict) == ("holds", "does not hold here")
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
    assert {path.name for path in texts} == {"RESULTS.md", "README.md"} | {f"{name}.md" for name in report.TITLES}
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
