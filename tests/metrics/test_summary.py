"""All metrics of one explanation; fidelity by hand and against slow references."""

import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.metrics.summary import (
    DEFAULT_K,
    METRICS,
    explanation_size,
    outcomes,
    ranked,
    summarise,
    undirected_scores,
)
from gfx_core.user_models.predictor import predictor_on
from tests.toys.gnns import untouched
from tests.toys.motifs import SURE, UNSURE, degree_gnn, directed, motif_instance

PATH = [(0, 1), (1, 2), (2, 3), (3, 4)]
LOST = SURE - UNSURE
NODE = motif_instance(PATH, explained=2)
GOOD = directed(NODE, {(0, 1): 0.1, (1, 2): 0.9, (2, 3): 0.8, (3, 4): 0.2})


def fidelity(model: GNN, instance: Instance, scores: np.ndarray, k: int) -> tuple[float, float]:
    """Fidelity+ and fidelity− of the k highest-scored edges, in probability."""
    result = outcomes(model, instance, scores, [k])
    return float(result.plus[0]), float(result.minus[0])


def test_a_node_by_hand() -> None:
    """Node 2 has two neighbours, so it is of class 1 with σ(2); without one of them with σ(−1)."""
    model = degree_gnn()
    assert fidelity(model, NODE, GOOD, 2) == pytest.approx((LOST, 0), abs=1e-6)  # necessary and sufficient
    assert fidelity(model, NODE, GOOD, 1) == pytest.approx((LOST, LOST), abs=1e-6)  # one edge is not sufficient
    assert fidelity(model, NODE, -GOOD, 2) == pytest.approx((0, LOST), abs=1e-6)  # beside the point
    assert fidelity(model, NODE, GOOD, 99) == pytest.approx((LOST, 0), abs=1e-6)  # all edges
    # node 0 has one neighbour: class 0. More than it sees cannot be had, so nothing changes
    result = outcomes(model, motif_instance(PATH, explained=0), np.arange(8.0), range(5))
    assert result.explained_class == 0
    assert np.allclose([result.plus, result.minus], 0)


def test_a_graph_by_hand() -> None:
    """Some node with two neighbours is enough for class 1."""
    instance, model = motif_instance(PATH, explained=None), degree_gnn(Task.GRAPH)
    ends = directed(instance, {(0, 1): 1, (1, 2): 0.2, (2, 3): 0.1, (3, 4): 0.9})
    assert fidelity(model, instance, ends, 2) == pytest.approx((0, LOST), abs=1e-6)  # the middle two do it alone
    assert fidelity(model, instance, -ends, 2) == pytest.approx((LOST, 0), abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_many_sizes_at_once_are_single_explanations(name: str, kind: str) -> None:
    dataset = load_dataset(name)
    torch.manual_seed(0)
    model = GNN(dataset.task, kind, dataset.x.shape[1], dataset.num_classes).train()
    instance = dataset.instance(int(dataset.explainable[30]), hops=model.hops)
    E = len(instance.undirected)
    scores = np.random.RandomState(0).rand(2 * E)
    with untouched(model):
        result = outcomes(model, instance, scores, range(E + 1))
    predictor = predictor_on(model, [instance])
    whole = predictor.with_edges(instance, np.ones((1, E), dtype=bool)).probabilities[0]
    explained, order = int(whole.argmax()), ranked(undirected_scores(instance, scores))
    for k in range(E + 1):
        kept = np.zeros((2, E), dtype=bool)
        kept[0, order[:k]] = kept[1, order[k:]] = True
        only, without = predictor.with_edges(instance, kept).probabilities
        assert result.minus[k] == pytest.approx(float(whole[explained] - only[explained]), abs=1e-5)
        assert result.plus[k] == pytest.approx(float(whole[explained] - without[explained]), abs=1e-5)


# All together


KNOWS_TRUTH = {"auc_own", "topk_own"}


def test_all_metrics_by_hand() -> None:
    instance, model = motif_instance(PATH, explained=2, own=((1, 2), (2, 3)), others=((0, 1),)), degree_gnn()
    scores = directed(instance, {(0, 1): 0.1, (1, 2): 0.9, (2, 3): 0.2, (3, 4): 0.6})
    expected = {
        "auc_own": 3 / 4,  # of .9 and .2 against .1 and .6, one pair is lost
        "topk_own": 1 / 2,
        "fidelity_plus": SURE - UNSURE,  # 1–2 and 3–4 are the explanation: without it one neighbour is left
        "fidelity_minus": SURE - UNSURE,
        "sparsity": 1 / 2,
        "connected_share": 1 / 2,
    }
    assert summarise(model, instance, scores) == pytest.approx(expected, abs=1e-6)


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
