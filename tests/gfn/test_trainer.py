"""Training: the loss against a slow reference, every choice, cancelling, numbers that break, and P ∝ R at the end."""

from collections.abc import Callable
from dataclasses import astuple, replace
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_dataset, load_model
from gfx_core.config import GNNKind, Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.gfn import exact
from gfx_core.gfn.config import GFNConfig, Loss, Parents, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.exact import StateDag, enumerate_states
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.sampler import Trajectories, sample
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import STARTS_PER_GRAPH, EpochReport, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

K = 6
TASKS = ["tree_cycles", "ba_2motifs"]


@cache
def predictor(name: str, count: int) -> SubgraphPredictor:
    dataset = load_dataset(name)
    return SubgraphPredictor(load_model(name), [dataset.instance(int(i)) for i in dataset.explainable[:count]])


def trainer(name: str = "tree_cycles", count: int = 6, **options: Any) -> Trainer:
    return Trainer(predictor(name, count), GFNConfig(max_nodes=K).with_options(**{"epochs": 2, **options}))


def weights(trained: Trainer) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in trained.modules.state_dict().items()}


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def numbers(curve: list[EpochReport]) -> list[tuple[float, ...]]:
    """Reports without the time they took."""
    return [astuple(report)[:-2] for report in curve]


def assert_finite(trained: Trainer) -> None:
    assert np.isfinite(numbers(trained.curve)).all()
    assert all(bool(value.isfinite().all()) for value in trained.modules.state_dict().values())


# The loss


def flow_between(trained: Trainer, episodes: Episodes, episode: int, nodes: set[int], node: int) -> Tensor:
    """log F(s → s∪{a}), from a whole evaluation in s."""
    return evaluate(trained, episodes, episode, nodes)[0][node]


def evaluate(trained: Trainer, episodes: Episodes, episode: int, nodes: set[int]) -> tuple[Tensor, Tensor]:
    """Log-flows to the nodes [m] and to STOP, of one state at a time."""
    members = torch.zeros(1, episodes.width, dtype=torch.bool)
    members[0, sorted(nodes)] = True
    states = States.of_sets(episodes, torch.tensor([episode]), members, K)
    flows = trained.policy(trained.policy.encode(episodes), states)
    if flows.log_stop is not None:
        return flows.log_out[0], flows.log_stop[0]
    return flows.log_out[0], log_reward_of(trained, episodes, episode, nodes)


def log_reward_of(trained: Trainer, episodes: Episodes, episode: int, nodes: set[int]) -> Tensor:
    start = int(episodes.start[episode])
    subset = torch.tensor([[start, *sorted(nodes - {start})]])
    return trained.reward(subset, episodes.instance[episode : episode + 1])[0]


def loss_reference(trained: Trainer, trajectories: Trajectories) -> tuple[float, float]:
    """Loss and mean residual, state by state and parent by parent."""
    config, episodes, graphs = trained.config, trajectories.episodes, trained.predictor.graphs
    matched, stops, balances, finals, apart = [], [], [], [], []
    for episode, order in zip(trajectories.episode.tolist(), trajectories.order.tolist(), strict=True):
        instance = int(episodes.instance[episode])
        graph = nx.empty_graph(int(graphs.sizes[instance]))
        mine = graphs.owner[graphs.edge_index[0]] == instance
        graph.add_edges_from((graphs.edge_index[:, mine] - graphs.offset[instance]).T.tolist())
        order = [node for node in order if node >= 0]
        log_forward = log_backward = torch.zeros(())
        for t in range(len(order)):
            nodes = set(order[: t + 1])
            taken_out = {
                Parents.VALID: set(order[1 : t + 1]) - set(nx.articulation_points(graph.subgraph(nodes))),
                Parents.SEQUENCE: set(order[1 : t + 1][-1:]),
                Parents.GRAPH: set(order[1 : t + 1]),
            }[config.parents]
            log_flows, log_stop = evaluate(trained, episodes, episode, nodes)
            log_out = torch.cat([log_flows, log_stop[None]]).logsumexp(0)
            log_reward = log_reward_of(trained, episodes, episode, nodes)
            if taken_out:
                into = [flow_between(trained, episodes, episode, nodes - {u}, u) for u in sorted(taken_out)]
                log_in = torch.stack(into).logsumexp(0)
                apart.append((log_in - log_out).abs())
                linear = config.loss is Loss.FLOW_MATCHING_LINEAR
                floor = best_reward(trained, trajectories, instance, order[0])
                one, other = log_in.clamp(min=floor), log_out.clamp(min=floor)
                matched.append((one.exp() - other.exp() if linear else one - other) ** 2)
            if config.stop is Stop.LEARNED:
                linear = config.loss is Loss.FLOW_MATCHING_LINEAR
                stops.append((log_stop.exp() - log_reward.exp() if linear else log_stop - log_reward) ** 2)
            log_forward = log_forward + (log_flows[order[t + 1]] if t + 1 < len(order) else log_stop) - log_out
            log_backward = log_backward - np.log(max(1, len(taken_out)))
        start = episodes.source.features[int(graphs.offset[instance]) + order[0]]
        if config.loss.is_trajectory_balance:
            balances.append((trained.log_z(start[None])[0] + log_forward - log_reward - log_backward) ** 2)
        finals.append(float(log_reward))
    loss = torch.stack(balances if config.loss.is_trajectory_balance else matched).mean()
    if stops and not config.loss.is_trajectory_balance:
        loss = loss + torch.stack(stops).mean()
    if trained.locator is not None:
        loss = loss + divergence_reference(trained, trajectories, finals)
    return float(loss), float(torch.stack(apart).mean())


def best_reward(trained: Trainer, trajectories: Trajectories, instance: int, start: int) -> float:
    """log δ: below the best reward that any state from this start node has had, in all that was ever sampled."""
    if trained.config.delta is None:
        return -float("inf")
    return float(trained.best[trained.predictor.graphs.offset[instance] + start]) - trained.config.delta


def divergence_reference(trained: Trainer, trajectories: Trajectories, log_reward: list[float]) -> Tensor:
    """The locator's part: the starts of one graph stand next to each other."""
    total, graphs = torch.zeros(()), len(log_reward) // STARTS_PER_GRAPH
    for first in range(0, len(log_reward), STARTS_PER_GRAPH):
        rows = torch.arange(first, first + STARTS_PER_GRAPH)
        assert len(set(trajectories.instance[rows].tolist())) == 1
        omega = trained.locator(trained.predictor, trajectories.instance[rows], trajectories.order[rows, 0])
        p = torch.tensor([log_reward[row] for row in rows]).softmax(0)
        total = total + (p * (p.log() - omega.log_softmax(0))).sum() / graphs
    return total


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("parents", Parents)
@pytest.mark.parametrize("loss", Loss)
@torch.no_grad()
def test_the_loss_is_that_of_each_state_alone(name: str, loss: Loss, parents: Parents, stop: Stop) -> None:
    count = 4 if name == "tree_cycles" else 1  # four trajectories either way
    trained = trainer(name, count, loss=loss, parents=parents, stop=stop, reward=RewardConfig(beta=2.0, radius=0.1))
    seen: list[tuple[Episodes, torch.Generator]] = []
    original = trained.sample

    def listen(episodes: Episodes, generator: torch.Generator) -> Any:
        seen.append((episodes, generator))
        return original(episodes, generator)

    with torch.enable_grad():
        trained.fit()  # the weights are no longer the first ones, log Z is not 0
        trained.sample = listen  # type: ignore[method-assign]
        trained.run_epoch()
    trajectories, taken_out = original(*seen[0])
    terms = trained.loss(trajectories, taken_out)
    expected, residual = loss_reference(trained, trajectories)
    assert terms.loss.item() == pytest.approx(expected, rel=1e-3)
    assert terms.residual.item() == pytest.approx(residual, rel=1e-3)
    last = [trajectories.prefixes()[b, length - 1] for b, length in enumerate(trajectories.length.tolist())]
    assert torch.allclose(terms.log_reward, trained.reward(torch.stack(last), trajectories.instance), atol=1e-3)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.FLOW_MATCHING_LINEAR])
@torch.no_grad()
def test_flows_far_below_the_best_reward_need_not_match(name: str, loss: Loss) -> None:
    """The same reference, with δ high enough to matter, and the rewards from which δ comes."""
    trained = trainer(name, 4 if name == "tree_cycles" else 1, loss=loss, delta=0.5, reward=RewardConfig(beta=5.0))
    (episodes,) = trained._batches(np.random.RandomState(1))
    generator = torch.Generator().manual_seed(0)
    trajectories, taken_out = trained.sample(episodes, generator)
    rows = trained.predictor.graphs.rows(trajectories.instance, trajectories.order[:, 0])
    rewards = trained.reward(trajectories.prefixes().flatten(0, 1), trajectories.instance.repeat_interleave(K))
    rewards = rewards.view(len(trajectories), K).masked_fill(~trajectories.visited, -torch.inf).amax(1)
    trained.policy.score.bias.fill_(float(rewards.mean()) - 1)  # some flows are below δ, some are not
    assert not bool(trained.best.isfinite().any())
    terms = trained.loss(trajectories, taken_out)
    expected, residual = loss_reference(trained, trajectories)
    assert terms.loss.item() == pytest.approx(expected, rel=1e-3)
    assert terms.residual.item() == pytest.approx(residual, rel=1e-3)  # told as it is, whatever δ
    for row in rows.unique():
        assert trained.best[row].item() == pytest.approx(rewards[rows == row].max().item(), abs=1e-4)
    if loss is Loss.FLOW_MATCHING_LINEAR:  # flows of e⁻²⁶ are next to nothing as they are
        return
    as_they_are = Trainer(trained.predictor, replace(trained.config, delta=None))
    as_they_are.modules.load_state_dict(trained.modules.state_dict())
    assert as_they_are.loss(trajectories, taken_out).loss.item() > 1.01 * expected


# Every choice


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("parents", Parents)
@pytest.mark.parametrize("loss", Loss)
def test_every_choice_trains(name: str, loss: Loss, parents: Parents, stop: Stop) -> None:
    trained = trainer(name, 4, loss=loss, parents=parents, stop=stop)
    before = weights(trained)
    trained.fit()
    assert trained.epoch == 2
    assert_finite(trained)
    after = weights(trained)
    assert {name for name in before if not torch.equal(before[name], after[name])} == set(before)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("loss", Loss)
def test_the_papers_network_trains(name: str, loss: Loss) -> None:
    trained = trainer(name, 4, loss=loss, stop=Stop.LEARNED, policy=PolicyConfig(context=False))
    before = weights(trained)
    trained.fit()
    assert_finite(trained)
    assert not same(before, weights(trained))


@pytest.mark.parametrize(
    ("loss", "stop"),
    [
        (Loss.FLOW_MATCHING, Stop.REWARD),
        (Loss.FLOW_MATCHING, Stop.LEARNED),
        (Loss.TRAJECTORY_BALANCE_CONDITIONAL, Stop.REWARD),
    ],
)
def test_fitting_reduces_the_loss(loss: Loss, stop: Stop) -> None:
    trained = trainer(count=12, epochs=30, loss=loss, stop=stop)
    trained.fit()
    losses = [report.loss for report in trained.curve]
    assert np.mean(losses[-5:]) < 0.3 * np.mean(losses[:3])


def test_the_locator_learns() -> None:
    trained = trainer("ba_2motifs", 6, epochs=3)
    before = {name: value.clone() for name, value in trained.locator.state_dict().items()}
    trained.fit()
    assert all(not torch.equal(before[name], value) for name, value in trained.locator.state_dict().items())
    assert trainer("tree_cycles").locator is None


@pytest.mark.parametrize("batch_size", [1, 2, 3, 4, 5, 8, 100])
@pytest.mark.parametrize("name", TASKS)
def test_any_batch_size(name: str, batch_size: int) -> None:
    """Every instance has its turn in every epoch; graphs from several distinct start nodes that change."""
    trained = trainer(name, 5, batch_size=batch_size)
    turns: list[tuple[int, int]] = []
    original = trained.sample

    def listen(episodes: Episodes, generator: torch.Generator) -> Any:
        assert len(episodes) <= max(batch_size, STARTS_PER_GRAPH if name == "ba_2motifs" else 1)
        turns.extend(zip(episodes.instance.tolist(), episodes.start.tolist(), strict=True))
        return original(episodes, generator)

    trained.sample = listen  # type: ignore[method-assign]
    trained.fit()
    first, second = turns[: len(turns) // 2], turns[len(turns) // 2 :]
    for epoch in (first, second):
        starts = STARTS_PER_GRAPH if name == "ba_2motifs" else 1
        assert len(epoch) == 5 * starts
        for instance in range(5):
            assert len({start for i, start in epoch if i == instance}) == starts
    assert (sorted(first) == sorted(second)) == (name == "tree_cycles")
    assert_finite(trained)


# Reports


def test_reports() -> None:
    reports: list[EpochReport] = []
    trained = trainer(epochs=4)
    trained.fit(reports.append)
    assert reports == trained.curve
    assert [report.epoch for report in reports] == [1, 2, 3, 4]
    assert {report.epochs for report in reports} == {4}
    assert all(report.seconds > 0 for report in reports)
    assert all(report.eta > 0 for report in reports[:-1])
    assert reports[-1].eta == 0
    assert all(report.residual >= 0 and report.log_reward < 0 and 1 <= report.size <= K for report in reports)
    trained.fit(reports.append)
    assert len(reports) == 4


# The same again


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE_CONDITIONAL])
def test_the_seed_decides_everything(name: str, loss: Loss) -> None:
    trained = [trainer(name, 5, loss=loss, stop=Stop.LEARNED, batch_size=8, seed=seed, epochs=3) for seed in (1, 1, 2)]
    for one in trained:
        one.fit()
    assert numbers(trained[0].curve) == numbers(trained[1].curve)
    assert same(weights(trained[0]), weights(trained[1]))
    assert numbers(trained[0].curve) != numbers(trained[2].curve)


@pytest.mark.parametrize("name", TASKS)
def test_the_global_random_state_is_left_alone(name: str) -> None:
    torch.manual_seed(11)
    np.random.seed(11)  # noqa: NPY002
    before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    trainer(name, 4).fit()
    assert torch.equal(torch.get_rng_state(), before)
    assert np.array_equal(np.random.get_state()[1], numpy_before)  # noqa: NPY002
    torch.manual_seed(12)
    one = trainer(name, 4)
    torch.manual_seed(13)
    assert same(weights(one), weights(trainer(name, 4)))


# Cancelling


def asked(times: int) -> Callable[[], bool]:
    """Says no so often, then yes."""
    left = iter([False] * times)
    return lambda: next(left, True)


def test_cancelling_at_once_changes_nothing() -> None:
    trained = trainer()
    before = weights(trained)
    trained.fit(cancelled=lambda: True)
    assert trained.epoch == 0
    assert same(before, weights(trained))


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("batches", [1, 3, 4, 7])
def test_cancelling_keeps_the_last_whole_epoch(name: str, batches: int) -> None:
    """And going on afterwards is as if nothing had happened: three batches make an epoch here."""
    options: dict[str, Any] = {"epochs": 3, "batch_size": 2 if name == "tree_cycles" else 8}
    whole, broken = trainer(name, 6, **options), trainer(name, 6, **options)
    states = [weights(whole)]
    whole.fit(lambda _: states.append(weights(whole)))
    steps: list[int] = []
    original = broken.step

    def count(*arguments: Any) -> Any:
        steps.append(1)
        return original(*arguments)

    broken.step = count  # type: ignore[method-assign]
    broken.fit(cancelled=asked(batches))
    assert len(steps) == batches
    assert broken.epoch == batches // 3
    assert same(weights(broken), states[broken.epoch])
    broken.fit()
    assert numbers(broken.curve) == numbers(whole.curve)
    assert same(weights(broken), states[-1])


def test_full_memory_halves_the_batches() -> None:
    """An epoch that does not fit begins again; the result is that of the smaller batches from the start."""
    trained = trainer(count=6, batch_size=6)
    original, sizes = trained.sample, []

    def small_memory(episodes: Episodes, generator: torch.Generator) -> Any:
        sizes.append(len(episodes))
        if len(episodes) > 4:
            raise torch.OutOfMemoryError("out of memory")
        return original(episodes, generator)

    trained.sample = small_memory  # type: ignore[method-assign]
    trained.fit()
    assert sizes == [6, 3, 3, 3, 3]
    small = trainer(count=6, batch_size=3)
    small.fit()
    assert numbers(trained.curve) == numbers(small.curve)
    assert same(weights(trained), weights(small))


# Numbers that break


def broken_reward(good: Any) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda subsets, instance: good(subsets, instance) * torch.nan


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE])
def test_a_reward_that_is_not_a_number(name: str, stop: Stop, loss: Loss) -> None:
    trained = trainer(name, 4, epochs=5, stop=stop, loss=loss)
    states, good = [weights(trained)], trained.reward

    def after(report: EpochReport) -> None:
        states.append(weights(trained))
        if report.epoch == 3:
            trained.reward = broken_reward(good)  # type: ignore[assignment]

    with pytest.raises(FloatingPointError, match="stopped being a number in epoch 4"):
        trained.fit(after)
    for _ in range(3):  # trying again does not make it worse
        assert_finite(trained)
        assert same(weights(trained), states[trained.epoch])
        with pytest.raises(FloatingPointError):
            trained.fit()
    trained.reward = good
    trained.fit()
    assert trained.epoch == 5
    assert_finite(trained)


@pytest.mark.parametrize("lr", [1e4, 1e8, 1e30])
@pytest.mark.parametrize("batch_size", [2, 6])
def test_a_learning_rate_that_is_far_too_large(lr: float, batch_size: int) -> None:
    """The weights that are kept are ones that work."""
    trained = trainer(epochs=50, lr=lr, batch_size=batch_size)
    states = [weights(trained)]
    with pytest.raises(FloatingPointError, match="smaller learning rate"):
        trained.fit(lambda _: states.append(weights(trained)))
    assert_finite(trained)
    assert same(weights(trained), states[trained.epoch])
    episodes = Episodes.of(trained.graphs, np.arange(6))
    states = States.initial(episodes, torch.arange(6), K)
    assert not trained.policy(trained.policy.encode(episodes), states).log_out.isnan().any()


# Odd graphs


def toys(task: Task, graphs: list[nx.Graph]) -> SubgraphPredictor:
    """Graphs, or the neighbourhoods of their first nodes, under a random GNN."""
    instances: list[Instance] = []
    for graph in graphs:
        edges = np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2).T
        x = np.ones((len(graph), 2), dtype=np.float32)
        y = np.zeros(len(graph) if task is Task.NODE else 1, dtype=np.int64)
        instances.append(GraphDataset.from_edges("toy", task, x, edges, y, num_classes=2).instance(0))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return SubgraphPredictor(GNN(task, GNNKind.SUM, 2, 2).eval(), instances)


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("loss", Loss)
def test_a_start_node_without_neighbours(task: Task, loss: Loss, stop: Stop) -> None:
    """STOP is all there is: alone, as a graph of one node, and next to other graphs."""
    config = GFNConfig(max_nodes=K, epochs=2, loss=loss, stop=stop)
    for graphs in ([nx.empty_graph(1)], [nx.empty_graph(3)], [nx.empty_graph(1), nx.path_graph(5)]):
        trained = Trainer(toys(task, graphs), config)
        trained.fit()
        assert_finite(trained)
        episodes = Episodes.of(trained.graphs, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        each = torch.zeros(20, dtype=torch.long)
        drawn = sample(trained.policy, episodes, each, trained.reward, generator=torch.Generator())
        assert (drawn.length == 1).all()
        assert (drawn.log_forward == 0).all()


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("parents", Parents)
def test_more_nodes_allowed_than_there_are(task: Task, parents: Parents, stop: Stop) -> None:
    config = GFNConfig(max_nodes=20, epochs=2, parents=parents, stop=stop, epsilon=1.0)
    trained = Trainer(toys(task, [nx.path_graph(2), nx.cycle_graph(5), nx.complete_graph(4)]), config)
    trained.fit()
    assert_finite(trained)
    assert all(report.size <= 5 for report in trained.curve)


# P ∝ R


@torch.no_grad()
def distance_to_target(trained: Trainer, dag: StateDag) -> float:
    """Total variation between where the policy stops and R/Z, exactly."""
    which = torch.zeros(dag.num_states, dtype=torch.long)
    episodes = Episodes.of(trained.graphs, np.zeros(1, dtype=np.int64))
    states = States.of_sets(episodes, which, torch.from_numpy(dag.members), K)
    log_flows = trained.policy(trained.policy.encode(episodes), states).log_out
    log_reward = trained.reward(torch.from_numpy(dag.subsets), which)
    log_p = exact.terminal_distribution(dag, log_flows, log_reward)
    return exact.total_variation(log_p, exact.target_distribution(log_reward))


def test_a_fitted_network_stops_in_proportion_to_the_reward() -> None:
    """One instance, 64 trajectories a step: the distribution comes close to R/Z, and closer the longer it trains."""
    instance = load_dataset("tree_cycles").instance(513)
    dag = enumerate_states(instance, max_nodes=K)
    repeated = SubgraphPredictor(load_model("tree_cycles"), [instance] * 64)
    trained = Trainer(repeated, GFNConfig(max_nodes=K, epochs=200, stop=Stop.REWARD))
    distances = [distance_to_target(trained, dag)]
    trained.fit(lambda report: report.epoch % 50 == 0 and distances.append(distance_to_target(trained, dag)))
    assert dag.num_states > 20
    assert distances[0] > 0.3
    assert distances[-1] < 0.1
    assert distances[-1] < distances[1] < distances[0]
    assert trained.curve[-1].residual < 0.1
