"""The motifs that are planted in, or looked for in, the data sets: shape, roles and a picture of each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Motif:
    """A small graph with a place for each node.

    Attributes:
        name: What people call it.
        edges: Undirected edges between nodes ``0 … n-1``; node 0 is the one a generator attaches to the base.
        positions: One ``(x, y)`` in the unit square for each node, y upwards.
        roles: The structural role of each node (1, 2, …), used as its class in the node tasks.
        labels: Text on each node of the picture; empty strings for none.
    """

    name: str
    edges: tuple[tuple[int, int], ...]
    positions: tuple[tuple[float, float], ...]
    roles: tuple[int, ...]
    labels: tuple[str, ...]

    @property
    def num_nodes(self) -> int:
        return len(self.positions)


def _plain(
    name: str,
    edges: tuple[tuple[int, int], ...],
    positions: tuple[tuple[float, float], ...],
    roles: tuple[int, ...] | None = None,
) -> Motif:
    return Motif(name, edges, positions, roles or (1,) * len(positions), ("",) * len(positions))


def _ring(size: int) -> tuple[tuple[int, int], ...]:
    return tuple((i, (i + 1) % size) for i in range(size))


HOUSE = _plain(
    "house",
    edges=((0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 1)),
    positions=((0.2, 0.55), (0.8, 0.55), (0.8, 0.05), (0.2, 0.05), (0.5, 0.95)),
    roles=(1, 1, 2, 2, 3),  # middle, middle, bottom, bottom, top
)
SIX_CYCLE = _plain(
    "six-cycle",
    edges=_ring(6),
    positions=((0.5, 0.95), (0.89, 0.725), (0.89, 0.275), (0.5, 0.05), (0.11, 0.275), (0.11, 0.725)),
)
FIVE_CYCLE = _plain(
    "five-cycle",
    edges=_ring(5),
    positions=((0.5, 0.95), (0.93, 0.64), (0.76, 0.14), (0.24, 0.14), (0.07, 0.64)),
)
GRID = _plain(
    "3×3 grid",
    edges=((0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (3, 6), (1, 4), (4, 7), (2, 5), (5, 8)),
    positions=tuple((0.1 + 0.4 * column, 0.9 - 0.4 * row) for row in range(3) for column in range(3)),
)
NITRO = Motif(
    "NO₂",
    edges=((0, 1), (0, 2)),
    positions=((0.5, 0.35), (0.15, 0.8), (0.85, 0.8)),
    roles=(1, 1, 1),
    labels=("N", "O", "O"),
)
AMINO = Motif(
    "NH₂",
    edges=((0, 1), (0, 2)),
    positions=((0.5, 0.35), (0.15, 0.8), (0.85, 0.8)),
    roles=(1, 1, 1),
    labels=("N", "H", "H"),
)
