"""DEGREE: both parts written out node by node, what must add up, and the answers for instances."""

from collections.abc import Callable
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from gfx_core.baselines.degree import Degree, Split, decompose
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.baselines.degree_reference import reference
from tests.toys.gnns import random_gnn
from tests.toys.instances import instance_of, ones

CASES = list(product(Task, KINDS, [True, False]))
all_cases = pytest.mark.parametrize(("task", "kind", "constant"), CASES, ids=str)


def gnn(task: Task, kind: str, hidden: int = 6) -> GNN:
    return random_gnn(task, kind, seed=3, std=0.5, hidden=hidden)


def toy(task: Task, constant: bool = False) -> Instance:
    graph = nx.connected_watts_strogatz_graph(14, 4, 0.4, seed=2)
    return instance_of(graph, task, ones(graph, 3) if constant else None)


def random_groups(instance: Instance, count: int = 12) -> Tensor:
    """Some groups of nodes; also all nodes, which cause the logits, and none, which cause nothing."""
    rng = np.random.default_rng(0)
    share = np.concatenate([[[1.0], [0.0]], rng.random((count, 1))])
    return torch.from_numpy(rng.random((count + 2, instance.num_nodes)) < share)


@all_cases
@torch.no_grad()
def test_fast_and_slow_agree_and_add_up_to_the_logits(task: Task, kind: str, constant: bool) -> None:
    model, instance = gnn(task, kind), toy(task, constant)
    groups = random_groups(instance)
    *fast, total = decompose(model, instance, groups)
    logits = SubgraphPredictor(model, [instance]).whole.logits[0]
    torch.testing.assert_close(total, logits, atol=1e-5, rtol=0)
    assert not fast[1].any()
    for group, rel in zip(groups, fast, strict=True):
        slow_rel, slow_irr = reference(model, instance, set(group.nonzero()[:, 0].tolist()))
        torch.testing.assert_close(slow_rel + slow_irr, logits, atol=1e-4, rtol=0)
        torch.testing.assert_close(rel, slow_rel, atol=1e-4, rtol=0)


def test_the_bias_of_what_nobody_caused_is_irrelevant() -> None:
    """A lone node under the sum convolution hears nothing, so its own features cause nothing."""
    instance = instance_of(nx.empty_graph(1), Task.NODE)
    relevant, logits = decompose(gnn(Task.NODE, "sum"), instance, torch.ones(1, 1, dtype=torch.bool))
    assert not relevant.any()
    assert logits.abs().sum() > 0


def test_ties_are_shared() -> None:
    """The nodes of a ring are equal: none is more relevant than another."""
    ring = nx.cycle_graph(8)
    instance = instance_of(ring, Task.GRAPH, ones(ring, 3))
    alone, model = torch.eye(8, dtype=torch.bool), gnn(Task.GRAPH, "sum", hidden=24)
    relevant = decompose(model, instance, alone)[:-1]
    torch.testing.assert_close(relevant, relevant[:1].expand(8, -1), atol=1e-5, rtol=0)
    assert np.ptp(Degree(model).explain(instance).edge_mask) < 1e-5


# The explainer


@all_cases
def test_an_edge_scores_what_its_ends_cause(task: Task, kind: str, constant: bool) -> None:
    model, instance = gnn(task, kind), toy(task, constant)
    scores = Degree(model).explain(instance).edge_mask
    for (source, target), score in list(zip(instance.edge_index.T.tolist(), scores, strict=True))[::5]:
        group = torch.zeros(1, instance.num_nodes, dtype=torch.bool)
        group[0, [source, target]] = True
        relevant, logits = decompose(model, instance, group)
        assert relevant[logits.argmax()].item() == pytest.approx(score, abs=1e-5)


# What DEGREE's rules cover keeps both parts adding up; what they do not cover is refused in one sentence.


X = torch.linspace(-1, 2, 24).view(4, 1, 6)
GROUPS = torch.tensor([[1.0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]])  # the last: all nodes, so both parts


def split() -> Split:
    return Split(GROUPS.T[:, :, None] * X)


def test_a_bias_is_shared_by_size() -> None:
    z = Split(torch.tensor([[3.0], [0.0], [4.0]]))  # parts 3 and 1; 0 and 4
    assert (z + 8.0).parts.flatten().tolist() == [9.0, 0.0, 12.0]
    assert (Split(torch.zeros(2, 1)) + 8.0).parts.flatten().tolist() == [0.0, 8.0]


@pytest.mark.parametrize("compute", [torch.sigmoid, torch.exp, lambda z: functional.softmax(z, dim=-1)])
def test_what_has_no_rule_is_named(compute: Callable[[Any], Any]) -> None:
    with pytest.raises(UserError, match=r"no rule for how “(sigmoid|exp|softmax)” splits"):
        compute(split())


@pytest.mark.parametrize("compute", [lambda z: z * z, lambda z: z / z, lambda z: z - 1, lambda z: -z])
def test_other_operators_are_none(compute: Callable[[Any], Any]) -> None:
    with pytest.raises((AttributeError, TypeError)):
        compute(split())
