"""The policy network: written out node by node, all parents at once, and what it must not depend on."""

from collections.abc import Callable
from functools import cache
from itertools import product

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import gelu
from torch_geometric.nn import APPNP

from gfx_core.config import Task
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy, PolicyFlows
from gfx_core.gfn.settings import PolicyConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import instance_of, noise
from tests.toys.subsets import padded

K, STEPS, TELEPORT = 6, 2, 0.3
KINDS = list(product([True, False], Stop))
both_kinds = pytest.mark.parametrize(("context", "stop"), KINDS, ids=lambda value: str(value))

GRAPHS = [
    nx.gnp_random_graph(11, 0.35, seed=2),
    nx.cycle_graph(5),
    nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 5)),
    nx.complete_graph(8),
    nx.empty_graph(1),
]
WHICH = [2, 0, 4, 3, 0, 1]
"""The graphs of the episodes, in another order than the instances and one of them twice."""
STARTS = [7, 4, 0, 3, 9, 0]
INSTANCES = [instance_of(graph, Task.GRAPH, noise(graph, seed=seed)) for seed, graph in enumerate(GRAPHS)]


@cache
def gnn() -> GNN:
    return random_gnn(Task.GRAPH, sizes=(3, 2), seed=0, hidden=4)


def all_episodes(config: PolicyConfig) -> Episodes:
    source = FlowGraphs(SubgraphPredictor(gnn(), INSTANCES), config)
    return Episodes.of(source, np.array(WHICH), np.array(STARTS))


def policy_of(episodes: Episodes, config: PolicyConfig, stop: Stop) -> FlowPolicy:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return FlowPolicy(episodes.source.features.shape[1], config, stop, K)


def random_states(episodes: Episodes, count: int = 90, seed: int = 0) -> States:
    """Random connected sets of 1 … K nodes, in random episodes."""
    rng = np.random.RandomState(seed)
    episode, sets = rng.randint(0, len(episodes), size=count), []
    for e in episode:
        nodes = [STARTS[e]]
        for _ in range(rng.randint(K)):
            frontier = sorted({v for u in nodes for v in GRAPHS[WHICH[e]][u]} - set(nodes))
            nodes += [int(rng.choice(frontier))] if frontier else []
        sets.append(nodes)
    return States(episodes, torch.from_numpy(episode), padded(sets, K))


def set_of(states: States, row: int) -> set[int]:
    return set(states.nodes[row].tolist()) - {-1}


def valid_parents(states: States) -> Tensor:
    """Members that are no cut vertex and not the start node, by networkx. [N, K]"""
    parents = []
    for row, e in enumerate(states.episode.tolist()):
        nodes = set_of(states, row)
        parents.append(sorted(nodes - set(nx.articulation_points(GRAPHS[WHICH[e]].subgraph(nodes))) - {STARTS[e]}))
    return padded(parents, K)


def evaluate(context: bool, stop: Stop) -> tuple[FlowPolicy, Episodes, States, Tensor, PolicyFlows]:
    """Flows of random states: by node [N, m], from each valid parent [N, K], and to STOP."""
    config = PolicyConfig(context=context, hidden=32, steps=STEPS, teleport=TELEPORT)
    episodes = all_episodes(config)
    policy, states = policy_of(episodes, config, stop), random_states(episodes)
    parents, actions = valid_parents(states), states.frontier(K)
    with torch.no_grad():
        return policy, episodes, states, parents, policy(policy.encode(episodes), states, actions, parents)


def both_ways(graph: nx.Graph) -> Tensor:
    """Both directions of every edge. [2, e]"""
    return torch.tensor([*graph.edges, *((b, a) for a, b in graph.edges)], dtype=torch.long).view(-1, 2).T


def mlp(policy: FlowPolicy, first: Tensor, activate: Callable[[Tensor], Tensor] = torch.relu) -> Tensor:
    return activate(policy.second(activate(first)))


def paper_hidden(policy: FlowPolicy, episodes: Episodes, e: int, nodes: set[int]) -> Tensor:
    """x' = [x, 1{start}, 1{in s}] → linear → PyG's APPNP → MLP. [m, h]"""
    graph, x = GRAPHS[WHICH[e]], torch.from_numpy(noise(GRAPHS[WHICH[e]], seed=WHICH[e]))
    flags = torch.tensor([[v == STARTS[e], v in nodes] for v in range(len(graph))]).float()
    layer = policy.first
    weight = torch.cat([layer.features.weight, layer.start.weight, layer.ties.weight], dim=1)
    return mlp(policy, APPNP(K=STEPS, alpha=TELEPORT)(torch.cat([x, flags], dim=1) @ weight.T, both_ways(graph)))


def context_hidden(policy: FlowPolicy, episodes: Episodes, e: int, nodes: set[int]) -> Tensor:
    """The same with the whole set in view: a sum over its nodes, its size and its edges. [m, h]"""
    graph, m = GRAPHS[WHICH[e]], len(GRAPHS[WHICH[e]])
    spread_by = APPNP(K=STEPS, alpha=TELEPORT)
    degree = torch.tensor([graph.degree[v] for v in range(m)])
    x = torch.from_numpy(noise(graph, seed=WHICH[e]))
    x = torch.cat([x, gnn().embed(x, both_ways(graph)), degree.log1p()[:, None]], dim=1)
    own = torch.cat([x, spread_by(x, both_ways(graph))], dim=1)
    adjacency = torch.from_numpy(nx.to_numpy_array(graph, nodelist=range(m))).float()
    table = torch.stack([adjacency, spread_by(torch.eye(m), both_ways(graph))], dim=-1)
    is_start = torch.tensor([[float(v == STARTS[e])] for v in range(m)])
    layer = policy.first
    embedding = gelu(layer.features(own) + layer.start(torch.cat([table[:, STARTS[e]], is_start], dim=1)))
    inside = sorted(nodes)
    size, edges = len(nodes), graph.subgraph(nodes).number_of_edges()
    whole = layer.context(embedding[inside].sum(0)) + layer.counts(torch.tensor([size / K, edges / K, edges / size]))
    links, spread = table[:, inside].sum(1).unbind(1)
    share = links / torch.tensor([max(1, graph.degree[v]) for v in range(m)])
    first = layer.node(embedding) + whole + layer.ties(torch.stack([links, share, spread], dim=1))
    return mlp(policy, first, gelu)


@both_kinds
@torch.no_grad()
def test_the_flows_are_those_of_the_network_written_out(context: bool, stop: Stop) -> None:
    policy, episodes, states, _, flows = evaluate(context, stop)
    for row, e in enumerate(states.episode.tolist()):
        nodes = set_of(states, row)
        hidden = (context_hidden if context else paper_hidden)(policy, episodes, e, nodes)
        frontier = sorted({v for u in nodes for v in GRAPHS[WHICH[e]][u]} - nodes) if len(nodes) < K else []
        expected = torch.full((episodes.width,), -torch.inf)
        expected[frontier] = policy.score(hidden)[frontier, 0]
        assert torch.allclose(flows.log_out[row], expected, atol=1e-4)
        if stop is Stop.LEARNED:
            pool = hidden[[*sorted(nodes), *frontier]]
            pooled = policy.attention(pool).softmax(0).T @ pool
            assert torch.allclose(flows.log_stop[row], policy.stop_head(pooled)[0, 0], atol=1e-4)
    assert (flows.log_stop is None) == (stop is Stop.REWARD)


@both_kinds
@torch.no_grad()
def test_the_flow_from_each_parent_is_that_of_the_parent(context: bool, stop: Stop) -> None:
    """One row of the MLP for each parent gives what a whole evaluation in the parent gives."""
    policy, episodes, states, parents, flows = evaluate(context, stop)
    row, column = (parents >= 0).nonzero(as_tuple=True)
    node = parents[row, column]
    without = States(
        episodes, states.episode[row], states.nodes[row].masked_fill(states.nodes[row] == node[:, None], -1)
    )
    slow = policy(policy.encode(episodes), without, without.frontier(K)).log_out[range(len(row)), node]
    assert len(row) > 100
    assert slow.isfinite().all()
    assert torch.allclose(flows.log_in[row, column], slow, atol=1e-4)
    assert (flows.log_in[parents < 0] == -torch.inf).all()


@both_kinds
@torch.no_grad()
def test_flows_of_states_along_trajectories_are_the_others(context: bool, stop: Stop) -> None:
    """What a set receives may be a running sum along its order."""
    policy, episodes, states, parents, flows = evaluate(context, stop)
    full = states.size == K
    along = States.along(episodes, states.episode[full], states.nodes[full])
    rows = torch.arange(K - 1, len(along), K)  # the last prefix of each
    running = policy(policy.encode(episodes), along[rows], along[rows].frontier(K), parents[full])
    for name in ("log_in", "log_stop"):
        if getattr(flows, name) is not None:
            assert torch.allclose(getattr(running, name), getattr(flows, name)[full], atol=1e-4)
    assert (running.log_out == -torch.inf).all()  # K_M nodes


@torch.no_grad()
def test_a_policy_begins_at_the_size_of_its_targets() -> None:
    features = torch.randn(200, 5, generator=torch.Generator().manual_seed(0)) * torch.tensor([1.0, 10, 0.1, 0, 3]) + 7
    policy = FlowPolicy(5, PolicyConfig(hidden=16), Stop.REWARD, 6)
    policy.begin_at(features, -40.0, 3.0)
    assert policy.score.bias.item() == -40
    read = policy.first.features(features)
    assert read.mean(0).abs().max() < 1e-3 + policy.first.features.bias.abs().max()  # type: ignore[union-attr]
    assert 0.1 < float(read.std(0).mean()) < 1  # of columns as wide as ten or a tenth
