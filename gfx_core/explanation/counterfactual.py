"""Counterfactuals: a smallest set of removed edges, or one changed atom, that changes a prediction. Needs torch.

Sets are tried by their size: all of one size where they are few, else those that the best sets of the size below become
with one more edge (a beam). A set is a smallest one if all smaller ones were tried.
"""

from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import torch
from torch import nn

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.datasets.edits import Counterfactual, Edit, has_names
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.molecules import other_elements
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.explanation.subject import load
from gfx_core.gnn.predict import Predictor
from gfx_core.job_context import Deadline, JobContext
from gfx_core.limits import MAX_EDITS
from gfx_core.user_models.predictor import ModelInstance, predictor_on

FLIP_SECONDS = 5.0
"""How long sets are tried."""
_FEW = 2000  # sets of one size that are all tried
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
    removed, smallest = search.sets_of(1), True
    if not len(removed):
        if (atom := _changed_atom(search, instance, subject.model)) is not None:
            edit, after = atom
            return Counterfactual((edit.text,), (tuple(search.before.tolist()), after), True, search.tried)
        removed, smallest = search.larger()
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
    """

    def __init__(self, predictor: Predictor, instance: Instance, deadline: Deadline, job: JobContext) -> None:
        self._predictor, self._instance, self._deadline, self._job = predictor, instance, deadline, job
        self.before: Doubles = predictor.whole.probabilities[0].double().cpu().numpy()
        if len(self.before) < 2:
            raise UserError("This GNN has a single class: nothing can change its prediction.")
        self.tried, self._all_tried = 0, True
        near = np.argsort(instance.hops[instance.edge_index[:, instance.undirected]].min(axis=0), kind="stable")
        most = len(near) - (instance.target is None)  # a graph without edges has no prediction
        self._edges = near if most > 0 else near[:0]  # those that matter most alone come first, once they were tried
        self._most = min(most, MAX_EDITS)
        self._beam: Ints = near[:0, None]

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

    def larger(self) -> tuple[Ints, bool]:
        """Edges, two or more, without which the prediction changes, and whether no fewer do; none where none do."""
        for size in range(2, self._most + 1):
            smallest, removed = self._all_tried, self.sets_of(size)
            if len(removed):
                return removed, smallest
        return self._edges[:0], self._all_tried and self._most < MAX_EDITS

    def sets_of(self, size: int) -> Ints:
        """So many edges, tried after fewer, without which the prediction changes most clearly; none if it does not."""
        edges = self._edges.tolist()
        few = size == 1 or comb(len(edges), size) <= _FEW
        if few:
            candidates = list(combinations(edges, size))
        else:
            larger = [{*smaller, edge} for smaller in self._beam.tolist() for edge in edges[:_GROWN]]
            candidates = sorted({tuple(sorted(held)) for held in larger if len(held) == size})
        sets = np.array(candidates, dtype=np.int64).reshape(-1, size)
        leads = self._leads(sets)
        self._all_tried &= few and bool(np.isfinite(leads).all())
        best = np.argsort(leads.round(4), kind="stable")  # those that are equal but for rounding stay as they are
        self._beam = sets[best[:_BEAM]]
        if size == 1:
            self._edges = sets[best, 0]
        return self._fewest(self._beam[0]) if leads.min(initial=0) < 0 else self._edges[:0]

    def _leads(self, sets: Ints) -> Doubles:
        """The leads without the edges of each set; infinite where there was no time to try one. [B, k] → [B]"""
        leads = np.full(len(sets), np.inf)
        rows = max(1, min(_BATCH, _BATCH_EDGES // max(1, len(self._edges))))
        for first in range(0, len(sets), rows):
            self._job.report(0.1 + 0.9 * self._deadline.spent, "removing edges")
            if self._deadline.over:
                break
            batch = slice(first, first + rows)
            leads[batch] = self.lead(self.probabilities(sets[batch]))
        return leads

    def _fewest(self, edges: Ints) -> Ints:
        """Those of some edges that are enough, in the order in which the predicted class loses most each time."""
        removed, lead = edges[:0], 0.0
        while lead >= 0 and len(left := np.setdiff1d(edges, removed)):
            longer = np.column_stack([np.tile(removed, (len(left), 1)), left])
            leads = self.lead(self.probabilities(longer))
            best = first_best(-leads)
            removed, lead = longer[best], leads[best]
        return removed


def _changed_atom(search: EdgeSearch, instance: Instance, model: nn.Module) -> tuple[Edit, tuple[float, ...]] | None:
    """The changed atom of a molecule that changes the prediction most clearly, if one does, and what is predicted."""
    foreign = isinstance(instance, ModelInstance)  # what a user's model reads is left as it is
    choices = other_elements(instance) if has_names(instance) and not foreign else []
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
