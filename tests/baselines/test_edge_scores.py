"""The four scoring rules, by hand."""

import numpy as np

from gfx_core import load_dataset
from gfx_core.baselines.edge_scores import best_of, edge_marginals, order_weights

INSTANCE = load_dataset("tree_cycles").instance(600)
ORDERS = np.array([[0, 1, 2, -1], [0, 1, -1, -1], [0, -1, -1, -1], [0, 2, 1, 3]])


def pairs() -> list[tuple[int, int]]:
    return [(int(s), int(t)) for s, t in INSTANCE.edge_index.T]


def test_marginals_count_subgraphs_that_hold_both_ends() -> None:
    sets = [{0, 1, 2}, {0, 1}, {0}, {0, 1, 2, 3}]
    expected = [sum({s, t} <= held for held in sets) / 4 for s, t in pairs()]
    assert edge_marginals(INSTANCE, ORDERS).tolist() == expected


def test_order_weights() -> None:
    place = {0: 0, 2: 1, 1: 2, 3: 3}
    expected = [(4 - max(place.get(s, 4), place.get(t, 4))) / 3 for s, t in pairs()]
    assert np.allclose(order_weights(INSTANCE, ORDERS[3]), np.clip(expected, 0, 1))


def test_best_of_takes_the_highest_reward() -> None:
    scores = best_of(INSTANCE, ORDERS, np.array([-3.0, -0.5, -9.0, -1.0]))
    assert {pair for pair, score in zip(pairs(), scores, strict=True) if score} <= {(0, 1), (1, 0)}
    assert set(scores) <= {0.0, 1.0}


def test_the_best_answer_is_among_the_small_ones_if_there_are_any() -> None:
    log_reward = np.array([-0.1, -3.0, -0.5, -0.2])  # of 3, 2, 1 and 4 nodes
    assert not best_of(INSTANCE, ORDERS, log_reward, max_nodes=1).any()
    assert np.array_equal(best_of(INSTANCE, ORDERS, log_reward, 3), edge_marginals(INSTANCE, ORDERS[:1]))
    assert np.array_equal(
        best_of(INSTANCE, ORDERS[[0, 3]], log_reward[[0, 3]], 2), edge_marginals(INSTANCE, ORDERS[:1])
    )
