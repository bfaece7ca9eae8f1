"""How far trajectories come: those that never stop, and the chance that one which may stop comes as far."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.exact.exact_flows import walk
from gfx_core.exact.state_dag import enumerate_states
from gfx_core.gfn.growth import sample_distinct
from gfx_core.gfn.sampler import Trajectories
from gfx_core.gfn.settings import Stop
from gfx_core.gfn.states import States
from tests.toys.policies import K, Setting, toys, tree_cycles

everywhere = pytest.mark.parametrize(
    ("setting", "stop"), list(product([tree_cycles, toys], Stop)), ids=lambda value: getattr(value, "__name__", value)
)


def reached_slowly(given: Setting, grown: Trajectories) -> Tensor:
    """Of each prefix of trajectories that never stop: log of the product of 1 − π(STOP) before it. [B, K]"""
    log_pi = given.log_policy(grown)  # [B, K, m + 1], STOP last
    found = torch.full(grown.order.shape, -torch.inf)
    for row, order in enumerate(grown.order.tolist()):
        log_reach = 0.0
        for t in range(sum(node >= 0 for node in order)):
            found[row, t] = log_reach
            log_reach += float(log_pi[row, t, :-1].logsumexp(0))
    return found


@everywhere
def test_they_grow_while_they_can(setting: Callable[[Stop], Setting], stop: Stop) -> None:
    given = setting(stop)
    grown = given.sample(200, stops=False)
    for row, (order, length) in enumerate(zip(grown.order.tolist(), grown.length.tolist(), strict=True)):
        nodes, graph = set(order[:length]), given.graph(row, grown)
        assert all(node == -1 for node in order[length:])
        left = {other for node in nodes for other in graph[node]} - nodes
        assert length == given.policy.max_nodes or not left


@everywhere
def test_reach_is_the_chance_of_not_having_stopped(setting: Callable[[Stop], Setting], stop: Stop) -> None:
    given = setting(stop)
    grown = given.sample(100, stops=False)
    assert grown.log_reach is not None
    assert torch.allclose(grown.log_reach, reached_slowly(given, grown), atol=1e-4)
    assert given.sample(3).log_reach is None  # of what stopped nothing is told


@everywhere
def test_the_way_has_the_chance_of_its_choices(setting: Callable[[Stop], Setting], stop: Stop) -> None:
    """log_forward of trajectories that never stop is that of the nodes alone, STOP being no choice."""
    given = setting(stop)
    grown = given.sample(100, stops=False)
    log_nodes = given.log_policy(grown)[:, :, :-1].log_softmax(2)
    for row, order in enumerate(grown.order.tolist()):
        steps = [float(log_nodes[row, t, node]) for t, node in enumerate(order[1:]) if node >= 0]
        assert float(grown.log_forward[row]) == pytest.approx(sum(steps), abs=1e-4)


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize(("setting", "only"), [(tree_cycles, None), (tree_cycles, 3), (toys, None), (toys, 4)])
def test_shared_states_reach_as_far(setting: Callable[[Stop], Setting], only: int | None, share: bool) -> None:
    given = setting(Stop.REWARD)
    slow = given.sample(400, seed=6, only=only, stops=False)
    generator = torch.Generator().manual_seed(6)
    fast = sample_distinct(given.policy, given.episodes, slow.episode, given.reward, generator, share)
    equal = (fast.grown == slow.order).all(1)
    assert equal.float().mean() > 0.99  # a choice may hang on the last digit
    assert slow.log_reach is not None
    assert torch.allclose(fast.log_reach[equal], slow.log_reach[equal], atol=1e-4)
    drawn = fast.order >= 0
    assert torch.equal(fast.order[drawn], fast.grown[drawn])  # what was drawn is the beginning of what was grown


def test_prefixes_are_met_as_often_as_trajectories_pass_through_them() -> None:
    """The mean reach of the draws whose prefix is a state, against the exact chance to pass through it."""
    given, draws = tree_cycles(Stop.REWARD, 2), 4000
    dag = enumerate_states(given.instances[0], max_nodes=K)
    members = torch.zeros(dag.num_states, given.episodes.width, dtype=torch.bool)
    members[:, : dag.num_nodes] = torch.from_numpy(dag.members)
    which = torch.zeros(dag.num_states, dtype=torch.long)
    with torch.no_grad():
        states = States.of_sets(given.episodes, which, members, K)
        log_out = given.policy(given.policy.encode(given.episodes), states).log_out
    log_stop = given.reward(torch.from_numpy(dag.subsets), which)
    visits = np.exp(walk(dag, log_out[dag.parent, dag.node], log_stop)[0])

    grown = given.sample(draws, only=0, stops=False)
    assert grown.log_reach is not None
    reach = grown.log_reach.double().exp().numpy()
    found, squares = np.zeros(dag.num_states), np.zeros(dag.num_states)
    for t in range(K):
        held = np.zeros((draws, dag.num_nodes), dtype=bool)
        rows = grown.order[:, t].numpy() >= 0
        for step in range(t + 1):
            held[np.flatnonzero(rows), grown.order[rows, step]] = True
        at = dag.indices_of(held[rows])
        found += np.bincount(at, reach[rows, t], dag.num_states)
        squares += np.bincount(at, reach[rows, t] ** 2, dag.num_states)
    mean = found / draws
    error = np.sqrt((squares / draws - mean**2).clip(0) / draws)
    assert (np.abs(mean - visits) < 5 * error + 2e-3).all()
    assert np.abs(mean - visits).max() < 0.04
    assert visits[1:].max() > 0.1
