"""Replay: the best subgraphs are kept, and taken apart by a uniform P_B."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from gfx_core.gfn.replay import KEPT, walk_back

from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gfn.trainer import BatchLearned, TrainingEvent
from tests.toys.state_spaces import dag_of
from tests.toys.trainings import trainer


def test_sets_are_taken_apart_by_uniform_choices() -> None:
    """Every order stays connected, and the first step back is to each valid parent as often as to another."""
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(2, 3))
    dag = dag_of(graph, 1, 6)
    nodes = dag.subsets[dag.size >= 5]
    pairs = torch.from_numpy(np.repeat(nodes, 3000, axis=0))
    linked = torch.from_numpy(nx.to_numpy_array(graph, dtype=bool))
    links = linked[pairs.clamp(min=0)[:, :, None], pairs.clamp(min=0)[:, None, :]]
    orders = walk_back(pairs, links, torch.Generator().manual_seed(0))
    assert torch.equal(orders.sort(1).values, pairs.sort(1).values)
    for order in orders[::500].tolist():
        members = [node for node in order if node >= 0]
        assert members[0] == 1
        assert all(nx.is_connected(graph.subgraph(members[: k + 1])) for k in range(len(members)))
    for row, some in zip(nodes, orders.split(3000), strict=True):
        size = int((row >= 0).sum())
        last, counts = some[:, size - 1].unique(return_counts=True)
        state = dag.index_of(row[row >= 0].tolist())
        assert last.tolist() == sorted(dag.node[dag.child == state].tolist())
        assert np.allclose(counts / 3000, 1 / len(last), atol=0.05)


def test_the_best_are_kept_and_drawn_again_and_another_reward_forgets_them() -> None:
    trained = trainer("tree_cycles", 4, epochs=4)
    trained.run_epoch()
    assert trained.replay is None
    trained.config = replace(trained.config, replay=0.5)
    found: dict[int, dict[frozenset[int], float]] = {instance: {} for instance in range(4)}

    def met(event: TrainingEvent) -> None:
        if isinstance(event, BatchLearned):
            each = event.trajectories
            rows = zip(each.instance.tolist(), each.order.tolist(), event.log_reward.tolist(), strict=True)
            for instance, order, reward in rows:
                found[instance][frozenset(order) - {-1}] = reward

    trained.listeners.append(met)
    for reward in (trained.reward, Reward(trained.predictor, RewardConfig(9.0))):
        trained.set_reward(reward)
        assert trained.replay is None
        for sets in found.values():
            sets.clear()
        for _ in range(12):
            trained.run_epoch()
        assert trained.replay is not None
        rows = trained.predictor.graphs.offset + trained.predictor.graphs.target
        for instance, row in enumerate(rows):
            kept = sorted(trained.replay.log_reward[row][trained.replay.log_reward[row].isfinite()].tolist())
            assert kept == pytest.approx(sorted(found[instance].values())[-KEPT:], abs=1e-3)
    (episodes,) = trained.batches
    again = trained.replay.draw(episodes, torch.arange(4), trained.reward, torch.Generator().manual_seed(0))
    for instance, reward in zip(again.instance, again.final_log_reward(trained.reward), strict=True):
        assert (trained.replay.log_reward[rows[instance]] - reward).abs().min() < 1e-3
