"""GradientSteps: Adam on the weights of a training, with all that it remembers kept in one place of the memory."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from gfx_core.gfn.settings import GFNConfig

LARGEST = 10.0
"""Gradients of a larger norm are scaled down to it."""
LAST = 0.05
"""What the learning rates fall to, as a share of those at the beginning."""


class GradientSteps:
    """Adam with clipped gradients and learning rates that fall along a cosine.

    On a GPU nothing of it waits for the device and everything changes in place: a step can be recorded in a CUDA graph.

    Args:
        modules: What is trained; what belongs to ``objective`` has a learning rate of its own.
        config: The learning rates, and the number of epochs in which they fall.
        device: Where the modules are.
    """

    def __init__(self, modules: nn.ModuleDict, config: GFNConfig, device: torch.device) -> None:
        self.modules, self.epochs = modules, config.epochs
        on_gpu = device.type == "cuda"
        slow = [p for name, module in modules.items() if name != "objective" for p in module.parameters()]
        fast = list(modules["objective"].parameters())
        groups = [(slow, config.lr), (fast, config.lr_log_z)]
        self._rates = [rate for weights, rate in groups if weights]
        # β₂ below Adam's usual: the first gradients dwarf the later ones and should be forgotten sooner
        self.optimizer = torch.optim.Adam(
            [
                {"params": weights, "lr": torch.tensor(rate, device=device) if on_gpu else rate}
                for weights, rate in groups
                if weights
            ],
            betas=(0.9, 0.95),
            fused=on_gpu,
            capturable=on_gpu,
        )

    def set_rates(self, epoch: int) -> None:
        """The learning rates of an epoch, counted from 1."""
        share = LAST + (1 - LAST) * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / self.epochs))
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate * share)
            else:
                group["lr"] = rate * share

    def change_rate(self, rate: float) -> None:
        """Another learning rate of the policy from the next epoch on; it goes on falling as before."""
        self._rates[0] = rate

    def descend(self, loss: Tensor) -> Tensor:
        """One step that makes a loss smaller; returns the loss without its history."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.modules.parameters(), LARGEST)
        self.optimizer.step()
        return loss.detach()

    def snapshot(self) -> Callable[[], None]:
        """Remember the weights, Adam's state and what the objective remembers; returns what puts them back."""
        weights = {name: value.clone() for name, value in self.modules.state_dict().items()}
        state = self.optimizer.state
        adam = {of: {name: value.clone() for name, value in kept.items()} for of, kept in state.items()}

        @torch.no_grad()
        def restore() -> None:
            self.modules.load_state_dict(weights)
            for of, now in self.optimizer.state.items():
                for name, value in now.items():  # in place: what was recorded on a GPU knows them by their address
                    if of in adam:
                        value.copy_(adam[of][name])
                    else:
                        value.zero_()

        return restore
