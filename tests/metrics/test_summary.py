"""All metrics of one explanation together."""

import math

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.metrics.summary import DEFAULT_K, METRICS, explanation_size, summarise
from tests.toys.gnns import untouched
from tests.toys.motifs import SURE, UNSURE, degree_gnn, directed, motif_instance

PATH = [(0, 1), (1, 2), (2, 3), (3, 4)]
KNOWS_TRUTH = {"auc_own", "topk_own"}


def test_by_hand() -> None:
    instance, model = motif_instance(PATH, explained=2, own=((1, 2), (2, 3)), others=((0, 1),)), degree_gnn()
    scores = directed(instance, {(0, 1): 0.1, (1, 2): 0.9, (2, 3): 0.2, (3, 4): 0.6})
    there = SURE * math.log(SURE / UNSURE) + (1 - SURE) * math.log((1 - SURE) / (1 - UNSURE))
    expected = {
        "auc_own": 3 / 4,  # of .9 and .2 against .1 and .6, one pair is lost
        "topk_own": 1 / 2,
        "fidelity_plus": SURE - UNSURE,  # 1–2 and 3–4 are the explanation: without it one neighbour is left
        "fidelity_minus": SURE - UNSURE,
        "unfaithfulness": 1 - math.exp(-there),
        "sparsity": 1 / 2,
        "connected": 0.0,
        "connected_share": 1 / 2,
    }
    assert summarise(model, instance, scores) == pytest.approx(expected, abs=1e-6)


def test_the_truth_itself_is_perfect() -> None:
    dataset, model = load_dataset("ba_shapes"), load_model("ba_shapes")
    instance = dataset.instance(412)
    found = summarise(model, instance, instance.own_edges.astype(np.float64))
    assert found["auc_own"] == found["topk_own"] == 1.0
    assert found["connected"] == found["connected_share"] == 1.0


def test_how_many_edges_are_the_explanation() -> None:
    own = motif_instance(PATH, own=((0, 1),))
    assert explanation_size(own) == 1
    star = [(0, leaf) for leaf in range(1, 31)]
    assert explanation_size(motif_instance(star)) == DEFAULT_K == 10
    assert explanation_size(motif_instance(PATH)) == 4
    assert explanation_size(motif_instance([], num_nodes=1)) == 0


@pytest.mark.parametrize("explained", [2, None])
def test_without_a_motif(explained: int | None) -> None:
    for own in ((), tuple(PATH)):  # nor where every edge is in it
        instance = motif_instance(PATH, explained=explained, own=own)
        found = summarise(degree_gnn(instance.task), instance, np.arange(8.0))
        assert {name for name, value in found.items() if value is None} == KNOWS_TRUTH


@pytest.mark.parametrize("explained", [0, None])
def test_without_edges(explained: int | None) -> None:
    instance = motif_instance([], explained=explained, num_nodes=1)
    found = summarise(degree_gnn(instance.task), instance, np.zeros(0))
    assert found == dict.fromkeys(METRICS)


@pytest.mark.parametrize("value", [0.0, 1.0, -2.0])
def test_constant_scores(value: float) -> None:
    dataset, model = load_dataset("ba_shapes"), load_model("ba_shapes")
    instance = dataset.instance(412)
    found = summarise(model, instance, np.full(instance.edge_index.shape[1], value))
    assert found["auc_own"] == 0.5
    assert found["topk_own"] == pytest.approx(instance.own_edges.mean())


def test_the_model_is_left_as_it_was() -> None:
    instance, model = motif_instance(PATH, explained=2), degree_gnn().train()
    model.head.bias.requires_grad_(False)
    with untouched(model):
        summarise(model, instance, np.arange(8.0))
