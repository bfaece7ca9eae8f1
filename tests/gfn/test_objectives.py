"""The loss of a batch against a slow reference, state by state and parent by parent; sums of log-flows by hand."""

from dataclasses import replace
from itertools import product

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.gfn.instances import STARTS_PER_GRAPH, Episodes
from gfx_core.gfn.objectives import NO_REWARD, masked_logsumexp
from gfx_core.gfn.sampler import Trajectories
from gfx_core.gfn.settings import Loss, Parents, RewardConfig, Stop
from gfx_core.gfn.states import States, prefixes
from gfx_core.gfn.trainer import Trainer
from tests.toys.trainings import TASKS, K, assert_finite, trainer, weights

BALANCES = (Loss.TRAJECTORY_BALANCE, Loss.TRAJECTORY_BALANCE_CONDITIONAL)


def evaluate(trained: Trainer, episodes: Episodes, episode: int, nodes: set[int]) -> tuple[Tensor, Tensor]:
    """Log-flows to the nodes [m] and to STOP, of one state at a time."""
    start = int(episodes.start[episode])
    states = States(episodes, torch.tensor([episode]), torch.tensor([[start, *sorted(nodes - {start})]]))
    flows = trained.policy(trained.policy.encode(episodes), states, states.frontier(K))
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
                into = [evaluate(trained, episodes, episode, nodes - {u})[0][u] for u in sorted(taken_out)]
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
        if config.loss in BALANCES:
            balances.append((trained.objective.log_z(start[None])[0] + log_forward - log_reward - log_backward) ** 2)
        finals.append(float(log_reward))
    loss = torch.stack(balances if config.loss in BALANCES else matched).mean()
    if stops and config.loss not in BALANCES:
        loss = loss + torch.stack(stops).mean()
    if trained.locator is not None:
        loss = loss + divergence_reference(trained, trajectories, finals)
    return float(loss), float(torch.stack(apart).mean())


def best_reward(trained: Trainer, trajectories: Trajectories, instance: int, start: int) -> float:
    """log δ: below the best reward that any state from this start node has had, in all that was ever sampled."""
    if trained.config.delta is None or trained.config.loss in BALANCES:
        return -float("inf")
    return float(trained.objective.best[trained.predictor.graphs.offset[instance] + start]) - trained.config.delta


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


LOSSES = (Loss.FLOW_MATCHING, Loss.FLOW_MATCHING_LINEAR, *BALANCES)
CHOICES = [
    (TASKS[(i // 2 + j) % 2], loss, parents, list(Stop)[(i + j) % 2])
    for (i, loss), (j, parents) in product(enumerate(LOSSES), enumerate(Parents))
]
"""Each loss with each kind of parents; each of both with each kind of STOP and each task."""


@pytest.mark.parametrize(("name", "loss", "parents", "stop"), CHOICES)
@torch.no_grad()
def test_every_choice_trains_and_the_loss_is_that_of_each_state_alone(
    name: str, loss: Loss, parents: Parents, stop: Stop
) -> None:
    count = 4 if name == "tree_cycles" else 1  # four trajectories either way
    trained = trainer(name, count, loss=loss, parents=parents, stop=stop, reward=RewardConfig(2.0, {"radius": 0.1}))
    before = weights(trained)
    with torch.enable_grad():
        trained.fit()  # the weights are no longer the first ones, log Z is not 0
    assert_finite(trained)
    learned = {name: value for name, value in trained.modules.named_parameters() if value.requires_grad}
    assert not any(torch.equal(value, before[name]) for name, value in learned.items())
    trajectories, removable = trained.sample(0, trained.generator)
    terms = trained.terms((trajectories, removable))
    expected, residual = loss_reference(trained, trajectories)
    assert terms.loss.item() == pytest.approx(expected, rel=1e-3)
    assert terms.residual.item() == pytest.approx(residual, rel=1e-3)
    final = trained.reward(trajectories.order, trajectories.instance)
    assert torch.allclose(terms.log_reward, final, atol=1e-3)
    assert terms.size.tolist() == trajectories.length.tolist()


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.FLOW_MATCHING_LINEAR])
@torch.no_grad()
def test_flows_far_below_the_best_reward_need_not_match(name: str, loss: Loss) -> None:
    """The same reference, with δ high enough to matter, and the rewards from which δ comes."""
    trained = trainer(name, 4 if name == "tree_cycles" else 1, loss=loss, delta=0.5, reward=RewardConfig(beta=5.0))
    trajectories, removable = trained.sample(0, torch.Generator().manual_seed(0))
    rows = trained.predictor.graphs.rows(trajectories.instance, trajectories.order[:, 0])
    subsets = prefixes(trajectories.order).flatten(0, 1)
    rewards = trained.reward(subsets, trajectories.instance.repeat_interleave(K))
    rewards = rewards.view(len(trajectories), K).masked_fill(~trajectories.visited, -torch.inf).amax(1)
    trained.policy.score.bias.fill_(float(rewards.mean()) - 1)  # some flows are below δ, some are not
    assert (trained.objective.best == NO_REWARD).all()
    terms = trained.terms((trajectories, removable))
    expected, residual = loss_reference(trained, trajectories)
    assert terms.loss.item() == pytest.approx(expected, rel=1e-3)
    assert terms.residual.item() == pytest.approx(residual, rel=1e-3)  # told as it is, whatever δ
    for row in rows.unique():
        assert trained.objective.best[row].item() == pytest.approx(rewards[rows == row].max().item(), abs=1e-4)
    if loss is Loss.FLOW_MATCHING_LINEAR:  # flows of e⁻²⁶ are next to nothing as they are
        return
    as_they_are = Trainer(trained.predictor, replace(trained.config, delta=None))
    as_they_are.policy.load_state_dict(trained.policy.state_dict())
    assert as_they_are.terms((trajectories, removable)).loss.item() > 1.01 * expected


def test_sums_of_log_flows_give_each_term_its_share_and_a_row_of_nothing_none() -> None:
    values = torch.tensor([[1.0, 3, 0], [1, 2, 3], [0, 0, 0]]).log().requires_grad_()
    total = masked_logsumexp(values)
    assert total.exp().tolist() == pytest.approx([4, 6, 0])
    total.clamp(min=-1e3).sum().backward()
    assert torch.allclose(values.grad, torch.tensor([[1 / 4, 3 / 4, 0], [1 / 6, 1 / 3, 1 / 2], [0, 0, 0]]))
