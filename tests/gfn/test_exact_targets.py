"""Exact flows as targets: tables against slow references, a loss that is zero at the truth, learning from it."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from gfx_core import UserError, load_dataset
from gfx_core.exact.enumeration import StateDag, list_all
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn import exact_targets
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import FLOWS, ExactTargets, rewarded, shapes
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import Flows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Loss, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.states import Pairs, States, Subsets
from gfx_core.gfn.trainer import WATCHED, Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.state_spaces import state_flows
from tests.toys.trainings import TASKS, K, assert_finite, predictor, same, trainer, weights


def targets_of(trained: Trainer, starts: list[int], max_nodes: int, cap: int) -> tuple[ExactTargets, list[StateDag]]:
    """The exact flows of those instances of a training that have at most ``cap`` states, and their states."""
    dags = list_all(shapes(trained.graphs, range(len(starts))), starts, max_nodes, cap)
    found = list(dags.values())
    which = np.array(list(dags))
    return ExactTargets(trained.graphs, rewarded(trained.reward, found, which), trained.config, which), found


class ExactPolicy:
    """Looks every state up, one after the other.

    Args:
        targets: Whose rewards are to be met.
        dags: The listed states of each episode of the targets, in their order.
        shift: Added to every log-flow to a child.
    """

    def __init__(self, targets: ExactTargets, dags: list[StateDag], shift: float = 0.0) -> None:
        self.shift = shift
        ends = np.cumsum([0, *(dag.num_edges for dag in dags)])
        keys = zip(targets.episodes.instance.tolist(), targets.episodes.start.tolist(), strict=True)
        flows = [targets.space.log_edge[a:b] for a, b in pairwise(ends)]
        edges = [
            dict(zip(zip(dag.parent, dag.node, strict=True), flow, strict=True))
            for dag, flow in zip(dags, flows, strict=True)
        ]
        self.known = dict(zip(keys, zip(dags, edges, strict=True), strict=True))

    has_stop_head = False

    def encode(self, episodes: Episodes) -> None:
        return None

    def at_pairs(self, encoded: None, states: Subsets, out: Pairs, into: None, inside: Pairs) -> Flows:
        """As of a policy; of the pairs only the table's shape is read."""
        log_out = torch.full(out.shape, -torch.inf)
        for row, (episode, nodes) in enumerate(zip(states.episode.tolist(), states.nodes.tolist(), strict=True)):
            episodes = states.episodes
            dag, flow = self.known[int(episodes.instance[episode]), int(episodes.start[episode])]
            here = dag.index_of({node for node in nodes if node >= 0})
            for node in dag.node[dag.out_ptr[here] : dag.out_ptr[here + 1]]:
                log_out[row, node] = flow[here, node] + self.shift
        return Flows(log_out, None, None)


CAP = 400


def listed(name: str = "tree_cycles", count: int = 6, **options: Any) -> tuple[ExactTargets, list[StateDag]]:
    trained = trainer(name, count, reward=RewardConfig(5.0), **options)
    graphs = trained.predictor.graphs
    starts = graphs.target.tolist() if name == "tree_cycles" else (graphs.sizes - 1).tolist()  # the motif's last node
    return targets_of(trained, starts, K, CAP)


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("name", TASKS)
def test_divergence_is_that_of_whole_trajectories(name: str, stop: Stop) -> None:
    """Against the states of each DAG, as often as exact flows visit them; final subgraphs are no further apart."""
    targets, dags = listed(name, stop=stop)
    policy = trainer(name, reward=RewardConfig(5.0), stop=stop).policy
    first, expected = 0, []
    for number, dag in enumerate(dags):
        own = torch.arange(first, first + dag.num_states)
        first += dag.num_states
        log_reward = targets.space.log_reward[own]
        alone = StateSpace(dag, log_reward)
        log_state, log_edge = alone.log_state, alone.log_edge
        with torch.no_grad():
            flows = targets.flows(policy, policy.encode(targets.episodes), own)
        log_got = flows.log_out.double().numpy()[dag.parent, dag.node]
        log_stop = flows.log_stop.double().numpy() if policy.has_stop_head else log_reward
        goes_on = np.bincount(dag.parent, minlength=dag.num_states) > 0
        log_stop = np.where(goes_on, log_stop, 0.0)  # else it is forced
        log_out = state_flows(dag, log_got, log_stop)[1]
        visits = np.exp(alone.walk(log_edge).visit)
        found = 0.0
        for state in range(dag.num_states):
            leaving = dag.parent == state
            pairs = [
                *zip(log_edge[leaving] - log_state[state], log_got[leaving] - log_out[state], strict=True),
                (log_reward[state] - log_state[state], log_stop[state] - log_out[state]),
            ]
            found += visits[state] * sum(np.exp(p) * (p - q) for p, q in pairs)
        expected.append(found)
        log_p, log_q = log_reward - log_state[0], alone.walk(log_got, log_stop).stop
        assert (np.exp(log_p) * (log_p - log_q)).sum() <= found + 1e-6, number
    assert targets.divergence(policy) == pytest.approx(np.mean(expected), rel=1e-3)
    assert np.mean(expected) > 0.01


@pytest.mark.parametrize("uniform", [0.0, 0.3, 1.0])
def test_how_often_states_are_drawn(uniform: float) -> None:
    """Every episode as often as another; half-way between the flow through a state and all states alike."""
    targets, dags = listed(learning=LearningConfig(exact_uniform=uniform))
    chances, first = [], 0
    for dag in dags:
        log_state = targets.log_state[first : first + dag.num_states].double().numpy()
        goes_on = dag.num_children > 0
        visits = np.exp(log_state - log_state[0]) * goes_on
        chances.append((1 - uniform) * visits / visits.sum() + uniform * goes_on / goes_on.sum())
        first += dag.num_states
    expected = np.concatenate(chances) / len(dags)
    generator = torch.Generator().manual_seed(0)
    in_groups = torch.cat([targets.draw(200, generator, some=2).which for _ in range(600)])
    for drawn in (targets.draw(200_000, generator).which, in_groups):
        found = np.bincount(drawn.numpy(), minlength=targets.space.num_states) / len(drawn)
        assert np.abs(found - expected).sum() / 2 < 0.03
        assert not found[expected == 0].any()


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize(("name", "context", "some"), [(TASKS[0], True, 0), (TASKS[1], True, 2), (TASKS[0], False, 2)])
def test_states_are_what_they_are_elsewhere(name: str, context: bool, some: int, stop: Stop) -> None:
    """All that the policy says of them, with its gradients, by sets that are built from their members."""
    trained = trainer(name, reward=RewardConfig(5.0), stop=stop, policy=PolicyConfig(context=context))
    targets, _ = listed(name, stop=stop, policy=PolicyConfig(context=context))
    drawn = targets.draw(50, torch.Generator().manual_seed(1), some)
    episodes = drawn.states.episodes
    assert len(episodes) == (some or len(targets))
    assert torch.equal(episodes.instance[drawn.states.episode], targets.episodes.instance[targets.episode[drawn.which]])
    members = torch.zeros(len(drawn.which), episodes.width, dtype=torch.bool)
    for row, nodes in zip(members, targets.subsets[drawn.which].tolist(), strict=True):
        row[[node for node in nodes if node >= 0]] = True
    again = States.of_sets(episodes, drawn.states.episode, members, K)
    assert torch.equal(drawn.states.size, again.size)
    assert torch.allclose(drawn.states.edges, again.edges)
    policy, found = trained.policy, []
    for fixed in (None, False, True):
        encoded = policy.encode(episodes)
        if fixed is None:
            flows = policy(encoded, again)
        else:
            flows = targets.flows(policy, encoded, drawn.which, drawn.states, fixed)
        log_stop = torch.zeros(len(again)) if flows.log_stop is None or stop is Stop.REWARD else flows.log_stop
        trained.optimizer.zero_grad(set_to_none=True)
        (flows.log_out.clamp(min=-1e3).square().mean() + log_stop.square().mean()).backward()
        gradients = [each.grad.flatten() for each in policy.parameters() if each.grad is not None]
        found.append((flows.log_out, log_stop, torch.cat(gradients)))
    for other in found[1:]:
        for got, wanted in zip(other, found[0], strict=True):
            assert torch.allclose(got, wanted, rtol=1e-4, atol=1e-5 * max(1.0, float(found[0][2].abs().max())))


def test_the_loss_is_zero_at_the_truth_only() -> None:
    targets, dags = listed()
    drawn = targets.draw(40, torch.Generator().manual_seed(2))
    exact: Any = ExactPolicy(targets, dags)
    assert float(targets.loss(exact, drawn)) == pytest.approx(0, abs=1e-6)
    assert targets.divergence(exact) == pytest.approx(0, abs=1e-5)
    shifted: Any = ExactPolicy(targets, dags, shift=0.5)
    assert FLOWS * 0.25 < float(targets.loss(shifted, drawn)) < FLOWS * 0.25 + 0.25  # squared error and divergence


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_where_a_policy_stops_on_many_instances_is_as_on_each_alone(
    name: str, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(exact_targets._CELLS, "cpu", 3000)  # several passes
    dataset = load_dataset(name)
    model = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), std=0.7)
    candidates = [dataset.instance(int(i)) for i in dataset.explainable[::150]]
    dags = list_all(candidates, [instance.target or 0 for instance in candidates], 5, cap=400)
    instances = [candidates[number] for number in dags]
    predictor = SubgraphPredictor(model, instances)
    trained = TrainedPolicy.of(Trainer(predictor, GFNConfig(max_nodes=5, stop=stop, epochs=1)))
    space = rewarded(Reward(predictor, trained.config.reward), list(dags.values()))
    targets = ExactTargets(FlowGraphs(predictor, trained.config.policy), space, trained.config)
    log_stop, apart = targets.stops(trained.policy), targets.total_variations(trained.policy)
    for number, (dag, instance) in enumerate(zip(dags.values(), instances, strict=True)):
        sampler = SubgraphSampler(trained, SubgraphPredictor(model, [instance]), instance)
        alone = StateSpace(dag, sampler.log_rewards(dag.subsets))
        log_p = sampler.terminal_distribution(alone)
        assert np.allclose(np.exp(space.parts(log_stop)[number]), np.exp(log_p), atol=1e-5)
        assert apart[number] == pytest.approx(alone.total_variation(log_p), abs=1e-4)
    wider = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), hidden=12)
    other = Trainer(SubgraphPredictor(wider, instances[:1]), GFNConfig(max_nodes=5, epochs=1))
    with pytest.raises(UserError, match="another data set"):
        targets.stops(other.policy)


def test_only_what_cannot_be_listed_is_sampled() -> None:
    """Where all can, a few are watched; graph tasks sample everywhere, for the locator."""
    with pytest.raises(UserError, match="all listed"):
        trainer(loss=Loss.FIRST_CHILD)
    targets, dags = targets_of(trainer(), predictor("tree_cycles", 6).graphs.target.tolist(), K, CAP)
    sizes = {number: dag.num_states for number, dag in zip(targets.instances.tolist(), dags, strict=True)}
    small = sorted(sizes.values())[1]
    expected = {number for number in range(6) if sizes.get(number, small + 1) > small}
    for name, count, cap, sampled in (
        ("tree_cycles", 6, small, expected),
        ("tree_cycles", 6, 100_000, set(range(min(6, WATCHED)))),
        ("ba_2motifs", 4, 300, set(range(4))),
        ("tree_cycles", 6, 1, set(range(6))),
    ):
        trained = trainer(name, count, learning=LearningConfig(exact_cap=cap, exact_states=16))
        assert {int(i) for batch in trained.batches for i in batch.instance} == sampled
        assert (trained.exact is None) == (cap == 1)
        before = weights(trained)
        trained.fit()
        assert_finite(trained)
        assert not same(before, weights(trained))
        assert all(report.residual > 0 for report in trained.curve)
