"""Which sample comes nearest: by edges, then by nodes, then by count."""

from gfx_core.trace.edit import nearest_sample
from gfx_core.trace.schema import SampledSubgraph


def sample(nodes: tuple[int, ...], edges: tuple[int, ...], count: int = 1) -> SampledSubgraph:
    return SampledSubgraph(nodes, nodes, edges, count, -1.0)


def test_the_same_set_is_nearest() -> None:
    same, more = sample((0, 1, 2), (0, 1)), sample((0, 1, 2, 3), (0, 1, 2), 50)
    assert nearest_sample([more, same], (0, 2, 1), (1, 0)) is same


def test_overlap_counts_what_is_too_much_as_well() -> None:
    less, huge = sample((0, 1, 2), (0, 1)), sample(tuple(range(9)), tuple(range(8)), 50)
    assert nearest_sample([huge, less], (0, 1, 2, 3), (0, 1, 2)) is less


def test_nodes_and_then_counts_break_ties() -> None:
    alone, one, other = sample((0,), ()), sample((0, 1), (0,), 2), sample((0, 2), (1,), 3)
    assert nearest_sample([one, other, alone], (0,), ()) is alone
    assert nearest_sample([one, other], (0, 1, 2), (0, 1)) is other
