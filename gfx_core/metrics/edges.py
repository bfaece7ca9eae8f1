"""Edge scores of an explanation: undirected edges, which of them come first, and how they lie.

AUC and top-k accuracy hold them against the true motif; connectedness is whether they are one piece and hang on the
explained node.
"""

from collections.abc import Sequence

import numpy as np

from gfx_core.arrays import Bools, Doubles, Ints, Reals
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.metrics.intervals import resampled_aucs


def undirected_scores(instance: Instance, scores: Reals) -> Doubles:
    """One score for each undirected edge: the mean of its two directions. [e] → [E]

    Scores that are no finite numbers are refused: there is no honest place for them in a ranking.
    """
    values = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(values).all():
        raise UserError("Scores of edges must be finite: at least one is NaN or infinite.")
    both = values / 2 + values[instance.reverse] / 2
    return both[instance.undirected]


def truth_edges(instance: Instance) -> Bools:
    """Which undirected edges belong to the motif. [E]"""
    return instance.own_edges[instance.undirected]


def ranked(values: Doubles) -> Ints:
    """Positions of the scores of undirected edges, from the highest to the lowest. [E]

    Edges of equal score come in the order of one fixed shuffle that is the same for every method. Their own order would
    not do: the nodes of an instance are numbered outward from the explained node, so that a method without an opinion
    would seem to prefer the edges near it.
    """
    shuffle = np.random.RandomState(0).permutation(len(values))
    return np.lexsort((shuffle, -values))


def best_edges(scores: Doubles, k: int | Ints) -> Bools:
    """The k highest-scored undirected edges, for several k as a column [n, 1] in n rows. [E] → [E] or [n, E]"""
    return ranked(scores).argsort() < k


def pooled_auc(instances: Sequence[Instance], scores: Sequence[Reals]) -> float | None:
    """AUC of the edges of all instances together; ``None`` if all edges, or none, belong to a motif.

    Args:
        instances: What was explained.
        scores: A score for each directed edge of each.
    """
    wanted, values = list(map(truth_edges, instances)), list(map(undirected_scores, instances, scores))
    if not wanted:
        return None
    (auc,) = resampled_aucs(wanted, values, np.ones((1, len(wanted)), dtype=np.int64))
    return None if np.isnan(auc) else float(auc)


def topk_accuracy(instance: Instance, scores: Reals) -> float | None:
    """Share of the k highest-scored undirected edges that belong to the motif, k as many as the motif has.

    Where several edges share the k-th score, this is the expected share if the places left were drawn among them at
    random, so constant scores get the motif's share of all edges.

    Args:
        instance: What was explained.
        scores: A score for each directed edge.

    Returns:
        A share; ``None`` if all edges, or none, belong to the motif.
    """
    wanted, values = truth_edges(instance), undirected_scores(instance, scores)
    if wanted.all() or not wanted.any():
        return None
    k = int(wanted.sum())
    last = np.sort(values)[-k]  # the k-th highest score
    above, tied = values > last, values == last
    hits = wanted[above].sum() + (k - above.sum()) * wanted[tied].mean()
    return float(hits / k)


def connected_share(instance: Instance, kept: Bools) -> float | None:
    """The share of some undirected edges in one connected piece of them; ``None`` if there are none. [E]

    In a node task the share is of the piece that holds the explained node, 0 if none does; in a graph task of the piece
    with most edges.
    """
    edges = instance.edge_index[:, instance.undirected[kept]].T.tolist()
    pieces: list[set[int]] = []  # without SciPy, so that Compare opens soon
    for ends in edges:
        touched = [piece for piece in pieces if not piece.isdisjoint(ends)]
        pieces = [piece for piece in pieces if piece not in touched] + [{*ends}.union(*touched)]
    sizes = [sum(source in piece for source, _ in edges) for piece in pieces if instance.target in (None, *piece)]
    return max(sizes, default=0) / len(edges) if edges else None
