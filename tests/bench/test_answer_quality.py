"""The study of answers in its quick form, against one instance after the other."""

from dataclasses import replace

import numpy as np
import pytest

from gfx_core.arrays import spread
from gfx_core.baselines.registry import ready_method
from gfx_core.bench.report import STUDIES, read_records
from gfx_core.bench.run import compute
from gfx_core.bench.study import Sweep
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gnn.checkpoint import load_model
from gfx_core.metrics.edges import ranked, undirected_scores

STUDY = STUDIES["answers"]


def test_all_keep_equally_many_edges_and_no_answer_is_unsampled() -> None:
    (cell,) = STUDY.cells(Sweep(["tree_grid"], ["sum"], quick=True))
    cell = replace(cell, options={**cell.options, "explainers": ["saliency"]})
    values = compute(STUDY, cell)["values"]
    dataset, model = load_dataset("tree_grid"), load_model("tree_grid")
    slow: dict[str, list[float]] = {"learned": [], "saliency": []}
    for index in spread(half_of(dataset.explainable, Half.REPORTING), 3).tolist():
        trace = explain(Question("tree_grid", str(index)))
        assert trace.answer is not None
        instance = dataset.instance(index, hops=model.hops)
        motif = {number for number, edge in enumerate(trace.edges) if edge.in_motif}
        found = {"learned": set(trace.answer.edges)}
        mask = ready_method("saliency", model, "tree_grid").explain(instance).edge_mask
        found["saliency"] = set(ranked(undirected_scores(instance, mask))[: len(found["learned"])].tolist())
        for name, edges in found.items():
            slow[name].append(2 * len(edges & motif) / (len(edges) + len(motif)))
    for name, each in slow.items():
        assert values["explainers"][name]["all"]["f1"] == pytest.approx(np.mean(each))
    for name in ("learned", "exact"):
        assert values["explainers"][name]["first"]["unsampled"] == 0


def test_what_was_measured_is_told_for_all_reasons_and_for_the_first() -> None:
    records = read_records(STUDY)
    titles = [table.title for table in STUDY.tables(records)]
    assert titles[:2] == ["F1 against the motif, all told reasons", "F1 against the motif, the first reason"]
    assert titles[-1] == "F1 by group, all told reasons"
    assert "first or level by F1 on" in STUDY.finding(records)
    assert all(record["values"]["explainers"]["learned"]["first"]["unsampled"] == 0 for record in records)
