"""Trained policies on disk, and trainings that can be resumed."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from gfx_core.arrays import Ints, first_best
from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.policy import FlowPolicy, StartLocator
from gfx_core.gfn.replay import Replay
from gfx_core.gfn.settings import GFNConfig, Stop
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.predict import Predictor
from gfx_core.weights import check_finite, read_json_header, read_tensors, tensor_bytes, tensor_shapes, write_tensors

Network = TypeVar("Network", bound=nn.Module)
SCHEMA = 2  # 1: ReLU in the network that sees the whole set
MOST_WIDE = 100_000
"""Numbers that a layer of a policy reads or gives."""
_UNFIT = "The weights in {} do not fit the architecture its header names."
_AGAIN = "Train the policy with: python -m gfx_core train policy --dataset NAME."


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
        made: Device, versions, date and seconds, and how many instances it learnt from.
    """

    config: GFNConfig
    policy: FlowPolicy
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

    def start_nodes(self, predictor: Predictor) -> Ints:
        """Where subgraphs start: the explained nodes, or in a graph task what the locator finds most influential."""
        if self.locator is None:
            return predictor.graphs.target.cpu().numpy()
        influence = (self.locator.probabilities(predictor, number) for number in range(len(predictor.graphs)))
        return np.array([first_best(nodes.cpu().numpy()) for nodes in influence])


@dataclass(frozen=True)
class Checkpoint:
    """Where a training is saved while it goes on.

    Attributes:
        path: The file.
        every: Epochs between two saves.
        resume: Whether to go on from the file if it is there.
    """

    path: Path
    every: int = 25
    resume: bool = False


def save_policy(trained: TrainedPolicy, path: Path) -> None:
    """Write a policy with all it takes to use it again."""
    write_tensors(path, *_contents(trained))


def policy_data(trained: TrainedPolicy) -> bytes:
    """What :func:`save_policy` writes, without a disk."""
    return tensor_bytes(*_contents(trained))


def _contents(trained: TrainedPolicy) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    tensors = {f"policy.{name}": value for name, value in trained.policy.state_dict().items()}
    if trained.locator is not None:
        tensors |= {f"locator.{name}": value for name, value in trained.locator.state_dict().items()}
    header = {
        "schema": SCHEMA,
        "dataset": trained.dataset,
        "gnn": trained.gnn,
        "config": trained.config.as_dict(),
        "num_features": trained.policy.num_features,
        "locator": None if trained.locator is None else trained.locator.widths,
        "curve": [asdict(report) for report in trained.curve],
        "made": trained.made,
    }
    return tensors, header


def load_policy(path: Path) -> TrainedPolicy:
    """Read a policy, on the CPU."""
    header = _header(path)
    config = GFNConfig.from_dict(header["config"])
    features: Any = header.get("num_features")
    widths: Any = header.get("locator")
    known = isinstance(header.get("made"), dict) and all(isinstance(header.get(key), str) for key in ("dataset", "gnn"))
    sizes = [features, *(widths if isinstance(widths, list) else [])]
    whole = all(type(size) is int and 1 <= size <= MOST_WIDE for size in sizes)
    if not known or not whole or not (widths is None or isinstance(widths, list)):
        raise UserError(f"{path.name} is not one of our policies (no valid header). {_AGAIN}")
    shapes = tensor_shapes(path)

    def made(prefix: str, make: Callable[[], Network]) -> Network:
        with torch.device("meta"):  # where tensors have shapes and take no memory
            expected = {f"{prefix}{name}": tuple(value.shape) for name, value in make().state_dict().items()}
        if expected != {name: shape for name, shape in shapes.items() if name.startswith(prefix)}:
            raise UserError(_UNFIT.format(path.name))
        return make()

    try:
        policy = made("policy.", lambda: FlowPolicy(features, config.policy, config.stop, config.max_nodes))
        locator = None if widths is None else made("locator.", lambda: StartLocator(*widths))
        curve = tuple(EpochReport(**report) for report in header["curve"])
    except TypeError as error:
        raise UserError(f"{path.name} is not one of our policies (no valid header). {_AGAIN}") from error
    tensors = read_tensors(path)
    _fill(policy, tensors, "policy.", path)
    if locator is not None:
        _fill(locator, tensors, "locator.", path)
    for network in (policy, locator):
        check_finite({} if network is None else network.state_dict(), path.name)
    return TrainedPolicy(config, policy.eval(), locator, header["dataset"], header["gnn"], curve, header["made"])


def save_training(trainer: Trainer, path: Path) -> None:
    """Write a training so that it can be resumed: weights, Adam's moments, best rewards and subgraphs, curve so far."""
    tensors = {f"modules.{name}": value for name, value in trainer.modules.state_dict().items()}
    if trainer.replay is not None:
        tensors |= {f"replay.{name}": value for name, value in trainer.replay.state_dict().items()}
    for number, state in trainer.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": torch.as_tensor(value) for name, value in state.items()}
    header = {
        "schema": SCHEMA,
        "training": True,
        "config": trainer.config.as_dict(),
        "nodes": len(trainer.graphs.features),
        "curve": [asdict(report) for report in trainer.curve],
    }
    write_tensors(path, tensors, header)


def resume_training(trainer: Trainer, path: Path) -> None:
    """Put a fresh trainer where a saved training of the same configuration stopped."""
    header = _header(path)
    if not header.get("training"):
        raise UserError(f"{path.name} is a finished policy, not a training that can be resumed.")
    if GFNConfig.from_dict(header["config"]) != trainer.config:
        raise UserError(f"{path.name} belongs to a training with other settings: resume with the same ones.")
    tensors = read_tensors(path)
    if header.get("nodes") != len(trainer.graphs.features):
        raise UserError(f"{path.name} belongs to a training on other instances: resume with the same ones.")
    _fill(trainer.modules, tensors, "modules.", path)
    if "replay.nodes" in tensors:
        trainer.replay = Replay(trainer.graphs, trainer.config.max_nodes)
        _fill(trainer.replay, tensors, "replay.", path)
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in tensors.items():
        if name.startswith("adam."):
            _, number, key = name.split(".")
            state.setdefault(int(number), {})[key] = value
    groups = trainer.optimizer.state_dict()["param_groups"]
    trainer.optimizer.load_state_dict({"state": state, "param_groups": groups})
    trainer.curve = [EpochReport(**report) for report in header["curve"]]


def _header(path: Path) -> dict[str, Any]:
    header = read_json_header(path, dict[str, Any], _AGAIN)
    if not {"config", "curve"} <= header.keys():
        raise UserError(f"{path.name} is not one of our policies (no valid header). {_AGAIN}")
    if (version := header.get("schema")) != SCHEMA:
        raise UserError(f"{path.name} has header version {str(version)[:20]}, this program reads {SCHEMA}. {_AGAIN}")
    return header


def _fill(module: nn.Module, tensors: dict[str, torch.Tensor], prefix: str, path: Path) -> None:
    own = {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
    try:
        module.load_state_dict(own)
    except RuntimeError as error:
        raise UserError(_UNFIT.format(path.name)) from error


# A trained policy with another β, price per node or smaller K_M, as far as that goes without training.


def changed_config(config: GFNConfig, **changes: Any) -> GFNConfig:
    """The same settings with another β, price per node or K_M, at most the policy's own. ``None`` changes nothing."""
    wanted = {name: value for name, value in changes.items() if value is not None}
    if not 2 <= wanted.get("max_nodes", 2) <= config.max_nodes:
        raise UserError(
            f"The most nodes of a subgraph, Kₘ, must lie between 2 and {config.max_nodes}, the policy's own "
            f"(got {wanted['max_nodes']})."
        )
    return changed(config, wanted)


def changed_policy(trained: TrainedPolicy, **changes: Any) -> TrainedPolicy:
    """The same policy under other settings (those of :func:`changed_config`); the given one is left as it is.

    Another β or price per node changes the reward, and with it STOP's flow where that is the reward itself. The other
    flows stay as they were learnt, so the samples no longer follow P ∝ R.
    """
    config = changed_config(trained.config, **changes)
    if config.reward != trained.config.reward and config.stop is not Stop.REWARD:
        raise UserError(
            "This policy learned when to stop, so another reward changes nothing: train a policy for that reward."
        )
    same = config.max_nodes == trained.config.max_nodes
    return replace(trained, config=config, policy=trained.policy if same else trained.policy.smaller(config.max_nodes))
