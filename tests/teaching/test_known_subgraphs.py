"""Real instances: every subgraph's answer against PyG on that subgraph alone, and its weight against plain loops."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.explanation.fragments import STUDENTS
from gfx_core.gnn.checkpoint import load_model
from gfx_core.job_context import JobContext
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.known_subgraphs import INDEX, SubgraphAnswers, Weighing, real_instance, real_states
from gfx_core.teaching.lesson_jobs import ask_all
from gfx_core.teaching.lesson_views import rewards
from gfx_core.user_models.student import as_student_reads, load_taught
from tests.toys.instances import graph_of

JOB = JobContext("cpu")


@pytest.fixture(scope="module")
def tables() -> dict[str, SubgraphAnswers]:
    return ask_all(JOB)


def induced_edges(nodes: list[int]) -> torch.Tensor:
    """The edges between some nodes, which are numbered by their place. [2, e]"""
    ends = [(nodes.index(a), nodes.index(b)) for a, b in real_instance().edge_index.T.tolist() if {a, b} <= {*nodes}]
    return torch.tensor(ends, dtype=torch.long).reshape(-1, 2).T


def log_probability(gnn: str, nodes: list[int]) -> torch.Tensor:
    """One forward pass of ordinary message passing over the induced subgraph, the explained node first."""
    instance, nodes = real_instance(), [0, *(node for node in nodes if node)]
    model, x = load_model(known.DATASET, known.GNNS[gnn][0]), instance.x
    if gnn == "student":
        model, x = load_taught(next(STUDENTS.glob("tree_cycles-sum-plain-*"))).student, as_student_reads(instance).x
    return model(torch.from_numpy(x[nodes]), induced_edges(nodes))[0].log_softmax(-1).double()


def test_the_instance_is_what_the_lesson_shows(tables: dict[str, SubgraphAnswers]) -> None:
    instance, dag, answers, ring = real_instance(), real_states(), tables, known.growing_ring()
    cycle = ring[-1]
    assert (instance.target, int(instance.own_nodes.sum()), dag.size[cycle]) == (0, 6, 6)
    assert answers["sum"].explained == answers["plain"].explained == known.CYCLE
    assert abs(answers["gcn"].cycle[cycle] - answers["gcn"].cycle[0]) < known.SAME  # the surprise
    assert all(answers[gnn].cycle[cycle] > 0.9 for gnn in ("plain", "student", "sum"))
    lone = {gnn: abs(answers[gnn].cycle[0] - known.share_on_cycles()) for gnn in ("plain", "student", "sum")}
    assert max(lone["sum"], lone["student"]) < 0.1 < lone["plain"]  # training on fragments teaches that none is sure
    assert np.array_equal(answers["student"].whole, answers["plain"].whole)  # what is explained is the GNN's answer
    assert answers["student"].agreement > 0.97
    sets = [set(np.flatnonzero(dag.members[state]).tolist()) for state in ring]
    assert [len(nodes) for nodes in sets] == list(range(1, 7))
    assert sets[-1] == set(np.flatnonzero(dag.members[cycle]).tolist())
    assert all(small < large for small, large in pairwise(sets))
    assert all(nx.is_connected(graph_of(instance).subgraph(nodes)) for nodes in sets)


@pytest.mark.parametrize("gnn", known.GNNS)
def test_answers_agree_with_message_passing(tables: dict[str, SubgraphAnswers], gnn: str) -> None:
    answers, dag = tables[gnn], real_states()
    data, model = load_dataset(known.DATASET).to_pyg(), load_model(known.DATASET, known.GNNS[gnn][0])
    np.testing.assert_allclose(answers.whole, model(data.x, data.edge_index)[INDEX].softmax(-1).detach(), atol=1e-5)
    for state in range(0, dag.num_states, 7):
        nodes = np.flatnonzero(dag.members[state]).tolist()
        expected = log_probability(gnn, nodes)
        np.testing.assert_allclose(answers.probabilities[state], expected.exp(), atol=1e-5)
        assert answers.cross_entropy[state] == pytest.approx(-float(expected[answers.explained]), abs=1e-4)


@pytest.mark.parametrize(("beta", "price"), [(1.0, 0.0), (30.0, 0.01)])
@pytest.mark.parametrize("max_nodes", [3, 10])
def test_states_are_weighed_by_their_reward(
    tables: dict[str, SubgraphAnswers], beta: float, price: float, max_nodes: int
) -> None:
    dag, table = real_states(), tables["sum"]
    weighing = Weighing(beta, price, max_nodes)
    shares = weighing.probabilities(table)
    weights = np.zeros(dag.num_states)
    for state in np.flatnonzero(dag.size <= max_nodes):
        weights[state] = math.exp(-beta * (table.cross_entropy[state] + price * dag.size[state]))
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=1e-12)
    most = np.sort(shares)[::-1]
    assert known.number_sharing(shares) == int((np.cumsum(most) < 0.9).sum()) + 1
    assert shares[weighing.likeliest(table, 5)].min() >= most[4] - 1e-6
    assert weights[weighing.best(table)].min() >= weights.max() * math.exp(-2 * beta * known.SAME)
    assert weighing.allowed == np.count_nonzero(weights)


def test_the_view_of_the_lesson_has_every_subgraph(tables: dict[str, SubgraphAnswers]) -> None:
    view, num_states = rewards(tables["sum"]), real_states().num_states
    assert len(view["sets"]) == num_states
    for state in range(num_states):
        cost = view["sets"][",".join(map(str, sorted(known.nodes_of(state))))]
        assert cost == pytest.approx(tables["sum"].cross_entropy[state], abs=1e-4)
    assert min(view["sets"].values()) == view["sets"][",".join(map(str, view["best"]))]
