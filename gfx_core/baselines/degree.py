"""DEGREE: split every activation of the GNN into the part that a group of nodes causes and the rest.

At the input the relevant part of a node's features is all of them if the node is in the group and none of them
otherwise. The GNN's own layers then compute with both parts, by the rules of :class:`Split`.

**Where we differ from its authors.** Max pooling takes a channel from the node where it is largest. Where several nodes
are equally large, the authors' argmax gives all of it to the first one in memory; we share it among them, so that the
answer does not depend on how nodes are numbered. Equal nodes are common in molecules, and there our DEGREE finds more
of the motif than theirs.

Nothing is free, and nothing is chosen by data set.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, cast

import torch
from torch import Tensor

from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Method
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.convolutions import needed_edges
from gfx_core.gnn.models import GNN


class Split:
    """The relevant part of an activation for each of B groups. PyTorch computes with it as it does with a tensor.

    A method is the rule for PyTorch's function of that name, which has the same arguments:

    * a linear map acts on both parts; what is added that no node caused, a bias, is shared by |rel| / (|rel| + |irr|),
      neuron by neuron (0 / 0 counts as 0: what no node caused is irrelevant);
    * ReLU: rel' = relu(rel), irr' = relu(rel + irr) − relu(rel);
    * L2 normalisation divides both by ‖rel + irr‖;
    * the maximum takes both parts at the node where rel + irr is largest, their mean if several nodes are.

    The sum of both parts is the activation itself, the same for every group, so it is kept once: irr = total − rel.

    Args:
        parts: The relevant part for each group and, last, both parts together. […, B + 1, d]
    """

    def __init__(self, parts: Tensor) -> None:
        self.parts = parts
        self.total = parts.narrow(-2, -1, 1)  # [..., 1, d]

    @classmethod
    def __torch_function__(
        cls, function: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> "Split":
        rule = getattr(cls, function.__name__, None)
        if rule is None:
            raise UserError(
                "DEGREE cannot explain this GNN: it has no rule for how "
                f"“{function.__name__}” splits into what a group of nodes causes and the rest."
            )
        options = {key: value for key, value in (kwargs or {}).items() if value is not None}  # PyTorch adds out=None
        return cast(Split, rule(*args, **options))

    def __getitem__(self, at: Any) -> "Split":
        return Split(self.parts[at])

    def add(self: Any, other: Any) -> "Split":
        if isinstance(self, Split) and isinstance(other, Split):
            return Split(self.parts + other.parts)
        split, constant = (self, other) if isinstance(self, Split) else (other, self)
        share = split.parts.abs()
        share /= (split.total - split.parts).abs_().add_(share).clamp_(min=torch.finfo(share.dtype).tiny)
        share.select(-2, -1).fill_(1)  # both parts together get all of it, even where they are 0
        return Split(torch.addcmul(split.parts, share, torch.as_tensor(constant, device=share.device)))

    def mul(self: Any, other: Any) -> "Split":
        split, factor = (self, other) if isinstance(self, Split) else (other, self)
        return Split(split.parts * factor)

    def div(self, divisor: Any) -> "Split":
        return Split(self.parts / divisor)

    __radd__ = __add__ = add
    __rmul__ = __mul__ = mul
    __truediv__ = div

    def linear(self, weight: Tensor, bias: Tensor | None = None) -> "Split":
        out = Split(self.parts @ weight.T)
        return out if bias is None else out + bias

    def relu(self, inplace: bool = False) -> "Split":
        return Split(self.parts.relu())

    def normalize(self, p: float, dim: int, eps: float) -> "Split":
        return self / torch.linalg.vector_norm(self.total, p, -1, keepdim=True).clamp(min=eps)  # features are last

    @staticmethod
    def tensordot(matrix: Tensor, split: "Split", dims: int) -> "Split":
        return Split(torch.tensordot(matrix, split.parts, dims))

    def mean(self, dim: int) -> "Split":
        return Split(self.parts.mean(dim))

    def amax(self, dim: int, tolerance: float = 1e-6) -> "Split":
        highest = self.total >= self.total.amax(dim, keepdim=True) - tolerance
        share = highest / highest.sum(dim, keepdim=True)  # all of it, or equal parts where nodes are equal
        return Split((self.parts * share).sum(dim))

    @staticmethod
    def cat(splits: Sequence["Split"], dim: int) -> "Split":
        return Split(torch.cat([split.parts for split in splits], dim))


_CHUNK_FLOATS = 1 << 22  # numbers in the largest tensor of one pass: bounds the memory


@torch.no_grad()
def decompose(model: GNN, instance: Instance, groups: Tensor) -> Tensor:
    """The relevant part of the GNN's logits for groups of nodes, and last the logits. bool [B, m] → [B + 1, C]

    In a node task the last layer is needed at the explained node alone, the one before it at its neighbours, and so on.
    """
    instance.check_reach(model.hops)
    x, edge_index = (torch.from_numpy(array).to(groups.device) for array in (instance.x, instance.edge_index))
    m, wanted = instance.num_nodes, None if instance.target is None else [instance.target]
    needed = needed_edges(x, edge_index, wanted, model.num_layers)
    layers: list[Any] = []  # each a `Neighbours` of splits
    for layer in needed:
        links = layer.sum(torch.eye(len(layer.read), device=x.device))  # [R, Q]
        add_up, own = partial(torch.tensordot, links, dims=1), itemgetter(layer.computed)
        layers.append(SimpleNamespace(degree=layer.degree[:, None], sum=add_up, own=own))
    read = needed[0].read
    x = x[read][:, None]  # [Q, 1, d]
    everything = groups.new_ones(1, m)  # all nodes cause all of it: both parts
    chunks = []
    for chunk in groups.split(max(1, _CHUNK_FLOATS // (m * max(model.in_channels, model.hidden)))):
        features = Split(torch.cat([chunk, everything]).T[read][:, :, None] * x)
        outputs = cast(list[Any], model.layers(cast(Tensor, features), layers))  # each [R, b + 1, hidden]
        if model.task is Task.NODE:
            outputs = [output[layer.wanted[0]] for output, layer in zip(outputs, needed, strict=True)]
        else:
            outputs = [pool(out, 0) for pool in (torch.amax, torch.mean) for out in outputs]
        logits: Any = model.head(torch.cat(outputs, dim=-1))
        chunks.append(logits.parts[:-1])
    return torch.cat([*chunks, logits.total])


class Degree(Method):
    """DEGREE (Feng et al., ICLR 2022).

    The score of an edge is the relevant part of the explained class's logit for the group of its two end nodes, sign
    and all: that is how the paper defines a group's contribution, and since both parts add up to the logit it needs no
    reference point.
    """

    any_model = False

    def scores(self, instance: Instance) -> Scores:
        count = len(instance.undirected)
        groups = torch.zeros(count, instance.num_nodes, dtype=torch.bool, device=self.device)
        groups[torch.arange(count), torch.from_numpy(instance.edge_index[:, instance.undirected])] = True
        parts = decompose(self.model, instance, groups)
        return instance.both_directions(parts[:-1, parts[-1].argmax()].double().cpu().numpy())
