"""Fidelity by hand, level by level, and against PyG's."""

import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.config import Task
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import ranked_edges, top_edges
from gfx_core.metrics.fidelity import SPARSITIES, Outcomes, fidelity_curve, kept_at, outcomes
from gfx_core.user_models.predictor import predictor_on
from tests.metrics.top_edges import fidelity
from tests.toys.gnns import untouched
from tests.toys.motifs import SURE, UNSURE, degree_gnn, directed, motif_instance

PATH = [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_a_node_by_hand() -> None:
    """Node 2 has two neighbours, so it is of class 1 with σ(2); without one of them with σ(−1)."""
    instance, model = motif_instance(PATH, explained=2), degree_gnn()
    good = directed(instance, {(0, 1): 0.1, (1, 2): 0.9, (2, 3): 0.8, (3, 4): 0.2})
    lost = SURE - UNSURE
    assert fidelity(model, instance, good, 2) == pytest.approx((lost, 0), abs=1e-6)  # necessary and sufficient
    assert fidelity(model, instance, good, 1) == pytest.approx((lost, lost), abs=1e-6)  # one edge is not sufficient
    assert fidelity(model, instance, -good, 2) == pytest.approx((0, lost), abs=1e-6)  # beside the point
    assert fidelity(model, instance, good, 99) == pytest.approx((lost, 0), abs=1e-6)  # all edges
    result = outcomes(model, instance, good, [1, 2])
    assert result.explained_class == 1
    assert result.plus_accuracy.tolist() == [1, 1]
    assert result.minus_accuracy.tolist() == [1, 0]


def test_a_graph_by_hand() -> None:
    """Some node with two neighbours is enough for class 1."""
    instance, model = motif_instance(PATH, explained=None), degree_gnn(Task.GRAPH)
    ends = directed(instance, {(0, 1): 1, (1, 2): 0.2, (2, 3): 0.1, (3, 4): 0.9})
    lost = SURE - UNSURE
    assert fidelity(model, instance, ends, 2) == pytest.approx((0, lost), abs=1e-6)  # the middle two do it alone
    assert fidelity(model, instance, -ends, 2) == pytest.approx((lost, 0), abs=1e-6)


def test_the_explained_class_is_the_predicted_one() -> None:
    """Node 0 has one neighbour: class 0. More than it sees cannot be had, so nothing changes."""
    instance, model = motif_instance(PATH, explained=0), degree_gnn()
    result = outcomes(model, instance, np.arange(8.0), range(5))
    assert result.explained_class == 0
    assert result.whole == pytest.approx([1 - UNSURE, UNSURE], abs=1e-6)
    assert np.allclose(result.plus, 0)
    assert np.allclose(result.minus, 0)


def test_outcomes_by_hand() -> None:
    result = Outcomes(
        np.array([0.2, 0.7, 0.1]),
        np.array([[0.1, 0.8, 0.1], [0.5, 0.4, 0.1]]),
        np.array([[0.9, 0.0, 0.1], [0.3, 0.6, 0.1]]),
    )
    assert result.plus == pytest.approx([0.7, 0.1])
    assert result.minus == pytest.approx([-0.1, 0.3])  # surer than on the whole: below zero, and reported so
    assert result.plus_accuracy.tolist() == [1, 0]
    assert result.minus_accuracy.tolist() == [0, 1]


def test_how_many_edges_a_sparsity_leaves() -> None:
    assert kept_at([0, 0.5, 0.95, 1], 20).tolist() == [20, 10, 1, 0]
    assert kept_at([0, 0.5, 0.9, 0.95], 5).tolist() == [5, 3, 1, 1]
    assert kept_at(SPARSITIES, 20).tolist() == list(range(20, 0, -1))
    assert kept_at([0.3], 0).tolist() == [0]
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            kept_at([bad], 20)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["ba_shapes", "tree_cycles", "ba_2motifs"])
def test_the_curve_is_made_of_single_explanations(name: str, kind: str) -> None:
    dataset = load_dataset(name)
    torch.manual_seed(0)
    model = GNN(dataset.task, kind, dataset.x.shape[1], dataset.num_classes)
    instance = dataset.instance(int(dataset.explainable[30]), hops=model.hops)
    E = len(instance.undirected)
    scores = np.random.RandomState(0).rand(2 * E)
    plus, minus = fidelity_curve(model, instance, scores)
    changes = outcomes(model, instance, scores, kept_at(SPARSITIES, E))
    assert plus.shape == minus.shape == (20,)
    whole = predictor_on(model, [instance]).with_edges(instance, np.ones((1, E), dtype=bool)).probabilities[0]
    explained = int(whole.argmax())
    order = ranked_edges(instance, scores)
    for level, k in enumerate(kept_at(SPARSITIES, E)):
        kept = np.zeros((2, E), dtype=bool)
        kept[0, order[:k]] = kept[1, order[k:]] = True
        only, without = predictor_on(model, [instance]).with_edges(instance, kept).probabilities
        assert minus[level] == pytest.approx(float(whole[explained] - only[explained]), abs=1e-5)
        assert plus[level] == pytest.approx(float(whole[explained] - without[explained]), abs=1e-5)
        assert changes.minus_accuracy[level] == float(only.argmax() != explained)
        assert changes.plus_accuracy[level] == float(without.argmax() != explained)
    assert minus[0] == pytest.approx(0, abs=1e-5)


def test_the_truth_is_more_faithful_than_its_opposite() -> None:
    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    instance = dataset.instance(int(dataset.explainable[0]))
    truth = instance.own_edges.astype(np.float64)
    right, wrong = (fidelity(model, instance, s, int(truth.sum()) // 2) for s in (truth, 1 - truth))
    assert right[1] < 0.05
    assert right[0] > wrong[0]
    assert right[1] < wrong[1]


@pytest.mark.parametrize("explained", [0, None])
def test_without_edges_nothing_can_be_taken_away(explained: int | None) -> None:
    instance = motif_instance([], explained=explained, num_nodes=1)
    plus, minus = fidelity_curve(degree_gnn(instance.task), instance, np.zeros(0))
    assert plus.tolist() == minus.tolist() == [0] * 20


def test_bad_scores_and_the_model_afterwards() -> None:
    instance, model = motif_instance(PATH, explained=2), degree_gnn().train()
    with pytest.raises(ValueError, match="finite"):
        fidelity(model, instance, np.full(8, np.nan), 2)
    with untouched(model):
        fidelity_curve(model, instance, np.arange(8.0))


def test_equal_to_pyg_where_masking_is_deleting() -> None:
    """PyG's fidelity is the accuracy version; with the sum convolution a node cannot tell a masked edge from none."""
    from torch_geometric.explain import DummyExplainer, Explainer
    from torch_geometric.explain import fidelity as pyg_fidelity

    dataset, model = load_dataset("ba_shapes"), load_model("ba_shapes")
    explainer = Explainer(
        model,
        DummyExplainer(),
        explanation_type="model",
        edge_mask_type="object",
        model_config={"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"},
    )
    seen = set()
    for index in dataset.explainable[:6].tolist():
        instance = dataset.instance(index)
        x, edge_index = torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index)
        explanation = explainer(x, edge_index, index=instance.target)
        scores = instance.own_edges + 0.01 * np.random.RandomState(index).rand(edge_index.shape[1])
        counts = [1, 3, 6, 20]
        ours = outcomes(model, instance, scores, counts)
        for level, chosen in enumerate(top_edges(instance, scores, counts)):
            ends = set(map(tuple, instance.edge_index[:, instance.undirected[chosen]].T.tolist()))
            mask = [(u, v) in ends or (v, u) in ends for u, v in edge_index.T.tolist()]
            explanation.edge_mask = torch.tensor(mask, dtype=torch.float)
            theirs = pyg_fidelity(explainer, explanation)
            assert theirs == (ours.plus_accuracy[level], ours.minus_accuracy[level])
            seen.add(theirs)
    assert len(seen) > 1
