"""The policy network: written out node by node, all parents at once, and what it must not depend on."""

from collections.abc import Callable
from dataclasses import replace
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
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.losses import log_out_flow, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy, Flows
from gfx_core.gfn.settings import PolicyConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import instance_of, noise, ones

K = 6
KINDS = list(product([True, False], Stop))
both_kinds = pytest.mark.parametrize(("context", "stop"), KINDS, ids=lambda value: str(value))

GRAPHS = [
    nx.gnp_random_graph(11, 0.35, seed=2),
    nx.cycle_graph(5),
    nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 5)),
    nx.complete_graph(8),
    nx.empty_graph(1),
]
STARTS = [4, 0, 7, 3, 0]


@cache
def gnn() -> GNN:
    return random_gnn(Task.GRAPH, sizes=(3, 2), seed=0, hidden=4)


def episodes_of(instances: list[Instance], starts: list[int], config: PolicyConfig) -> Episodes:
    source = FlowGraphs(SubgraphPredictor(gnn(), instances), config)
    return Episodes.of(source, np.arange(len(instances)), np.array(starts, dtype=np.int64))


def all_episodes(config: PolicyConfig) -> Episodes:
    instances = [instance_of(graph, Task.GRAPH, noise(graph, seed=seed)) for seed, graph in enumerate(GRAPHS)]
    return episodes_of(instances, STARTS, config)


def policy_of(episodes: Episodes, config: PolicyConfig, stop: Stop) -> FlowPolicy:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return FlowPolicy(episodes.source.features.shape[1], config, stop, K)


def random_states(episodes: Episodes, count: int = 60, seed: int = 0) -> States:
    """Random connected sets of 1 … K nodes, in random episodes."""
    rng = np.random.RandomState(seed)
    episode = rng.randint(0, len(episodes), size=count)
    members = torch.zeros(count, episodes.width, dtype=torch.bool)
    for row, e in enumerate(episode):
        nodes = {STARTS[e]}
        for _ in range(rng.randint(K)):
            frontier = sorted({v for u in nodes for v in GRAPHS[e][u]} - nodes)
            nodes |= {int(rng.choice(frontier))} if frontier else set()
        members[row, sorted(nodes)] = True
    return States.of_sets(episodes, torch.from_numpy(episode), members, K)


def valid_parents(states: States) -> Tensor:
    """Members that are no cut vertex and not the start node, by networkx. bool [N, m]"""
    result = torch.zeros_like(states.members)
    for row, e in enumerate(states.episode.tolist()):
        nodes = set(states.members[row].nonzero()[:, 0].tolist())
        cut = set(nx.articulation_points(GRAPHS[e].subgraph(nodes)))
        result[row, sorted(nodes - cut - {STARTS[e]})] = True
    return result


def evaluate(context: bool, stop: Stop) -> tuple[FlowPolicy, Episodes, States, Tensor, Flows]:
    config = PolicyConfig(context=context, hidden=32)
    episodes = all_episodes(config)
    policy, states = policy_of(episodes, config, stop), random_states(episodes)
    parents = valid_parents(states)
    with torch.no_grad():
        return policy, episodes, states, parents, policy(policy.encode(episodes), states, parents)


# The network itself, written out


def mlp(policy: FlowPolicy, first: Tensor, activate: Callable[[Tensor], Tensor] = torch.relu) -> Tensor:
    return activate(policy.second(activate(first)))


def paper_hidden(policy: FlowPolicy, episodes: Episodes, e: int, nodes: set[int]) -> Tensor:
    """x' = [x, 1{start}, 1{in s}] → linear → PyG's APPNP → MLP. [m, h]"""
    graph, x = GRAPHS[e], torch.from_numpy(noise(GRAPHS[e], seed=e))
    flags = torch.tensor([[v == STARTS[e], v in nodes] for v in range(len(graph))]).float()
    layer = policy.first
    weight = torch.cat([layer.features.weight, layer.start.weight, layer.ties.weight], dim=1)
    edges = torch.tensor([*graph.edges, *((b, a) for a, b in graph.edges)], dtype=torch.long).view(-1, 2).T
    return mlp(policy, APPNP(K=3, alpha=0.15)(torch.cat([x, flags], dim=1) @ weight.T, edges))


def context_hidden(policy: FlowPolicy, episodes: Episodes, e: int, nodes: set[int]) -> Tensor:
    """The same with the whole set in view: a sum over its nodes, its size and its edges. [m, h]"""
    graph, m = GRAPHS[e], len(GRAPHS[e])
    first = int(episodes.graphs.offset[e])
    own = episodes.source.features[first : first + m]
    table = episodes.source.table[int(episodes.graphs.block[e]) :][: m * m].view(m, m, 2)
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
        nodes = set(states.members[row].nonzero()[:, 0].tolist())
        hidden = (context_hidden if context else paper_hidden)(policy, episodes, e, nodes)
        frontier = sorted({v for u in nodes for v in GRAPHS[e][u]} - nodes) if len(nodes) < K else []
        expected = torch.full((episodes.width,), -torch.inf)
        expected[frontier] = policy.score(hidden)[frontier, 0]
        assert torch.allclose(flows.log_out[row], expected, atol=1e-4)
        if stop is Stop.LEARNED:
            seen = hidden[[*sorted(nodes), *frontier]]
            pooled = policy.attention(seen).softmax(0).T @ seen
            assert torch.allclose(flows.log_stop[row], policy.stop_head(pooled)[0, 0], atol=1e-4)
    assert (flows.log_stop is None) == (stop is Stop.REWARD)


# All parents at once


@both_kinds
@torch.no_grad()
def test_the_flow_from_each_parent_is_that_of_the_parent(context: bool, stop: Stop) -> None:
    """One row of the MLP for each parent gives what a whole evaluation in the parent gives."""
    policy, episodes, states, parents, flows = evaluate(context, stop)
    state, node = parents.nonzero(as_tuple=True)
    without = states.members[state]
    without[torch.arange(len(state)), node] = False
    parent_states = States.of_sets(episodes, states.episode[state], without, K)
    slow = policy(policy.encode(episodes), parent_states).log_out[torch.arange(len(state)), node]
    assert len(state) > 100
    assert slow.isfinite().all()
    assert torch.allclose(flows.log_in[state, node], slow, atol=1e-4)
    assert (flows.log_in[~parents] == -torch.inf).all()


@both_kinds
@torch.no_grad()
def test_asking_for_parents_changes_nothing_else(context: bool, stop: Stop) -> None:
    policy, episodes, states, _, flows = evaluate(context, stop)
    alone = policy(policy.encode(episodes), states)
    assert alone.log_in is None
    assert torch.allclose(alone.log_out, flows.log_out, atol=1e-6)
    if stop is Stop.LEARNED:
        assert torch.allclose(alone.log_stop, flows.log_stop, atol=1e-6)


@both_kinds
@torch.no_grad()
def test_the_padded_way_gives_the_same(context: bool, stop: Stop) -> None:
    policy, episodes, states, _, flows = evaluate(context, stop)
    padded = policy.out_flows(policy.pad(policy.encode(episodes), states), states)
    assert padded.log_in is None
    assert torch.allclose(padded.log_out, flows.log_out, atol=1e-5)
    assert (padded.log_stop is None) == (stop is Stop.REWARD)
    if stop is Stop.LEARNED:
        assert torch.allclose(padded.log_stop, flows.log_stop, atol=1e-5)


# What the flows do not depend on


@both_kinds
@torch.no_grad()
def test_other_rows_and_padding_do_not_matter(context: bool, stop: Stop) -> None:
    """A state evaluated alone, in an episode of its own and without padding, has the same flows."""
    config = PolicyConfig(context=context, hidden=32)
    policy, _, states, parents, flows = evaluate(context, stop)
    for row in range(20):
        e = int(states.episode[row])
        m = len(GRAPHS[e])
        alone = episodes_of([instance_of(GRAPHS[e], Task.GRAPH, noise(GRAPHS[e], seed=e))], [STARTS[e]], config)
        assert alone.width == m
        state = States.of_sets(alone, torch.tensor([0]), states.members[row : row + 1, :m], K)
        single = policy(policy.encode(alone), state, parents[row : row + 1, :m])
        assert torch.allclose(flows.log_out[row, :m], single.log_out[0], atol=1e-5)
        assert torch.allclose(flows.log_in[row, :m], single.log_in[0], atol=1e-5)
        assert (flows.log_out[row, m:] == -torch.inf).all()
        assert (flows.log_in[row, m:] == -torch.inf).all()
        if stop is Stop.LEARNED:
            assert torch.allclose(flows.log_stop[row], single.log_stop[0], atol=1e-5)


@both_kinds
@torch.no_grad()
def test_other_names_for_the_nodes_permute_the_flows(context: bool, stop: Stop) -> None:
    config = PolicyConfig(context=context, hidden=32)
    policy, _, states, parents, flows = evaluate(context, stop)
    rng = np.random.RandomState(1)
    new_name = [rng.permutation(len(graph)) for graph in GRAPHS]  # of each old one
    instances, starts = [], []
    for e, graph in enumerate(GRAPHS):
        x = np.empty_like(noise(graph, seed=e))
        x[new_name[e]] = noise(graph, seed=e)
        instances.append(instance_of(nx.relabel_nodes(graph, dict(enumerate(new_name[e].tolist()))), Task.GRAPH, x))
        starts.append(int(new_name[e][STARTS[e]]))
    episodes = episodes_of(instances, starts, config)
    column = torch.arange(episodes.width).repeat(len(states), 1)  # where each old node is now
    for row, e in enumerate(states.episode.tolist()):
        column[row, : len(GRAPHS[e])] = torch.from_numpy(new_name[e])
    members = torch.zeros_like(states.members).scatter_(1, column, states.members)
    moved_parents = torch.zeros_like(parents).scatter_(1, column, parents)
    renamed = States.of_sets(episodes, states.episode, members, K)
    moved = policy(policy.encode(episodes), renamed, moved_parents)
    assert torch.allclose(moved.log_out.gather(1, column), flows.log_out, atol=1e-4)
    assert torch.allclose(moved.log_in.gather(1, column), flows.log_in, atol=1e-4)
    if stop is Stop.LEARNED:
        assert torch.allclose(moved.log_stop, flows.log_stop, atol=1e-4)


# What they do depend on


@both_kinds
@torch.no_grad()
def test_the_start_node_matters(context: bool, stop: Stop) -> None:
    policy, episodes, states, _, flows = evaluate(context, stop)
    elsewhere = replace(episodes, start=(episodes.start + 1) % episodes.graphs.size)
    moved = policy(policy.encode(elsewhere), replace(states, episodes=elsewhere))
    on = states.frontier.any(1)
    assert not torch.allclose(moved.log_out[on], flows.log_out[on], atol=1e-3)


@torch.no_grad()
def test_only_context_sees_the_whole_set() -> None:
    """Along a path the far end of the set is more than three steps away from the frontier node."""
    path, differs = nx.path_graph(14), {}
    for context in (True, False):
        config = PolicyConfig(context=context)
        episodes = episodes_of([instance_of(path, Task.GRAPH, ones(path, 3))], [6], config)
        policy = policy_of(episodes, config, Stop.REWARD)
        members = torch.zeros(2, 14, dtype=torch.bool)
        members[:, 4:9] = True
        members[1, 3] = True  # node 9 is six steps from node 3
        states = States.of_sets(episodes, torch.zeros(2, dtype=torch.long), members, 20)
        log_out = policy(policy.encode(episodes), states).log_out[:, 9]
        differs[context] = float((log_out[0] - log_out[1]).abs())
    assert differs[False] == 0
    assert differs[True] > 1e-4


# Gradients


@both_kinds
def test_gradients_reach_every_parameter(context: bool, stop: Stop) -> None:
    config = PolicyConfig(context=context, hidden=32)
    episodes = all_episodes(config)
    policy, states = policy_of(episodes, config, stop), random_states(episodes)
    flows = policy(policy.encode(episodes), states, valid_parents(states))
    log_stop = torch.zeros(len(states)) if flows.log_stop is None else flows.log_stop
    residual = masked_logsumexp(flows.log_in) - log_out_flow(flows.log_out, log_stop)
    (residual[states.size > 1].square().mean() + log_stop.square().mean()).backward()
    names = dict(policy.named_parameters())
    assert ("attention.weight" in names) == (stop is Stop.LEARNED)
    assert ("first.context.weight" in names) == context
    for name, parameter in names.items():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().max() > 0, name


@both_kinds
def test_states_without_actions_give_finite_gradients(context: bool, stop: Stop) -> None:
    """The one-node graph has neither frontier nor parents."""
    config = PolicyConfig(context=context, hidden=8)
    episodes = all_episodes(config)
    policy = policy_of(episodes, config, stop)
    states = States.initial(episodes, torch.tensor([4, 0]), K)
    flows = policy(policy.encode(episodes), states, torch.zeros_like(states.members))
    assert (flows.log_out[0] == -torch.inf).all()
    assert (flows.log_in == -torch.inf).all()
    log_stop = torch.zeros(2) if flows.log_stop is None else flows.log_stop
    log_out_flow(flows.log_out, log_stop).sum().backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in policy.parameters())


@pytest.mark.parametrize("context", [True, False])
def test_some_episodes_are_encoded_as_among_all(context: bool) -> None:
    config = PolicyConfig(context=context)
    every = all_episodes(config)
    policy = policy_of(every, config, Stop.REWARD)
    chosen = np.array([len(every) - 1, 0])
    some = Episodes.of(every.source, chosen, np.array(STARTS)[chosen])
    rows = torch.cat([torch.nonzero(every.episode == int(e))[:, 0] for e in chosen])
    part, whole = policy.encode(some), policy.encode(every)
    assert torch.allclose(part.node, whole.node[rows], atol=1e-6)
    if context:
        assert part.context is not None
        assert whole.context is not None
        assert torch.allclose(part.context, whole.context[rows], atol=1e-6)
