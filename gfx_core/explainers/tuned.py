"""Policies that were tuned on one instance, kept on disk: every worker finds them, also after a restart.

Where the disk is full or may not be written, they are kept in memory, and no training is lost or done twice.

This module is imported in workers only: it needs torch.
"""

import contextlib
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict

from torch import Tensor, nn

from gfx_core import storage
from gfx_core.config import data_root
from gfx_core.errors import UserError
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.tuning import LEARNING, RATE, TRAJECTORIES, tuned_policy
from gfx_core.explainers.tuning_plan import EPOCHS
from gfx_core.gfn.policy_file import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext
from gfx_core.user_data.store import home_of

KEPT = 100
"""Tuned policies on disk; the oldest go first."""
_REMEMBERED = 4
_memory: OrderedDict[str, TrainedPolicy] = OrderedDict()  # what could be written nowhere, in this process
UNLISTED = "too many states to know the distance from R/Z"


def ready_policy(
    job: JobContext,
    generator: SubgraphSampler,
    model: GNN,
    epochs: int = EPOCHS,
    watch: Callable[[Trainer], None] | None = None,
) -> TrainedPolicy:
    """The policy tuned on the generator's instance: from disk, or trained now, with progress.

    Args:
        job: Of this job.
        generator: The policy to begin with, on the instance.
        model: The GNN.
        epochs: How long to train.
        watch: Given the trainer, if there is something to train, to listen to its events.
    """
    home = home_of(generator.instance.dataset) or data_root()
    path = home / "tuned" / f"{_digest(generator, model, epochs)}.safetensors"
    if (known_path := storage.find(path)) is not None:
        with contextlib.suppress(UserError):  # a damaged file is made anew
            return load_policy(known_path)
    if path.stem in _memory:
        return _memory[path.stem]
    job.take_long()

    known: list[float] = []

    def tell(report: EpochReport) -> None:
        how = f"total variation from R/Z {known[-1]:.3f}" if known else f"residual {report.residual:.2f} ({UNLISTED})"
        words = f"training on this one: epoch {report.epoch} of {report.epochs}, {how}"
        job.report(0.95 * report.epoch / report.epochs, words)

    trained = tuned_policy(generator, epochs=epochs, on_epoch=tell, on_distance=known.append, watch=watch)
    if storage.keep(path, lambda place: save_policy(trained, place), KEPT) is None:
        _memory[path.stem] = trained
        while len(_memory) > _REMEMBERED:
            _memory.popitem(last=False)
    return trained


def _digest(generator: SubgraphSampler, model: GNN, epochs: int) -> str:
    """Names all that the outcome depends on."""
    trained, instance = generator.trained, generator.instance
    found = hashlib.sha256()
    how = [epochs, TRAJECTORIES, RATE, asdict(LEARNING)]
    settings = [trained.config.as_dict(), *how, instance.target, instance.index]
    found.update(json.dumps(settings, sort_keys=True).encode())
    for module in (trained.policy, trained.locator, model):
        for tensor in _tensors(module):
            found.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    found.update(instance.x.tobytes())
    found.update(instance.edge_index.tobytes())
    return found.hexdigest()[:40]


def _tensors(module: nn.Module | None) -> list[Tensor]:
    return [] if module is None else list(module.state_dict().values())
