"""The cells of all explainers, what they measure, and what the tables say of it."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gfx_core.bench.answers import Answers
from gfx_core.bench.any_gnn import AnyGnn
from gfx_core.bench.auc import AUC, RULES, SPREAD, TWO_BY_TWO, Auc
from gfx_core.bench.comparison import entry, of
from gfx_core.bench.reasons import Reasons, other_reasons
from gfx_core.bench.report import read_records
from gfx_core.bench.scoring import CellInstances, noise_edges, score
from gfx_core.bench.standing import Standing
from gfx_core.bench.study import AS_IS, GNN_SEEDS, KINDS, STUDENT, Cell, Sweep
from gfx_core.bench.tables import CONSTANT, OWN, SHIPPED
from gfx_core.datasets.registry import load_dataset
from gfx_core.metrics.edges import pooled_auc, truth_edges
from tests.bench.records import MADE

STUDY = Answers()
OWNERS = [0, 1, 2, 3, 4, 5, 6, 7]


def _cells(*methods: str, dataset: str = "tree_cycles", **options: Any) -> list[Cell]:
    cells = STUDY.cells(Sweep([dataset], methods, gnns=["sum-0"]))
    return [replace(c, options={**c.options, "limit": 3, "trained_on": 4, **options}) for c in cells if c.seed == 0]


def test_each_cell_is_there_once_and_all_kinds_of_gnns_are() -> None:
    cells = STUDY.cells(Sweep(["tree_grid"], list(STUDY.methods)))
    assert len({cell.key for cell in cells}) == len(cells)
    assert {cell.gnn for cell in cells} == {f"{kind}-{seed}" for kind in KINDS for seed in range(GNN_SEEDS)}
    own = [cell for cell in cells if cell.method == OWN]
    assert {(c.gnn.rsplit("-", 1)[0], c.variant) for c in own} == {(k, v) for k in KINDS for v in (AS_IS, STUDENT)}
    seeds = {(c.gnn, c.variant): c.seed for c in own}  # the last of each
    assert seeds["sum-1", AS_IS] == 2
    assert seeds["gin-1", AS_IS] == seeds["sum-1", STUDENT] == 0
    assert {c.gnn for c in cells if c.method == SHIPPED} == {"sum-0"}
    assert not [
        c for c in cells if c.method == "subgraphx" and (c.options["limit"] > 15 or not c.gnn.startswith("sum"))
    ]


def test_a_record_of_one_view_is_current_for_all() -> None:
    cell = _cells("saliency")[0]
    assert Answers().made_from(cell) == Auc().made_from(cell) == AnyGnn().made_from(cell)


def test_one_instance_of_each_motif_comes_first() -> None:
    subject, data = CellInstances(_cells("saliency", limit=20)[0]), load_dataset("tree_cycles")
    motifs = [int(data.motif[instance.index]) for instance in subject.every]
    assert len(set(motifs)) == len(motifs) == 20


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, Any]]:
    """Three predictions of Tree-Cycles, by method."""
    cells = [cell for cell in _cells(OWN, "saliency", "most_links", SHIPPED) if cell.variant == AS_IS]
    return {cell.method: score(cell) for cell in cells}


def test_answers_of_masks_have_as_many_edges_as_ours(measured: dict[str, dict[str, Any]]) -> None:
    sizes = [len(edges) for edges in measured[OWN]["kept"]]
    for method in ("saliency", "most_links"):
        assert [len(edges) for edges in measured[method]["kept"]] == sizes


def test_numbers_are_those_of_the_kept_edges(measured: dict[str, dict[str, Any]]) -> None:
    subject = CellInstances(_cells("saliency")[0])
    truth = [truth_edges(instance, "own") for instance in subject.scored]
    for values in measured.values():
        assert len(values["kept"]) == sum(values["right"]) == len(truth)
        for f1, kept, wanted in zip(values["f1"], values["kept"], truth, strict=True):
            motif = set(np.flatnonzero(wanted).tolist())
            hits = len(motif & set(kept))
            assert f1 == pytest.approx(2 * hits / (len(motif) + len(kept)), abs=1e-4)
        assert values["auc"] == pytest.approx(1.0) or values["auc"] < 1
    assert measured[OWN]["f1"] == [1.0] * len(truth)  # whole cycles


def test_the_auc_of_masks_is_that_of_all_edges_together(measured: dict[str, dict[str, Any]]) -> None:
    from gfx_core.baselines.registry import make_method

    cell = _cells("saliency")[0]
    subject = CellInstances(cell)
    masks = [one.edge_mask for one in make_method("saliency", subject.model).explain_many(subject.scored)]
    assert measured["saliency"]["auc"] == pytest.approx(pooled_auc(subject.scored, masks))
    assert len(measured["saliency"]["auc_resampled"]) == 200


def test_noise_edges_leave_the_motif_alone() -> None:
    instance = load_dataset("tree_grid").instance(512)
    noisy = noise_edges(instance, np.random.RandomState(0))
    more = len(noisy.undirected) - len(instance.undirected)
    assert more == max(1, len(instance.undirected) // 20)
    assert noisy.own_edges.sum() == instance.own_edges.sum()
    before, after = (set(map(tuple, each.edge_index.T.tolist())) for each in (instance, noisy))
    assert before < after
    assert not any(instance.own_nodes[list(pair)].all() for pair in after - before)
    assert (noisy.edge_index[:, noisy.reverse] == noisy.edge_index[::-1]).all()


def _record(
    method: str, f1: Iterable[float], dataset: str = "tree_grid", gnn: str = "sum-0", **more: Any
) -> dict[str, Any]:
    values = {
        "auc": float(np.mean(list(f1))),
        "auc_resampled": [float(np.mean(list(f1)))] * 200,
        "auc_rules": {},
        "f1": list(f1),
        "alone": list(f1),
        "needed": list(f1),
        "kept": [[0, 1]] * len(OWNERS),
        "owners": OWNERS,
        "right": [1] * len(OWNERS),
        "accuracy": 0.9,
    } | more.pop("values", {})
    place = {"dataset": dataset, "method": method, "seed": 0, "variant": AS_IS, "gnn": gnn} | more
    key = "/".join(map(str, place.values()))
    return place | {"key": key, "options": {"half": "reporting"}, "status": "done", "made": MADE, "values": values}


LOW, HIGH = [0.2] * 8, [0.9, 0.8] * 4


def test_level_and_silent_columns_follow_from_the_paired_difference() -> None:
    records = [_record(OWN, HIGH), _record("saliency", LOW), _record("random", [0.1] * 8)]
    table = STUDY.tables(records)[0]
    assert table.best_of("tree_grid") == {"GFlowExplainer"}
    assert STUDY.claims(records)[0].verdict == "holds"
    blind = [*records, _record("most_links", HIGH)]
    table = STUDY.tables(blind)[0]
    assert table.best_of("tree_grid") == set()
    assert table.silenced_by("tree_grid") == "Most links"
    assert "§" in table.columns["tree_grid"]
    assert not STUDY.claims(blind)
    behind = [_record(OWN, LOW), _record("saliency", HIGH), _record("random", [0.1] * 8)]
    assert STUDY.claims(behind)[0].verdict == "does not hold here"
    elsewhere = [_record(r["method"], r["values"]["f1"], dataset="tree_cycles") for r in records]
    assert STUDY.claims([*behind, *elsewhere])[0].verdict == "partly holds"


def test_only_columns_where_ours_has_a_number_are_spoken_of() -> None:
    others = [("saliency", LOW), ("random", [0.1] * 8)]
    separable = [_record(method, values) for method, values in [(OWN, HIGH), *others]]
    not_ours = [_record(method, values, dataset="tree_cycles") for method, values in others]
    level = [_record(method, HIGH, dataset="ba_shapes") for method in (OWN, "saliency", "random")]
    table = STUDY.tables([*separable, *not_ours, *level])[0]
    assert STUDY.standing(table) == Standing(level=1, separable=1, silent=1, alone=1)
    assert STUDY.standing(table, without=["tree_grid"]) == Standing(silent=1)
    (claim,) = STUDY.claims([*separable, *not_ours])
    assert claim.number == "1 of 1 data sets, alone best on 1"
    assert not any("molecules" in words for words in (claim.conclusion, *claim.summary))
    total = Standing(2, 3, 1, ("A",), 1, Counter(x=1, y=2)) + Standing(1, 2, 0, ("B and C",), 1, Counter(x=1))
    assert total == Standing(3, 5, 1, ("A", "B and C"), 2, Counter(x=2, y=2))
    assert total.next == "the next, x and y, on 2"
    assert not Standing(silent=2).claims("It is best.", "", "table")


def test_who_is_level_is_counted_too() -> None:
    others = [("saliency", HIGH), ("gnnexplainer", LOW), ("random", [0.1] * 8)]
    records = [_record(method, values) for method, values in [(OWN, HIGH), *others]]
    records += [_record(r["method"], r["values"]["f1"], dataset="ba_shapes") for r in records if r["method"] != OWN]
    records += [_record(OWN, LOW, dataset="ba_shapes")]
    found = STUDY.standing(STUDY.tables(records)[0])
    assert (found.level, found.separable, found.alone, found.others) == (1, 2, 0, {"Saliency": 2})
    words = "1 of 2 data sets, alone best on none; the next, Saliency, on 2. Behind on BA-Shapes"
    assert found.words(found) == words


def test_a_policy_that_has_seen_the_instances_is_never_best() -> None:
    records = [_record(OWN, LOW), _record("saliency", [0.5] * 8), _record("random", [0.1] * 8), _record(SHIPPED, HIGH)]
    for study in (STUDY, Auc()):
        table = study.tables(records)[0]
        (row,) = [row for row in table.rows if row.label == study.methods[SHIPPED]]
        assert row.entries["tree_grid"].mean == pytest.approx(0.85)
        assert "has seen both halves" in row.label
        assert table.best_of("tree_grid") == {"Saliency"}
    ruled = [_record(r["method"], r["values"]["f1"], values={"auc_rules": {"order": 0.5}}) for r in records]
    rules = next(table for table in Auc().tables(ruled) if table.title == RULES)
    assert not any("both halves" in label for label in rules.best_of("tree_grid"))
    assert any("both halves" in row.label for row in rules.rows)


def test_who_has_fewer_predictions_is_told_where_many_are_level() -> None:
    records = [_record(OWN, HIGH), _record("saliency", HIGH), _record("random", [0.1] * 8)]
    assert "scored predictions" not in " ".join(STUDY.tables(records)[0].notes)
    half = {"owners": OWNERS[:4], "right": [1] * 4, "kept": [[0, 1]] * 4}
    half |= {name: [0.9, 0.8] * 2 for name in ("f1", "alone", "needed")}
    table = STUDY.tables([*records, _record("subgraphx", HIGH, values=half)])[0]
    (note,) = [note for note in table.notes if "scored predictions" in note]
    assert re.findall(r"\d+", note) == ["3", "8", "4"]
    assert "SubgraphX has 4" in note


def test_molecules_are_counted_apart() -> None:
    records = [
        _record(method, values, dataset=dataset)
        for dataset, own in (("tree_grid", HIGH), ("mutagenicity", LOW))
        for method, values in ((OWN, own), ("saliency", [0.5] * 8), ("random", [0.1] * 8))
    ]
    claim = STUDY.claims(records)[0]
    assert "On 1 of the 2 data sets" in claim.conclusion
    artificial, molecules = claim.summary
    assert artificial.startswith("level with the best")
    assert molecules.startswith("worse than Saliency")
    assert "Mutagenicity" in molecules


def test_a_control_that_answers_with_no_edges_is_told() -> None:
    empty = _record(CONSTANT, [0.0] * 8, values={"kept": [[]] * 6 + [[1]] * 2})
    (table, *_) = STUDY.tables([_record(OWN, HIGH), empty])
    assert any("75 %" in note and "constant GNN" in note for note in table.notes)
    assert not any("constant GNN" in note for note in STUDY.tables([_record(OWN, HIGH)])[0].notes)


@pytest.mark.parametrize("study", [Answers(lambda: read_records(Reasons())), Auc(lambda: read_records(Reasons()))])
def test_our_gnns_have_the_mark_too_where_the_motif_is_not_their_reason(study: Answers | Auc) -> None:
    other = other_reasons(read_records(Reasons()), "sum")
    assert other == ["mutagenicity"]
    records = read_records(study)
    table, claim = study.tables(records)[0], study.claims(records)[0]
    assert [name for name, title in table.columns.items() if "‡" in title] == other
    assert any(note.startswith("‡") and "Mutagenicity" in note for note in table.notes)
    fair = study.standing(study.compared(of(records, "sum"), "f1" if study.name == "answers" else "auc", ""), "", other)
    assert f"; {fair.level} of {fair.separable} where the motif is the GNN's reason" in claim.number


def test_columns_where_the_motif_is_not_the_reason_are_marked_and_counted_apart() -> None:
    other = other_reasons(read_records(Reasons()), "gcn")
    assert "tree_cycles" in other
    assert "tree_grid" not in other
    records = [
        _record(method, values, dataset=dataset, gnn="gcn-0")
        for dataset, own in (("tree_grid", LOW), ("tree_cycles", HIGH))
        for method, values in ((OWN, own), ("saliency", [0.5] * 8), ("random", [0.1] * 8))
    ]
    study = AnyGnn(lambda: read_records(Reasons()))
    (table,) = study.tables(records)
    assert [name for name, title in table.columns.items() if "‡" in title] == ["tree_cycles"]
    assert any(note.startswith("‡") for note in table.notes)
    (claim,) = study.claims(records)
    assert re.findall(r"\d+ of \d+", claim.number) == ["1 of 2", "0 of 1"]


def test_an_entry_is_the_mean_over_gnns_and_its_interval_is_over_motifs() -> None:
    records = [_record(OWN, HIGH), _record(OWN, LOW, gnn="sum-1")]
    found = entry(records, "f1")
    assert found.mean == pytest.approx((0.85 + 0.2) / 2)
    low, high = found.interval or (0, 0)
    assert 0.5 <= low < 0.525 < high <= 0.55
    assert "[" in found.text()


def test_the_student_stands_in_where_explain_would_choose_it() -> None:
    def both(chosen: bool) -> list[dict[str, Any]]:
        about = {"student": {"agreement": 0.97, "chosen": chosen}}
        return [
            _record(OWN, LOW, gnn="gin-0"),
            _record(OWN, HIGH, gnn="gin-0", variant=STUDENT, values=about),
            _record("saliency", [0.5] * 8, gnn="gin-0"),
            _record("random", [0.1] * 8, gnn="gin-0"),
        ]

    assert [claim.verdict for claim in AnyGnn().claims(both(chosen=True))] == ["holds"]
    assert [claim.verdict for claim in AnyGnn().claims(both(chosen=False))] == ["does not hold here"]


def test_the_tables_of_auc() -> None:
    records = [
        _record(method, values, gnn=f"{kind}-0", variant=variant)
        for method, values in ((OWN, HIGH), ("saliency", LOW), ("random", [0.1] * 8))
        for kind in ("sum", "sum-plain")
        for variant in (AS_IS, STUDENT)
    ]
    titles = [table.title for table in Auc().tables(records)]
    assert titles == [AUC, TWO_BY_TWO, SPREAD]
    ruled = [_record(OWN, HIGH, values={"auc_rules": {"order": 0.7}}), _record("random", LOW)]
    table = next(table for table in Auc().tables(ruled) if table.title == RULES)
    assert [row.entries["tree_grid"].mean for row in table.rows] == [pytest.approx(0.85), 0.7]
