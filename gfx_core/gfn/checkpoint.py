"""Trained policies on disk, and under other settings."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import torch
from torch import nn

from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.files import replacing
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.policy import FlowPolicy, Policy, StartLocator
from gfx_core.gfn.settings import GFNConfig, Stop
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.weights import read_json_header, read_network, tensor_bytes

_AGAIN = "Train the policy with: python -m gfx_core train policy --dataset NAME."
Width = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
"""Numbers that a layer of a policy reads or gives."""


class PolicyHeader(msgspec.Struct, frozen=True):
    """The header of a policy's weights, see `TrainedPolicy`."""

    schema: Literal[2]  # 1: ReLU in the network that sees the whole set
    dataset: str
    gnn: str
    config: dict[str, Any]
    num_features: Annotated[int, msgspec.Meta(ge=0, le=100_000)]
    locator: tuple[Width, Width] | None
    curve: tuple[EpochReport, ...]
    made: dict[str, Any]


@dataclass(frozen=True)
class TrainedPolicy:
    """A policy that can explain any instance of its data set and GNN.

    Attributes:
        config: How it was trained.
        policy: The network.
        locator: Picks start nodes, in graph tasks.
        dataset: The data set, by registry name; empty if it was none of ours.
        gnn: The kind of GNN it explains; empty if it was none of ours.
        curve: The training curve.
        made: Device, versions, date and seconds, and how many instances it learned from.
    """

    config: GFNConfig
    policy: Policy
    locator: StartLocator | None
    dataset: str = ""
    gnn: str = ""
    curve: tuple[EpochReport, ...] = ()
    made: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, trainer: Trainer, dataset: str = "", gnn: str = "") -> "TrainedPolicy":
        """What a training has reached so far."""
        seconds = sum(report.seconds for report in trainer.curve)
        made = provenance(trainer.device.type, seconds) | {"instances": len(trainer.predictor.graphs)}
        policy, locator = trainer.policy.eval(), trainer.locator
        return cls(trainer.config, policy, locator, dataset, gnn, tuple(trainer.curve), made)

    def to(self, device: str | torch.device) -> "TrainedPolicy":
        """Move the networks; returns itself."""
        self.policy.to(device)
        if self.locator is not None:
            self.locator.to(device)
        return self


def save_policy(trained: TrainedPolicy, path: Path) -> None:
    """Write a policy with all it takes to use it again."""
    with replacing(path) as part:
        part.write_bytes(policy_data(trained))


def policy_data(trained: TrainedPolicy) -> bytes:
    """The file of a policy as bytes."""
    networks = nn.ModuleDict({"policy": trained.policy, "locator": trained.locator or nn.Module()})
    header = PolicyHeader(
        schema=2,
        dataset=trained.dataset,
        gnn=trained.gnn,
        config=trained.config.as_dict(),
        num_features=trained.policy.num_features,
        locator=None if trained.locator is None else trained.locator.widths,
        curve=trained.curve,
        made=trained.made,
    )
    return tensor_bytes(networks.state_dict(), header)


def load_policy(path: Path) -> TrainedPolicy:
    """Read a policy, on the CPU."""
    header = read_json_header(path, PolicyHeader, _AGAIN)
    config, widths, locator = GFNConfig.from_dict(header.config), header.locator, None
    if not header.num_features:
        raise UserError(f"{path.name} is a look-ahead policy: learned flows use the shipped one by themselves.")
    shape = header.num_features, config.policy, config.stop, config.max_nodes
    policy = read_network(path, lambda: FlowPolicy(*shape), "policy.")
    if widths is not None:
        locator = read_network(path, lambda: StartLocator(*widths), "locator.")
    return TrainedPolicy(config, policy.eval(), locator, header.dataset, header.gnn, header.curve, header.made)


# A trained policy with another β, price per node or smaller K_M, as far as that goes without training.


def changed_config(config: GFNConfig, **changes: Any) -> GFNConfig:
    """The settings with another β, price per node or K_M, at most the policy's own. ``None`` changes nothing."""
    values = {name: value for name, value in changes.items() if value is not None}
    if not 2 <= values.get("max_nodes", 2) <= config.max_nodes:
        raise UserError(
            f"The most nodes of a subgraph, Kₘ, must lie between 2 and {config.max_nodes}, the policy's own "
            f"(got {values['max_nodes']})."
        )
    return changed(config, values)


def changed_policy(trained: TrainedPolicy, **changes: Any) -> TrainedPolicy:
    """A policy under other settings (those of :func:`changed_config`); the given one is left as it is.

    Another β or price per node changes the reward, and with it STOP's flow where that is the reward itself. The other
    flows stay as they were learned, so the samples no longer follow P ∝ R.
    """
    config, policy = changed_config(trained.config, **changes), trained.policy
    if config.reward != trained.config.reward and config.stop is not Stop.REWARD:
        raise UserError(
            "This policy learned when to stop, so another reward changes nothing: train a policy for that reward."
        )
    if config.max_nodes < policy.max_nodes:
        policy = policy.smaller(config.max_nodes)
    return replace(trained, config=config, policy=policy)
