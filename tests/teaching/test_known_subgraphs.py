"""Real instances: every subgraph's answer against PyG on that subgraph alone, and re-weighing against plain loops."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.errors import UserError
from gfx_core.explanation.fragments import STUDENTS
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.checkpoint import load_model
from gfx_core.job_context import JobContext
from gfx_core.teaching import known_subgraphs as real
from gfx_core.teaching.known_subgraphs import INDICES, SHIPPED, SubgraphAnswers, cycle_state, real_instance, real_states
from gfx_core.teaching.lesson_jobs import ask_all, ask_one
from gfx_core.user_models.student import as_student_reads, load_taught
from tests.toys.instances import graph_of

JOB = JobContext("cpu", lambda _share, _words: None, lambda: False)


@pytest.fixture(scope="module")
def tables() -> dict[str, SubgraphAnswers]:
    return ask_all(JOB, index=INDICES[0])


def log_probability(index: int, gnn: str, nodes: list[int]) -> torch.Tensor:
    """One forward pass of ordinary message passing over the induced subgraph, the explained node first."""
    instance = real_instance(index)
    nodes = [0, *(node for node in nodes if node)]
    edges = [(a, b) for a, b in instance.edge_index.T.tolist() if a in nodes and b in nodes]
    ends = torch.tensor([(nodes.index(a), nodes.index(b)) for a, b in edges], dtype=torch.long).reshape(-1, 2).T
    model, x = load_model(real.DATASET, real.GNNS[gnn][0]), instance.x
    if gnn == "student":
        model, x = load_taught(next(STUDENTS.glob("tree_cycles-sum-plain-*"))).student, as_student_reads(instance).x
    return model(torch.from_numpy(x[nodes]), ends)[0].log_softmax(-1).double()


@pytest.mark.parametrize("index", INDICES)
def test_the_instances_are_what_the_lesson_says(index: int) -> None:
    instance, dag = real_instance(index), real_states(index)
    assert instance.target == 0
    assert int(instance.own_nodes.sum()) == 6
    assert dag.size[cycle_state(index)] == 6
    answers = ask_all(JOB, index=index)
    assert answers["sum"].explained == real.CYCLE
    assert answers["plain"].explained == real.CYCLE
    gcn = answers["gcn"].cycle
    assert abs(gcn[cycle_state(index)] - gcn[0]) < real.SAME  # the surprise
    for gnn in real.COLUMNS:
        assert answers[gnn].cycle[cycle_state(index)] > 0.9
    lone = {gnn: abs(answers[gnn].cycle[0] - real.share_on_cycles()) for gnn in real.COLUMNS}
    assert max(lone["sum"], lone["student"]) < 0.1 < lone["plain"]  # who saw fragments knows that nothing can be known
    assert np.array_equal(answers["student"].whole, answers["plain"].whole)  # what is explained is the GNN's answer
    assert answers["student"].agreement > 0.97


@pytest.mark.parametrize("index", INDICES)
def test_the_ring_grows_by_one_connected_node_until_it_closes(index: int) -> None:
    dag, graph = real_states(index), graph_of(real_instance(index))
    states = real.growing_ring(index)
    sets = [set(np.flatnonzero(dag.members[state]).tolist()) for state in states]
    assert [len(nodes) for nodes in sets] == list(range(1, 7))
    assert sets[0] == {0}
    assert states[-1] == cycle_state(index)
    assert all(small < large for small, large in pairwise(sets))
    assert all(nx.is_connected(graph.subgraph(nodes)) for nodes in sets)


@pytest.mark.parametrize("kind", real.GNNS)
def test_answers_agree_with_message_passing(tables: dict[str, SubgraphAnswers], kind: str) -> None:
    index, answers = INDICES[0], tables[kind]
    dag, graph = real_states(index), graph_of(real_instance(index))
    data, gnn = load_dataset(real.DATASET).to_pyg(), load_model(real.DATASET, real.GNNS[kind][0])
    np.testing.assert_allclose(answers.whole, gnn(data.x, data.edge_index)[index].softmax(-1).detach(), atol=1e-5)
    for state in range(0, dag.num_states, 5):
        nodes = np.flatnonzero(dag.members[state]).tolist()
        expected = log_probability(index, kind, nodes)
        np.testing.assert_allclose(answers.probabilities[state], expected.exp(), atol=1e-5)
        assert answers.cross_entropy[state] == pytest.approx(-float(expected[answers.explained]), abs=1e-4)
        assert answers.nodes[state] == len(nodes)
        assert answers.edges[state] == graph.subgraph(nodes).number_of_edges()
    everything = dag.index_of(list(graph))
    if gnn.hops == real_instance(index).reach:  # else the GNN sees farther than the picture goes
        assert answers.distance[everything] == pytest.approx(0.0, abs=1e-5)


def test_one_set_gets_the_answer_it_has_in_the_table(tables: dict[str, SubgraphAnswers]) -> None:
    dag = real_states(INDICES[0])
    for state in (0, 7, dag.num_states - 1):
        alone = ask_one(JOB, index=INDICES[0], nodes=np.flatnonzero(dag.members[state]).tolist())
        for kind in real.GNNS:
            np.testing.assert_allclose(alone[kind].probabilities[0], tables[kind].probabilities[state], atol=real.SAME)
            assert alone[kind].distance[0] == pytest.approx(tables[kind].distance[state], abs=1e-5)


def test_reached_is_the_component() -> None:
    index, rng = INDICES[-1], np.random.RandomState(0)
    instance, graph = real_instance(index), graph_of(real_instance(index))
    for _ in range(50):
        nodes = {0, *np.flatnonzero(rng.rand(instance.num_nodes) < 0.5).tolist()}
        assert real.joined_nodes(instance, nodes) == nx.node_connected_component(graph.subgraph(nodes), 0)


@pytest.mark.parametrize("nodes", [[0, 99], [0, -1]])
def test_a_node_that_is_not_there(nodes: list[int]) -> None:
    with pytest.raises(UserError):
        ask_one(JOB, index=INDICES[0], nodes=nodes)


@pytest.mark.parametrize("prices", [RewardConfig(), RewardConfig(30, {"size": 0.01, "similarity": 1.0}), SHIPPED])
@pytest.mark.parametrize("max_nodes", [3, 6, 10])
def test_weighing_all_states(tables: dict[str, SubgraphAnswers], prices: RewardConfig, max_nodes: int) -> None:
    dag, table = real_states(INDICES[0]), tables["sum"]
    found = real.Weighing(INDICES[0], prices, max_nodes).probabilities(table)
    weights = []
    for state in range(dag.num_states):
        node, edge, distance = (prices.price(name) for name in ("nodes", "size", "similarity"))
        cost = table.cross_entropy[state] + edge * table.edges[state] + distance * table.distance[state]
        cost += node * dag.size[state]
        weights.append(math.exp(-prices.beta * cost) if dag.size[state] <= max_nodes else 0.0)
    np.testing.assert_allclose(found, np.array(weights) / sum(weights), atol=1e-12)
    held, count = 0.0, 0
    for share in sorted(found, reverse=True):
        if held < 0.9:
            held, count = held + share, count + 1
    assert real.number_sharing(found) == count
    likeliest = real.likeliest(dag, found, 5)
    assert found[likeliest].min() >= np.sort(found)[-5] - 1e-6


@pytest.mark.parametrize("kind", real.GNNS)
def test_gathering(kind: str) -> None:
    """Against the convolution itself with a weight of 1 and no bias."""
    from torch_geometric.nn import GCNConv

    instance = real_instance(INDICES[0])
    for nodes in ([0], [0, 1], [0, 1, 2], np.flatnonzero(instance.own_nodes).tolist(), list(range(8))):
        ends = [(nodes.index(a), nodes.index(b)) for a, b in instance.edge_index.T.tolist() if {a, b} <= set(nodes)]
        edges = torch.tensor(ends, dtype=torch.long).reshape(-1, 2).T
        expected = float(len([1 for a, _ in ends if a == 0]))
        if kind == "gcn":
            conv = GCNConv(1, 1, bias=False)
            torch.nn.init.ones_(conv.lin.weight)
            expected = conv(torch.ones(len(nodes), 1), edges)[0].item()
        assert real.layer_sum(instance, nodes, kind) == pytest.approx(expected, abs=1e-6)
