"""What all metrics start from: undirected edges, their scores, their truth, and which of them come first."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance

Bools = NDArray[np.bool_]


def undirected_scores(instance: Instance, scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """One score for each undirected edge: the mean of its two directions. [e] → [E]

    Scores that are no finite numbers are refused: there is no honest place for them in a ranking.
    """
    given = np.asarray(scores, dtype=np.float64)
    source, target = instance.edge_index
    if given.shape != source.shape:
        raise ValueError(f"scores must be one number for each of the {len(source)} directed edges (got {given.shape})")
    if not np.isfinite(given).all():
        raise ValueError("scores must be finite: at least one is NaN or infinite")
    reverse = np.lexsort((source, target))  # edges are sorted by (source, target): this finds each one's reverse
    both = given / 2 + given[reverse] / 2
    return both[instance.undirected]


def truth_edges(instance: Instance, truth: str) -> Bools:
    """Which undirected edges belong to the motif (``own``) or to any motif in view (``all``). [E]"""
    return (instance.own_edges if _is_own(truth) else instance.all_edges)[instance.undirected]


def truth_nodes(instance: Instance, truth: str) -> Bools:
    """Which nodes belong to the motif (``own``) or to any motif in view (``all``). [m]"""
    return instance.own_nodes if _is_own(truth) else instance.motif >= 0


def _is_own(truth: str) -> bool:
    if truth not in ("own", "all"):
        raise ValueError(f"truth must be 'own' or 'all' (got {truth!r})")
    return truth == "own"


def ranked_edges(instance: Instance, scores: NDArray[np.floating]) -> Ints:
    """The undirected edges from the highest score to the lowest, as positions in ``instance.undirected``. [E]"""
    return ranked(undirected_scores(instance, scores))


def ranked(values: NDArray[np.float64]) -> Ints:
    """Positions of the scores of undirected edges, from the highest to the lowest. [E]

    Edges of equal score come in the order of one fixed shuffle that is the same for every method. Their own order would
    not do: the nodes of an instance are numbered outward from the explained node, so that a method without an opinion
    would seem to prefer the edges near it.
    """
    shuffle = np.random.RandomState(0).permutation(len(values))
    return np.lexsort((shuffle, -values))


def top_edges(instance: Instance, scores: NDArray[np.floating], counts: Sequence[int] | Ints) -> Bools:
    """The highest-scored undirected edges, for several numbers of edges. counts [n] → [n, E]"""
    sizes = np.asarray(counts, dtype=np.int64)
    if (sizes < 0).any():
        raise ValueError("the number of edges to keep cannot be negative")
    order = ranked_edges(instance, scores)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[None, :] < sizes[:, None]


def best_edges(scores: NDArray[np.float64], k: int) -> Bools:
    """The k highest-scored edges; equal scores are ranked as everywhere. [E]"""
    kept = np.zeros(len(scores), dtype=bool)
    kept[ranked(scores)[:k]] = True
    return kept


def above_threshold(scores: NDArray[np.float64], share: float) -> Bools:
    """The edges that score at least this share of the way from the lowest to the highest. [E]"""
    if not scores.size:
        return np.zeros(0, dtype=bool)
    low, high = float(scores.min()), float(scores.max())
    return scores >= low + share * (high - low) if high > low else np.ones(len(scores), dtype=bool)
