"""Gradient steps that can be watched."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor


def descend(
    groups: Sequence[dict[str, Any]],
    loss: Callable[[], Tensor],
    epochs: int,
    last: float = 0.0,
    clip: float = math.inf,
) -> Iterator[tuple[int, float]]:
    """Makes a loss small by Adam, with learning rates that fall along a cosine.

    Args:
        groups: Parameters and their learning rate, as torch's optimisers take them.
        loss: Computes the loss anew.
        epochs: Gradient steps.
        last: What the learning rates fall to, as a share of those at the beginning.
        clip: The largest norm of a gradient; larger ones are scaled down to it.

    Yields:
        The number of steps so far and the loss, before each step and after the last.
    """
    # the first gradients are by far the largest: they must be forgotten soon
    optimizer = torch.optim.Adam(list(groups), betas=(0.9, 0.95), fused=True)
    rates = [group["lr"] for group in optimizer.param_groups]
    for step in range(epochs + 1):
        now = loss()
        yield step, now.item()
        if step == epochs:
            return
        optimizer.zero_grad(set_to_none=True)
        now.backward()
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * (last + (1 - last) * (0.5 + 0.5 * math.cos(math.pi * step / epochs)))
        if clip < math.inf:
            torch.nn.utils.clip_grad_norm_([each for group in groups for each in group["params"]], clip)
        optimizer.step()
