"""Answers of all explainers with equally many edges, against the motif and against what the GNN predicts."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.baselines.registry import METHODS, ready_method
from gfx_core.bench.measures.gnn_answers import load_subject, parts_of
from gfx_core.bench.reasons import answers_right
from gfx_core.bench.study import Cell
from gfx_core.bench.tables import ALL, FIRST
from gfx_core.config import FlowSource
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explained
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import JobContext
from gfx_core.metrics.edges import best_edges, truth_edges, undirected_scores
from gfx_core.trace.schema import Trace

Bools = NDArray[np.bool_]
_HALF = 0.5  # the marginal from which on an edge belonged to the answer by the former rule


def score_answers(cell: Cell, others: Sequence[str]) -> dict[str, Any]:
    """Explain some instances by everybody, and score what is kept.

    Options: ``device``; ``half``; ``limit``, only so many instances, evenly spread; ``sampling_seeds``, how often each
    is explained for the stability.
    """
    dataset, model, every = load_subject(cell)
    right = answers_right(model, every)
    instances = [instance for instance, good in zip(every, right, strict=True) if good]
    seeds = range(cell.seed, cell.seed + cell.options["sampling_seeds"])
    groups = parts_of(dataset, instances).get("group", {})
    scorer = _Scorer(model, instances, groups)
    found: dict[str, Any] = {}
    sizes: dict[str, list[int]] = {}
    for name, flows in (("learned", None), ("exact", FlowSource.EXACT)):
        each = [[_trace(cell, instance, flows, seed) for seed in seeds] for instance in instances]  # its flows are kept
        traces = list(zip(*each, strict=True))  # of each seed
        if name == "learned":
            sizes = {which: [int(each.sum()) for each in _edges(traces[0], which)] for which in (ALL, FIRST)}
            found["marginals"] = _by_marginals(scorer, traces[0])
        found[name] = {which: scorer.scored(_edges(traces[0], which)) for which in (ALL, FIRST)}
        found[name][FIRST] |= {
            "stable": _stability([_edges(some, FIRST) for some in traces]),
            "unsampled": float(np.mean([not _sampled(trace, trace.answer.first.edges) for trace in traces[0]])),
        }
        found[name][ALL] |= {
            "reasons": float(np.mean([len(trace.answer.reasons) for trace in traces[0]])),
            "edges": float(np.mean(sizes[ALL])),
        }
    for name in others:
        masks = _masks(name, model, cell, instances, seeds)
        kept = {
            which: [[best_edges(scores, k) for scores, k in zip(some, sizes[which], strict=True)] for some in masks]
            for which in (ALL, FIRST)
        }
        found[name] = {which: scorer.scored(each[0]) for which, each in kept.items()}
        found[name][FIRST] |= {"stable": _stability(kept[FIRST])}
    return {"explainers": found, "instances": len(every), "wrong": int((~right).sum()), "groups": list(groups)}


def _trace(cell: Cell, instance: Instance, flows: FlowSource | None, seed: int) -> Trace:
    question = Question(cell.dataset, str(instance.index), flows=flows, seed=seed, seconds=None)
    return explained(question, JobContext(cell.device), plays=False).trace


def _edges(traces: Sequence[Trace], which: str) -> list[Bools]:
    """The edges of an answer. [E] each"""
    found = []
    for trace in traces:
        assert trace.answer is not None
        kept = np.zeros(len(trace.edges), dtype=bool)
        kept[list(trace.answer.edges if which == ALL else trace.answer.first.edges)] = True
        found.append(kept)
    return found


def _sampled(trace: Trace, edges: Sequence[int]) -> bool:
    """Whether some sample, or a subgraph that can be sampled with a known probability, contains all these edges."""
    assert trace.answer is not None
    listed = any(set(edges) <= set(each.edges) and each.probability for each in trace.answer.reasons)
    return listed or any(set(edges) <= set(sample.edges) for sample in trace.samples)


def _by_marginals(scorer: "_Scorer", traces: Sequence[Trace]) -> dict[str, Any]:
    """The former rule: all edges that at least half of the samples contain."""
    kept = [np.array(trace.edge_marginals) >= _HALF - 1e-9 for trace in traces]
    unsampled = [
        bool(edges.any()) and not _sampled(trace, np.flatnonzero(edges).tolist())
        for trace, edges in zip(traces, kept, strict=True)
    ]
    scored = scorer.scored(kept)
    return {ALL: scored, FIRST: scored | {"unsampled": float(np.mean(unsampled))}}


def _masks(name: str, model: GNN, cell: Cell, instances: Sequence[Instance], seeds: range) -> list[list[Any]]:
    """Scores of the undirected edges of each instance, for each seed; one that learns has learnt once."""
    found = []
    for seed in seeds if METHODS[name].seeded and not METHODS[name].learns else [cell.seed]:
        method = ready_method(name, model, cell.dataset, seed=seed, job=JobContext(cell.device))
        explanations = method.explain_many(instances)
        found.append([undirected_scores(i, e.edge_mask) for i, e in zip(instances, explanations, strict=True)])
    return found


def _f1(one: Bools, other: Bools) -> float:
    together = int(one.sum() + other.sum())
    return 1.0 if not together else 2 * int((one & other).sum()) / together


def _stability(runs: Sequence[Sequence[Bools]]) -> float:
    """The mean F1 between the answers of two seeds; 1 where nothing is random."""
    pairs = [_f1(a, b) for one, other in combinations(runs, 2) for a, b in zip(one, other, strict=True)]
    return float(np.mean(pairs)) if pairs else 1.0


class _Scorer:
    """Instances with their motifs and the GNN that is asked about parts of them."""

    def __init__(self, model: GNN, instances: Sequence[Instance], groups: Mapping[str, Bools]) -> None:
        self.model, self.instances, self.groups = model, instances, groups
        self.truth = [truth_edges(instance, "own") for instance in instances]

    def scored(self, kept: Sequence[Bools]) -> dict[str, Any]:
        """What some edges of each instance come to: against the motif, alone, and without them."""
        f1 = np.array([_f1(edges, truth) for edges, truth in zip(kept, self.truth, strict=True)])
        hits = [int((edges & truth).sum()) for edges, truth in zip(kept, self.truth, strict=True)]
        alone, needed = zip(*map(self._predicted, self.instances, kept), strict=True)
        values: dict[str, Sequence[float]] = {
            "f1": f1.tolist(),
            "equal": [bool((edges == truth).all()) for edges, truth in zip(kept, self.truth, strict=True)],
            "precision": [hit / max(1, int(edges.sum())) for hit, edges in zip(hits, kept, strict=True)],
            "recall": [hit / max(1, int(truth.sum())) for hit, truth in zip(hits, self.truth, strict=True)],
            "alone": alone,
            "needed": needed,
        }
        means = {name: float(np.mean(each)) for name, each in values.items()}
        return means | {f"f1 {name}": float(f1[members].mean()) for name, members in self.groups.items()}

    def _predicted(self, instance: Instance, edges: Bools) -> tuple[float, float]:
        """The probability of the predicted class for some edges alone, and what it loses without them."""
        predictor = SubgraphPredictor(self.model, [instance])
        whole, explained = predictor.whole.probabilities[0], int(predictor.whole.predicted[0])
        alone, without = predictor.with_edges(instance, np.array([edges, ~edges])).probabilities[:, explained].tolist()
        return alone, float(whole[explained]) - without
