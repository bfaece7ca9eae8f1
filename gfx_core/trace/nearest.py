"""The drawn subgraph that is nearest to the answer."""

from collections.abc import Collection, Iterable

from gfx_core.trace.schema import SampledSubgraph


def nearest_sample(
    samples: Iterable[SampledSubgraph], nodes: Collection[int], edges: Collection[int]
) -> SampledSubgraph:
    """The sample that shares most with some subgraph: of edges, then of nodes; of equals the most frequent.

    What two sets share is measured by their overlap, the size of what both hold over that of what either holds.

    Args:
        samples: At least one.
        nodes: Of the subgraph.
        edges: Of the subgraph.
    """

    def nearness(sample: SampledSubgraph) -> tuple[float, float, int, float]:
        return (
            _overlap(set(sample.edges), set(edges)),
            _overlap(set(sample.nodes), set(nodes)),
            sample.count,
            sample.log_reward,
        )

    return max(samples, key=nearness)


def _overlap(one: set[int], other: set[int]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0
