"""Counterfactuals: a smallest set of removed edges, or one changed atom, that changes a prediction. Needs torch.

A beam search first finds some set of edges that changes it. Then all smaller sets are tried, smaller ones first, and
first those of edges that matter most alone. What is found there is smaller; where nothing is, the set is a smallest
one. Where time is over before all smaller sets were tried, it is only the smallest that was found.
"""

from dataclasses import replace
from itertools import combinations, islice

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn

from gfx_core.arrays import NEAR_TIE, Doubles, Ints, first_best
from gfx_core.datasets.edits import Counterfactual, Edit, has_names
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import other_elements
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.subject import load
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline, JobContext
from gfx_core.limits import MAX_EDITS
from gfx_core.user_models.predictor import predictor_on

FLIP_SECONDS = 5.0
"""How long is looked for a set, and for smaller ones."""
_BEAM = 8  # sets that are grown side by side
_GROWN = 64  # edges that they are grown by: those that matter most alone
_BATCH, _BATCH_EDGES = 512, 100_000  # sets that the GNN evaluates at once, and all edges in them, at most


def flip(question: Question, job: JobContext | None = None, seconds: float | None = FLIP_SECONDS) -> Counterfactual:
    """Find a smallest set of removed edges, or one changed atom of a molecule, that changes a prediction.

    Args:
        question: Which prediction; its own edits come first.
        job: Receives progress.
        seconds: How long to look; ``None`` for no limit.
    """
    job = job or JobContext()
    job.report(0.05, "loading the GNN")
    subject = load(question)
    instance = subject.instance
    search = EdgeSearch(predictor_on(subject.model, [instance], "cpu"), instance, Deadline(seconds), job)
    removed, smallest = search.order[: int(search.changes)], True  # the one edge that changes it most clearly
    if not search.changes:
        if (atom := _changed_atom(search, instance, subject.model)) is not None:
            edit, after = atom
            return Counterfactual((edit.text,), (tuple(search.before.tolist()), after), True, search.tried)
        removed, smallest = search.smallest()
    ends = instance.nodes[instance.edge_index[:, instance.undirected[removed]]].T.tolist()
    along = [search.before, *(search.probabilities(removed[None, : at + 1])[0] for at in range(len(removed)))]
    return Counterfactual(
        tuple(Edit.edge(*pair).text for pair in ends),
        tuple(tuple(probabilities.tolist()) for probabilities in along),
        smallest,
        search.tried,
    )


class EdgeSearch:
    """Sets of removed edges of one instance, and what the GNN then predicts.

    A set is a row of numbers of undirected edges.

    Args:
        predictor: The GNN on the instance.
        instance: The instance.
        deadline: When the search ends.
        job: Receives progress.

    Attributes:
        before: What the GNN predicts of the whole. [C]
        tried: Sets that were tried.
        order: All edges, those that matter most alone come first. [E]
        changes: Whether the first of them alone changes the prediction.
    """

    def __init__(self, predictor: Predictor, instance: Instance, deadline: Deadline, job: JobContext) -> None:
        self._predictor, self._instance, self._deadline, self._job = predictor, instance, deadline, job
        self.before: Doubles = predictor.whole.probabilities[0].double().cpu().numpy()
        if len(self.before) < 2:
            raise UserError("This GNN has a single class: nothing can change its prediction.")
        self.tried = 0
        count = len(instance.undirected)
        self._most = max(0, count - (instance.target is None))  # a graph without edges has no prediction
        self._batch = max(1, min(_BATCH, _BATCH_EDGES // max(1, count)))
        near = np.argsort(instance.hops[instance.edge_index[:, instance.undirected]].min(axis=0), kind="stable")
        alone = self.leads(near[: count * bool(self._most), None], deadline.sooner(0.5))
        self.order = near[rising(alone)]
        self.changes, self._knows_all = bool((alone < 0).any()), bool(np.isfinite(alone).all())

    def probabilities(self, sets: Ints) -> Doubles:
        """Of each class without the edges of each set. [B, k] → [B, C]"""
        kept = torch.ones(len(sets), len(self._instance.undirected), dtype=torch.bool)
        kept[np.arange(len(sets))[:, None], sets] = False
        self.tried += len(sets)
        answers: Doubles = self._predictor.with_edges(self._instance, kept).probabilities.double().cpu().numpy()
        return answers

    def lead(self, probabilities: Doubles) -> Doubles:
        """How far the predicted class is ahead of the best other one; below 0 the prediction has changed. [B]"""
        predicted = int(self._predictor.whole.predicted[0])
        return probabilities[:, predicted] - np.delete(probabilities, predicted, axis=1).max(axis=1)

    def leads(self, sets: Ints, deadline: Deadline) -> Doubles:
        """The leads without the edges of each set; infinite where there was no time to try one. [B, k] → [B]"""
        leads = np.full(len(sets), np.inf)
        for first in range(0, len(sets), self._batch):
            self._job.report(0.1 + 0.9 * self._deadline.spent, "removing edges")
            if deadline.over:
                break
            batch = slice(first, first + self._batch)
            leads[batch] = self.lead(self.probabilities(sets[batch]))
        return leads

    def smallest(self) -> tuple[Ints, bool]:
        """Edges without which the GNN predicts another class, and whether no fewer do; none where none were found."""
        grown = self._grown()
        for size in range(2, self._most + 1 if grown is None else len(grown)):
            sets = combinations(self.order.tolist(), size)
            while self._knows_all and (batch := np.array(list(islice(sets, self._batch)))).size:
                leads = self.leads(batch, self._deadline)
                self._knows_all = bool(np.isfinite(leads).all())
                if leads.min() < 0:
                    return self._in_order(batch[first_best(-leads)]), True
        return np.zeros(0, np.int64) if grown is None else self._in_order(grown), self._knows_all

    def _grown(self) -> Ints | None:
        """Some set that changes the prediction, by beam search, less the edges that it does not need."""
        few = self.order[:_GROWN]
        beam = few[:_BEAM, None]
        for _ in range(2, min(self._most, MAX_EDITS) + 1):
            larger = {(*held, edge) for held in beam.tolist() for edge in few.tolist() if edge not in held}
            sets = np.unique(np.sort(np.array(list(larger)).reshape(-1, beam.shape[1] + 1)), axis=0)
            if self._deadline.over or not len(sets):
                return None
            leads = self.leads(sets, self._deadline)
            beam = sets[rising(leads)[:_BEAM]]
            if leads.min() < 0:
                return self._pruned(beam[0])
        return None

    def _pruned(self, edges: Ints) -> Ints:
        while len(edges) > 1:
            fewer = np.array([np.delete(edges, at) for at in range(len(edges))])
            leads = self.leads(fewer, Deadline())
            if leads.min() >= 0:
                break
            edges = fewer[first_best(-leads)]
        return edges

    def _in_order(self, edges: Ints) -> Ints:
        """So that the predicted class loses as much as possible at each removal."""
        ordered = edges[:0]
        while len(left := np.setdiff1d(edges, ordered)):
            longer = np.column_stack([np.tile(ordered, (len(left), 1)), left])
            ordered = longer[first_best(-self.leads(longer, Deadline()))]
        return ordered


def _changed_atom(search: EdgeSearch, instance: Instance, model: nn.Module) -> tuple[Edit, tuple[float, ...]] | None:
    """The changed atom of a molecule that changes the prediction most clearly, if one does, and what is predicted."""
    choices = other_elements(instance) if has_names(instance) else []
    if not choices:
        return None
    one_hot = np.eye(len(instance.node_names), dtype=np.float32)
    changed = []
    for node, element in choices:
        x = instance.x.copy()
        x[node] = one_hot[instance.node_names.index(element)]
        changed.append(replace(instance, x=x))
    search.tried += len(changed)
    probabilities = predictor_on(model, changed, "cpu").whole.probabilities.double().cpu().numpy()
    leads = search.lead(probabilities)
    best = first_best(-leads)
    if leads[best] >= 0:
        return None
    node, element = choices[best]
    return Edit(int(instance.nodes[node]), label=element), tuple(probabilities[best].tolist())


def rising(values: ArrayLike) -> Ints:
    """The order from the smallest value to the largest; those that are equal but for rounding stay as they are."""
    values = np.asarray(values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    previous = np.append(ordered[:1], ordered[:-1])
    with np.errstate(invalid="ignore"):  # infinity less infinity
        larger = ordered - previous > NEAR_TIE * np.maximum(1.0, np.abs(previous))
    return order[np.lexsort((order, np.cumsum(larger)))]
