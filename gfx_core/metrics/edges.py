"""Edge scores of an explanation: undirected edges, which of them come first, and how they lie.

AUC and top-k accuracy hold them against the true motif; sparsity tells how little of the instance an explanation needs,
connectedness whether it is one piece and hangs on the explained node.

For a hard explanation sparsity is the definition of Yuan et al., "Explainability in Graph Neural Networks: A Taxonomic
Survey" (2020): 1 − |important edges| / |edges|. Soft scores have to be cut first; the cut at a threshold is one of the
ways of Amara et al., "GraphFramEx" (2022). Ours is relative to the largest score, because methods score on different
scales.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance

Bools = NDArray[np.bool_]


def undirected_scores(instance: Instance, scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """One score for each undirected edge: the mean of its two directions. [e] → [E]

    Scores that are no finite numbers are refused: there is no honest place for them in a ranking.
    """
    values = np.asarray(scores, dtype=np.float64)
    edges = instance.edge_index.shape[1]
    if values.shape != (edges,):
        raise ValueError(f"scores must be one number for each of the {edges} directed edges (got {values.shape})")
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite: at least one is NaN or infinite")
    both = values / 2 + values[instance.reverse] / 2
    return both[instance.undirected]


def truth_edges(instance: Instance, truth: str) -> Bools:
    """Which undirected edges belong to the motif (``own``) or to any motif in view (``all``). [E]"""
    return (instance.own_edges if truth == "own" else instance.all_edges)[instance.undirected]


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
    rank = ranked(undirected_scores(instance, scores)).argsort()
    return rank[None, :] < np.asarray(counts, dtype=np.int64)[:, None]


def best_edges(scores: NDArray[np.float64], k: int) -> Bools:
    """The k highest-scored edges; equal scores are ranked as everywhere. [E]"""
    kept = np.zeros(len(scores), dtype=bool)
    kept[ranked(scores)[:k]] = True
    return kept


def pooled_auc(
    instances: Sequence[Instance], scores: Sequence[NDArray[np.floating]], truth: str = "own"
) -> float | None:
    """AUC of the edges of all instances together; ``None`` if all edges, or none, belong to a motif.

    Args:
        instances: What was explained.
        scores: A score for each directed edge of each.
        truth: ``own`` (edges of the explained node's motif) or ``all`` (every motif edge in view).
    """
    values = [undirected_scores(i, s) for i, s in zip(instances, scores, strict=True)]
    if not values:
        return None
    return _auc(np.concatenate([truth_edges(i, truth) for i in instances]), np.concatenate(values))


def instance_auc(instance: Instance, scores: NDArray[np.floating], truth: str = "own") -> float | None:
    """AUC of the edges of one instance; ``None`` if all its edges, or none, belong to the motif."""
    return pooled_auc([instance], [scores], truth)


def _auc(wanted: Bools, values: NDArray[np.float64]) -> float | None:
    """Chance that a wanted value is above another one, ties half: the Mann–Whitney statistic, from ranks. [E], [E]"""
    right, wrong = int(wanted.sum()), int((~wanted).sum())
    if not right or not wrong:
        return None
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2  # the mean rank, from 1, of each value
    above = rank[group][wanted].sum() - right * (right + 1) / 2
    return float(above / (right * wrong))


def topk_accuracy(instance: Instance, scores: NDArray[np.floating], truth: str = "own") -> float | None:
    """Share of the k highest-scored undirected edges that belong to the motif, k as many as the motif has.

    Where several edges share the k-th score, this is the expected share if the places left were drawn among them at
    random, so constant scores get the motif's share of all edges.

    Args:
        instance: What was explained.
        scores: A score for each directed edge.
        truth: ``own`` or ``all``.

    Returns:
        A share; ``None`` if all edges, or none, belong to the motif.
    """
    return _share(truth_edges(instance, truth), undirected_scores(instance, scores))


def _share(wanted: Bools, values: NDArray[np.float64]) -> float | None:
    """The expected share of the best, as many as there are wanted ones, that are wanted."""
    if wanted.all() or not wanted.any():
        return None
    k = int(wanted.sum())
    last = np.partition(values, len(values) - k)[len(values) - k]  # the k-th highest score
    above, tied = values > last, values == last
    hits = wanted[above].sum() + (k - above.sum()) * wanted[tied].mean()
    return float(hits / k)


def sparsity(kept: NDArray[np.bool_]) -> float | None:
    """1 − share of the undirected edges that are kept; ``None`` without edges. [E]"""
    return float(1 - kept.mean()) if kept.size else None


def mask_sparsity(instance: Instance, scores: NDArray[np.floating]) -> float | None:
    """Sparsity of the edges that score above half of the largest score; ``None`` without edges.

    Only positive scores count: where none is positive no edge is marked and the sparsity is 1. Equal positive scores
    mark every edge: 0.

    Args:
        instance: What was explained.
        scores: A score for each directed edge.
    """
    values = undirected_scores(instance, scores)
    return sparsity(values > 0.5 * values.max(initial=-np.inf))


@dataclass(frozen=True)
class Connectedness:
    """The pieces of a set of edges.

    Attributes:
        components: Number of pieces; nodes without an edge of the set are none.
        share: In a node task the share of the edges in the piece that holds the explained node, 0 if none does; in a
            graph task the share of the edges in the piece with the most.
    """

    components: int
    share: float

    @property
    def connected(self) -> bool:
        return self.components == 1


def connectedness(instance: Instance, kept: NDArray[np.bool_]) -> Connectedness | None:
    """The pieces of some undirected edges; ``None`` if there are no edges among them. [E]"""
    edges = instance.edge_index[:, instance.undirected[kept]]  # [2, k]
    if not edges.size:
        return None
    piece = _pieces(edges, instance.num_nodes)  # [n]
    _, sizes = np.unique(piece[edges[0]], return_counts=True)  # edges of each
    mine = int((piece[edges[0]] == piece[instance.target]).sum()) if instance.target is not None else int(sizes.max())
    return Connectedness(len(sizes), mine / edges.shape[1])


def _pieces(edges: NDArray[np.integer], num_nodes: int) -> NDArray[np.int64]:
    """The lowest node of each node's piece. (networkx would be loaded for this alone when Compare opens.)

    Args:
        edges: Their two ends. [2, k]
        num_nodes: How many nodes there are.
    """
    piece = np.arange(num_nodes)
    while True:
        lowest = piece[edges].min(axis=0)  # [k]
        after = piece.copy()
        for ends in edges:
            np.minimum.at(after, ends, lowest)
        after = after[after]  # what its lowest node has found counts too
        if np.array_equal(after, piece):
            return piece
        piece = after
