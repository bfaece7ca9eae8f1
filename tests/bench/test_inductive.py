"""The paper's claims: who is trained on what, what is measured of unseen motifs, and when a claim holds."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.bench.inductive import (
    ALL,
    CONTRASTS,
    HALF,
    SHARES,
    Inductive,
    distances,
    learner,
    score_unseen,
    split_motifs,
)
from gfx_core.bench.study import Cell, Sweep
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.intervals import RESAMPLES, motif_of
from tests.bench.records import slow_distances

STUDY = Inductive()


@cache
def some(name: str, count: int = 8) -> list[Instance]:
    dataset = load_dataset(name)
    return [dataset.instance(int(i)) for i in dataset.explainable[:: len(dataset.explainable) // count][:count]]


def cell(method: str, dataset: str = "tree_cycles", **options: Any) -> Cell:
    return Cell("inductive", dataset, method, 0, HALF, {"device": "cpu", **STUDY.quick_options, **options})


def test_three_methods_are_trained_on_every_share() -> None:
    cells = STUDY.cells(Sweep(list(STUDY.datasets), list(STUDY.methods)))
    assert len(cells) == 4 * 5 * (3 * len(SHARES) + 4)
    assert {c.method for c in cells if c.variant != HALF} == {"gflowexplainer", "gflow_sequence", "rgexplainer"}


@pytest.mark.parametrize("method", ["gflow_graph", "rgexplainer"])
def test_what_a_cell_measures(method: str) -> None:
    values = score_unseen(cell(method))
    assert (values["trained"], values["scored"]) == (3, 6)
    assert all(0 <= values[name] <= 1 for name in ("auc", "auc_order"))
    assert ("distance" in values) == (method == "gflow_graph")
    for name, words in values["resampled"].items():
        resampled = np.array(words.split(), dtype=float)
        assert len(resampled) == RESAMPLES
        assert np.nanmin(resampled) - 1e-4 <= values[name] <= np.nanmax(resampled) + 1e-4


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_all_sides_sample_as_many_trajectories(name: str) -> None:
    model, starts = load_model(name), 1 if name == "tree_cycles" else 4
    for method in STUDY.methods:
        made = learner(cell(method, name, trajectories=300), model, model.task)
        rollouts = getattr(made.config, "rollouts", 1)
        assert made.config.epochs * starts * rollouts == 300


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_distances_are_those_of_one_instance_after_the_other(name: str) -> None:
    model = load_model(name)
    made = learner(cell("gflow_graph", name), model, model.task)
    made.fit(some(name)[:2])
    found = distances(made, some(name)[:3])
    chosen = [some(name)[number] for number in found]
    start = 0 if model.task is Task.NODE else int(np.argmax(chosen[0].own_nodes))
    slow = slow_distances(made.generating_policy(), model, chosen[:1], lambda _: start, 20_000)
    assert next(iter(found.values())) == pytest.approx(slow[0], abs=1e-4)


# The split


@pytest.mark.parametrize("name", ["ba_shapes", "ba_2motifs"])
def test_no_motif_is_on_both_sides(name: str) -> None:
    dataset = load_dataset(name)
    owner = dataset.motif[dataset.explainable] if dataset.task is Task.NODE else dataset.explainable
    assert [motif_of(dataset.instance(int(index))) for index in dataset.explainable[:5]] == owner[:5].tolist()
    inner: set[int] = set()
    for share in SHARES.values():
        sides = split_motifs(owner, share, seed=1)
        assert sorted(np.concatenate(sides)) == list(range(len(owner)))
        train, test = (set(owner[side].tolist()) for side in sides)
        assert not train & test
        assert len(train) == pytest.approx(share * len(train | test), abs=1)
        assert inner <= train  # a smaller share is part of a larger one
        inner = train
        assert set(sides[0]) != set(split_motifs(owner, share, seed=2)[0])
    assert [len(side) for share in (0.01, 0.99) for side in split_motifs(np.array([3, 7]), share, 0)] == [1, 1, 1, 1]


# The verdicts


def records(by: dict[str, float], noise: float = 0.01) -> list[dict[str, Any]]:
    """Of two data sets and three seeds; the resamples of all methods move together, and a little apart."""
    found = []
    for dataset in ("tree_cycles", "tree_grid"):
        for number, (method, auc) in enumerate(by.items()):
            for seed in range(3):
                together = np.random.RandomState(seed).normal(0, 0.1, RESAMPLES)
                apart = np.random.RandomState(10 * number + seed).normal(0, noise, RESAMPLES)
                words = " ".join(f"{auc + each:.4f}" for each in together + apart)
                values = {"auc": auc, "resampled": {"auc": words}}
                record = {"key": f"{dataset}/{method}/{seed}", "dataset": dataset, "method": method, "seed": seed}
                found.append(record | {"variant": HALF, "options": {}, "values": values})
    return found


def test_a_claim_is_decided_by_paired_resamples() -> None:
    """The numbers of both sides move by .1 from resample to resample, their difference by .01."""
    claims = {c.sentence: c for c in STUDY.claims(records({"gflowexplainer": 0.9, "tb": 0.85, "gflow_sequence": 0.95}))}
    assert {sentence: claim.verdict for sentence, claim in claims.items()} == {
        CONTRASTS[0].sentence: "does not hold here",
        CONTRASTS[3].sentence: "holds",
    }
    assert claims[CONTRASTS[3].sentence].number.startswith("AUC +0.050 [+0.0")
    (unsure,) = STUDY.claims(records({"gflowexplainer": 0.9, "tb": 0.899}, noise=0.05))
    assert unsure.verdict == "cannot tell"
    assert STUDY.claims([]) == []
    assert all(len(contrast.sentence.split()) <= 25 for contrast in CONTRASTS)


def test_the_table_that_decides_has_every_data_set() -> None:
    first, *_ = STUDY.tables(records({"gflowexplainer": 0.9, "tb": 0.85}))
    assert list(first.columns) == ["tree_cycles", "tree_grid", ALL]
    assert first.title == STUDY.claims(records({"gflowexplainer": 0.9, "tb": 0.85}))[0].table
    assert first.rows[0].entries[ALL].text().startswith("0.050 [")
