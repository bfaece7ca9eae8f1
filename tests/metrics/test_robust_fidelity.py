"""Robust fidelity: against a slow reference, by hand, and at the ends of its parameters."""

import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import top_edges
from gfx_core.metrics.fidelity import HALVES, Removal, robust_fidelity
from gfx_core.user_models.predictor import predictor_on
from tests.metrics.top_edges import fidelity
from tests.toys.gnns import random_gnn, untouched
from tests.toys.motifs import SURE, UNSURE, degree_gnn, directed, motif_instance

PATH = [(0, 1), (1, 2), (2, 3), (3, 4)]


def slowly(model: GNN, instance: Instance, scores: np.ndarray, k: int, removal: Removal) -> tuple[float, float]:
    """One sample and one edge at a time."""
    rng = np.random.RandomState(removal.seed)
    explanation = top_edges(instance, scores, [k])[0]
    whole = predictor_on(model, [instance]).whole.probabilities[0]
    explained = int(whole.argmax())
    lost: tuple[list[float], list[float]] = ([], [])
    for _ in range(removal.samples):
        without, left = [], []
        for inside in explanation:
            luck = rng.random_sample()
            without.append(not (inside and luck < removal.explanation))
            left.append(bool(inside) or luck < removal.others)
        for kept, values in zip((without, left), lost, strict=True):
            answer = (
                predictor_on(model, [instance]).with_edges(instance, torch.tensor([kept])).probabilities[0, explained]
            )
            values.append(float(whole[explained]) - float(answer))
    return float(np.mean(lost[0])), float(np.mean(lost[1]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_against_the_slow_reference(name: str, kind: str) -> None:
    dataset = load_dataset(name)
    model = random_gnn(dataset.task, kind, (dataset.x.shape[1], dataset.num_classes), std=0.7)
    instance = dataset.instance(int(dataset.explainable[7]), hops=model.hops)
    scores = np.random.RandomState(3).rand(instance.edge_index.shape[1])
    for removal in (HALVES, Removal(0.1, 0.9, samples=5, seed=4)):
        with untouched(model):
            found = robust_fidelity(model, instance, scores, 6, removal)
        assert found == pytest.approx(slowly(model, instance, scores, 6, removal), abs=1e-5)


def test_at_the_ends_it_is_plain_fidelity() -> None:
    dataset = load_dataset("tree_cycles")
    model = random_gnn(Task.NODE, "sum", (dataset.x.shape[1], 2), std=0.7)
    instance = dataset.instance(int(dataset.explainable[3]))
    scores = np.random.RandomState(0).rand(instance.edge_index.shape[1])
    plain = fidelity(model, instance, scores, 6)
    assert robust_fidelity(model, instance, scores, 6, Removal(1.0, 0.0, 2)) == pytest.approx(plain, abs=1e-5)
    assert robust_fidelity(model, instance, scores, 6, Removal(0.0, 1.0, 2)) == pytest.approx((0, 0), abs=1e-5)


def test_by_hand() -> None:
    """Node 2 needs both its edges: with halves both stay in one case of four."""
    instance, model = motif_instance(PATH, explained=2), degree_gnn()
    good = directed(instance, {(0, 1): 0.1, (1, 2): 0.9, (2, 3): 0.8, (3, 4): 0.2})
    many = Removal(samples=4000)
    lost = 0.75 * (SURE - UNSURE)
    assert robust_fidelity(model, instance, good, 2, many) == pytest.approx((lost, 0), abs=0.03)
    assert robust_fidelity(model, instance, -good, 2, many) == pytest.approx((0, lost), abs=0.03)


def test_without_edges_nothing_can_be_taken_away() -> None:
    instance = motif_instance([], explained=0, num_nodes=1)
    assert robust_fidelity(degree_gnn(instance.task), instance, np.zeros(0), 1) == (0, 0)


@pytest.mark.parametrize("bad", [{"explanation": 1.5}, {"others": -0.1}, {"samples": 0}])
def test_what_makes_no_sense_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        Removal(**bad)  # type: ignore[arg-type]
