"""Real instances: every subgraph's answer against PyG on that subgraph alone, and its weight against plain loops."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.nn import GCNConv

from gfx_core import load_dataset
from gfx_core.errors import UserError
from gfx_core.explanation.fragments import STUDENTS
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.checkpoint import load_model
from gfx_core.job_context import JobContext
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.known_subgraphs import INDICES, SubgraphAnswers, cycle_state, real_instance, real_states
from gfx_core.teaching.lesson_jobs import ask_all, ask_one
from gfx_core.user_models.student import as_student_reads, load_taught
from tests.toys.instances import graph_of

JOB, INDEX = JobContext("cpu"), INDICES[0]


@pytest.fixture(scope="module")
def tables() -> dict[str, SubgraphAnswers]:
    return ask_all(JOB, index=INDEX)


def induced_edges(nodes: list[int]) -> torch.Tensor:
    """The edges between some nodes, which are numbered by their place. [2, e]"""
    ends = [
        (nodes.index(a), nodes.index(b)) for a, b in real_instance(INDEX).edge_index.T.tolist() if {a, b} <= {*nodes}
    ]
    return torch.tensor(ends, dtype=torch.long).reshape(-1, 2).T


def log_probability(gnn: str, nodes: list[int]) -> torch.Tensor:
    """One forward pass of ordinary message passing over the induced subgraph, the explained node first."""
    instance, nodes = real_instance(INDEX), [0, *(node for node in nodes if node)]
    model, x = load_model(known.DATASET, known.GNNS[gnn][0]), instance.x
    if gnn == "student":
        model, x = load_taught(next(STUDENTS.glob("tree_cycles-sum-plain-*"))).student, as_student_reads(instance).x
    return model(torch.from_numpy(x[nodes]), induced_edges(nodes))[0].log_softmax(-1).double()


@pytest.mark.parametrize("index", INDICES)
def test_the_instances_are_what_the_lesson_shows(index: int) -> None:
    instance, dag, answers = real_instance(index), real_states(index), ask_all(JOB, index=index)
    cycle = cycle_state(index)
    assert (instance.target, int(instance.own_nodes.sum()), dag.size[cycle]) == (0, 6, 6)
    assert answers["sum"].explained == answers["plain"].explained == known.CYCLE
    assert abs(answers["gcn"].cycle[cycle] - answers["gcn"].cycle[0]) < known.SAME  # the surprise
    assert all(answers[gnn].cycle[cycle] > 0.9 for gnn in known.COLUMNS)
    lone = {gnn: abs(answers[gnn].cycle[0] - known.share_on_cycles()) for gnn in known.COLUMNS}
    assert max(lone["sum"], lone["student"]) < 0.1 < lone["plain"]  # training on fragments teaches that none is sure
    assert np.array_equal(answers["student"].whole, answers["plain"].whole)  # what is explained is the GNN's answer
    assert answers["student"].agreement > 0.97
    sets = [set(np.flatnonzero(dag.members[state]).tolist()) for state in known.growing_ring(index)]
    assert [len(nodes) for nodes in sets] == list(range(1, 7))
    assert sets[-1] == set(np.flatnonzero(dag.members[cycle]).tolist())
    assert all(small < large for small, large in pairwise(sets))
    assert all(nx.is_connected(graph_of(instance).subgraph(nodes)) for nodes in sets)


@pytest.mark.parametrize("gnn", known.GNNS)
def test_answers_agree_with_message_passing(tables: dict[str, SubgraphAnswers], gnn: str) -> None:
    answers, dag, graph = tables[gnn], real_states(INDEX), graph_of(real_instance(INDEX))
    data, model = load_dataset(known.DATASET).to_pyg(), load_model(known.DATASET, known.GNNS[gnn][0])
    np.testing.assert_allclose(answers.whole, model(data.x, data.edge_index)[INDEX].softmax(-1).detach(), atol=1e-5)
    for state in range(0, dag.num_states, 7):
        nodes = np.flatnonzero(dag.members[state]).tolist()
        expected = log_probability(gnn, nodes)
        np.testing.assert_allclose(answers.probabilities[state], expected.exp(), atol=1e-5)
        assert answers.cross_entropy[state] == pytest.approx(-float(expected[answers.explained]), abs=1e-4)
        edges = graph.subgraph(nodes).number_of_edges()
        assert (answers.nodes[state], answers.edges[state]) == (len(nodes), edges)
        alone = ask_one(JOB, index=INDEX, nodes=nodes)[gnn]
        np.testing.assert_allclose(alone.probabilities[0], answers.probabilities[state], atol=known.SAME)
        assert alone.distance[0] == pytest.approx(answers.distance[state], abs=1e-5)
    if model.hops == real_instance(INDEX).reach:  # else the GNN sees farther than the picture goes
        assert answers.distance[dag.index_of(list(graph))] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("nodes", [[0, 99], [0, -1]])
def test_a_node_outside_the_picture_is_refused(nodes: list[int]) -> None:
    with pytest.raises(UserError):
        ask_one(JOB, index=INDEX, nodes=nodes)


def test_joined_nodes_are_the_component_of_the_explained_one() -> None:
    index, rng = INDICES[-1], np.random.RandomState(0)
    instance, graph = real_instance(index), graph_of(real_instance(index))
    for _ in range(50):
        nodes = {0, *np.flatnonzero(rng.rand(instance.num_nodes) < 0.5).tolist()}
        assert known.joined_nodes(instance, nodes) == nx.node_connected_component(graph.subgraph(nodes), 0)


@pytest.mark.parametrize("prices", [RewardConfig(), RewardConfig(30, {"size": 0.01, "similarity": 1.0})])
@pytest.mark.parametrize("max_nodes", [3, 10])
def test_states_are_weighed_by_their_reward(
    tables: dict[str, SubgraphAnswers], prices: RewardConfig, max_nodes: int
) -> None:
    dag, table = real_states(INDEX), tables["sum"]
    shares = known.Weighing(INDEX, prices, max_nodes).probabilities(table)
    node, edge, distance = (prices.price(name) for name in ("nodes", "size", "similarity"))
    weights = np.zeros(dag.num_states)
    for state in np.flatnonzero(dag.size <= max_nodes):
        cost = table.cross_entropy[state] + edge * table.edges[state] + distance * table.distance[state]
        weights[state] = math.exp(-prices.beta * (cost + node * dag.size[state]))
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=1e-12)
    most = np.sort(shares)[::-1]
    assert known.number_sharing(shares) == int((np.cumsum(most) < 0.9).sum()) + 1
    assert shares[known.likeliest(dag, shares, 5)].min() >= most[4] - 1e-6


@pytest.mark.parametrize("nodes", [[0], [0, 1], [0, 1, 2], list(range(8))])
def test_a_layer_sums_as_the_convolution_does(nodes: list[int]) -> None:
    """Of weight 1 and without a bias."""
    edges, conv = induced_edges(nodes), GCNConv(1, 1, bias=False)
    torch.nn.init.ones_(conv.lin.weight)
    for gnn in known.GNNS:
        neighbours = float((edges[0] == 0).sum())
        expected = conv(torch.ones(len(nodes), 1), edges)[0].item() if gnn == "gcn" else neighbours
        assert known.layer_sum(real_instance(INDEX), nodes, gnn) == pytest.approx(expected, abs=1e-6)
