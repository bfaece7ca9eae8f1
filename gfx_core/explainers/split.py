"""Activations split into the part that groups of nodes cause and the rest: the rules of DEGREE.

* a linear map acts on both parts; what is added that no node caused, a bias, is shared by |rel| / (|rel| + |irr|),
  neuron by neuron (0 / 0 counts as 0: what nobody caused is irrelevant);
* ReLU: rel' = relu(rel), irr' = relu(rel + irr) − relu(rel);
* L2 normalisation divides both by ‖rel + irr‖;
* the maximum takes both parts at the node where rel + irr is largest, their mean if several nodes are
  (`first_maximum` instead takes the first of them, as DEGREE's authors do).

The sum of both parts is the activation itself, the same for every group, so it is kept once: irr = total − rel.
"""

from collections.abc import Callable, Sequence
from functools import partial, partialmethod
from typing import Any

import torch
from torch import Tensor

from gfx_core.errors import UserError


class Split:
    """The relevant part of an activation for each of B groups. PyTorch computes with it as it does with a tensor.

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
        given = {key: value for key, value in (kwargs or {}).items() if value is not None}  # PyTorch adds out=None
        return _rule(function.__name__)(*args, **given)

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
    split, nobodys = (one, other) if isinstance(one, Split) else (other, one)
    share = split.parts.abs()
    share /= (split.total - split.parts).abs_().add_(share).clamp_(min=torch.finfo(share.dtype).tiny)
    share.select(-2, -1).fill_(1)  # both parts together get all of it, even where they are 0
    return Split(torch.addcmul(split.parts, share, torch.as_tensor(nobodys, device=share.device)))


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


def first_maximum(split: Split, dim: int) -> Split:
    """The maximum as the authors of DEGREE take it: where nodes are equal, the first of them has all of it."""
    return Split(split.parts.take_along_dim(split.total.argmax(dim, keepdim=True), dim).squeeze(dim))


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
