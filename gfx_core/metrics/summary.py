"""All metrics of one explanation; their texts are in assets/content.

AUC and top-k accuracy hold the scores of undirected edges against the true motif; connectedness is whether the best are
one piece and hang on the explained node.

Fidelity: does the GNN need the explanation (fidelity+), and is the explanation enough for it (fidelity−)?

Definitions of Yuan et al., "Explainability in Graph Neural Networks: A Taxonomic Survey" (2020), for the class that
the GNN itself predicts on the whole instance:

- fidelity+ = P(class | whole) − P(class | without the explanation's edges), high if the explanation is necessary;
- fidelity− = P(class | whole) − P(class | only the explanation's edges), low if it is sufficient, below zero if the
  GNN is surer of the class than on the whole.

Edges are deleted, not masked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gfx_core.arrays import Bools, Doubles, Ints, Reals
from gfx_core.config import read_content
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.metrics.intervals import resampled_aucs

if TYPE_CHECKING:
    from torch import nn

# Edge scores


def undirected_scores(instance: Instance, scores: Reals) -> Doubles:
    """One score for each undirected edge: the mean of its two directions. [e] → [E]

    Scores that are no finite numbers are refused: there is no honest place for them in a ranking.
    """
    values = np.asarray(scores, dtype=float)
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
    (auc,) = resampled_aucs(wanted, values, np.ones((1, len(wanted)), dtype=int))
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


# Fidelity


COUNTED_EDGES = 60
"""Where fidelity is kept for explanations of 1, 2, … edges, it is for at most so many."""


@dataclass(frozen=True)
class Outcomes:
    """Class probabilities for explanations of n sizes, and what follows from them.

    Attributes:
        whole: On the whole instance. [C]
        only: With the explanation's edges alone. [n, C]
        without: With all edges but those. [n, C]
    """

    whole: Doubles
    only: Doubles
    without: Doubles

    @property
    def explained_class(self) -> int:
        return int(self.whole.argmax())

    @property
    def plus(self) -> Doubles:
        return self.whole[self.explained_class] - self.without[:, self.explained_class]

    @property
    def minus(self) -> Doubles:
        return self.whole[self.explained_class] - self.only[:, self.explained_class]


def outcomes(model: "nn.Module", instance: Instance, scores: Reals, counts: Sequence[int] | Ints) -> Outcomes:
    """Evaluate the GNN on the highest-scored edges, and on all the others, for several numbers of edges at once.

    Equal scores are ranked by :func:`ranked`.
    """
    from gfx_core.user_models.predictor import predictor_on

    top = best_edges(undirected_scores(instance, scores), np.reshape(counts, (-1, 1)))  # [n, E]
    predictor = predictor_on(model, [instance])
    whole = predictor.whole.probabilities[0].double().cpu().numpy()
    answers = predictor.with_edges(instance, np.concatenate([top, ~top])).probabilities.double().cpu().numpy()
    return Outcomes(whole, *np.split(answers, 2))


DEFAULT_K = 10
"""Edges of an explanation where no motif gives their number."""


class MetricInfo(NamedTuple):
    """A metric in words: its name, and in one sentence what it means."""

    title: str
    sentence: str


METRICS = {name: MetricInfo(**texts) for name, texts in read_content("metrics").items()}

BY_TRUTH = ("auc_own", "topk_own")
"""The metrics that hold an explanation against what is known to be true."""


def explanation_size(instance: Instance) -> int:
    """How many edges the explanation has: as many as the own motif, or 10; never more than there are."""
    return min(int(truth_edges(instance).sum()) or DEFAULT_K, len(instance.undirected))


def summarise(model: "nn.Module", instance: Instance, scores: Reals) -> dict[str, float | None]:
    """Every metric of one explanation, by the names of :data:`METRICS`.

    AUC and top-k accuracy are ``None`` where no motif is known or every edge is in it; without edges everything is.

    Args:
        model: The GNN, ours or any other; it is left as it is.
        instance: What was explained.
        scores: A score for each directed edge. [e]
    """
    size = explanation_size(instance)
    kept = best_edges(undirected_scores(instance, scores), size)
    share = connected_share(instance, kept)
    if share is None:  # no edges
        return dict.fromkeys(METRICS)
    result = outcomes(model, instance, scores, [size])
    return {
        "auc_own": pooled_auc([instance], [scores]),
        "topk_own": topk_accuracy(instance, scores),
        "fidelity_plus": float(result.plus[0]),
        "fidelity_minus": float(result.minus[0]),
        "sparsity": float(1 - kept.mean()),
        "connected_share": share,
    }
