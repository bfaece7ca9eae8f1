"""The states around a trajectory, against the whole state space where that can be listed."""

from itertools import pairwise

import numpy as np

from gfx_core.datasets.registry import load_dataset
from gfx_core.exact.state_dag import enumerate_states, neighbourhood


def test_it_is_the_part_of_the_whole_around_the_trajectory() -> None:
    instance = load_dataset("tree_grid").instance(601)
    whole = enumerate_states(instance, max_nodes=6)
    path = [0]
    for _ in range(5):
        path.append(int(whole.child[whole.parent == path[-1]][1]))
    order = [0] + [int(np.flatnonzero(whole.members[b] & ~whole.members[a])[0]) for a, b in pairwise(path)]
    part = neighbourhood(instance, order, 6)
    near = set(path)
    for state in path:
        near |= set(whole.parent[whole.child == state].tolist()) | set(whole.child[whole.parent == state].tolist())
    at = whole.indices_of(part.members)
    assert set(at.tolist()) == near
    assert len(at) == len(near)
    inside = np.isin(whole.parent, at) & np.isin(whole.child, at)
    expected = set(
        zip(whole.parent[inside].tolist(), whole.child[inside].tolist(), whole.node[inside].tolist(), strict=True)
    )
    assert set(zip(at[part.parent].tolist(), at[part.child].tolist(), part.node.tolist(), strict=True)) == expected
    assert [part.index_of(order[: k + 1]) for k in range(len(order))] == [int(np.flatnonzero(at == s)[0]) for s in path]
    assert np.all(np.diff(part.size) >= 0)
    assert part.level_ptr.tolist() == [int((part.size <= k).sum()) for k in range(int(part.size.max()) + 1)]


def test_the_start_alone() -> None:
    instance = load_dataset("tree_cycles").instance(512)
    part = neighbourhood(instance, [0], 8)
    assert part.num_states == 1 + int((instance.edge_index[0] == 0).sum())
    assert neighbourhood(instance, [0], 1).num_states == 1
    assert neighbourhood(instance, [0], 1).num_edges == 0
