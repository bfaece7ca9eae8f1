"""Saliency, integrated gradients, Grad-CAM, occlusion and EiG-Search: how the predicted class depends on each edge.

For the first two every directed edge gets a weight that multiplies the messages it carries in all layers: 1 is the
graph as it is, 0 a graph whose edges say nothing. Degrees are not touched: a GCN normalises as if all were there.

They score an edge by the *size* of what they find, whatever its sign. An edge that speaks against the predicted class
matters to the GNN as well; PyG's examples do the same.

Nothing is free: more points of integrated gradients only make the sum more exact (with 500 the sums are within 3 % of
what they should be, in small instances).

Occlusion (Zeiler and Fergus, ECCV 2014, who cover parts of a picture) deletes one edge as fidelity deletes edges
(`gfx_core.metrics.fidelity`): it also leaves the degrees, and a node without any other edge leaves the graph.

EiG-Search (Lu et al., ICML 2024) ranks the edges and then chooses how many of them to keep. Its "linear gradient" of an
edge is the slope of the class's logit on the line from the graph without the edge to the graph with it. The mean slope
on that line is the difference of its two ends, so no gradient is computed. Where its authors set an edge's weight to 0,
we delete the edge in both directions, as above; in node tasks they take the norm of the change of all logits, and we
take the change of the explained class, as in graph tasks.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch_geometric.explain.algorithm.utils import clear_masks, set_masks

from gfx_core.arrays import first_best
from gfx_core.baselines.disjoint_union import Union, in_unions
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Explanation, Method
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.predict import Predictor
from gfx_core.user_models.adapter import private_copy
from gfx_core.user_models.predictor import predictor_on

STEPS = 200
"""Points on the way of integrated gradients."""
_LOOKED = 3  # points at which the way is looked at, for each at which it is summed up


def log_probability(union: Union, weight: Tensor) -> Tensor:
    """log-probability of each instance's explained class when its edges carry some weight. [e] → [I]

    The weights stay in the union's GNN, a private copy, because taking them out every time is slow.
    """
    set_masks(union, weight, union.edge_index, apply_sigmoid=False)
    logits = union(union.x, union.edge_index)
    return logits.log_softmax(-1).gather(1, union.predicted[:, None])[:, 0]


def edge_gradient(union: Union, weight: Tensor) -> Tensor:
    """Gradient of each instance's log-probability with respect to its edges' weights. [e] → [e]"""
    with torch.enable_grad():
        weight = weight.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(log_probability(union, weight).sum(), weight)
    return gradient


class _Gradients(Method, ABC):
    """What the three have in common: many instances at once, in double precision.

    In single precision a sure prediction has probability 1 and no gradient at all.
    """

    any_model = True

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        gnn = private_copy(self.model).double()

        def score(part: list[Instance]) -> list[Scores]:
            union = Union(gnn, part, self.device)
            scores = union.split(self.attribute(union))
            clear_masks(union)
            return scores

        return in_unions(instances, score)

    @abstractmethod
    def attribute(self, union: Union) -> Tensor:
        """A score for each directed edge of a union. [e]"""


class Saliency(_Gradients):
    """The size of the gradient of the predicted class's log-probability with respect to each edge."""

    def attribute(self, union: Union) -> Tensor:
        return edge_gradient(union, torch.ones_like(union.edge_owner, dtype=union.x.dtype)).abs()


class IntegratedGradients(_Gradients):
    """The gradient, summed up on the way from no edges to all edges (Sundararajan et al., 2017).

    An edge's share of log p(all edges) − log p(no edges) may be below zero, and the shares of an instance add up to
    that difference. Its score is the size of its share.

    These GNNs change their mind within a small part of the way, so evenly spaced points would miss it: half of
    the points go where the prediction changes, which is looked up first.

    Args:
        model: The GNN.
        seed: Not used: nothing is drawn.
        device: Where to compute.
    """

    def attribute(self, union: Union) -> Tensor:
        return self.shares(union).abs()

    def shares(self, union: Union) -> Tensor:
        """What each directed edge adds to the log-probability of the explained class. [e]"""
        ends = self._intervals(union)[:, union.edge_owner]  # [S + 1, e]
        total = torch.zeros_like(ends[0])
        for before, after in pairwise(ends):  # the midpoint rule
            total += (after - before) * edge_gradient(union, (before + after) / 2)
        return total

    @torch.no_grad()
    def _intervals(self, union: Union) -> Tensor:
        """Ends of the intervals that the way is cut into, for each instance. [S + 1, I]"""
        looked = _LOOKED * STEPS  # looking costs no gradient
        even = torch.linspace(0, 1, looked + 1, dtype=union.x.dtype, device=self.device)
        curve = torch.stack([log_probability(union, point.expand(len(union.edge_owner))) for point in even])
        change = curve.diff(dim=0).abs().cpu().numpy()  # [L, I]
        share = change / np.maximum(change.sum(0), 1e-12) + 1 / looked
        done = np.concatenate([np.zeros((1, share.shape[1])), share.cumsum(0) / share.sum(0)])  # [L + 1, I]
        grid, fine = np.linspace(0, 1, STEPS + 1), np.linspace(0, 1, looked + 1)
        ends = np.stack([np.interp(grid, column, fine) for column in done.T], axis=1)
        return torch.from_numpy(ends).to(self.device, union.x.dtype)


class GradCAM(_Gradients):
    """A heat map of the nodes from the last layer's embeddings (Pope et al., CVPR 2019); an edge scores its ends' mean.

    A channel weighs as much as the class's logit rises with it, on the mean over the nodes of the instance. A node's
    heat is the weighted sum of its embedding, and 0 where that is negative.
    """

    def attribute(self, union: Union) -> Tensor:
        with torch.enable_grad():
            logits, layers = union.by_layer()
            embedding, zeros = layers[-1]
            class_logit = logits.gather(1, union.predicted[:, None]).sum()
            (gradient,) = torch.autograd.grad(class_logit, zeros, allow_unused=True, materialize_grads=True)
        gradient, owner = gradient.flatten(1), union.graphs.owner  # [n, D], [n]
        total = gradient.new_zeros(len(union.graphs), gradient.shape[1]).index_add(0, owner, gradient)
        weight = total / union.graphs.size[:, None]  # [I, D]
        heat = (weight[owner] * embedding.flatten(1)).sum(1).relu()  # [n]
        return heat[union.edge_index].mean(0)


_TOGETHER = 1 << 24  # pairs of a deleted and another edge that are looked at together


def logits_without_each(predictor: Predictor, instance: Instance) -> Tensor:
    """Logits of an instance as it is, and without each of its undirected edges, in double precision. [1 + E, C]"""
    edge = np.arange(len(instance.undirected))
    without = np.append(-1, edge)  # the first is without none
    parts = np.array_split(without, 1 + len(without) ** 2 // _TOGETHER)
    return torch.cat([predictor.with_edges(instance, part[:, None] != edge).logits.double() for part in parts])


class Occlusion(Method):
    """By how much the log-probability of the predicted class falls when an edge, and no other, is deleted.

    It rises without an edge that speaks against the class, which then scores below zero. Logarithms are taken in double
    precision: in single precision a sure answer has log p = 0 with and without the edge.
    """

    any_model = True

    def explain(self, instance: Instance) -> Explanation:
        if not len(instance.undirected):
            return Explanation(np.zeros(0))
        predictor = predictor_on(self.model, [instance], self.device)
        logits = logits_without_each(predictor, instance)
        log_p = logits.log_softmax(-1)[:, predictor.whole.predicted[0]].cpu().numpy()  # [1 + E]
        return Explanation(instance.both_directions(log_p[0] - log_p[1:]))


class EiGSearch(Method):
    """The edges that the class's logit falls most without, as many of them as make the best subgraph.

    The best number k has the largest fidelity₊ − fidelity₋: P(class | the k edges alone) − P(class | all other edges).
    The edges of that subgraph score from 1/2 to 1, the others from 0 to 1/2; within each, by how far the logit falls.
    """

    any_model = True

    def explain(self, instance: Instance) -> Explanation:
        count = len(instance.undirected)
        if not count:
            return Explanation(np.zeros(0))
        predictor = predictor_on(self.model, [instance], self.device)
        explained = int(predictor.whole.predicted[0])
        logit = logits_without_each(predictor, instance)[:, explained].cpu().numpy()
        fall = logit[0] - logit[1:]  # [E]
        rank = np.empty(count, dtype=np.int64)
        rank[np.argsort(-fall, kind="stable")] = np.arange(count)
        kept = rank <= np.arange(count)[:, None]  # [E, E], the best edge, the best two, …
        parts = np.array_split(kept, 1 + count**2 // _TOGETHER)
        alone, without = (
            torch.cat([predictor.with_edges(instance, part ^ other).probabilities for part in parts])[:, explained]
            for other in (False, True)
        )
        inside = kept[first_best((alone - without).cpu().numpy())]
        height = (fall - fall.min()) / max(float(np.ptp(fall)), 1e-12)
        return Explanation(instance.both_directions((inside + height) / 2))
