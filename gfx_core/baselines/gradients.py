"""Saliency, integrated gradients, Grad-CAM, occlusion and EiG-Search: how the predicted class depends on each edge.

For the first two every directed edge gets a weight that multiplies the messages it carries in all layers: 1 is the
graph as it is, 0 a graph whose edges say nothing. Degrees are not touched: a GCN normalises as if all were there.

They score an edge by the *size* of what they find, whatever its sign. An edge that speaks against the predicted class
matters to the GNN as well; PyG's examples do the same.

Occlusion (Zeiler and Fergus, ECCV 2014, who cover parts of a picture) deletes one edge as fidelity deletes edges
(`gfx_core.metrics.summary`): it also leaves the degrees, and a node without any other edge leaves the graph.

EiG-Search (Lu et al., ICML 2024) ranks the edges and then chooses how many of them to keep. Its "linear gradient" of an
edge is the slope of the class's logit on the line from the graph without the edge to the graph with it. The mean slope
on that line is the difference of its two ends, so no gradient is computed. Where its authors set an edge's weight to 0,
we delete the edge in both directions, as above; in node tasks they take the norm of the change of all logits, and we
take the change of the explained class, as in graph tasks.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.explain.algorithm.utils import set_masks
from torch_geometric.nn import MessagePassing

from gfx_core.arrays import Doubles, first_best
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Method
from gfx_core.baselines.pyg_algorithm import PyGModel, PyGModelMethod
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.predict import Predictor
from gfx_core.user_models.predictor import predictor_on

STEPS = 200
"""Intervals on the way of integrated gradients."""


def log_probability(model: PyGModel, weight: float) -> tuple[Tensor, Tensor]:
    """The predicted class's log-probability where all edges have the same weight, and the weights. [], [e]"""
    edge_index = model.inputs.edge_index
    weights = torch.full_like(edge_index[0], weight, dtype=torch.float64).requires_grad_()
    set_masks(model, weights, edge_index, apply_sigmoid=False)
    return model.logits().log_softmax(-1)[model.explained_class], weights


def edge_gradient(model: PyGModel, weight: float) -> Tensor:
    """Gradient of the predicted class's log-probability by the edges' weights, where all of them are the same. [e]"""
    (gradient,) = torch.autograd.grad(*log_probability(model, weight))
    return gradient


class Saliency(PyGModelMethod):
    """The size of the gradient of the predicted class's log-probability by each edge's weight."""

    def mask(self, model: PyGModel) -> Tensor:
        return edge_gradient(model, 1.0).abs()


class IntegratedGradients(PyGModelMethod):
    """The gradient, averaged on the way from no edges to all edges (Sundararajan et al., 2017).

    An edge's share of log p(all edges) − log p(no edges) may be below zero, and the shares of an instance add up to
    that difference. Its score is the size of its share.
    """

    def mask(self, model: PyGModel) -> Tensor:
        return integrated_gradient(model).abs()


def integrated_gradient(model: PyGModel) -> Tensor:
    """What each directed edge adds to the log-probability of the explained class, by the midpoint rule. [e]

    GNNs change their mind within a small part of the way. The prediction is looked at first, at three even points for
    each interval, and half of the intervals go where it changes.
    """
    points = np.linspace(0, 1, 3 * STEPS + 1)
    with torch.no_grad():
        change = np.abs(np.diff([log_probability(model, point)[0].item() for point in points]))
    share = change / max(change.sum(), 1e-12) + 1 / len(change)
    ends = np.interp(np.linspace(0, 1, STEPS + 1), np.append(0, share.cumsum() / share.sum()), points)
    steps = [(after - before) * edge_gradient(model, (before + after) / 2) for before, after in pairwise(ends)]
    return torch.stack(steps).sum(0)


class GradCAM(PyGModelMethod):
    """A heat map of the nodes from the last layer's embeddings (Pope et al., CVPR 2019); an edge scores its ends' mean.

    A channel weighs as much as the class's logit rises with it, on the mean over the nodes of the instance. A node's
    heat is the weighted sum of its embedding, and 0 where that is negative.
    """

    def mask(self, model: PyGModel) -> Tensor:
        embeddings: list[Tensor] = []

        def keep(_layer: nn.Module, _inputs: object, output: Any) -> None:
            embedding = output[0] if isinstance(output, tuple) else output
            if embedding.ndim > 1 and len(embedding) == model.inputs.num_nodes:
                embeddings.append(embedding)

        for module in model.requires_grad_().modules():
            if isinstance(module, MessagePassing):
                module.register_forward_hook(keep)
        logit = model.logits()[model.explained_class]
        if not embeddings:
            raise UserError("Grad-CAM reads embeddings of nodes, and no layer of this model has one for each node.")
        (gradient,) = torch.autograd.grad(logit, embeddings[-1], allow_unused=True, materialize_grads=True)
        heat = (embeddings[-1] * gradient.mean(0)).flatten(1).sum(1).relu()  # [n]
        return heat[model.inputs.edge_index].mean(0)


def falls(predictor: Predictor, instance: Instance, log_softmax: bool) -> Doubles:
    """How far the logit, or log-probability, of the predicted class falls without each undirected edge alone. [E]"""
    edge = np.arange(len(instance.undirected))
    logits = predictor.with_edges(instance, np.arange(-1, len(edge))[:, None] != edge).logits.double()  # [1 + E, C]
    values = logits.log_softmax(-1) if log_softmax else logits
    whole, *without = values[:, predictor.whole.predicted[0]].tolist()
    return whole - np.array(without)


class Occlusion(Method):
    """By how much the log-probability of the predicted class falls when an edge, and no other, is deleted.

    It rises without an edge that speaks against the class, which then scores below zero. Logarithms are taken in double
    precision: in single precision a sure answer has log p = 0 with and without the edge.
    """

    def scores(self, instance: Instance) -> Scores:
        predictor = predictor_on(self.model, [instance], self.device)
        return instance.both_directions(falls(predictor, instance, log_softmax=True))


class EiGSearch(Method):
    """The edges that the class's logit falls most without, as many of them as make the best subgraph.

    The best number k has the largest fidelity₊ − fidelity₋: P(class | the k edges alone) − P(class | all other edges).
    The edges of that subgraph score from 1/2 to 1, the others from 0 to 1/2; within each, by how far the logit falls.
    """

    def scores(self, instance: Instance) -> Scores:
        count, predictor = len(instance.undirected), predictor_on(self.model, [instance], self.device)
        fall = falls(predictor, instance, log_softmax=False)
        rank = np.argsort(-fall, kind="stable").argsort()
        kept = rank <= np.arange(count)[:, None]  # [E, E], the best edge, the best two, …
        answers = predictor.with_edges(instance, np.concatenate([kept, ~kept])).probabilities
        alone, without = answers[:, predictor.whole.predicted[0]].cpu().numpy().reshape(2, count)
        inside = kept[first_best(alone - without)]
        height = (fall - fall.min()) / max(float(np.ptp(fall)), 1e-12)
        return instance.both_directions((inside + height) / 2)
