"""Unfaithfulness by hand and against PyG's, and where the two part."""

import math

import numpy as np
import pytest
import torch
from torch_geometric.explain import DummyExplainer, Explainer
from torch_geometric.explain import unfaithfulness as pyg_unfaithfulness

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import top_edges
from gfx_core.metrics.fidelity import divergence_score
from tests.metrics.top_edges import unfaithfulness
from tests.toys.motifs import SURE, UNSURE, degree_gnn, directed, motif_instance

PATH = [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_the_formula_by_hand() -> None:
    y, y_hat = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    divergence = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    assert divergence_score(y, y_hat) == pytest.approx(1 - math.exp(-divergence))
    assert divergence_score(y, y) == 0
    assert divergence_score(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(1)
    assert divergence_score(np.array([0.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx(1 - math.exp(-math.log(2)))


def test_a_node_by_hand() -> None:
    instance, model = motif_instance(PATH, explained=2), degree_gnn()
    scores = directed(instance, {(0, 1): 0.1, (1, 2): 0.9, (2, 3): 0.8, (3, 4): 0.2})
    assert unfaithfulness(model, instance, scores, 2) == pytest.approx(0, abs=1e-6)
    there = SURE * math.log(SURE / UNSURE) + (1 - SURE) * math.log((1 - SURE) / (1 - UNSURE))
    back = UNSURE * math.log(UNSURE / SURE) + (1 - UNSURE) * math.log((1 - UNSURE) / (1 - SURE))
    assert unfaithfulness(model, instance, scores, 1) == pytest.approx(1 - math.exp(-there), abs=1e-6)
    assert unfaithfulness(model, instance, scores, 1, reverse=True) == pytest.approx(1 - math.exp(-back), abs=1e-6)


def by_pyg(model: GNN, instance: Instance, kept: np.ndarray) -> float:
    """What PyG says of an explanation that has these undirected edges."""
    explainer = Explainer(
        model,
        DummyExplainer(),
        explanation_type="model",
        edge_mask_type="object",
        model_config={
            "mode": "multiclass_classification",
            "task_level": str(instance.task),
            "return_type": "raw",
        },
    )
    x, edge_index = torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index)
    explanation = explainer(x, edge_index, index=instance.target)
    ends = set(map(tuple, instance.edge_index[:, instance.undirected[kept]].T.tolist()))
    mask = [(u, v) in ends or (v, u) in ends for u, v in edge_index.T.tolist()]
    explanation.edge_mask = torch.tensor(mask, dtype=torch.float)
    return pyg_unfaithfulness(explainer, explanation)


def both(task: Task, kind: str, k: int) -> tuple[float, float, float]:
    """PyG's number, ours in PyG's direction, ours as printed; a GNN with random weights and large logits."""
    dataset = load_dataset("ba_community" if task is Task.NODE else "ba_2motifs")
    torch.manual_seed(3)
    model = GNN(task, kind, dataset.x.shape[1], dataset.num_classes).eval()
    instance = dataset.instance(int(dataset.explainable[0]), hops=model.hops)
    with torch.no_grad():
        model.head.weight *= 10
    scores = np.random.RandomState(0).rand(instance.edge_index.shape[1])
    theirs = by_pyg(model, instance, top_edges(instance, scores, [k])[0])
    reverse = unfaithfulness(model, instance, scores, k, reverse=True)
    return theirs, reverse, unfaithfulness(model, instance, scores, k)


def test_equal_to_pyg_where_masking_is_deleting() -> None:
    for k in (1, 10, 40):
        theirs, reverse, printed = both(Task.NODE, "sum", k)
        assert reverse == pytest.approx(theirs, abs=1e-5)
        assert theirs > 1e-3
        assert abs(printed - theirs) > 1e-3  # PyG's code computes the other direction than its formula


@pytest.mark.parametrize(("task", "kind"), [(Task.NODE, "gcn"), (Task.GRAPH, "sum")])
def test_other_than_pyg_where_it_is_not(task: Task, kind: str) -> None:
    """Masked edges still count in the degrees, masked nodes still enter the pooling."""
    theirs, reverse, _ = both(task, kind, 10)
    assert abs(reverse - theirs) > 1e-3
