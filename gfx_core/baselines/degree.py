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
from dataclasses import dataclass
from functools import partial, partialmethod
from itertools import pairwise
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from gfx_core.baselines.method import Explanation, Method
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN


class Split:
    """The relevant part of an activation for each of B groups. PyTorch computes with it as it does with a tensor.

    The rules of DEGREE:

    * a linear map acts on both parts; what is added that no node caused, a bias, is shared by |rel| / (|rel| + |irr|),
      neuron by neuron (0 / 0 counts as 0: what nobody caused is irrelevant);
    * ReLU: rel' = relu(rel), irr' = relu(rel + irr) − relu(rel);
    * L2 normalisation divides both by ‖rel + irr‖;
    * the maximum takes both parts at the node where rel + irr is largest, their mean if several nodes are.

    The sum of both parts is the activation itself, the same for every group, so it is kept once: irr = total − rel.

    Args:
        parts: The relevant part for each group and, last, both parts together. […, B + 1, d]
    """

    def __init__(self, parts: Tensor) -> None:
        self.parts = parts

    @property
    def rel(self) -> Tensor:
        """The relevant parts. […, B, d]"""
        return self.parts[..., :-1, :]

    @property
    def total(self) -> Tensor:
        """Both parts together. […, 1, d]"""
        return self.parts.narrow(-2, -1, 1)

    @classmethod
    def __torch_function__(
        cls, function: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> "Split":
        options = {key: value for key, value in (kwargs or {}).items() if value is not None}  # PyTorch adds out=None
        return _rule(function.__name__)(*args, **options)

    def __getattr__(self, name: str) -> Any:
        """``z.relu()`` for ``torch.relu(z)``."""
        if name.startswith("__"):
            raise AttributeError(name)
        return partial(_rule(name), self)

    def __getitem__(self, at: Any) -> "Split":
        return Split(self.parts[at])

    def _operator(self, name: str, *others: Any) -> "Split":
        return _rule(name)(self, *others)

    __add__ = __radd__ = partialmethod(_operator, "add")
    __mul__ = __rmul__ = partialmethod(_operator, "mul")
    __truediv__ = partialmethod(_operator, "div")
    __sub__ = __rsub__ = partialmethod(_operator, "sub")
    __matmul__ = __rmatmul__ = partialmethod(_operator, "matmul")
    __pow__ = partialmethod(_operator, "pow")
    __neg__ = partialmethod(_operator, "neg")


def _rule(name: str) -> Callable[..., Split]:
    if name not in _RULES:
        raise UserError(
            f"DEGREE cannot explain this GNN: it has no rule for how “{name}” splits into what a group of nodes causes "
            "and the rest."
        )
    return _RULES[name]


def _add(one: Any, other: Any) -> Split:
    if isinstance(one, Split) and isinstance(other, Split):
        return Split(one.parts + other.parts)
    split, constant = (one, other) if isinstance(one, Split) else (other, one)
    share = split.parts.abs()
    share /= (split.total - split.parts).abs_().add_(share).clamp_(min=torch.finfo(share.dtype).tiny)
    share.select(-2, -1).fill_(1)  # both parts together get all of it, even where they are 0
    return Split(torch.addcmul(split.parts, share, torch.as_tensor(constant, device=share.device)))


def _scale(one: Any, other: Any) -> Split:
    if isinstance(one, Split) and isinstance(other, Split):
        return _rule("product of activations")(one, other)
    split, factor = (one, other) if isinstance(one, Split) else (other, one)
    return Split(split.parts * factor)


def _divide(split: Split, divisor: Any) -> Split:
    if not isinstance(split, Split) or isinstance(divisor, Split):
        return _rule("quotient of activations")(split, divisor)
    return Split(split.parts / divisor)


def _linear(split: Split, weight: Tensor, bias: Tensor | None = None) -> Split:
    out = Split(split.parts @ weight.T)
    return out if bias is None else _add(out, bias)


def _relu(split: Split, inplace: bool = False) -> Split:
    return Split(split.parts.relu())


def _normalize(split: Split, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Split:
    if dim != -1:
        return _rule("normalize over nodes")(split)
    return Split(split.parts / torch.linalg.vector_norm(split.total, p, dim, keepdim=True).clamp(min=eps))


def _tensordot(matrix: Tensor, split: Split, dims: int) -> Split:
    assert dims == 1
    return Split((matrix @ split.parts.flatten(1)).view(-1, *split.parts.shape[1:]))


def _mean(split: Split, dim: int) -> Split:
    return Split(split.parts.mean(dim))


def _amax(split: Split, dim: int, tolerance: float = 1e-6) -> Split:
    highest = split.total >= split.total.amax(dim, keepdim=True) - tolerance
    share = highest / highest.sum(dim, keepdim=True)  # all of it, or equal parts where nodes are equal
    return Split((split.parts * share).sum(dim))


def _cat(splits: Sequence[Split], dim: int) -> Split:
    return Split(torch.cat([split.parts for split in splits], dim))


_RULES: dict[str, Callable[..., Split]] = {
    "add": _add,
    "mul": _scale,
    "div": _divide,
    "linear": _linear,
    "relu": _relu,
    "normalize": _normalize,
    "tensordot": _tensordot,
    "mean": _mean,
    "amax": _amax,
    "cat": _cat,
}


@dataclass(frozen=True, eq=False)
class _Layer:
    """One layer's `Neighbours`: it computes only what is heard in the end, at R of the Q nodes that it reads.

    In a node task the last layer is needed at the explained node alone, the one before it at its neighbours, and so on.
    """

    own_rows: Tensor  # [R], where among the nodes that are read the computed ones are
    adjacency: Tensor  # [R, Q]
    degree: Tensor  # [Q, 1, 1]

    def sum(self, z: Tensor) -> Tensor:
        return torch.tensordot(self.adjacency, z, dims=1)

    def own(self, z: Tensor) -> Tensor:
        return z[self.own_rows]


_CHUNK_FLOATS = 1 << 22  # numbers in the largest tensor of one pass: bounds the memory


class Decomposition:
    """The relevant part of a GNN's logits on one instance, for any groups of its nodes.

    Args:
        model: The GNN.
        instance: The instance.
        device: Where the GNN is.
    """

    def __init__(self, model: GNN, instance: Instance, device: torch.device) -> None:
        instance.check_reach(model.hops)
        self._model = model
        linked = torch.zeros(instance.num_nodes, instance.num_nodes, device=device)  # [m, m]
        linked[tuple(instance.edge_index)] = 1.0
        hops = torch.from_numpy(instance.hops).to(device)
        rows = [(hops <= reach).nonzero()[:, 0] for reach in range(model.num_layers, -1, -1)]
        self._layers = [
            _Layer(
                torch.searchsorted(reads, computes),
                linked[computes[:, None], reads],
                linked.sum(1)[reads][:, None, None],
            )
            for reads, computes in pairwise(rows)
        ]
        self._first = rows[0]  # the nodes whose features are read. [Q]
        self._x = torch.from_numpy(instance.x).to(device)[self._first][:, None]  # [Q, 1, d]
        self._target = [int((computes == (instance.target or 0)).long().argmax()) for computes in rows[1:]]
        empty = torch.zeros(1, instance.num_nodes, dtype=torch.bool, device=device)
        self.logits = self._split(empty).total[0]  # [C], of the whole instance

    def relevant(self, groups: Tensor) -> Tensor:
        """The relevant part of the logits for every group of nodes. bool [B, m] → [B, C]"""
        width = max(self._model.in_channels, self._model.hidden)
        parts = groups.split(max(1, _CHUNK_FLOATS // (groups.shape[1] * width)))
        return torch.cat([self._split(part).rel for part in parts])

    @torch.no_grad()
    def _split(self, groups: Tensor) -> Split:
        """The logits, [1, C], and the relevant part of them, [B, C]."""
        groups = functional.pad(groups, (0, 0, 0, 1), value=True)  # all nodes cause all of it: both parts. [B + 1, m]
        features = Split(groups.T[self._first][:, :, None] * self._x)  # [Q, B + 1, d]
        outputs = self._model.layers(cast(Tensor, features), self._layers)
        if self._model.task is Task.NODE:
            at_target = [output[at] for output, at in zip(outputs, self._target, strict=True)]
            embedding = torch.cat(at_target, dim=-1)
        else:
            pooled = [pool(output, 0) for pool in (torch.amax, torch.mean) for output in outputs]
            embedding = torch.cat(pooled, dim=-1)
        logits: Split = self._model.head(embedding)
        return logits


class Degree(Method):
    """DEGREE (Feng et al., ICLR 2022).

    The score of an edge is the relevant part of the explained class's logit for the group of its two end nodes, sign
    and all: that is how the paper defines a group's contribution, and since both parts add up to the logit it needs no
    reference point.
    """

    def explain(self, instance: Instance) -> Explanation:
        count = len(instance.undirected)
        if not count:
            return Explanation(np.zeros(0))
        decomposition = Decomposition(self.model, instance, self.device)
        explained = int(decomposition.logits.argmax())
        groups = torch.zeros(count, instance.num_nodes, dtype=torch.bool, device=self.device)
        ends = torch.from_numpy(instance.edge_index[:, instance.undirected])  # [2, E]
        groups[torch.arange(count), ends] = True
        scores = decomposition.relevant(groups)[:, explained]
        return Explanation(instance.both_directions(scores.double().cpu().numpy()))
