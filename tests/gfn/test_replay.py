"""Replay: the best subgraphs are kept, and taken apart by a uniform P_B."""

from dataclasses import replace

import networkx as nx
import numpy as np
import torch

from gfx_core.gfn.replay import Replay, walk_back
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from tests.toys.state_spaces import dag_of
from tests.toys.trainings import K, trainer


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


def test_the_best_are_kept_once_each() -> None:
    trained = trainer("tree_cycles", 3, reward=RewardConfig(5.0))
    replay, met = Replay(trained.graphs, K, kept=3), {}
    for seed in range(20):
        (episodes,) = trained._parts.shuffled(np.random.RandomState(seed))
        found, _ = trained.sample(episodes, torch.Generator().manual_seed(seed))
        rewards = found.final_log_reward(trained.reward)
        replay.add(found.and_also(found), torch.cat([rewards, rewards]))
        for instance, order, log_reward in zip(found.instance.tolist(), found.order.tolist(), rewards, strict=True):
            members = frozenset(node for node in order if node >= 0)
            met.setdefault((instance, order[0]), {})[members] = float(log_reward)
    for (instance, start), sets in met.items():
        row = int(trained.predictor.graphs.offset[instance]) + start
        best = sorted(sets.values(), reverse=True)[:3]
        kept = sorted((value for value in replay.log_reward[row].tolist() if np.isfinite(value)), reverse=True)
        assert np.allclose(kept, best, atol=1e-5)
        names = [frozenset(n for n in nodes if n >= 0) for nodes in replay.nodes[row].tolist()]
        values = replay.log_reward[row].tolist()
        assert all(sets[name] == value for name, value in zip(names, values, strict=True) if name)
    (episodes,) = trained.batches
    again = replay.draw(episodes, torch.arange(len(episodes)), trained.reward, torch.Generator().manual_seed(0))
    for instance, order, rewards in zip(again.instance.tolist(), again.order.tolist(), again.log_reward, strict=True):
        members = [node for node in order if node >= 0]
        assert frozenset(members) in met[instance, order[0]]
        assert abs(float(rewards[len(members) - 1]) - met[instance, order[0]][frozenset(members)]) < 1e-4
    nothing = Replay(trained.graphs, K).draw(episodes, torch.arange(3), trained.reward, torch.Generator())
    assert not len(nothing)


def test_replay_can_begin_later_and_forgets_under_another_reward() -> None:
    trained = trainer("tree_cycles", 4, epochs=4)
    trained.run_epoch()
    assert trained.replay is None
    trained.config = replace(trained.config, replay=0.5)
    trained.run_epoch()
    assert trained.replay is not None
    assert bool(trained.replay.log_reward.isfinite().any())
    trained.set_reward(Reward(trained.predictor, RewardConfig(9.0)))
    assert trained.replay is None
    trained.run_epoch()
    row = trained.predictor.graphs.offset + trained.predictor.graphs.target
    kept, nodes = trained.replay.log_reward[row, 0], trained.replay.nodes[row, 0].long()
    known = kept.isfinite()
    assert bool(known.any())
    again = trained.reward(nodes[known], torch.arange(len(row))[known])
    assert torch.allclose(kept[known], again, atol=1e-3)
