"""What the records of the quality studies come to: ranks, marks, notes and sentences about AUC."""

from typing import Any

import pytest

from gfx_core.bench.registry import STUDIES
from gfx_core.bench.verdicts import failing
from tests.bench.some_records import auc, record, said


def test_ranks_are_counted_among_those_that_ask_the_gnn() -> None:
    records = [
        *auc("tree_cycles", gflowexplainer=0.8, degree=0.9, saliency=0.7, most_links=0.85),
        *auc("tree_grid", gflowexplainer=0.9, degree=0.6, most_links=0.5),
    ]
    ranks, controls = said(records)["Ranks"], said(records)["Controls"]
    assert (
        "best on 1 of 2 data sets that can tell explainers apart (Tree-Grid) and is behind on 1 (Tree-Cycles, where "
        "DEGREE does better)." in ranks
    )
    assert "Tree-Cycles 0.800, behind DEGREE 0.900;" in ranks
    assert "Tree-Grid 0.900, first." in ranks
    assert "Every data set tells explainers from controls" in controls
    assert "Tree-Cycles: Most links 0.850, DEGREE 0.900" in controls
    assert "Not measured yet" in str(STUDIES["ceiling"].verdicts([])[0])
    assert STUDIES["auc"].verdicts([]) == []


def test_there_is_no_rank_without_others_and_who_is_absent_is_named() -> None:
    alone = [*auc("tree_cycles", gflowexplainer=0.9, random=0.5), *auc("tree_grid", degree=0.9)]
    assert "Ranks" not in said(alone)
    more = [*alone, *auc("tree_grid", gflowexplainer=0.95)]
    assert (
        "best on 1 of 1 data set that can tell explainers apart (Tree-Grid). Not measured yet: RGExplainer; RGExplainer"
        in said(more)["Ranks"]
    )
    assert "Not measured yet: Most links; Breadth first; GFlowExplainer, untrained; GFlow" in said(alone)["Controls"]
    every = [each for name in STUDIES["auc"].methods for each in auc("tree_grid", **{name: 0.5})]
    assert not any("Not measured" in text for text in said(every).values())


def test_a_tie_is_no_win_and_no_loss() -> None:
    records = [
        *auc("tree_cycles", gflowexplainer=0.80, degree=0.81, saliency=0.7),
        *auc("tree_grid", gflowexplainer=0.81, degree=0.80),
        *auc("ba_2motifs", gflowexplainer=0.80, degree=0.811),
    ]
    ranks = said(records)["Ranks"]
    assert (
        "best on 0 of 3 data sets that can tell explainers apart, shares the first place (within 0.01) on 2 "
        "(Tree-Cycles, Tree-Grid) and is behind on 1 (BA-2motifs, where DEGREE does better)." in ranks
    )
    assert "Tree-Cycles 0.800, level with DEGREE 0.810" in ranks
    assert "BA-2motifs 0.800, behind DEGREE 0.811" in ranks


@pytest.mark.parametrize("control", ["most_links", "untrained", "constant_gnn"])
def test_a_column_in_which_a_control_is_as_good_does_not_count(control: str) -> None:
    records = [
        *auc("ba_shapes", gflowexplainer=0.99, degree=0.9, **{control: 0.98}),
        *auc("tree_grid", gflowexplainer=0.99, degree=0.9, **{control: 0.979}),
    ]
    ranks, controls = said(records)["Ranks"], said(records)["Controls"]
    assert "best on 1 of 1 data set that can tell explainers apart (Tree-Grid). BA-Shapes cannot tell" in ranks
    assert "BA-Shapes tells nothing of explainers" in controls
    table = STUDIES["auc"].tables(records)[0]
    assert list(table.columns.values()) == ["BA-Shapes §", "Tree-Grid"]
    assert f"{STUDIES['auc'].titles[control]} on BA-Shapes" in table.notes[0]
    assert table.notes[0] in table.markdown()


def test_a_column_whose_gnn_has_other_reasons_is_marked() -> None:
    reasons = {"instances": 9, "wrong": 2, "motif_alone": 0.6, "prior": 0.5}
    parts = {
        "motif_alone_by_class": {"house": 0.1, "five-cycle": 0.9},
        "prior_by_class": {"house": 0.5, "five-cycle": 0.5},
    }
    records = [
        record(
            "ba_2motifs", "degree", auc_own=0.9, **reasons, **parts, auc_own_by_class={"house": 0.8, "five-cycle": 1.0}
        ),
        record("tree_grid", "degree", auc_own=0.9, **reasons),
    ]
    table, *others = STUDIES["auc"].tables(records)
    assert list(table.columns.values()) == ["Tree-Grid", "BA-2motifs ‡"]
    assert "BA-2motifs, house 0.10 (share 0.50). " in table.notes[0]
    rows = {row.label: table.text(row, "ba_2motifs") for row in table.rows}
    assert rows["The GNN: P(class │ motif alone)"] == "0.600"
    assert rows["The GNN: instances that it gets right"] == "7"
    assert rows["The GNN: instances that it gets wrong"] == "2"
    (by_class,) = [each for each in others if "by class of graph" in each.title]
    assert list(by_class.columns.values()) == ["BA-2motifs: house", "BA-2motifs: five-cycle"]
    assert by_class.text(by_class.rows[0], "ba_2motifs/house") == "0.800 (1)"
    assert "On BA-2motifs the motif is not the GNN's reason" in said(records)["Is the motif the reason"]


def test_groups_that_differ_are_named() -> None:
    def molecule(seed: int, nitro: float, amino: float) -> dict[str, Any]:
        groups = {"auc_own_by_group": {"NO₂": nitro, "NH₂": amino}, "motif_alone_by_group": {"NO₂": 0.8, "NH₂": 0.4}}
        reasons = {"instances": 9, "motif_alone": 0.6, "prior": 0.5, "prior_by_group": {"NO₂": 0.5, "NH₂": 0.5}}
        return record("mutagenicity", "gflowexplainer", seed, auc_own=0.8, **groups, **reasons)

    text = said([molecule(0, 0.9, 0.5), molecule(1, 1.0, 0.7)])["Classes and groups"]
    assert "equally well: Mutagenicity (NO₂ 0.950, NH₂ 0.600)." in text
    assert "Mutagenicity: NO₂ 0.950 (0.80), NH₂ 0.600 (0.40)." in text
    assert "Classes and groups" not in said([molecule(0, 0.9, 0.9)])


def test_a_motif_that_says_no_more_than_the_class_share_is_no_reason() -> None:
    assert failing({"motif_alone": 0.55, "prior": 0.6}) == {"": (0.55, 0.6)}
    assert failing({"motif_alone": 0.45, "prior": 0.1}) == {"": (0.45, 0.1)}
    assert failing({"motif_alone": 0.55, "prior": 0.5}) == {}
    assert failing({"auc_own": 1.0}) == {}


def test_both_generators_are_judged_by_one_rule() -> None:
    records = [
        record("tree_cycles", "gflowexplainer", auc_own=0.96, auc_own_marginals=0.95, auc_own_greedy=0.7),
        record("tree_cycles", "rgexplainer", auc_own=0.8, auc_own_marginals=0.9, auc_own_greedy=0.8),
        record("tree_grid", "gflowexplainer", auc_own=0.9, auc_own_marginals=0.9, auc_own_greedy=0.8),
        record("tree_grid", "rgexplainer", auc_own=0.7, auc_own_marginals=0.91, auc_own_greedy=0.7),
    ]
    text = said(records)["One rule for both"]
    assert "(the paper's rule) it leads on 1 of 2 data sets (Tree-Grid) and trails on 1 (Tree-Cycles)" in text
    assert "by 64 samples it leads on 1 of 2 data sets (Tree-Cycles) and trails on 0 (within" in text
    (table,) = [each for each in STUDIES["auc"].tables(records) if "scoring rule" in each.title]
    assert {row.label: table.text(row, "tree_cycles") for row in table.rows} == {
        "GFlowExplainer: edge marginals as expected from 64 samples (STOP averaged over) (Table 1)": "0.960 (1)",
        "GFlowExplainer: edge marginals of 64 samples as drawn": "0.950 (1)",
        "GFlowExplainer: order weights of its greedy order (the paper's rule)": "0.700 (1)",
        "RGExplainer: edge marginals of 64 samples as drawn": "0.900 (1)",
        "RGExplainer: order weights of its greedy order (the paper's rule) (Table 1)": "0.800 (1)",
    }
    assert "is expected of 64" not in text
    assert "One rule for both" not in said(records[::2])  # nobody to compare with
    records[3]["values"]["auc_own_expected"] = 0.8
    assert (
        "by what is expected of 64 samples it leads on 1 of 1 data set (Tree-Grid)"
        in said(records)["One rule for both"]
    )


def test_older_records_know_one_order_only() -> None:
    records = [
        record("tree_cycles", "gflowexplainer", auc_own=0.95, auc_own_order=0.7),
        record("tree_cycles", "rgexplainer", auc_own=0.8),
    ]
    text = said(records)["One rule for both"]
    assert "trails on 1 (Tree-Cycles)" in text
    assert "64 samples" not in text
    (table,) = [each for each in STUDIES["auc"].tables(records) if "scoring rule" in each.title]
    assert len(table.rows) == 3


def test_settings_that_were_chosen_are_told() -> None:
    tried = [{"settings": {"size": 0.01}, "cost": 2.0}, {"settings": {"size": 0.05}, "cost": 1.0}]
    records = [
        record("tree_cycles", "pgexplainer", 0, auc_own=0.9, settings={"size": 0.05}, tried=tried),
        record("tree_cycles", "pgexplainer", 1, auc_own=0.9, settings={"size": 0.05}),
        record("tree_cycles", "rgexplainer", auc_own=0.9, settings={"prices": {"size": 0.01, "radius": 0.1}}),
        record("tree_cycles", "degree", auc_own=0.9),
    ]
    table = STUDIES["auc"].tables(records)[-1]
    assert {row.label: table.text(row, "tree_cycles") for row in table.rows} == {
        "RGExplainer": "price of size 0.01, price of radius 0.1",
        "PGExplainer": "size 0.05",
    }
    assert table.notes[1] == "PGExplainer, tried: size 0.01; size 0.05."
    assert "Settings" not in STUDIES["auc"].tables(records[-1:])[-1].title


def test_notes_tell_of_fewer_instances_and_of_collapses() -> None:
    records = [
        record("tree_cycles", "subgraphx", 0, auc_own=0.9, instances=100, wrong=0) | {"options": {"limit": 100}},
        record("tree_cycles", "subgraphx", 1, auc_own=0.9, instances=100, wrong=0) | {"options": {"limit": 100}},
        record("tree_cycles", "pgexplainer", auc_own=0.2, instances=180, wrong=3, collapsed=170),
    ]
    notes = STUDIES["auc"].tables(records)[0].notes
    assert "SubgraphX: 100 instances, evenly spread; seeds: 2." in notes
    assert any(note.startswith("PGExplainer has collapsed: 170 of 180 answers on Tree-Cycles.") for note in notes)
    assert any("gets right" in note for note in notes)


def test_titles_name_the_half() -> None:
    records = auc("tree_cycles", degree=0.9)
    assert STUDIES["auc"].tables(records)[0].heading == "AUC, own motif (all instances)"
    halves = [records[0] | {"options": {"half": half}} for half in ("reporting", "tuning")]
    assert STUDIES["auc"].tables(halves[:1])[0].heading == "AUC, own motif (reporting half)"
    assert "**AUC, own motif (reporting half and tuning half)**" in STUDIES["auc"].tables(halves)[0].markdown()


def test_the_papers_top_k_counts_nodes() -> None:
    records = [record("ba_shapes", "degree", auc_own=0.9, topk_own=0.8, topk_nodes_own=0.7)]
    labels = {table.title: [row.label for row in table.rows] for table in STUDIES["auc"].tables(records)}
    assert "DEGREE (paper)" in labels["Top-k accuracy, nodes of the own motif"]
    assert labels["Top-k accuracy, edges of the own motif"] == ["DEGREE"]


def test_a_rank_is_of_means_over_seeds() -> None:
    records = [
        record("tree_grid", "gflowexplainer", 0, auc_own=0.5),
        record("tree_grid", "gflowexplainer", 1, auc_own=0.9),
        record("tree_grid", "degree", auc_own=0.68),
    ]
    assert "Tree-Grid 0.700, first" in str(STUDIES["auc"].verdicts(records)[0])


def test_what_the_k_best_edges_say_is_told_of_controls_too() -> None:
    shares = {
        "tree_cycles": {"gflowexplainer": 0.9, "degree": 0.8, "most_links": 0.7},
        "tree_grid": {"gflowexplainer": 0.7, "degree": 0.9, "most_links": 0.8},
        "ba_2motifs": {"gflowexplainer": 0.9, "degree": 0.9, "most_links": 0.2},
        "ba_shapes": {"gflowexplainer": 0.9, "degree": 0.8, "most_links": 0.905},
    }
    records = [record(name, method, topk_own=value) for name, by in shares.items() for method, value in by.items()]
    text = said(records)["Top-k accuracy"]
    assert "GFlowExplainer is first on Tree-Cycles, level with the best on BA-2motifs, behind on Tree-Grid" in text
    assert "is ahead of it on Tree-Grid (Most links)." in text
    assert "Tree-Grid: GFlowExplainer 0.700, DEGREE 0.900, Most links 0.800" in text
    assert "Top-k accuracy" not in said([each for each in records if each["method"] != "gflowexplainer"])
    silent = said([each for each in records if each["dataset"] == "ba_shapes"])["Top-k accuracy"]
    assert "no data set can tell explainers apart" in silent
