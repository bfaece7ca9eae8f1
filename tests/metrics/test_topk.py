"""Top-k accuracy by hand, and its ties by drawing lots."""

import numpy as np
import pytest

from gfx_core.metrics.edges import topk_accuracy, topk_nodes, truth_edges, undirected_scores
from tests.toys.motifs import directed, motif_instance

PATH = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


def test_by_hand() -> None:
    instance = motif_instance(PATH, own=((0, 1), (1, 2)), others=((4, 5),))
    scores = directed(instance, {(0, 1): 0.9, (1, 2): 0.3, (2, 3): 0.8, (3, 4): 0.1, (4, 5): 0.2})
    assert topk_accuracy(instance, scores) == 1 / 2  # of the best two, 0–1 and 2–3, one is right
    assert topk_accuracy(instance, scores, "all") == pytest.approx(2 / 3)  # of the best three 0–1 and 1–2
    assert topk_accuracy(instance, scores, "own", k=1) == 1.0
    assert topk_accuracy(instance, scores, "own", k=4) == 2 / 4
    assert topk_accuracy(instance, scores, "own", k=99) == 2 / 5  # no more than there are


def test_nodes_by_hand() -> None:
    instance = motif_instance(PATH, own=((0, 1), (1, 2)), others=((4, 5),))
    scores = directed(instance, {(0, 1): 0.9, (1, 2): 0.3, (2, 3): 0.8, (3, 4): 0.1, (4, 5): 0.2})
    # nodes 0 … 5 score .9, .9, .8, .8, .2, .2: of the best three two are sure and one is drawn, 2 (right) or 3
    assert topk_nodes(instance, scores) == pytest.approx((2 + 1 / 2) / 3)
    assert topk_nodes(instance, scores, "all") == pytest.approx((3 + 2 / 2) / 5)  # the fifth is 4 or 5, both right
    assert topk_nodes(instance, np.ones(10)) == pytest.approx(3 / 6)
    assert topk_nodes(motif_instance(PATH), scores) is None
    with pytest.raises(ValueError, match="own"):
        topk_nodes(instance, scores, "mine")


def test_nodes_against_one_after_the_other() -> None:
    rng = np.random.RandomState(0)
    for _ in range(20):
        instance = motif_instance([*PATH, (0, 5), (1, 4)], own=((0, 1), (1, 2)))
        scores = rng.random_sample(len(instance.edge_index[0]))
        source, target = instance.edge_index
        undirected = {
            frozenset((int(s), int(t))): (
                scores[np.flatnonzero((source == s) & (target == t))[0]]
                + scores[np.flatnonzero((source == t) & (target == s))[0]]
            )
            for s, t in zip(source, target, strict=True)
        }
        best = [max(v for edge, v in undirected.items() if node in edge) for node in range(6)]
        expected = np.mean(  # ties between the two ends of an edge are broken both ways
            [
                np.mean([instance.own_nodes[node] for node in sorted(range(6), key=lambda n: (-best[n], way * n))[:3]])
                for way in (1, -1)
            ]
        )
        assert topk_nodes(instance, scores) == pytest.approx(expected)


def test_ties_are_what_random_breaking_gives_on_average() -> None:
    instance = motif_instance(PATH, own=((0, 1), (1, 2), (3, 4)))
    rng = np.random.RandomState(0)
    wanted = truth_edges(instance, "own")
    for _ in range(10):
        pairs = dict(zip(PATH, rng.randint(0, 3, size=5).tolist(), strict=True))
        scores = directed(instance, pairs)
        values = undirected_scores(instance, scores)
        drawn = [wanted[np.lexsort((rng.rand(5), -values))[:3]].mean() for _ in range(4000)]
        assert topk_accuracy(instance, scores) == pytest.approx(np.mean(drawn), abs=0.03)


def test_nothing_to_tell_apart() -> None:
    scores = np.arange(10.0)
    assert topk_accuracy(motif_instance(PATH), scores) is None  # no motif
    assert topk_accuracy(motif_instance(PATH, own=tuple(PATH)), scores) is None  # nothing but motif
    assert topk_accuracy(motif_instance([], num_nodes=1), np.zeros(0)) is None
    other = motif_instance(PATH, others=((3, 4),))
    assert topk_accuracy(other, scores, "own") is None
    assert topk_accuracy(other, scores, "all") is not None


def test_bad_arguments() -> None:
    instance = motif_instance(PATH, own=((0, 1),))
    with pytest.raises(ValueError, match="k must be at least 1"):
        topk_accuracy(instance, np.ones(10), k=0)
    with pytest.raises(ValueError, match="finite"):
        topk_accuracy(instance, np.full(10, np.nan))
    with pytest.raises(ValueError, match="finite"):
        topk_accuracy(motif_instance(PATH), np.full(10, np.nan))  # even where the answer would be None
